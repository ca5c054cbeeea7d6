"""A prepared project of a build, the runs in it, and why a function makes a task or none."""

import json
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.engine import registry
from evaluation.engine.errors import SandboxGone
from evaluation.engine.preparation.preparing import joined, using
from evaluation.engine.preparation.reference_runs import SOURCES, ensure_references, sound, timed
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import required
from evaluation.engine.records import Execution, Json, Outcome, Reference, Status, Task
from evaluation.engine.sandbox import attribution
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.session import aborting
from evaluation.making.cuts import Cut
from evaluation.making.languages import Language, Origin, record, write_tasks

# Factor of processor time: watching slows the tests.
LONGER = 4.0
_PLUGIN, _WANTED = "assay_reached.py", "assay_reached.json"
_BEFORE = (
    'export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"\n'
    'export PYTEST_PLUGINS="assay_reached${PYTEST_PLUGINS:+,$PYTEST_PLUGINS}"\n'
)
UNREACHED = "no test reaches it"
MISFIT = "its task does not fit the project's sources"
ORACLE_FAILS = "its own body does not pass"
UNSTABLE = "its own body passes one time and not the next"
UNSOUND = "its tests cannot be relied on"
STUB_PASSES = "a body that does nothing passes"
# A right answer without the docstring would lack them, and no prompt asks for it.
DOCTESTED = "its own docstring holds tests"
STUB_SAYS_NOTHING = "with a body that does nothing no test runs"
DRY_RUN, ORACLE = "dry_run", "oracle"
_NO_STUBS = (DRY_RUN, ORACLE, "control", SOURCES)


class Reason(NamedTuple):
    """Why a function makes no task; "" if it makes one. `detail` is for users."""

    why: str = ""
    detail: str = ""


class Site:
    """The project in one image for all candidates. A task that is not written yet has the number
    of its function among all candidates as its id, so that stored results are found again."""

    def __init__(
        self, origin: Origin, language: Language, candidates: Sequence[Cut], setup: Setup
    ) -> None:
        self._origin, self._language, self._setup = origin, language, setup
        self._family = registry.family(language.family)
        self._in_projects = required(self._family.by_execution())
        self._numbers = {cut.place: number for number, cut in enumerate(candidates, start=1)}
        # One candidate per file suffices for what all tasks share.
        self._of_each_file = list({cut.path: cut for cut in candidates}.values())
        self._known: Mapping[str, Reference] = {}
        self._over = threading.Event()

    @contextmanager
    def prepared(self) -> Iterator[None]:
        """Every file with a candidate is withheld. Raises BenchmarkError if the project cannot be
        built or none of its tests passes; SandboxError."""
        setup = self._setup
        (project,) = joined(self._tasks(self._of_each_file), self._in_projects)
        with using(project, setup) as untimed:
            self._prepared = timed(untimed, setup)
            self._open = partial(Fresh, self._prepared, setup.limits, runtime=setup.runtime)
            yield

    def entered(self, candidates: list[Cut]) -> list[Cut]:
        """The candidates that the tests enter in a watched run, except in another process; all if
        the run does not end."""
        (task,) = self._tasks(self._of_each_file[:1])
        dry_run = self._planned(task, {}, DRY_RUN)
        entered = entered_in(self._run(watched(dry_run, candidates)), candidates)
        if entered is None:
            self._setup.say(
                "The tests did not run to their end while watched: every function is tried."
            )
            return candidates
        return entered

    def tried(self, candidates: Sequence[Cut]) -> list[Reason]:
        """If the tests' calls are not watched, the first stub rejects most functions: it runs
        first."""
        if self._language.watched:
            screened = [Reason() for _ in candidates]
        else:
            if not self._known:
                (task,) = self._tasks(candidates[:1])
                self._known = {DRY_RUN: self._reference(task, {}, DRY_RUN)}
            screened = self._map(self._by_stub, self._tasks(candidates))
        reasons = dict(zip(candidates, screened, strict=True))
        left = [candidate for candidate, reason in reasons.items() if not reason.why]
        tasks = self._tasks(left)
        references = self._references(tasks)
        by_task = [references[task.id] for task in tasks]
        reasons |= zip(left, self._map(self._by_references, left, tasks, by_task), strict=True)
        return [reasons[candidate] for candidate in candidates]

    def records(self, candidates: Sequence[Cut]) -> list[dict[str, Any]]:
        """Tried candidates as records of the tasks file; numbered from 1."""
        tasks = self._tasks(candidates)
        references = self._references(tasks)
        passed = [references[task.id][DRY_RUN].passed for task in tasks]
        return [
            record(self._origin, self._language, cut, number, names)
            for number, (cut, names) in enumerate(zip(candidates, passed, strict=True), start=1)
        ]

    def _tasks(self, candidates: Sequence[Cut]) -> list[Task]:
        if not candidates:
            return []
        with tempfile.TemporaryDirectory(prefix="assay-drafts-") as folder:
            path = Path(folder) / "tasks.jsonl"
            numbered = ((cut, self._numbers[cut.place]) for cut in candidates)
            write_tasks(
                path, (record(self._origin, self._language, *pair, ()) for pair in numbered)
            )
            return list(self._family.load_tasks(path, None))

    def _map(self, reason: Callable[..., Reason], *arguments: Sequence[Any]) -> list[Reason]:
        """An exception in a thread ends what the others run or wait for."""
        with ThreadPoolExecutor(self._setup.workers) as pool:
            try:
                return list(pool.map(reason, *arguments))
            except BaseException:
                self._over.set()
                raise

    def _by_stub(self, task: Task) -> Reason:
        references, known = self._in_projects.references, self._known
        name = next(filter(is_stub, references.names))
        execution = references.plan(task, self._prepared, known, name)
        if execution is None:
            return Reason()
        stub = references.judge(task, self._prepared, known, name, self._run(execution))
        return by_stubs([stub], compiled=self._language.compiled)

    def _by_references(self, cut: Cut, task: Task, references: Mapping[str, Reference]) -> Reason:
        compiled = self._language.compiled
        reason = by_references(references, path=cut.path, function=cut.name, compiled=compiled)
        if reason.why:
            return reason
        return by_second_run(references[ORACLE], self._reference(task, references, ORACLE))

    def _reference(self, task: Task, references: Mapping[str, Reference], name: str) -> Reference:
        outcome = self._run(self._planned(task, references, name))
        return self._in_projects.references.judge(task, self._prepared, references, name, outcome)

    def _planned(self, task: Task, references: Mapping[str, Reference], name: str) -> Execution:
        execution = self._in_projects.references.plan(task, self._prepared, references, name)
        assert execution is not None, f"{name} is run for every task"
        return execution

    def _references(self, tasks: Sequence[Task]) -> Mapping[Any, Mapping[str, Reference]]:
        """Results of earlier runs are stored next to the image."""
        projects, setup = self._in_projects, self._setup
        return ensure_references(projects, tasks, self._prepared, self._open, setup)

    def _run(self, execution: Execution) -> Outcome:
        """Uses a new container. Raises SandboxError."""
        stopped = self._over.is_set
        with (
            closing(self._open()) as sandbox,
            aborting(sandbox.abort, stopped),
            self._setup.slots.one(stopped),
        ):
            try:
                return next(sandbox.run_all([execution]))
            except SandboxGone as gone:
                if gone.how in attribution.INFRASTRUCTURE_ENDS:
                    raise
                return Outcome(died=gone.how)


