"""Judged runs that came near a limit that the project's dry run sets, and the benchmark's own
limits."""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine import registry
from evaluation.engine.family import ByExecution
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.projects.suite import within
from evaluation.engine.records import Limits, Status, TaskId
from tests.support.repositories import kept_of

Line = dict[str, Any]
# The fields that another limit must not change.
VERDICT = ("status", "integrity", "passed", "tests_passed", "tests_total")


def bounds(slug: str, tasks: Path, answers: Path | None = None, *, of: TaskId | None = None,
           setting: str = "base") -> Limits:  # fmt: skip
    """The limits of the runs in the project of these tasks, or of the task `of`."""
    judged = registry.family(slug).judged
    assert isinstance(judged, ByExecution)
    prepared = kept_of(slug, tasks, answers, of=of)[0].prepared
    known, dry_run = store.load_dry_run(Options.from_environment(os.environ), prepared.key)
    assert known, "the run measured it"
    return within(judged.limits_in(setting), replace(prepared, dry_run=dry_run))


def near(lines: Iterable[Line], limits: Limits) -> list[Line]:
    """The lines of runs that timed out, or took more than half of the lowest limit; prints them."""
    least = min(limits.cpu_seconds, limits.wall_seconds, limits.idle_seconds or limits.wall_seconds)
    found = [
        line
        for line in lines
        if line["status"] == Status.TIMEOUT.value or (line["duration_ms"] or 0) > least * 500
    ]
    print(f"{len(found)} runs near a limit of {least:.0f} s")
    for line in found:
        told = [f"{line[name]}" for name in ("task_id", "sample", "requirement", "status")]
        print(f"  {' '.join(told)}: {line['duration_ms']} ms")
    return found


def verdict(line: Line) -> tuple[Any, ...]:
    return tuple(line[name] for name in VERDICT)


@contextmanager
def benchmark_limits() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_BENCHMARK_LIMITS", "1")
        yield
