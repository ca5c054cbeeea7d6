"""The words of the command line."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from evaluation.cli import builder, commands, sources
from evaluation.cli.limits import limit
from evaluation.engine.registry import FAMILIES


def ids(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def at_least_one(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("there must be at least one")
    return number


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m evaluation", description="Judges generations without the web."
    )
    kinds = top.add_subparsers(required=True, metavar="COMMAND")

    run = kinds.add_parser("run", help="judge a prediction file in sandboxes")
    _files(run)
    run.add_argument(
        "--report",
        type=Path,
        required=True,
        metavar="OUT.jsonl",
        help="one line per verdict; a run goes on from what is there",
    )
    run.add_argument("--summary", type=Path, metavar="OUT.json", help="the scores as JSON")
    run.add_argument(
        "--workers",
        type=at_least_one,
        default=os.cpu_count() or 1,
        metavar="N",
        help="sandboxes at a time (default: one per processor)",
    )
    run.add_argument(
        "--limit",
        type=limit,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="cpu=4s, wall=3 (times cpu), memory=512m, output=8m, pids=128, files=256",
    )
    run.add_argument(
        "--runtime",
        default=os.environ.get("ASSAY_SANDBOX_RUNTIME") or None,
        help="Docker runtime of the sandboxes, as runsc (ASSAY_SANDBOX_RUNTIME)",
    )
    run.set_defaults(command=commands.run)

    validate = kinds.add_parser("validate", help="check a prediction file alone")
    _files(validate)
    validate.set_defaults(command=commands.validate)

    builder.add_arguments(kinds)
    sources.add_arguments(
        kinds.add_parser(
            "locate-sources", help="find the commits that a benchmark's tasks were cut from"
        )
    )

    check = kinds.add_parser("check-sandbox", help="try what a sandbox must survive")
    check.add_argument("--runtime", default=os.environ.get("ASSAY_SANDBOX_RUNTIME") or None)
    check.set_defaults(command=commands.check_sandbox)

    demo = kinds.add_parser("demo", help="judge the sample predictions that ship with Assay")
    demo.add_argument("--workers", type=at_least_one, default=os.cpu_count() or 1, metavar="N")
    demo.set_defaults(command=commands.demo, runtime=None)
    return top


def _files(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "family", choices=sorted(FAMILIES), metavar="FAMILY", help=", ".join(sorted(FAMILIES))
    )
    command.add_argument("--tasks", type=Path, required=True, metavar="FILE")
    command.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="the private answers, where the tasks come without",
    )
    command.add_argument("--predictions", type=Path, required=True, metavar="FILE")
    command.add_argument("--setting", metavar="S", help="the family's first one by default")
    command.add_argument("--only", type=ids, metavar="ID,...", help="these tasks alone")
