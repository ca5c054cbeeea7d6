"""References of a project's tasks: run once, kept beside the image, read ever after.

What a reference is and what it says of its task is the family's; here they are run.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

from evaluation.engine.errors import SandboxError, SandboxGone
from evaluation.engine.family import InProjects
from evaluation.engine.pipeline import HostSlots, Sandbox
from evaluation.engine.preparation.options import Options
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
    say: Say = lambda _: None,
    stopped: Callable[[], bool] = lambda: False,
) -> dict[TaskId, dict[str, Reference]]:
    """The references of each task by name; those that this host has not got are run now, and
    each task's are kept as soon as they are whole. Raises SandboxError, also where stopped."""
    runs = _Runs(projects, prepared, open_sandbox, slots, stopped)
    found = {task.id: load_references(options, prepared, task) for task in tasks}
    missing = [task for task in tasks if found[task.id] is None]
    done = len(tasks) - len(missing)
    with closing(runs), ThreadPoolExecutor(max_workers=workers) as pool:
        for task, references in pool.map(runs.of, missing):
            save_references(options, prepared, task, references)
            found[task.id] = references
            done += 1
            say(f"{prepared.project.repository}: references of {done} of {len(tasks)} tasks")
    return {identifier: references or {} for identifier, references in found.items()}


class _Runs:
    """Runs references for several threads; equal executions of one name are run once."""

    def __init__(
        self,
        projects: InProjects,
        prepared: Prepared,
        open_sandbox: Callable[[], Sandbox],
        slots: HostSlots,
        stopped: Callable[[], bool],
    ) -> None:
        self._projects, self._prepared = projects, prepared
        self._open, self._slots, self._stopped = open_sandbox, slots, stopped
        self._outcomes: dict[str, Outcome] = {}
        self._locks: dict[str, threading.Lock] = {}
        self._guard = threading.Lock()
        self._idle: list[Sandbox] = []

    def close(self) -> None:
        for sandbox in self._idle:
            sandbox.close()

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
        for _ in range(TRIES):
            if self._stopped():
                raise SandboxError("Stopped.")
            sandbox = self._idle.pop() if self._idle else self._open()
            try:
                with self._slots.one():
                    (outcome,) = sandbox.run_all([execution])
            except SandboxGone as gone:
                sandbox.close()
                if gone.how in attribution.INFRASTRUCTURE_ENDS:
                    raise
                if gone.how in ends:
                    return Outcome(died=gone.how)
                ends.append(gone.how)
            except BaseException:
                sandbox.close()
                raise
            else:
                self._idle.append(sandbox)
                return outcome
        return Outcome(died=ends[-1])


def _hash(execution: Execution) -> str:
    limits = execution.limits
    told = [execution.runner, execution.payload, limits.cpu_seconds, limits.memory]
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def sound(references: Mapping[str, Reference]) -> bool:
    """Whether the task can be judged by what its references came to, its requirements aside."""
    return not any(each.unsound and not each.part for each in references.values())
