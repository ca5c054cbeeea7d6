"""Judges generations that change files of a real project, from a family's `Suite`; and the
references of a suite: the untouched project, the reference solution, the stubs.

Pure: runs nothing, and reads and writes no files.
"""

import re
import secrets
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import NamedTuple

from evaluation.engine.compiler_messages import Program, Refusal
from evaluation.engine.family import Canary, References
from evaluation.engine.instructions import name_of
from evaluation.engine.projects import control
from evaluation.engine.projects.java_expectations import Value
from evaluation.engine.projects.report import (
    CONTROL,
    DRY_RUN,
    ORACLE,
    Report,
    all_of,
    decided_by_oracle,
    events_of,
    met,
    passed_by,
    read,
)
from evaluation.engine.projects.sources import lines_of
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Integrity,
    Json,
    Key,
    Limits,
    Outcome,
    Prepared,
    Reference,
    Status,
    Step,
    Stop,
    Task,
    Tier,
    Verdict,
    evidence_text,
)
from evaluation.engine.sandbox import attribution

RUNNER = "repository"
# A run may take TIMES times as long as the dry run, plus SPARE_SECONDS; a pause, SPARE_SECONDS
# longer than in the dry run.
TIMES, SPARE_SECONDS = 10.0, 20.0
# Events of processes that run on with the tests' own code.
FORKS = ("os.fork", "os.forkpty")
# Maven's words, which projects may colour and date.
_MAVEN_STOPS = re.compile(r"ERROR\S{0,9}\] (\S{0,9}COMPILATION ERROR|.{0,400}Compilation failure)")


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


