"""`assay`: the client's command."""

import argparse
import csv
import getpass
import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from assay_client.credentials import checked_address, store
from assay_client.errors import AssayError, Failed, Refused, Unreachable, fault_words
from assay_client.receipts import Json, checked, content_of
from assay_client.site import Site

REFUSED, FAILED, BELOW, UNREACHABLE = 1, 3, 4, 5
_CODES = f"""exit codes: 0 done; {REFUSED} the site or the client refuses the file, request
or receipt; 2 wrong arguments; {FAILED} checking or judging failed, or was cancelled, or the receipt
is no longer valid; {BELOW} the score is below
--fail-under; {UNREACHABLE} the site does not answer"""


class Progress:
    """Shows what is under way: on a terminal in one line, elsewhere a line a minute."""

    def __init__(self) -> None:
        self._terminal, self._width, self._next = sys.stderr.isatty(), 0, 0.0

    def __call__(self, words: str) -> None:
        if self._terminal:
            print(f"\r{words:{self._width}}", end="", file=sys.stderr, flush=True)
            self._width = len(words)
        elif time.monotonic() >= self._next:
            print(words, file=sys.stderr, flush=True)
            self._next = time.monotonic() + 60

    def end(self) -> None:
        if self._width:
            print(file=sys.stderr)
        self._width = 0


