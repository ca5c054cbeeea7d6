"""Judges generations that change files of a real project, from a family's `Suite`.

Pure: runs nothing, and reads and writes no files.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

from evaluation.engine.compiler_messages import Program
from evaluation.engine.instructions import name_of
from evaluation.engine.projects.java_expectations import Value
from evaluation.engine.projects.report import events_of
from evaluation.engine.projects.sources import lines_of
from evaluation.engine.records import (
    Case,
    Execution,
    Json,
    Limits,
    Outcome,
    Prepared,
    Reference,
    Stop,
    Task,
)
from evaluation.engine.sandbox import attribution

RUNNER = "repository"
# A run may take TIMES times as long as the dry run, plus SPARE_SECONDS; a pause, SPARE_SECONDS
# longer than in the dry run.
TIMES, SPARE_SECONDS = 10.0, 20.0
# Names of references. For another test set they end in a colon and the set's name.
DRY_RUN, ORACLE, CONTROL = "dry_run", "oracle", "control"
# Events of processes that run on with the tests' own code.
FORKS = ("os.fork", "os.forkpty")


class Rewritten(NamedTuple):
    """A test file whose tests ask for their expected values; `values` holds these by test."""

    text: str
    values: Mapping[str, Sequence[Value]]


class Rewriting(NamedTuple):
    """rewrite(text) -> a test file that asks for its expected values, or None.
    test_file(id, texts) -> the path in `texts` of the file with the test, or None.
    """

    rewrite: Callable[[str], Rewritten | None]
    test_file: Callable[[str, Mapping[str, str]], str | None]


class Place(NamedTuple):
    """Where a generation lies in a file: the text before and after it, and a statement that could
    replace it. `name` is that of the task's function."""

    path: str
    before: str
    after: str
    placeholder: str
    name: str

    def lines(self, text: str) -> tuple[int, int]:
        """The first and the last line of the generation in the file's text."""
        assert text.endswith(self.after), "the text after a generation stays as it is"
        first = len(lines_of(self.before)) + 1
        return first, len(lines_of(text.removesuffix(self.after)))

    def told(self, text: str) -> dict[str, Json]:
        """The fields with which pytest's plugin compares the file's text and its skeleton."""
        first, last = self.lines(text)
        skeleton = self.before + self.placeholder + self.after
        return {
            "path": self.path,
            "lines": [first, last],
            "skeleton": skeleton,
            "placeholder": [first, first],
            "name": self.name,
        }


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
    place(task, prepared) -> where a generation lies, if pytest's plugin compares the rest.
    asking: how test files change so that they ask for expected values, if no plugin of the tests
        changes them in memory.
    test_sets: each has an `oracle` and a `control`; their names end in ":<set>" unless it is "".
    limits, dry_run_limits: those of the references; plan() gets a generation's limits.
    """

    report: str
    limits: Limits
    dry_run_limits: Limits | None
    changed: Callable[[Case], Mapping[str, str]]
    reference_changes: Callable[[Task, Prepared, str], Mapping[str, str] | None]
    command: Callable[[Task, str, str], str]
    compared: Callable[[Task, str, str], frozenset[str] | None] = lambda *_: None
    added: Callable[[Task, Prepared], Mapping[str, str]] = lambda *_: {}
    place: Callable[[Task, Prepared], Place] | None = None
    asking: Rewriting | None = None
    stubs: tuple[str, ...] = ()
    test_sets: tuple[str, ...] = ("",)


def program(suite: Suite, case: Case) -> Program | None:
    if suite.place is None or case.prepared is None:
        return None
    place = suite.place(case.task, case.prepared)
    text = suite.changed(case)[place.path]
    first, last = place.lines(text)
    return Program(text, first, "".join(lines_of(text)[first - 1 : last]).rstrip("\n"))


def plan(suite: Suite, case: Case, limits: Limits) -> Execution:
    command, changed, prepared = suite.command(*tests_of(case)), suite.changed(case), case.prepared
    assert prepared is not None, "a case of a project comes with its prepared image"
    seed, ids = secrets.token_hex(), passed_by(case.references, DRY_RUN)
    execution = run(suite, case.task, prepared, changed, command, ids, limits, seed)
    if suite.asking is not None:
        return execution
    references = case.references.values()
    forks = any(event.kind in FORKS for each in references for event in events_of(each))
    more: dict[str, Json] = {"forks": forks}
    if suite.place is not None:
        place = suite.place(case.task, prepared)
        more["place"] = place.told(changed[place.path])
    return _watching(execution, more)


def run(
    suite: Suite,
    task: Task,
    prepared: Prepared,
    changed: Mapping[str, str],
    command: str,
    ids: Iterable[str],
    limits: Limits,
    seed: str = "",
) -> Execution:
    """The tests in `ids` ask for their expected values, if the suite supports it. Wrong values,
    which only a control gives them, depend on the seed. References have no seed, so that equal runs
    are made once."""
    withheld, added = prepared.project.withheld, suite.added(task, prepared)
    originals = {path: prepared.texts[path] for path in withheld if path in prepared.texts}
    files = {**originals, **added, **changed}
    payload: dict[str, Json] = {"command": command, "report": suite.report}
    if suite.asking is None:
        # Names changed test files only: other files are not tests, and without them equal runs of
        # references have equal payloads. Test files that the generation has changed stay as they
        # are.
        changed_tests = sorted(path for path in changed if "test" in path.lower())
        payload["watch"] = first_watch(changed_tests, withheld)
        payload["hidden"] = [*sorted({*prepared.hidden, *added} - changed.keys())]
    else:
        texts, values = {**prepared.texts, **files}, dict[str, Sequence[Value]]()
        parts = ((id, *id.partition("[")[0].rpartition("::")) for id in ids)
        # One test of each class or file: the search for a test's file is slow.
        examples = {(owner or id, "." in name): id for id, owner, _, name in parts}.values()
        paths = {suite.asking.test_file(id, texts) for id in examples}
        for path in sorted({path for path in paths if path is not None} - changed.keys()):
            rewritten = suite.asking.rewrite(texts[path])
            if rewritten is not None:
                files[path] = rewritten.text
                values |= rewritten.values
        draw = Random(seed)  # noqa: S311  the seed is the secret
        tests: dict[str, Json] = {
            id: [[value.right, value.other(draw)] for value in values[id]] for id in sorted(values)
        }
        if tests:
            payload["watch"] = {"control": False, "tests": tests}
    return Execution(RUNNER, {"files": {**files}, **payload}, within(limits, prepared))


def first_watch(changed: Iterable[str] = (), written: Iterable[str] = ()) -> dict[str, Json]:
    """The settings of pytest's plugin for a first run. It leaves the test files `changed` as they
    are; the files `written` hold generations. Forked children may go on unless the references'
    runs show that tests fork none."""
    return {"control": False, "except": [*changed], "written": [*written], "forks": True}


def control_of(execution: Execution) -> Execution:
    """The same run, in which the tests or their plugin learn that it is a control. If neither can
    learn it, the run is unchanged."""
    return _watching(execution, {"control": True})


def _watching(execution: Execution, more: Mapping[str, Json]) -> Execution:
    watch = execution.payload.get("watch")
    if not isinstance(watch, dict):
        return execution
    return replace(execution, payload={**execution.payload, "watch": {**watch, **more}})


def passed_by(references: Mapping[str, Reference], name: str) -> frozenset[str]:
    return frozenset(id for reference in all_of(references, name) for id in reference.passed)


def decided_by_oracle(references: Mapping[str, Reference]) -> frozenset[str]:
    """The tests that the reference solution passed or failed, and neither skipped nor xfailed."""
    failed = (each.facts.get("failed") for each in all_of(references, ORACLE))
    ids = (str(id) for each in failed if isinstance(each, list) for id in each)
    return passed_by(references, ORACLE).union(ids)


def all_of(references: Mapping[str, Reference], name: str) -> list[Reference]:
    """The references of this name, of all test sets."""
    return [reference for full, reference in references.items() if full.split(":")[0] == name]


def within(limits: Limits, prepared: Prepared) -> Limits:
    """The limits, reduced to what the dry run allows: a program that waits for itself would hold a
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


def near(case: Case, outcome: Outcome, limits: Limits) -> bool:
    """Whether to repeat a run exclusively on the host: it ended close to a limit, or timed out and
    the reference solution needed half of the CPU limit, because the worker may be slow."""
    times = [oracle.cpu_seconds for oracle in all_of(case.references, ORACLE)]
    stopped = outcome.stop in (Stop.CPU, Stop.WALL)
    if stopped and max(times, default=0.0) >= limits.cpu_seconds / 2:
        return True
    return attribution.near_limit(outcome, limits)
