"""References of a project's tasks: run once, kept beside the image, read ever after.

What a reference is and what it says of its task is the family's; here they are run.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager

from evaluation.engine.errors import SandboxGone, give_up_if
from evaluation.engine.family import InProjects
from evaluation.engine.pipeline import (
    PATIENCE_SECONDS,
    HostSlots,
    Losses,
    Sandbox,
    opened,
)
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.stopping import aborting
from evaluation.engine.preparation.store import load_references, save_references
from evaluation.engine.records import Execution, Outcome, Prepared, Reference, Status, Task, TaskId
from evaluation.engine.sandbox import attribution

Say = Callable[[str], None]
# The name under which a task that does not fit its project's sources is told of.
SOURCES = "sources"
# How often a run is tried before the machinery is blamed, as with generations.
TRIES = 3


def ensure_references(
    projects: InProjects,
    tasks: Sequence[Task],
    prepared: Prepared,
    options: Options,
    open_sandbox: Callable[[], Sandbox],
    slots: HostSlots,
    *,
    workers: int = 1,
    patience: float = PATIENCE_SECONDS,
    say: Say = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
) -> dict[TaskId, dict[str, Reference]]:
    """The references of each task by name; those that this host has not got are run now, and
    each task's are kept as soon as they are whole.

    An engine that goes away is waited for, `patience` seconds, as in judging. Raises
    SandboxError, also where stopped; what runs then is ended.
    """
    sandboxes = _Sandboxes(open_sandbox, patience, stopped)
    runs = _Runs(projects, prepared, sandboxes, slots)
    found = {task.id: load_references(options, prepared, task) for task in tasks}
    missing = [task for task in tasks if found[task.id] is None]
    done = len(tasks) - len(missing)
    # What ends early, for whatever reason, first ends what its threads wait for.
    with (
        ThreadPoolExecutor(max_workers=workers) as pool,
        closing(sandboxes),
        aborting(sandboxes.abort, stopped),
    ):
        for task, references in pool.map(runs.of, missing):
            save_references(options, prepared, task, references)
            found[task.id] = references
            done += 1
            say(f"{prepared.project.repository}: references of {done} of {len(tasks)} tasks")
    return {identifier: references or {} for identifier, references in found.items()}


class _Sandboxes:
    """Sandboxes for several threads, kept from one run to the next until one is lost."""

    def __init__(
        self, open_sandbox: Callable[[], Sandbox], patience: float, stopped: Callable[[], bool]
    ) -> None:
        self._open, self._patience = open_sandbox, patience
        self._over = threading.Event()
        self.stopped = lambda: self._over.is_set() or stopped()
        self._guard = threading.Lock()
        self._busy: list[Sandbox] = []
        self._idle: list[Sandbox] = []

    def take(self) -> Sandbox:
        """One to be used(). Raises SandboxError where none can be had, also where stopped."""
        with self._guard:
            sandbox = self._idle.pop() if self._idle else None
        if sandbox is None:
            sandbox = opened(self._open, patience=self._patience, stopped=self.stopped)
        with self._guard:
            self._busy.append(sandbox)
        return sandbox

    @contextmanager
    def used(self, sandbox: Sandbox) -> Iterator[None]:
        """For one run in it. Raises SandboxError where stopped."""
        try:
            give_up_if(self.stopped)
            yield
        except BaseException as error:
            self._lost(sandbox)
            # Nobody is accused of what stopping has done.
            if isinstance(error, SandboxGone):
                give_up_if(self.stopped)
            raise
        self._put_back(sandbox)

    def _put_back(self, sandbox: Sandbox) -> None:
        with self._guard:
            self._busy.remove(sandbox)
            self._idle.append(sandbox)
        if self._over.is_set():
            self._close_idle()

    def _lost(self, sandbox: Sandbox) -> None:
        """Those that wait go with it: where the engine went away they are lost too."""
        with self._guard:
            self._busy.remove(sandbox)
        sandbox.close()
        self._close_idle()

    def _close_idle(self) -> None:
        with self._guard:
            idle, self._idle = self._idle, []
        for sandbox in idle:
            sandbox.close()

    def abort(self) -> None:
        """Ends what runs in any of them; no more are to be had."""
        self._over.set()
        with self._guard:
            busy = list(self._busy)
        for sandbox in busy:
            sandbox.abort()

    def close(self) -> None:
        """As abort(); those that nothing runs in are closed too, the others as soon as their
        threads have noticed."""
        self.abort()
        self._close_idle()


class _Runs:
    """Runs references for several threads; equal executions of one name are run once."""

    def __init__(
        self, projects: InProjects, prepared: Prepared, sandboxes: _Sandboxes, slots: HostSlots
    ) -> None:
        self._projects, self._prepared = projects, prepared
        self._sandboxes, self._slots = sandboxes, slots
        self._outcomes: dict[str, Outcome] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()

    def of(self, task: Task) -> tuple[Task, dict[str, Reference]]:
        """All references of the task. Raises SandboxError."""
        unfit = self._projects.unfit(task, self._prepared)
        if unfit:
            return task, {SOURCES: Reference(SOURCES, Status.FAILED, unsound=unfit)}
        known: dict[str, Reference] = {}
        references = self._projects.references
        for name in references.names:
            execution = references.plan(task, self._prepared, known, name)
            if execution is not None:
                outcome = self._outcome(name, execution)
                known[name] = references.judge(task, self._prepared, known, name, outcome)
        return task, known

    def _outcome(self, name: str, execution: Execution) -> Outcome:
        key = f"{name} {_hash(execution)}"
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._outcomes:
                self._outcomes[key] = self._run(execution)
            return self._outcomes[key]

    def _run(self, execution: Execution) -> Outcome:
        """Runs it; what takes its container down in the same way twice has that end."""
        ends: list[str] = []
        losses = Losses()
        while len(ends) < TRIES:
            sandbox = self._sandboxes.take()
            try:
                slot = self._slots.one(self._sandboxes.stopped)
                with self._sandboxes.used(sandbox), slot:
                    (outcome,) = sandbox.run_all([execution])
                    return outcome
            except SandboxGone as gone:
                if gone.how in attribution.INFRASTRUCTURE_ENDS:
                    losses.note(gone)
                elif gone.how in ends:
                    return Outcome(died=gone.how)
                else:
                    ends.append(gone.how)
        return Outcome(died=ends[-1])


def _hash(execution: Execution) -> str:
    limits = execution.limits
    told = [execution.runner, execution.payload, limits.cpu_seconds, limits.memory]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def sound(references: Mapping[str, Reference]) -> bool:
    """Whether the task can be judged by what its references came to, its requirements aside."""
    return not any(each.unsound and not each.part for each in references.values())
