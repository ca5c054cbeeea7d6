"""`build-tasks`: makes a benchmark of the functions of a repository that its tests reach."""

from __future__ import annotations

import argparse
import re
from dataclasses import replace
from pathlib import Path

from evaluation.cli.intake import require_writable
from evaluation.cli.sandboxes import say, slots
from evaluation.engine.errors import UploadError
from evaluation.engine.preparation.options import Options
from evaluation.engine.sandbox.slots import PROJECTS
from evaluation.making.build import BuildReport, build
from evaluation.making.languages import Origin
from evaluation.making.site import Host

_OWNER_AND_NAME = re.compile(r"[\w.-]+/[\w.-]+", re.ASCII)


def build_tasks(arguments: argparse.Namespace) -> int:
    """Builds the tasks and prints counts of the functions; returns 2 if none was kept. Raises
    UploadError if the arguments are invalid."""
    repository, templates = located(arguments.repository, arguments.name)
    options = Options.from_environment()
    if templates:
        options = replace(options, repositories=templates)
    out = arguments.out
    require_writable(out, arguments.report)
    commands = arguments.build_command, arguments.test_command
    origin = Origin(repository, arguments.commit, arguments.image, *commands)
    report = arguments.report or out.with_name(f"{out.name}.report.jsonl")
    host = Host(options, slots(PROJECTS), arguments.workers, arguments.runtime, say=say)
    done = build(origin, arguments.language, out, report, arguments.most, host)
    print(summary(done))
    return 0 if done.kept else 2


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


def summary(done: BuildReport) -> str:
    counts = (
        f"{done.found:,} functions found, {done.cut:,} can be cut out, {done.reached:,} of these "
        f"are reached by tests; {done.tried:,} were tried and {done.kept:,} kept."
    )
    return "\n".join([counts, *(f"{n:7,}  {reason}" for reason, n in done.reasons.items())])
