"""Judges generations that change files of a real project, from a family's `Suite`.

Pure: runs nothing, and reads and writes no files.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

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
# A run may take this many times the dry run, and this much longer; also its pauses.
TIMES, SPARE_SECONDS = 10.0, 20.0
# Names of references. For another test set they end in a colon and the set's name.
DRY_RUN, ORACLE, CONTROL = "dry_run", "oracle", "control"


class Rewriting(NamedTuple):
    """rewrite(text, seed) -> a test file's text for the control, or None; wrong values depend on
        the seed.
    test_file(id, texts) -> the path in `texts` of the file with the test, or None.
    """

    rewrite: Callable[[str, str], str | None]
    test_file: Callable[[str, Mapping[str, str]], str | None]


@dataclass(frozen=True, slots=True)
class Suite:
    """A family's description of how its generations change a project and which tests judge them.

    changed(case) -> full texts of the files that the generation changes, by path.
    reference_changes(task, prepared, name) -> the same for "oracle" or a stub, or None.
    command(task, setting, requirement) -> the shell command that runs the tests. For references and
        test sets, the setting is "" and the requirement is the set's name.
    compared(task, setting, requirement) -> the required tests as pytest node ids, each with its
        parametrised variants and members. None requires all tests that the dry run passed.
    added(task, prepared) -> full texts of test files that the benchmark adds or changes, by path.
    mentions(text) -> what the text of a changed file mentions that could look at tests, by line.
    control: how test files change for the control, if the tests' plugin does not change them in
        memory.
    test_sets: each has an `oracle` and a `control`; their names end in ":<set>" unless it is "".
    limits, dry_run_limits: of the references; plan() takes a generation's.
    """

    report: str
    limits: Limits
    dry_run_limits: Limits | None
    changed: Callable[[Case], Mapping[str, str]]
    reference_changes: Callable[[Task, Prepared, str], Mapping[str, str] | None]
    command: Callable[[Task, str, str], str]
    compared: Callable[[Task, str, str], frozenset[str] | None]
    added: Callable[[Task, Prepared], Mapping[str, str]]
    mentions: Callable[[str], Mapping[str, int]]
    control: Rewriting | None = None
    stubs: tuple[str, ...] = ()
    test_sets: tuple[str, ...] = ("",)


def plan(suite: Suite, case: Case, limits: Limits) -> Execution:
    command = suite.command(*tests_of(case))
    prepared = prepared_of(case)
    changed = suite.changed(case)
    files = files_of(suite, case.task, prepared, changed)
    return execution(suite, files, changed, command, within(limits, prepared))


def within(limits: Limits, prepared: Prepared) -> Limits:
    """The limits, or less as the dry run allows it: a program that waits for itself would hold a
    host's slot for as long as the slowest project's tests may take."""
    dry_run = prepared.dry_run
    if dry_run is None:
        return limits
    cpu = min(limits.cpu_seconds, TIMES * dry_run.cpu_seconds + SPARE_SECONDS)
    wall = min(limits.wall_seconds, TIMES * dry_run.wall_seconds + SPARE_SECONDS)
    idle = dry_run.pause_seconds + SPARE_SECONDS
    return replace(limits, cpu_seconds=cpu, wall_factor=wall / cpu, idle_seconds=idle)


def tests_of(case: Case) -> tuple[Task, str, str]:
    if case.test_set:
        return case.task, "", name_of(case.test_set) or ""
    return case.task, case.setting, case.generation.key.requirement or ""


def prepared_of(case: Case) -> Prepared:
    assert case.prepared is not None, "a case of a project comes with its prepared image"
    return case.prepared


def files_of(
    suite: Suite, task: Task, prepared: Prepared, changed: Mapping[str, str]
) -> dict[str, str]:
    withheld = prepared.project.withheld
    originals = {path: prepared.texts[path] for path in withheld if path in prepared.texts}
    return {**originals, **suite.added(task, prepared), **changed}


def execution(
    suite: Suite,
    files: Mapping[str, str],
    changed: Mapping[str, str],
    command: str,
    limits: Limits,
    *,
    control: bool = False,
) -> Execution:
    """The runner lets the tests' plugin know by `watch` whether the run is a control. Test files
    that the generation has `changed` stay as they are."""
    written: dict[str, Json] = {**files}
    payload: dict[str, Json] = {"files": written, "command": command, "report": suite.report}
    if suite.control is None:
        # No other file is a test, and equal runs of references have equal payloads.
        changed_tests = sorted(path for path in changed if "test" in path.lower())
        payload["watch"] = {"control": control, "except": [*changed_tests]}
    return Execution(RUNNER, payload, limits)


def near(case: Case, outcome: Outcome, limits: Limits) -> bool:
    """Whether to repeat a run exclusively on the host: it ended close to a limit, or timed out and
    the reference solution needed half of the CPU limit, because the worker may be slow."""
    stopped = outcome.stop in (Stop.CPU, Stop.WALL)
    if stopped and _oracle_seconds(case) >= limits.cpu_seconds / 2:
        return True
    return attribution.near_limit(outcome, limits)


def _oracle_seconds(case: Case) -> float:
    oracles = (r for name, r in case.references.items() if name.split(":")[0] == ORACLE)
    return max((reference.cpu_seconds for reference in oracles), default=0.0)
