"""The engine's command line: run, validate, generate, verify and more.

Exit codes: 0 done, 2 invalid input, 3 infrastructure failure, 130 interrupted."""

import sys
from collections.abc import Sequence

from evaluation.cli.arguments import parser
from evaluation.engine.errors import BenchmarkError, EndpointError, SandboxError, UploadError

DONE, INVALID, MACHINERY, INTERRUPTED = 0, 2, 3, 130


def main(words: Sequence[str] | None = None) -> int:
    arguments = parser().parse_args(words)
    try:
        return int(arguments.command(arguments))
    except (BenchmarkError, UploadError) as error:
        for problem in error.problems:
            print(problem, file=sys.stderr)
        if error.more:
            print(f"and {error.more:,} more problems of this kind.", file=sys.stderr)
        return INVALID
    except EndpointError as error:
        print(error, file=sys.stderr)
        print("Run the same command again to resume from the stored answers.", file=sys.stderr)
        return MACHINERY
    except SandboxError as error:
        print(f"The infrastructure failed; nothing was scored: {error}", file=sys.stderr)
        return MACHINERY
    except KeyboardInterrupt:
        print("Interrupted. Run the same command again to resume.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        return DONE
