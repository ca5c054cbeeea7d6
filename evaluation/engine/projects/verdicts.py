"""The verdict on a generation inside a project, from its run and, after a pass, its control."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from evaluation.engine.projects import control
from evaluation.engine.projects.report import Report, met, read
from evaluation.engine.projects.suite import (
    DRY_RUN,
    Suite,
    control_of,
    decided_by_oracle,
    tests_of,
)
from evaluation.engine.records import (
    Case,
    Execution,
    Integrity,
    Outcome,
    Reference,
    Status,
    Step,
    Task,
    Tier,
    Verdict,
    evidence_text,
)
from evaluation.engine.sandbox.attribution import ENDED_EARLY, out_of_memory, status_of_end

# Output of compilers, and of failed imports in pytest, for a program that does not compile.
_NO_PROGRAM = {
    "pytest": ("SyntaxError", "IndentationError", "TabError"),
    "surefire": ("COMPILATION ERROR", "Compilation failure"),
}


class Counted(NamedTuple):
    status: Status
    passed: int
    total: int
    flags: tuple[str, ...] = ()


def proceed(suite: Suite, case: Case, steps: Sequence[Step]) -> Execution | None:
    first = steps[0]
    if len(steps) > 1 or not control.comparable(case.references, first.outcome):
        return None
    if _counted(suite, case, first.outcome).status is not Status.PASSED:
        return None
    return control_of(first.execution)


def judge(suite: Suite, case: Case, steps: Sequence[Step]) -> Verdict:
    """A pass without a control is suspect, also if the control is still to run."""
    outcome, *runs = (step.outcome for step in steps)
    counted = _counted(suite, case, outcome)
    nodes = suite.compared(*tests_of(case)) or ()
    passed = counted.status is Status.PASSED
    doubts = control.doubts(case.references, outcome, runs, nodes) if passed else []
    return Verdict(
        key=case.generation.key,
        status=counted.status,
        test_set=case.test_set,
        integrity=Integrity.SUSPECT if doubts else Integrity.CLEAN,
        tier=Tier.SHARED,
        tests_passed=counted.passed,
        tests_total=counted.total,
        duration_ms=milliseconds(outcome),
        control_ms=sum(map(milliseconds, runs)) if runs else None,
        peak_memory_kib=outcome.peak_memory_kib,
        flags=counted.flags,
        evidence=evidence_text(*doubts),
        output=outcome.output,
    )


def milliseconds(outcome: Outcome) -> int:
    return round(outcome.wall_seconds * 1000)


def _counted(suite: Suite, case: Case, outcome: Outcome) -> Counted:
    decided = decided_by_oracle(case.references)
    return count(suite, *tests_of(case), case.references, outcome, decided)


def count(
    suite: Suite,
    task: Task,
    setting: str,
    requirement: str,
    references: Mapping[str, Reference],
    outcome: Outcome,
    decided: Collection[str] = frozenset(),
) -> Counted:
    """The result of a run of a generation or a reference, without regard to its control. No test
    of `decided` may be skipped."""
    report = read(outcome)
    nodes = suite.compared(task, setting, requirement)
    if nodes is None:
        dry_run = references.get(DRY_RUN)
        nodes = frozenset(dry_run.passed if dry_run else ())
        reached = nodes & report.passed
    else:
        reached = met(nodes, report, decided)
    status = status_of(suite, outcome, report, right=bool(nodes) and reached == nodes)
    flags = (ENDED_EARLY,) if report.tests and not report.complete else ()
    return Counted(status, len(reached), len(nodes), flags)


def status_of(suite: Suite, outcome: Outcome, report: Report, *, right: bool) -> Status:
    by_end = status_of_end(outcome)
    if by_end is not None:
        return by_end
    if right and report.complete:
        return Status.PASSED
    if out_of_memory(outcome):
        return Status.MEMORY_EXCEEDED
    texts = [outcome.output, *(test.message for test in report.tests.values())]
    no_program = any(words in text for words in _NO_PROGRAM[suite.report] for text in texts)
    if no_program and not report.passed:
        return Status.COMPILE_ERROR
    return Status.FAILED if report.complete and report.tests else Status.RUNTIME_ERROR
