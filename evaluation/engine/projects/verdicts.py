"""The verdict on a generation inside a project, from its run and, after a pass, its control; and
the references of a suite: the untouched project, the reference solution, the stubs."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from evaluation.engine.family import Canary, References
from evaluation.engine.projects import control
from evaluation.engine.projects.report import Report, met, read
from evaluation.engine.projects.suite import (
    CONTROL,
    DRY_RUN,
    ORACLE,
    Suite,
    control_of,
    decided_by_oracle,
    passed_by,
    run,
    tests_of,
)
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Integrity,
    Key,
    Outcome,
    Prepared,
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


def references(suite: Suite) -> References:
    """If the dry run is unsound, all later references are skipped."""
    names = [DRY_RUN] if suite.dry_run_limits is not None else []
    for test_set in suite.test_sets:
        names += [f"{kind}:{test_set}".rstrip(":") for kind in (ORACLE, CONTROL)]
    return References((*names, *suite.stubs), partial(_plan, suite), partial(_judge, suite))


def _plan(
    suite: Suite, task: Task, prepared: Prepared, known: Mapping[str, Reference], name: str
) -> Execution | None:
    kind, _, test_set = name.partition(":")
    if kind == DRY_RUN:
        assert suite.dry_run_limits is not None, "a dry run has limits"
        command = suite.command(task, "", "")
        return run(suite, task, prepared, {}, command, (), suite.dry_run_limits)
    changed = suite.reference_changes(task, prepared, ORACLE if kind == CONTROL else kind)
    compared, dry_run = suite.compared(task, "", test_set), known.get(DRY_RUN)
    is_sound = dry_run is None or not dry_run.unsound
    if changed is None or not is_sound or (compared is not None and not compared):
        return None
    command, ids = suite.command(task, "", test_set), passed_by(known, DRY_RUN)
    planned = run(suite, task, prepared, changed, command, ids, suite.limits)
    if kind != CONTROL:
        return planned
    oracle = known.get(name.replace(CONTROL, ORACLE, 1))
    passed = oracle is not None and oracle.status is Status.PASSED
    return control_of(planned) if passed else None


def _judge(
    suite: Suite,
    task: Task,
    _prepared: Prepared,
    known: Mapping[str, Reference],
    name: str,
    outcome: Outcome,
) -> Reference:
    kind, _, test_set = name.partition(":")
    report = read(outcome)
    counted = count(suite, task, "", test_set, known, outcome)
    status, facts, unsound = counted.status, {}, ""
    if kind == DRY_RUN:
        status = status_of(suite, outcome, report, right=bool(report.passed))
        if status is not Status.PASSED and report.complete:
            unsound = "The untouched project passes no test."
        elif status is not Status.PASSED:
            unsound = f"The tests of the untouched project do not finish ({status.value})."
        facts = control.watched(outcome)
    elif kind == ORACLE:
        if status is not Status.PASSED:
            unsound = (
                f"The reference solution passes {counted.passed} of the {counted.total} tests that "
                f"it must pass ({status.value})."
            )
        facts = {"failed": [*sorted(report.failed)], **control.watched(outcome)}
    elif kind == CONTROL:
        facts = control.facts(outcome, known[name.replace(CONTROL, ORACLE, 1)].passed)
        if not facts["stopped"] and not facts["went_through"]:
            unsound = (
                "No test of the task can be controlled: a forged report would count as a true one."
            )
    return Reference(
        name=name,
        status=status,
        passed=tuple(sorted(report.passed)),
        tests=len(report.tests),
        cpu_seconds=outcome.cpu_seconds,
        duration_ms=milliseconds(outcome),
        facts=facts,
        unsound=unsound,
        output=outcome.output,
    )


def canaries(
    suite: Suite,
    generation: Callable[[Task, str], str | None],
    setting: str,
    task: Task,
    prepared: Prepared,
    references: Mapping[str, Reference],
) -> tuple[Canary, ...]:
    """The reference solution, and the fastest stub that fails, if any.

    generation(task, name) -> the text of a generation equivalent to the reference, or None.
    """
    stubs = [references[name] for name in suite.stubs if name in references]
    fails = [stub for stub in stubs if stub.status is not Status.PASSED]
    fails.sort(key=lambda stub: stub.duration_ms)
    canaries = []
    for name in (ORACLE, *(stub.name for stub in fails[:1])):
        text = generation(task, name)
        if text is not None:
            generated = Generation(Key(task.id, 0), text)
            case = Case(task, generated, setting, prepared=prepared, references=references)
            canaries.append(Canary(case, passes=name == ORACLE))
    return tuple(canaries)
