"""Runs the references of a project's tasks once for each image, and stores the results."""

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
    TRIES,
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
# Name of the reference that reports a task that does not fit its project's sources.
SOURCES = "sources"


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
    """The references of each task by name; runs missing ones and stores complete tasks.

    Waits up to `patience` seconds for Docker. Raises SandboxError, also when stopped.
    """
    runs = _Runs(open_sandbox, patience, slots, stopped)
    by_task = {task.id: load_references(options, prepared, task) for task in tasks}
    missing = [task for task in tasks if by_task[task.id] is None]
    done = len(tasks) - len(missing)

    def run(task: Task) -> dict[str, Reference]:
        if unfit := projects.unfit(task, prepared):
            return {SOURCES: Reference(SOURCES, Status.FAILED, unsound=unfit)}
        by_name: dict[str, Reference] = {}
        for name in projects.references.names:
            execution = projects.references.plan(task, prepared, by_name, name)
            if execution is not None:
                outcome = runs.outcome(name, execution)
                by_name[name] = projects.references.judge(task, prepared, by_name, name, outcome)
        return by_name

    # On any early exit, close the sandboxes before joining the threads that wait for them.
    with (
        ThreadPoolExecutor(max_workers=workers) as pool,
        closing(runs),
        aborting(runs.abort, stopped),
    ):
        for task, references in zip(missing, pool.map(run, missing), strict=True):
            save_references(options, prepared, task, references)
            by_task[task.id] = references
            done += 1
            say(f"{prepared.project.repository}: references of {done} of {len(tasks)} tasks")
    return {id: references or {} for id, references in by_task.items()}


class _Runs:
    """Runs equal executions of one name once, for several threads, in sandboxes that they share."""

    def __init__(
        self,
        open_sandbox: Callable[[], Sandbox],
        patience: float,
        slots: HostSlots,
        stopped: Callable[[], bool],
    ) -> None:
        self._open, self._patience, self._slots = open_sandbox, patience, slots
        self._over = threading.Event()
        self._stopped = lambda: self._over.is_set() or stopped()
        self._guard = threading.Lock()
        self._busy: list[Sandbox] = []
        self._idle: list[Sandbox] = []
        self._outcomes: dict[str, Outcome] = {}
        self._locks: dict[str, threading.Lock] = {}

    def outcome(self, name: str, execution: Execution) -> Outcome:
        limits = execution.limits
        parts = [name, execution.runner, execution.payload, limits.cpu_seconds, limits.memory]
        key = hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
        with self._guard:
            lock = self._locks.setdefault(key, threading.Lock())
        with lock:
            if key not in self._outcomes:
                self._outcomes[key] = self._run(execution)
        return self._outcomes[key]

    def _run(self, execution: Execution) -> Outcome:
        """Two container deaths of the same kind are the outcome, or TRIES of different kinds.
        Raises SandboxError, also if no sandbox can be opened."""
        ends: list[str] = []
        losses = Losses()
        while len(ends) < TRIES:
            with self._guard:
                sandbox = self._idle.pop() if self._idle else None
            if sandbox is None:
                sandbox = opened(self._open, patience=self._patience, stopped=self._stopped)
            try:
                with self._using(sandbox), self._slots.one(self._stopped):
                    (outcome,) = sandbox.run_all([execution])
                    return outcome
            except SandboxGone as gone:
                # A stop ends containers too: that is not an outcome of the reference.
                give_up_if(self._stopped)
                if gone.how in attribution.INFRASTRUCTURE_ENDS:
                    losses.note(gone)
                elif gone.how in ends:
                    return Outcome(died=gone.how)
                else:
                    ends.append(gone.how)
        return Outcome(died=ends[-1])

    @contextmanager
    def _using(self, sandbox: Sandbox) -> Iterator[None]:
        """Raises SandboxError if stopped."""
        with self._guard:
            self._busy.append(sandbox)
        try:
            give_up_if(self._stopped)
            yield
        except BaseException:
            with self._guard:
                self._busy.remove(sandbox)
            sandbox.close()
            # If Docker went away, the idle ones are lost as well.
            self._close_idle()
            raise
        with self._guard:
            self._busy.remove(sandbox)
            self._idle.append(sandbox)
        if self._over.is_set():
            self._close_idle()

    def _close_idle(self) -> None:
        with self._guard:
            idle, self._idle = self._idle, []
        for sandbox in idle:
            sandbox.close()

    def abort(self) -> None:
        self._over.set()
        with self._guard:
            busy = list(self._busy)
        for sandbox in busy:
            sandbox.abort()

    def close(self) -> None:
        """As abort(), and closes idle sandboxes. Threads close busy ones after their runs."""
        self.abort()
        self._close_idle()


def sound(references: Mapping[str, Reference]) -> bool:
    """Whether the references allow the task to be judged; those with a `part` do not count."""
    return not any(each.unsound and not each.part for each in references.values())
