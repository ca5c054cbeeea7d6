"""What a benchmark family is: records of functions that the engine calls.

A family says how its files are read and how its generations are judged. What it
does not need it leaves out. The seven families are walked through these functions
in docs/architecture.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.engine.records import (
    Case,
    Execution,
    Limits,
    Slot,
    Step,
    Task,
    TaskResult,
    Verdict,
)


@dataclass(frozen=True, slots=True)
class Canary:
    """A fixed program whose verdict is known; it rides in every batch."""

    case: Case
    passes: bool


@dataclass(frozen=True, slots=True)
class ByExecution:
    """Judged by running it.

    plan(case, limits) -> the first execution, or a Verdict
        where nothing needs to run (an empty file, say).
    proceed(case, steps) -> the next execution, None when
        enough has been seen. Absent: one execution is always enough.
    judge(case, steps) -> the verdict. Pure: the same steps
        give the same verdict.
    image: the sandbox image that executions run in (a name of sandbox.images).
    canaries: the first passes, the second does not; more may follow.
    runners: those that its executions name, and no others.
    warm: modules that are imported before candidates' processes are forked.
    """

    image: str
    limits: Limits
    canaries: tuple[Canary, ...]
    plan: Callable[[Case, Limits], Execution | Verdict]
    judge: Callable[[Case, Sequence[Step]], Verdict]
    proceed: Callable[[Case, Sequence[Step]], Execution | None] | None = None
    runners: tuple[str, ...] = ("calls", "script", "standins")
    warm: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Criterion:
    """A scale of human rating: marks from 1 to `top`."""

    name: str
    top: int


@dataclass(frozen=True, slots=True)
class ByPeople:
    """Judged by annotators on the criteria's scales."""

    criteria: tuple[Criterion, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """A benchmark family.

    load_tasks(tasks_path, answers_path) raises BenchmarkError with every problem
        that it found; answers_path is None where none was given.
    slots(task, setting): the places for generations; a submitted line that fits
        none of them is an error.
    results(tasks, setting, verdicts): one TaskResult for each required slot, filled
        or not (missing generations are wrong ones), and for filled optional ones.
    ks: the k of pass@k that the family reports.
    """

    slug: str
    title: str
    settings: tuple[str, ...]
    load_tasks: Callable[[Path, Path | None], tuple[Task, ...]]
    slots: Callable[[Task, str], Sequence[Slot]]
    results: Callable[[Sequence[Task], str, Sequence[Verdict]], list[TaskResult]]
    judged: ByExecution | ByPeople
    ks: tuple[int, ...] = (1,)
    slices: tuple[str, ...] = ()
