"""A prepared project of a build, and the runs in it."""

from __future__ import annotations

import json
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.resources import files
from pathlib import Path
from typing import Any

from evaluation.engine import registry
from evaluation.engine.errors import SandboxGone
from evaluation.engine.family import ByExecution
from evaluation.engine.pipeline import HostSlots
from evaluation.engine.preparation.dry_runs import timed
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import joined, using
from evaluation.engine.preparation.reference_runs import ensure_references
from evaluation.engine.preparation.stopping import aborting
from evaluation.engine.preparation.workplaces import required
from evaluation.engine.records import Execution, Json, Outcome, Prepared, Reference, Task
from evaluation.engine.sandbox import attribution
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.making.choosing import Candidate
from evaluation.making.languages import LANGUAGES, Origin, record, write_tasks
from evaluation.making.reasons import (
    DRY_RUN,
    ORACLE,
    Reason,
    by_references,
    by_second_run,
    by_stubs,
    is_stub,
)

Say = Callable[[str], None]
# Factor of processor time: watching slows the tests.
LONGER = 4.0
_PLUGIN, _WANTED = "assay_reached.py", "assay_reached.json"
_BEFORE = (
    'export PYTHONPATH="$PWD${PYTHONPATH:+:$PYTHONPATH}"\n'
    'export PYTEST_PLUGINS="assay_reached${PYTEST_PLUGINS:+,$PYTEST_PLUGINS}"\n'
)


@dataclass(frozen=True, slots=True)
class Host:
    options: Options
    slots: HostSlots
    workers: int = 1
    runtime: str | None = None
    say: Say = lambda _: None


class Drafts:
    """A draft's id is its number among all candidates, so that stored results are found again."""

    def __init__(self, origin: Origin, language: str, candidates: Sequence[Candidate]) -> None:
        self.origin, self.language = origin, LANGUAGES[language]
        self.family = registry.family(self.language.family)
        self._numbers = {each.place: number for number, each in enumerate(candidates, start=1)}
        # One candidate per file suffices for what all tasks share.
        self.of_each_file = list({each.path: each for each in candidates}.values())

    def tasks(self, candidates: Sequence[Candidate]) -> list[Task]:
        if not candidates:
            return []
        drafts = [
            record(self.origin, self.language, each, self._numbers[each.place], ())
            for each in candidates
        ]
        with tempfile.TemporaryDirectory(prefix="assay-drafts-") as folder:
            path = Path(folder) / "tasks.jsonl"
            write_tasks(path, drafts)
            return list(self.family.load_tasks(path, None))


@contextmanager
def prepared_for(drafts: Drafts, host: Host) -> Iterator[Site]:
    """The project in one image for all candidates; every file with a candidate is withheld. Raises
    BenchmarkError if it cannot be built or none of its tests passes; SandboxError."""
    judged = drafts.family.by_execution()
    (project,) = joined(drafts.tasks(drafts.of_each_file), required(judged))
    # A user who repeats the command has usually fixed what broke the build.
    with using(project, host.options, say=host.say, retry=True) as untimed:
        prepared = timed(untimed, host.options, host.slots, judged.limits, say=host.say)
        yield Site(drafts, judged, prepared, host)


