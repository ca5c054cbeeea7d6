"""How generations are judged that are changes to a real project: what a family says of it.

A family fills in a `Suite` and hands its functions on to the engine:

    ByExecution(
        plan=partial(suite.plan, SUITE),
        proceed=partial(judging.proceed, SUITE),
        judge=partial(judging.judge, SUITE),
        near=suite.near,
        projects=InProjects(
            references=references.references(SUITE),
            canaries=partial(references.canaries, SUITE, generation=..., setting=...),
            ...
        ),
        ...
    )

Nothing here runs, reads or writes anything.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from evaluation.engine.instructions import name_of
from evaluation.engine.records import (
    Case,
    Execution,
    Json,
    Limits,
    Outcome,
    Prepared,
    Stop,
    Task,
)
from evaluation.engine.sandbox import attribution

RUNNER = "repository"
# The names of references. Those of a further set of tests end in a colon and its name.
DRY_RUN, ORACLE, CONTROL = "dry_run", "oracle", "control"


@dataclass(frozen=True, slots=True)
class Suite:
    """What judging has to know of a family whose generations change a project's files.

    report: who writes the tests' report: "pytest" or "surefire".
    limits: of every run of a reference but the dry run; a generation's come with its plan.
    dry_run_limits: of the dry run; None where the family makes none.
    changed(case) -> the whole texts of the files that the generation changes, by path.
    reference_changes(task, prepared, name) -> the same for "oracle" or a stub; None where the
        task has no such reference.
    command(task, setting, requirement) -> the shell command that runs the tests. For references,
        and for cases with a test set, the setting is "" and the requirement the set's name.
    compared(task, setting, requirement) -> the tests that have to pass, as pytest's node ids
        where one stands for its parametrised variants and a class's for its members; None for
        whatever the dry run passed.
    added(task, prepared) -> whole texts of test files that the benchmark adds or changes.
    rewrite(text) -> a test file's text for the control, None where it cannot be made.
    test_file(id, texts) -> the path, among those of `texts`, of the file that holds the test;
        None where there is none that could be rewritten.
    stubs: the names of the stubs, in order.
    test_sets: what the oracle is run on: for each of these, `oracle` and `control`, the names
        ending in ":<set>" where it is not "".
    """

    report: str
    limits: Limits
    dry_run_limits: Limits | None
    changed: Callable[[Case], Mapping[str, str]]
    reference_changes: Callable[[Task, Prepared, str], Mapping[str, str] | None]
    command: Callable[[Task, str, str], str]
    compared: Callable[[Task, str, str], frozenset[str] | None]
    added: Callable[[Task, Prepared], Mapping[str, str]]
    rewrite: Callable[[str], str | None]
    test_file: Callable[[str, Mapping[str, str]], str | None]
    stubs: tuple[str, ...] = ()
    test_sets: tuple[str, ...] = ("",)


def plan(suite: Suite, case: Case, limits: Limits) -> Execution:
    """The run that decides: the project with the generation's files in it."""
    command = suite.command(*tests_of(case))
    prepared = prepared_of(case)
    files = files_of(suite, case.task, prepared, suite.changed(case))
    return execution(suite, files, command, limits)


def tests_of(case: Case) -> tuple[Task, str, str]:
    """The tests that a case is judged by, in the words of `command` and `compared`."""
    if case.test_set:
        return case.task, "", name_of(case.test_set) or ""
    return case.task, case.setting, case.generation.key.requirement or ""


def prepared_of(case: Case) -> Prepared:
    assert case.prepared is not None, "a case of a project comes with its prepared image"
    return case.prepared


def files_of(
    suite: Suite, task: Task, prepared: Prepared, changed: Mapping[str, str]
) -> dict[str, str]:
    """What has to be written into the tree: what the image is without, and what is changed."""
    withheld = prepared.project.withheld
    originals = {path: prepared.texts[path] for path in withheld if path in prepared.texts}
    return {**originals, **suite.added(task, prepared), **changed}


def execution(suite: Suite, files: Mapping[str, str], command: str, limits: Limits) -> Execution:
    written: dict[str, Json] = {**files}
    return Execution(RUNNER, {"files": written, "command": command, "report": suite.report}, limits)


def near(case: Case, outcome: Outcome, limits: Limits) -> bool:
    """Whether a run is to be decided by a repeat alone on the host.

    Where the reference solution took half of the limit on this worker, a time-out may be the
    worker's doing; elsewhere only what ended close to the limit is in doubt.
    """
    stopped = outcome.stop in (Stop.CPU, Stop.WALL)
    if stopped and _oracle_seconds(case) >= limits.cpu_seconds / 2:
        return True
    return attribution.near_limit(outcome, limits)


def _oracle_seconds(case: Case) -> float:
    oracles = (r for name, r in case.references.items() if name.split(":")[0] == ORACLE)
    return max((reference.cpu_seconds for reference in oracles), default=0.0)
