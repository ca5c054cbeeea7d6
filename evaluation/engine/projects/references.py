"""The references of a suite: the untouched project, the reference solution, the stubs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from evaluation.engine.family import Canary, References
from evaluation.engine.projects import control
from evaluation.engine.projects.report import read
from evaluation.engine.projects.suite import (
    CONTROL,
    DRY_RUN,
    ORACLE,
    Suite,
    control_of,
    passed_by,
    run,
)
from evaluation.engine.projects.verdicts import count, milliseconds, status_of
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Key,
    Outcome,
    Prepared,
    Reference,
    Status,
    Task,
)


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
