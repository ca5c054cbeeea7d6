"""Writes what this Python's compiler says about texts: for each line of the input, which holds a
text as JSON, a line with its fault as JSON, if the compiler does not crash, and an empty line.

`compiler_messages` runs this file as a program of its own, because a text may make the compiler
take long or crash. Each text has a child, which costs a third of starting Python anew."""

import json
import os
import resource
import sys

# Processor seconds and bytes.
_SECONDS, _MEMORY = 2, 2**30


def fault(program: str) -> tuple[str, int | None, int | None] | None:
    """The message, the line and the column, which count from 1; None if the program compiles.
    Lines end with "\\n" alone."""
    if (at := program.find("\0")) >= 0:  # the compiler does not say where
        place = program.count("\n", 0, at) + 1, at - program.rfind("\n", 0, at)
        return "source code string cannot contain null bytes", *place
    try:
        compile(program.encode(), "program.py", "exec", dont_inherit=True)
    except SyntaxError as error:
        return str(error.msg), error.lineno or None, error.offset
    except UnicodeEncodeError as error:
        return str(error), program.count("\n", 0, error.start) + 1, None
    except (ValueError, RecursionError, OverflowError, MemoryError) as error:
        return str(error) or "too deeply nested or too long for the parser", None, None
    return None


def main() -> None:
    for line in sys.stdin.buffer:
        if child := os.fork():
            os.waitpid(child, 0)
            print(flush=True)
            continue
        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        print(json.dumps(fault(json.loads(line))), flush=True)
        os._exit(0)


if __name__ == "__main__":
    main()
