"""`build-tasks`: makes a benchmark of the functions of a repository that its tests reach."""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation.cli import shared
from evaluation.cli.sandboxes import slots
from evaluation.engine.errors import UploadError
from evaluation.engine.preparation.options import Options
from evaluation.engine.sandbox.slots import PROJECTS
from evaluation.making.build import BuildReport, Wanted, build
from evaluation.making.languages import LANGUAGES
from evaluation.making.site import Host
from evaluation.making.writing import Origin

_OWNER_AND_NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def add_arguments(command: argparse.ArgumentParser) -> None:
    needed: dict[str, Any] = {"required": True}
    command.add_argument(
        "--repository",
        metavar="URL_OR_PATH",
        help="a git URL or directory, or an OWNER/NAME that ASSAY_REPOSITORIES finds",
        **needed,
    )
    command.add_argument(
        "--name",
        metavar="OWNER/NAME",
        help="the repository's name in the tasks (default: the last two parts of its location)",
    )
    command.add_argument("--commit", type=_commit, metavar="SHA", help="in full", **needed)
    command.add_argument("--image", metavar="IMAGE", help="as python:3.11-slim-bookworm", **needed)
    command.add_argument("--build-command", metavar="COMMAND", **needed)
    command.add_argument("--test-command", metavar="COMMAND", **needed)
    command.add_argument("--language", choices=sorted(LANGUAGES), **needed)
    command.add_argument("--out", type=Path, metavar="TASKS.jsonl", **needed)
    command.add_argument(
        "--most", type=shared.at_least_one, metavar="N", help="the maximum number of tasks"
    )
    command.add_argument(
        "--report",
        type=Path,
        metavar="REPORT.jsonl",
        help="one line per function; a build resumes from an existing report (default: next to "
        "--out)",
    )
    shared.workers(command)
    shared.runtime(command)
    command.set_defaults(command=build_tasks)


def build_tasks(arguments: argparse.Namespace) -> int:
    """Builds the tasks and prints counts of the functions; returns 2 if none was kept."""
    wanted, options = _wanted(arguments)
    done = build(
        wanted, Host(options, slots(PROJECTS), arguments.workers, arguments.runtime, say=_say)
    )
    print(summary(done))
    return 0 if done.kept else 2


def _wanted(arguments: argparse.Namespace) -> tuple[Wanted, Options]:
    """Raises UploadError if the arguments are invalid."""
    repository, places = located(arguments.repository, arguments.name)
    options = Options.from_environment()
    if places:
        options = replace(options, repositories=places)
    shared.require_writable(arguments.out, arguments.report)
    wanted = Wanted(
        Origin(
            repository,
            arguments.commit,
            arguments.image,
            arguments.build_command,
            arguments.test_command,
        ),
        arguments.language,
        arguments.out,
        arguments.report or arguments.out.with_name(arguments.out.name + ".report.jsonl"),
        arguments.most,
    )
    return wanted, options


def located(given: str, name: str | None) -> tuple[str, tuple[str, ...]]:
    """The repository's name in the tasks, and its location as the only template, if any. Raises
    UploadError if no valid name results."""
    is_path = Path(given).is_dir()
    if not is_path and _OWNER_AND_NAME.fullmatch(given):
        return name or given, ()
    place = str(Path(given).resolve()) if is_path else given
    parts = re.split("[/:]", place.rstrip("/").removesuffix("/.git").removesuffix(".git"))
    called = name or "/".join(parts[-2:])
    if not _OWNER_AND_NAME.fullmatch(called):
        raise UploadError(f"{called!r} is not a repository's name; add --name OWNER/NAME.")
    return called, (place.replace("{", "{{").replace("}", "}}"),)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def summary(done: BuildReport) -> str:
    lines = [
        f"{done.found:,} functions found, {done.cut:,} can be cut out, {done.reached:,} of these "
        f"are reached by tests; {done.tried:,} were tried and {done.kept:,} kept.",
        *(f"{count:7,}  {reason}" for reason, count in done.reasons.items()),
    ]
    return "\n".join(lines)


def _commit(text: str) -> str:
    if not re.fullmatch("[0-9a-f]{40}", text):
        raise argparse.ArgumentTypeError("a commit must have all of its 40 hexadecimal digits")
    return text