class Site:
    def __init__(self, drafts: Drafts, judged: ByExecution, prepared: Prepared, host: Host) -> None:
        self._drafts, self._prepared, self._host = drafts, prepared, host
        self._in_projects = required(judged)
        self._open = partial(Fresh, prepared, judged.limits, runtime=host.runtime)
        self._known: Mapping[str, Reference] | None = None
        self._over = threading.Event()

    def entered(self, candidates: list[Candidate]) -> list[Candidate]:
        """The candidates that the tests enter in a watched run, except in another process; all if
        the run does not end."""
        (task,) = self._drafts.tasks(self._drafts.of_each_file[:1])
        dry_run = self._planned(task, {}, DRY_RUN)
        entered = entered_in(self.run(watched(dry_run, candidates)), candidates)
        if entered is None:
            self._host.say(
                "The tests did not run to their end while watched: every function is tried."
            )
            return candidates
        return entered

    def run(self, execution: Execution) -> Outcome:
        """Uses a new container. Raises SandboxError."""
        stopped = self._over.is_set
        with (
            closing(self._open()) as sandbox,
            aborting(sandbox.abort, stopped),
            self._host.slots.one(stopped),
        ):
            try:
                return next(sandbox.run_all([execution]))
            except SandboxGone as gone:
                if gone.how in attribution.INFRASTRUCTURE_ENDS:
                    raise
                return Outcome(died=gone.how)

    def tried(self, candidates: Sequence[Candidate]) -> list[Reason]:
        """If the tests' calls are not watched, the first stub rejects most functions: it runs
        first."""
        drafts = self._drafts
        if drafts.language.watched:
            screened = [Reason() for _ in candidates]
        else:
            if self._known is None:
                (task,) = drafts.tasks(candidates[:1])
                self._known = {DRY_RUN: self._reference(task, {}, DRY_RUN)}
            screened = self._map(self._by_stub, drafts.tasks(candidates))
        reasons = dict(zip(candidates, screened, strict=True))
        left = [candidate for candidate, reason in reasons.items() if not reason.why]
        tasks = drafts.tasks(left)
        references = self._references(tasks)
        by_task = [references[task.id] for task in tasks]
        reasons |= zip(left, self._map(self._reason, left, tasks, by_task), strict=True)
        return [reasons[candidate] for candidate in candidates]

    def _map(self, reason: Callable[..., Reason], *arguments: Sequence[Any]) -> list[Reason]:
        """An exception in a thread ends what the others run or wait for."""
        with ThreadPoolExecutor(self._host.workers) as pool:
            try:
                return list(pool.map(reason, *arguments))
            except BaseException:
                self._over.set()
                raise

    def _by_stub(self, task: Task) -> Reason:
        references, known = self._in_projects.references, self._known or {}
        name = next(filter(is_stub, references.names))
        execution = references.plan(task, self._prepared, known, name)
        if execution is None:
            return Reason()
        stub = references.judge(task, self._prepared, known, name, self.run(execution))
        return by_stubs([stub], compiled=self._drafts.language.compiled)

    def _reason(
        self, candidate: Candidate, task: Task, references: Mapping[str, Reference]
    ) -> Reason:
        reason = by_references(
            references,
            path=candidate.path,
            function=candidate.cut.name,
            compiled=self._drafts.language.compiled,
        )
        if reason.why:
            return reason
        return by_second_run(references[ORACLE], self._reference(task, references, ORACLE))

    def records(self, candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
        """Tried candidates as records of the tasks file; numbered from 1."""
        drafts = self._drafts
        tasks = drafts.tasks(candidates)
        references = self._references(tasks)
        passed = [references[task.id][DRY_RUN].passed for task in tasks]
        return [
            record(drafts.origin, drafts.language, each, number, names)
            for number, (each, names) in enumerate(zip(candidates, passed, strict=True), start=1)
        ]

    def _reference(self, task: Task, known: Mapping[str, Reference], name: str) -> Reference:
        outcome = self.run(self._planned(task, known, name))
        return self._in_projects.references.judge(task, self._prepared, known, name, outcome)

    def _planned(self, task: Task, known: Mapping[str, Reference], name: str) -> Execution:
        execution = self._in_projects.references.plan(task, self._prepared, known, name)
        assert execution is not None, f"{name} is run for every task"
        return execution

    def _references(self, tasks: Sequence[Task]) -> Mapping[Any, Mapping[str, Reference]]:
        """Results of earlier runs are stored next to the image."""
        host = self._host
        return ensure_references(
            self._in_projects,
            tasks,
            self._prepared,
            host.options,
            self._open,
            host.slots,
            workers=host.workers,
        )


def watched(dry_run: Execution, candidates: Sequence[Candidate]) -> Execution:
    wanted = [[each.path, sorted({each.cut.top, each.cut.line})] for each in candidates]
    plugin = (files("evaluation.making") / _PLUGIN).read_text("utf-8")
    given = dry_run.payload["files"]
    assert isinstance(given, dict)
    brought: dict[str, Json] = {**given, _PLUGIN: plugin, _WANTED: json.dumps(wanted)}
    payload = {
        **dry_run.payload,
        "files": brought,
        "command": f"{_BEFORE}{dry_run.payload['command']}",
    }
    longer = replace(dry_run.limits, cpu_seconds=dry_run.limits.cpu_seconds * LONGER)
    return replace(dry_run, payload=payload, limits=longer)


def entered_in(outcome: Outcome, candidates: Sequence[Candidate]) -> list[Candidate] | None:
    """Returns None if the watched run did not finish."""
    report = outcome.report or {}
    tests = report.get("tests")
    if not report.get("complete") or not isinstance(tests, dict):
        return None
    outcomes = [tests.get(f"{_PLUGIN}::{number}") for number in range(len(candidates))]
    if not all(isinstance(each, list) and each for each in outcomes):
        return None
    return [
        candidate
        for candidate, each in zip(candidates, outcomes, strict=True)
        if isinstance(each, list) and each[0] == "passed"
    ]