def main(arguments: Sequence[str] | None = None) -> int:
    options = _parser().parse_args(arguments)
    progress = Progress()
    try:
        if options.act is login:
            code = login(options.site)
        elif options.act is verify and options.offline:
            code = verify(None, options)
        else:
            patience = options.patience
            with Site.connected(options.site, report=progress, patience=patience) as site:
                code = options.act(site, options)
        sys.stdout.flush()
        return int(code)
    except AssayError as error:
        progress.end()
        if error.answer is not None and getattr(options, "json", False):
            print(json.dumps(error.answer, ensure_ascii=False, indent=2))
        print(error, file=sys.stderr)
        kinds = {Refused: REFUSED, Failed: FAILED, Unreachable: UNREACHABLE}
        return next(code for kind, code in kinds.items() if isinstance(error, kind))
    except BrokenPipeError:
        # Who read the output, such as `head`, has ended; nor is there anybody to flush it to.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except EOFError:
        print("No input: the command asks on a terminal.", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("\nStopped. The same command goes on where it was.", file=sys.stderr)
        return 130
    finally:
        progress.end()


def login(site: str | None) -> int:
    """Asks for the address and a token, tries them, and stores them."""
    address = checked_address(site or input("Address of the site: ").strip())
    token = getpass.getpass("Token (from your account page): ").strip()
    with Site(address, token, patience=10) as connection:
        facts = connection._token()
    path = store(address, token)
    scopes = ", ".join(facts["scopes"])
    print(f"{facts['user']} for {facts['team']} ({scopes}) until {facts['expires']}.")
    print(f"Stored in {path}.")
    return 0


def check(site: Site, options: argparse.Namespace) -> int:
    report = site.check(options.file, benchmark=options.benchmark, setting=options.setting)
    counts = f"{report['generations']} generations of {report['tasks']} of {report['tasks_total']}"
    lines = [f"Valid: {counts} tasks ({report['format_words']})."]
    lines += [fault_words({"detail": text}) for text in report["warnings"]]
    if report["confirmations"]:
        lines += ["Submitting asks you to confirm:"]
        lines += [fault_words({"detail": text}) for text in report["confirmations"]]
    _show(report, options, lines)
    return 0


def submit(site: Site, options: argparse.Namespace) -> int:
    def confirm(sentences: Sequence[str]) -> bool:
        if not (options.confirm or sys.stdin.isatty()):
            return False
        print("", *sentences, sep="\n", file=sys.stderr)
        question = "Submit it all the same? [y/N] "
        return options.confirm or input(question).strip().lower() in ("y", "yes")

    upload = site.submit(
        options.file,
        benchmark=options.benchmark,
        setting=options.setting,
        entrant=options.entrant,
        confirm=confirm,
    )
    submission = upload["submission"]
    threshold = options.fail_under
    if not (options.wait or options.publish or threshold is not None):
        _show(upload, options, [f"Submitted: {submission}"])
        return 0
    print(f"Submitted: {submission}", file=sys.stderr)
    result = site.wait(submission)
    score = result["score"]
    is_below = threshold is not None and (score is None or score < threshold)
    if options.publish and not is_below and result["published"] is None:
        result = site.publish(submission)
    _show(result, options, _result_lines(result))
    if is_below:
        print(f"The score is not {threshold} or more.", file=sys.stderr)
        return BELOW
    return 0


def status(site: Site, options: argparse.Namespace) -> int:
    if options.submission:
        result = site.status(options.submission)
        _show(result, options, _result_lines(result))
        return 0
    rows = [*site.submissions()]
    columns = ("submission", "benchmark", "setting", "entrant", "state", "created", "published")
    _show(rows, options, _table(columns, rows))
    return 0


def verdicts(site: Site, options: argparse.Namespace) -> int:
    target = options.output or Path(f"{options.submission}.verdicts.jsonl")
    site.verdicts(options.submission, target)
    print(f"Written: {target}", file=sys.stderr)
    return 0


def board(site: Site, options: argparse.Namespace) -> int:
    shown = site.board(options.benchmark, setting=options.setting, revision=options.revision)
    columns = ("rank_low", "rank_high", "entrant", "score", "low", "high", "n")
    if options.format == "json":
        print(json.dumps(shown, ensure_ascii=False, indent=2))
    elif options.format == "table":
        print(*_table(columns, shown["rows"]), sep="\n")
    else:
        # Each metric and slice in a column of its own.
        rows = [
            {key: value for key, value in row.items() if not isinstance(value, dict)}
            | {f"{key}: {name}": v for key in ("metrics", "slices") for name, v in row[key].items()}
            for row in shown["rows"]
        ]
        names = {name: None for row in rows for name in row}
        writer = csv.DictWriter(sys.stdout, [*names], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    return 0


def compare(site: Site, options: argparse.Namespace) -> int:
    chosen = {"setting": options.setting, "revision": options.revision}
    comparison = site.compare(options.benchmark, options.first, options.second, **chosen)
    columns = ("first", "second", "metric", "difference", "low", "high", "p", "tasks")
    _show(comparison, options, _table(columns, [comparison]))
    return 0


def verify(site: Site | None, options: argparse.Namespace) -> int:
    files = {"generations": options.generations, "verdicts": options.verdicts}
    if site is not None:
        statement = site.verify(options.receipt, keys=options.keys, **files)
    elif options.keys is None:
        raise Refused("--offline needs the site's keys: --keys FILE.")
    else:
        statement, _digest = checked(options.receipt, content_of(options.keys), **files)
    result = statement["predicate"]
    words = "{entrant} on {benchmark} {revision[label]}, {setting}".format_map(result)
    whole = [_in_marks(score) for score in result["scores"] if score["slice"] == "overall"]
    lines = _table(("metric", "value", "low", "high", "n"), whole)
    how = "not asked whether it is still valid" if site is None else "still valid"
    _show(statement, options, [f"{words}: genuine, {how}.", *lines])
    return 0


def _in_marks(score: Json) -> Json:
    """With mean marks as pages show them: a receipt has them as shares of their scale."""
    ends, top = {name: score[name] for name in ("value", "low", "high")}, score["top"]
    marks = {name: 1 + end * (top - 1) for name, end in ends.items() if top and end is not None}
    return score | marks


def _show(content: Any, options: argparse.Namespace, lines: Iterable[str]) -> None:
    if options.json:
        print(json.dumps(content, ensure_ascii=False, indent=2))
    else:
        print(*lines, sep="\n")


def _result_lines(result: Json) -> list[str]:
    counts = ", ".join(f"{kind} {number}" for kind, number in result["counts"].items())
    lines = [f"{result['state']}: {result['judged']} of {result['total']} generations: {counts}"]
    if result["score"] is not None:
        interval = f" ({_cell(result['low'])} to {_cell(result['high'])})"
        lines.append(f"{result['metric']}: {_cell(result['score'])}{interval}")
    lines += [*result["remarks"], *filter(None, [result["hold"]])]
    if result["published"]:
        lines.append(f"Published {result['published']}.")
    return lines


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _table(columns: Sequence[str], rows: Sequence[Json]) -> list[str]:
    cells = [columns, *([_cell(row[name]) for name in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        "assay",
        description="Submit predictions to an Assay site, and read its boards.",
        epilog=_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--site", help="the site's address (default: ASSAY_SITE, or of the login)")
    words = "how long to try while the site does not answer (default: %(default)s)"
    parser.add_argument("--patience", type=float, default=900, metavar="SECONDS", help=words)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(act: Callable[..., int], words: str, *, as_json: bool = True) -> Any:
        added = commands.add_parser(act.__name__, help=words, description=words)
        added.set_defaults(act=act)
        if as_json:
            added.add_argument("--json", action="store_true", help="print the answer as JSON")
        return added

    command(login, "store a site's address and a token", as_json=False)
    for act, words in ((check, "check a file, without submitting it"), (submit, "submit a file")):
        added = command(act, words)
        added.add_argument("file", type=Path)
        added.add_argument("-b", "--benchmark", required=True)
        added.add_argument("-s", "--setting", default="", help="default: the benchmark's first one")
    added.add_argument("-e", "--entrant", required=True, help="the slug of an entrant of your team")
    added.add_argument("--wait", action="store_true", help="wait until the evaluation is over")
    added.add_argument("--publish", action="store_true", help="wait, then publish the result")
    added.add_argument(
        "--fail-under", type=float, metavar="SCORE", help="wait; exit code 4 for a lower score"
    )
    added.add_argument("--confirm", action="store_true", help="confirm what the report asks for")
    command(status, "the progress of a submission, or all of the team's").add_argument(
        "submission", nargs="?"
    )
    added = command(verdicts, "write the verdicts of a submission to a file", as_json=False)
    added.add_argument("submission")
    added.add_argument("-o", "--output", type=Path, help="default: ID.verdicts.jsonl")
    added = command(board, "show a board", as_json=False)
    added.add_argument("benchmark")
    added.add_argument("--format", choices=("table", "csv", "json"), default="table")
    other = command(compare, "compare two entrants by their slugs")
    other.add_argument("first")
    other.add_argument("second")
    other.add_argument("-b", "--benchmark", required=True)
    proof = command(verify, "check a receipt's signature, files and state")
    proof.add_argument("receipt", type=Path)
    for name, words in (
        ("generations", "the uploaded file, or its generations as JSON lines"),
        ("verdicts", "the receipt's file of verdicts"),
        ("keys", "the site's /.well-known/assay-keys.json, stored before"),
    ):
        proof.add_argument(f"--{name}", type=Path, metavar="FILE", help=words)
    proof.add_argument("--offline", action="store_true", help="do not ask the site; needs --keys")
    for either in (added, other):
        either.add_argument("-s", "--setting", default="")
        either.add_argument("--revision", default="")
    return parser


if __name__ == "__main__":
    sys.exit(main())