class Counted(NamedTuple):
    status: Status
    passed: int
    total: int
    flags: tuple[str, ...] = ()


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
    recorded(task) -> the tests that passed for the benchmark's authors. The dry run's differences
        from them are facts that do not affect judging.
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
    recorded: Callable[[Task], Collection[str]] | None = None
    stubs: tuple[str, ...] = ()
    test_sets: tuple[str, ...] = ("",)

    def program(self, case: Case, steps: Sequence[Step]) -> Program | None:
        if self.place is None or case.prepared is None:
            return None
        place = self.place(case.task, case.prepared)
        text = self.changed(case)[place.path]
        first, last = place.lines(text)
        code = "".join(lines_of(text)[first - 1 : last]).rstrip("\n")
        return Program(text, first, code, Refusal.read(read(steps[0].outcome).uncompiled))

    def plan(self, case: Case, limits: Limits) -> Execution:
        changed, prepared = self.changed(case), case.prepared
        assert prepared is not None, "a case of a project comes with its prepared image"
        seed, ids = secrets.token_hex(), passed_by(case.references, DRY_RUN)
        command = self.command(*tests_of(case))
        execution = self.run(case.task, prepared, changed, command, ids, limits, seed)
        if self.asking is not None:
            return execution
        references = case.references.values()
        forks = any(event.kind in FORKS for run in references for event in events_of(run))
        more: dict[str, Json] = {"forks": forks, "pools": False}
        if self.place is not None:
            place = self.place(case.task, prepared)
            more["place"] = place.told(changed[place.path])
        return _watching(execution, more)

    def run(
        self,
        task: Task,
        prepared: Prepared,
        changed: Mapping[str, str],
        command: str,
        ids: Iterable[str],
        limits: Limits,
        seed: str = "",
    ) -> Execution:
        """The tests in `ids` ask for their expected values, if the suite supports it. Wrong values,
        which only a control gives them, depend on the seed. References have no seed, so that equal
        runs are made once."""
        withheld, added = prepared.project.withheld, self.added(task, prepared)
        originals = {path: prepared.texts[path] for path in withheld if path in prepared.texts}
        files = {**originals, **added, **changed}
        payload: dict[str, Json] = {"command": command, "report": self.report}
        if self.asking is None:
            # Names changed test files only: other files are not tests, and without them equal runs
            # of references have equal payloads. Test files that the generation has changed stay as
            # they are.
            changed_tests = sorted(path for path in changed if "test" in path.lower())
            payload["watch"] = first_watch(changed_tests, withheld)
            payload["hidden"] = [*sorted({*prepared.hidden, *added} - changed.keys())]
        else:
            texts, values = {**prepared.texts, **files}, dict[str, Sequence[Value]]()
            parts = ((id, *id.partition("[")[0].rpartition("::")) for id in ids)
            # One test of each class or file: the search for a test's file is slow.
            examples = {(owner or id, "." in name): id for id, owner, _, name in parts}.values()
            paths = {self.asking.test_file(id, texts) for id in examples}
            for path in sorted({path for path in paths if path is not None} - changed.keys()):
                rewritten = self.asking.rewrite(texts[path])
                if rewritten is not None:
                    files[path] = rewritten.text
                    values |= rewritten.values
            draw = Random(seed)  # noqa: S311  the seed is the secret
            tests: dict[str, Json] = {
                id: [[value.right, value.other(draw)] for value in values[id]]
                for id in sorted(values)
            }
            if tests:
                payload["watch"] = {"control": False, "tests": tests}
        return Execution(RUNNER, {"files": {**files}, **payload}, within(limits, prepared))

    def proceed(self, case: Case, steps: Sequence[Step]) -> Execution | None:
        first = steps[0]
        if len(steps) > 1 or not control.comparable(case.references, first.outcome):
            return None
        if self._counted(case, first.outcome).status is not Status.PASSED:
            return None
        return control_of(first.execution)

    def judge(self, case: Case, steps: Sequence[Step]) -> Verdict:
        """A pass without a control is suspect, also if the control is still to run."""
        outcome, *runs = (step.outcome for step in steps)
        counted = self._counted(case, outcome)
        nodes = self.compared(*tests_of(case)) or ()
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
            duration_ms=outcome.wall_ms,
            control_ms=sum(run.wall_ms for run in runs) if runs else None,
            peak_memory_kib=outcome.peak_memory_kib,
            flags=counted.flags,
            evidence=evidence_text(*doubts),
            output=outcome.output,
        )

    def _counted(self, case: Case, outcome: Outcome) -> Counted:
        decided = decided_by_oracle(case.references)
        return self.count(*tests_of(case), case.references, outcome, decided)

    def count(
        self,
        task: Task,
        setting: str,
        requirement: str,
        references: Mapping[str, Reference],
        outcome: Outcome,
        decided: Collection[str] = frozenset(),
    ) -> Counted:
        """The result of a run of a generation or a reference, without regard to its control. No
        test of `decided` may be skipped."""
        report = read(outcome)
        nodes = self.compared(task, setting, requirement)
        if nodes is None:
            dry_run = references.get(DRY_RUN)
            nodes = frozenset(dry_run.passed if dry_run else ())
            reached = nodes & report.passed
        else:
            reached = met(nodes, report, decided)
        status = self.status_of(outcome, report, right=bool(nodes) and reached == nodes)
        flags = (attribution.ENDED_EARLY,) if report.tests and not report.complete else ()
        return Counted(status, len(reached), len(nodes), flags)

    def status_of(self, outcome: Outcome, report: Report, *, right: bool) -> Status:
        by_end = attribution.status_of_end(outcome)
        if by_end is not None:
            return by_end
        if right and report.complete:
            return Status.PASSED
        if attribution.out_of_memory(outcome):
            return Status.MEMORY_EXCEEDED
        maven_stopped = self.report == "surefire" and _MAVEN_STOPS.search(outcome.output)
        if report.uncompiled is not None or (maven_stopped and not report.tests):
            return Status.COMPILE_ERROR
        return Status.FAILED if report.complete and report.tests else Status.RUNTIME_ERROR

    def references(self) -> References:
        """If the dry run is unsound, all later references are skipped."""
        names = [DRY_RUN] if self.dry_run_limits is not None else []
        for test_set in self.test_sets:
            names += [f"{kind}:{test_set}".rstrip(":") for kind in (ORACLE, CONTROL)]
        return References((*names, *self.stubs), self._plan_reference, self._judge_reference)

    def _plan_reference(
        self, task: Task, prepared: Prepared, references: Mapping[str, Reference], name: str
    ) -> Execution | None:
        kind, _, test_set = name.partition(":")
        if kind == DRY_RUN:
            assert self.dry_run_limits is not None, "a dry run has limits"
            command = self.command(task, "", "")
            return self.run(task, prepared, {}, command, (), self.dry_run_limits)
        changed = self.reference_changes(task, prepared, ORACLE if kind == CONTROL else kind)
        compared, dry_run = self.compared(task, "", test_set), references.get(DRY_RUN)
        is_sound = dry_run is None or not dry_run.unsound
        if changed is None or not is_sound or (compared is not None and not compared):
            return None
        command, ids = self.command(task, "", test_set), passed_by(references, DRY_RUN)
        planned = self.run(task, prepared, changed, command, ids, self.limits)
        if kind != CONTROL:
            return planned
        oracle = references.get(name.replace(CONTROL, ORACLE, 1))
        passed = oracle is not None and oracle.status is Status.PASSED
        return control_of(planned) if passed else None

    def _judge_reference(
        self,
        task: Task,
        _prepared: Prepared,
        references: Mapping[str, Reference],
        name: str,
        outcome: Outcome,
    ) -> Reference:
        kind, _, test_set = name.partition(":")
        report = read(outcome)
        counted = self.count(task, "", test_set, references, outcome)
        status, facts, unsound = counted.status, {}, ""
        if kind == DRY_RUN:
            status = self.status_of(outcome, report, right=bool(report.passed))
            if status is not Status.PASSED and report.complete:
                unsound = "The untouched project passes no test."
            elif status is not Status.PASSED:
                unsound = f"The tests of the untouched project do not finish ({status.value})."
            facts = control.watched(outcome)
            if self.recorded is not None:
                recorded = frozenset(self.recorded(task))
                facts["passed_only_in_the_record"] = [*sorted(recorded - report.passed)]
                facts["passed_only_here"] = [*sorted(report.passed - recorded)]
        elif kind == ORACLE:
            if status is not Status.PASSED:
                unsound = (
                    f"The reference solution passes {counted.passed} of the {counted.total} tests "
                    f"that it must pass ({status.value})."
                )
            facts = {"failed": [*sorted(report.failed)], **control.watched(outcome)}
        elif kind == CONTROL:
            facts = control.facts(outcome, references[name.replace(CONTROL, ORACLE, 1)].passed)
            if not facts["stopped"] and not facts["went_through"]:
                unsound = (
                    "No test of the task can be controlled: a forged report would count as a "
                    "true one."
                )
        return Reference(
            name=name,
            status=status,
            passed=tuple(sorted(report.passed)),
            tests=len(report.tests),
            cpu_seconds=outcome.cpu_seconds,
            duration_ms=outcome.wall_ms,
            facts=facts,
            unsound=unsound,
            output=outcome.output,
        )

    def canaries(
        self,
        generation: Callable[[Task, str], str | None],
        setting: str,
        task: Task,
        prepared: Prepared,
        references: Mapping[str, Reference],
    ) -> tuple[Canary, ...]:
        """The reference solution, and the fastest stub that fails, if any.

        generation(task, name) -> the text of a generation equivalent to the reference, or None.
        """
        stubs = [references[name] for name in self.stubs if name in references]
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


def first_watch(changed: Iterable[str] = (), written: Iterable[str] = ()) -> dict[str, Json]:
    """The settings of pytest's plugin for a first run. It leaves the test files `changed` as they
    are; the files `written` hold generations. Forked children may go on unless the references'
    runs show that tests fork none; these tell of the forks of `pools` of processes, too."""
    files: dict[str, Json] = {"except": [*changed], "written": [*written]}
    return {"control": False, **files, "forks": True, "pools": True}


def control_of(execution: Execution) -> Execution:
    """The same run, in which the tests or their plugin learn that it is a control. If neither can
    learn it, the run is unchanged."""
    return _watching(execution, {"control": True})


def _watching(execution: Execution, more: Mapping[str, Json]) -> Execution:
    watch = execution.payload.get("watch")
    if not isinstance(watch, dict):
        return execution
    return replace(execution, payload={**execution.payload, "watch": {**watch, **more}})


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
