"""The command line's arguments."""

from __future__ import annotations

import argparse
from pathlib import Path

from evaluation.cli import builder, commands, generation_words, shared
from evaluation.cli.limits import limit
from evaluation.engine.registry import FAMILIES
from evaluation.making import sources


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m evaluation", description="Judges generations without the website."
    )
    kinds = top.add_subparsers(required=True, metavar="COMMAND")
    _run(kinds.add_parser("run", help="judge a prediction file in sandboxes"))

    validate = kinds.add_parser("validate", help="check a prediction file without judging it")
    _files(validate)
    validate.set_defaults(command=commands.validate)

    generate = kinds.add_parser("generate", help="generate predictions from a model endpoint")
    generation_words.add_arguments(generate)
    generate.set_defaults(command=_generate)

    builder.add_arguments(
        kinds.add_parser(
            "build-tasks", help="make tasks from the functions of a repository that its tests reach"
        )
    )
    sources.add_arguments(
        kinds.add_parser(
            "locate-sources", help="find the commits that a benchmark's tasks were cut from"
        )
    )

    check = kinds.add_parser("check-sandbox", help="check that the sandbox isolates programs")
    shared.runtime(check)
    check.set_defaults(command=commands.check_sandbox)

    demo = kinds.add_parser("demo", help="judge the sample predictions that ship with Assay")
    shared.workers(demo)
    demo.set_defaults(command=commands.demo, runtime=None)
    return top


def _generate(arguments: argparse.Namespace) -> int:
    from evaluation.cli import generation  # takes a second; the other commands don't need it

    return generation.generate(arguments)


def _run(run: argparse.ArgumentParser) -> None:
    _files(run)
    run.add_argument(
        "--report",
        type=Path,
        required=True,
        metavar="OUT.jsonl",
        help="one line per verdict; a run resumes from an existing report",
    )
    run.add_argument("--summary", type=Path, metavar="OUT.json", help="the scores as JSON")
    shared.workers(run)
    run.add_argument(
        "--limit",
        type=limit,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="cpu=4s, wall=3 (times cpu), memory=512m, output=8m, pids=128, files=256",
    )
    shared.runtime(run)
    run.set_defaults(command=commands.run)


def _files(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "family", choices=sorted(FAMILIES), metavar="FAMILY", help=", ".join(sorted(FAMILIES))
    )
    command.add_argument("--tasks", type=Path, required=True, metavar="FILE")
    command.add_argument(
        "--answers",
        type=Path,
        metavar="FILE",
        help="the private answers, if the tasks file does not contain them",
    )
    command.add_argument("--predictions", type=Path, required=True, metavar="FILE")
    command.add_argument("--setting", metavar="S", help="default: the family's first")
    command.add_argument(
        "--prompts",
        type=Path,
        metavar="FILE.json",
        help="the wording of the transcripts, if it is not ours",
    )
    command.add_argument("--only", type=shared.ids, metavar="ID,...", help="only these tasks")