def watched(dry_run: Execution, candidates: Sequence[Cut]) -> Execution:
    wanted = [[cut.path, sorted({cut.top, cut.line})] for cut in candidates]
    plugin = (files("evaluation.making") / _PLUGIN).read_text("utf-8")
    project_files = dry_run.payload["files"]
    assert isinstance(project_files, dict)
    payload: dict[str, Json] = {
        **dry_run.payload,
        "files": {**project_files, _PLUGIN: plugin, _WANTED: json.dumps(wanted)},
        "command": f"{_BEFORE}{dry_run.payload['command']}",
    }
    longer = replace(dry_run.limits, cpu_seconds=dry_run.limits.cpu_seconds * LONGER)
    return replace(dry_run, payload=payload, limits=longer)


def entered_in(outcome: Outcome, candidates: Sequence[Cut]) -> list[Cut] | None:
    """Returns None if the watched run did not finish."""
    report = outcome.report or {}
    tests = report.get("tests")
    if not report.get("complete") or not isinstance(tests, dict):
        return None
    entered = []
    for number, candidate in enumerate(candidates):
        match tests.get(f"{_PLUGIN}::{number}"):
            case ["passed", *_]:
                entered.append(candidate)
            case [_, *_]:
                pass
            case _:
                return None
    return entered


def by_references(
    references: Mapping[str, Reference], *, path: str, function: str, compiled: bool
) -> Reason:
    """With `compiled`, a stub for which no test ran may just not have compiled: it does not show
    whether a test reaches the function."""
    if SOURCES in references:
        return Reason(MISFIT, references[SOURCES].unsound)
    oracle = references.get(ORACLE)
    if oracle is None or oracle.status is not Status.PASSED:
        return Reason(ORACLE_FAILS, oracle.status.value if oracle else "")
    if not sound(references):
        return Reason(UNSOUND, "; ".join(r.unsound for r in references.values() if r.unsound))
    for test in oracle.passed:
        # pytest names those of a docstring `pkg/a.py::pkg.a.Class.function`.
        file, _, name = test.partition("::")
        if file == path and name.rpartition(".")[2] == function:
            return Reason(DOCTESTED, test)
    stubs = [reference for name, reference in references.items() if is_stub(name)]
    return by_stubs(stubs, compiled=compiled) if stubs else Reason(STUB_PASSES)


def by_stubs(stubs: Iterable[Reference], *, compiled: bool) -> Reason:
    for stub in stubs:
        # A stub that did not run is no evidence that the tests detect it.
        if stub.status in (Status.PASSED, Status.NOT_RUN):
            return Reason(STUB_PASSES, stub.name)
        if compiled and (not stub.tests or stub.status is Status.COMPILE_ERROR):
            return Reason(STUB_SAYS_NOTHING, stub.status.value)
    return Reason()


def is_stub(name: str) -> bool:
    return name not in _NO_STUBS


def by_second_run(first: Reference, second: Reference) -> Reason:
    if (first.status, first.passed) == (second.status, second.passed):
        return Reason()
    differ = sorted(set(first.passed) ^ set(second.passed))
    return Reason(UNSTABLE, ", ".join(differ[:3]) or second.status.value)
