"""The verdict on a generation inside a project: its run, and where that passed its control.

A pass holds where the run came to its end, passed at least one test and passed each that had
to, and where its control ended as the reference solution's did.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from evaluation.engine.projects import control
from evaluation.engine.projects.report import Report, met, read
from evaluation.engine.projects.suite import DRY_RUN, Suite, tests_of
from evaluation.engine.records import (
    Case,
    Execution,
    Integrity,
    Outcome,
    Reference,
    Status,
    Step,
    Task,
    Verdict,
)
from evaluation.engine.sandbox.attribution import out_of_memory, status_of_end

ENDED_EARLY = "ended_early"
# What compilers, and pytest where it cannot import, say of a program that is none.
_NO_PROGRAM = {
    "pytest": ("SyntaxError", "IndentationError", "TabError"),
    "surefire": ("COMPILATION ERROR", "Compilation failure"),
}


class Counted(NamedTuple):
    """How a run did on the tests that have to pass."""

    status: Status
    passed: int
    total: int
    flags: tuple[str, ...] = ()


def proceed(suite: Suite, case: Case, steps: Sequence[Step]) -> Execution | None:
    """After a pass its control, where the reference solution's says what to make of it."""
    first = steps[0]
    if len(steps) > 1 or not control.comparable(case.references, first.outcome):
        return None
    if _counted(suite, case, first.outcome).status is not Status.PASSED:
        return None
    return control.plan(suite, case, first.execution.limits)


def judge(suite: Suite, case: Case, steps: Sequence[Step]) -> Verdict:
    """The verdict. A pass is suspect without a control, be it that none was made yet."""
    outcome, *runs = (step.outcome for step in steps)
    count = _counted(suite, case, outcome)
    passed = count.status is Status.PASSED
    doubts = control.doubts(case.references, outcome, runs) if passed else ""
    return Verdict(
        key=case.generation.key,
        status=count.status,
        test_set=case.test_set,
        integrity=Integrity.SUSPECT if doubts else Integrity.CLEAN,
        tests_passed=count.passed,
        tests_total=count.total,
        duration_ms=milliseconds(outcome),
        control_ms=sum(map(milliseconds, runs)) if runs else None,
        peak_memory_kib=outcome.peak_memory_kib,
        flags=count.flags,
        evidence=doubts,
        output=outcome.output,
    )


def milliseconds(outcome: Outcome) -> int:
    return round(outcome.wall_seconds * 1000)


def _counted(suite: Suite, case: Case, outcome: Outcome) -> Counted:
    return count(suite, *tests_of(case), case.references, outcome)


def count(
    suite: Suite,
    task: Task,
    setting: str,
    requirement: str,
    references: Mapping[str, Reference],
    outcome: Outcome,
) -> Counted:
    """How a run did, of a generation or of a reference program, its control left aside."""
    report = read(outcome)
    nodes = suite.compared(task, setting, requirement)
    if nodes is None:
        dry_run = references.get(DRY_RUN)
        nodes = frozenset(dry_run.passed if dry_run else ())
        reached = nodes & report.passed
    else:
        reached = met(nodes, report)
    right = bool(nodes) and reached == nodes
    return Counted(
        status_of(suite, outcome, report, right=right), len(reached), len(nodes), _flags(report)
    )


def _flags(report: Report) -> tuple[str, ...]:
    return (ENDED_EARLY,) if report.tests and not report.complete else ()


def status_of(suite: Suite, outcome: Outcome, report: Report, *, right: bool) -> Status:
    """The status of a run; `right` says whether the tests that have to pass did."""
    by_end = status_of_end(outcome)
    if by_end is not None:
        return by_end
    if right and report.complete:
        return Status.PASSED
    if out_of_memory(outcome):
        return Status.MEMORY_EXCEEDED
    if not report.passed and _is_no_program(suite, outcome, report):
        return Status.COMPILE_ERROR
    return Status.FAILED if report.complete and report.tests else Status.RUNTIME_ERROR


def _is_no_program(suite: Suite, outcome: Outcome, report: Report) -> bool:
    said: Collection[str] = [outcome.output, *(test.message for test in report.tests.values())]
    return any(words in text for words in _NO_PROGRAM[suite.report] for text in said)
