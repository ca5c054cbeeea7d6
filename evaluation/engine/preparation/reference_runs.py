"""Runs a project's own tests on its own files, in its image, as for generations, and the references
of its tasks once for each image; stores the results."""

import hashlib
import json
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import astuple, replace
from functools import partial

from evaluation.engine.errors import SandboxGone, give_up_if
from evaluation.engine.family import InProjects
from evaluation.engine.pipeline import TRIES, Losses, Sandbox, opened
from evaluation.engine.preparation import store
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.store import load_references, save_references
from evaluation.engine.preparation.withholding import Passed
from evaluation.engine.projects.report import read
from evaluation.engine.projects.suite import first_watch, within
from evaluation.engine.records import (
    DryRun,
    Execution,
    Json,
    Limits,
    Outcome,
    Prepared,
    Reference,
    Status,
    Task,
    TaskId,
)
from evaluation.engine.sandbox import attribution
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.session import aborting

# Name of the reference that reports a task that does not fit its project's sources.
SOURCES = "sources"
# A dry run determines which tests pass, not how fast. Options set the times and the memory.
_LIMITS = Limits(cpu_seconds=0.0, wall_factor=1.5, pids=1024, open_files=4096)
_WORDS = 2000
# Timed runs of each command.
RUNS = 3
_TIMES = ("cpu_seconds", "wall_seconds")


def ensure_references(
    projects: InProjects,
    tasks: Sequence[Task],
    prepared: Prepared,
    open_sandbox: Callable[[], Sandbox],
    setup: Setup,
) -> dict[TaskId, dict[str, Reference]]:
    """The references of each task by name; runs missing ones and stores complete tasks. Raises
    SandboxError, also when stopped."""
    options, runs = setup.options(), _Runs(open_sandbox, setup)
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

    with closing(runs), ThreadPoolExecutor(setup.workers) as pool, ExitStack() as ending:
        # On any early exit, end the runs before joining the threads that wait for them.
        ending.callback(runs.abort)
        ending.enter_context(aborting(runs.abort, setup.stopped))
        for task, references in zip(missing, pool.map(run, missing), strict=True):
            save_references(options, prepared, task, references)
            by_task[task.id] = references
            done += 1
            setup.say(f"{prepared.project.repository}: references of {done} of {len(tasks)} tasks")
    return {id: references or {} for id, references in by_task.items()}


class _Runs:
    """Runs equal executions of one name once, for several threads, each in a sandbox of its own."""

    def __init__(self, open_sandbox: Callable[[], Sandbox], setup: Setup) -> None:
        self._open, self._patience, self._slots = open_sandbox, setup.patience, setup.slots
        self._over = threading.Event()
        self._stopped = lambda: self._over.is_set() or setup.stopped()
        self._guard = threading.Lock()
        # By the identifiers of their threads.
        self._sandboxes: dict[int, Sandbox] = {}
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
        thread = threading.get_ident()

        def ready() -> Sandbox:
            if thread not in self._sandboxes:
                sandbox = opened(self._open, patience=self._patience, stopped=self._stopped)
                self._sandboxes[thread] = sandbox
            return self._sandboxes[thread]

        def run(sandbox: Sandbox) -> Outcome:
            try:
                give_up_if(self._stopped)
                with self._slots.one(self._stopped):
                    (outcome,) = sandbox.run_all([execution])
            except BaseException:
                self._sandboxes.pop(thread).close()
                raise
            return outcome

        return _settled(ready, run, self._stopped, or_last=True)

    def abort(self) -> None:
        self._over.set()
        for sandbox in list(self._sandboxes.values()):
            sandbox.abort()

    def close(self) -> None:
        """Call it when no thread runs anything any more."""
        for sandbox in self._sandboxes.values():
            sandbox.close()


def sound(references: Mapping[str, Reference]) -> bool:
    """Whether the references allow the task to be judged; those with a `part` do not count."""
    return not any(reference.unsound and not reference.part for reference in references.values())


def dry_run(
    image: Prepared, withheld: Mapping[str, str], options: Options, stopped: Callable[[], bool]
) -> tuple[Passed, str]:
    """The tests that pass if the image's hidden files are hidden, and a description of the last
    command without a passing test. Raises SandboxError, also when stopped. Does not wait for Docker
    to come back, because the build container is lost with it."""
    passed: set[tuple[str, str]] = set()
    failure = ""
    for command in image.project.test_commands:
        outcome = _outcome(image, _execution(image, command, withheld, options), stopped)
        passing = _passing(outcome)
        passed |= {(command, test) for test in passing}
        if not passing and outcome.died:
            failure = f"`{command}` took its container down ({outcome.died})."
        elif not passing:
            end = f"was stopped ({outcome.stop})" if outcome.stop else "ended"
            output = outcome.output[-_WORDS:].strip()
            failure = f"`{command}` {end}; its last output: {output}"
    return frozenset(passed), failure


def timed(prepared: Prepared, setup: Setup) -> Prepared:
    """The project with the dry run that bounds its limits, measured once and stored. Raises
    SandboxError, also when stopped."""
    options, limits = setup.options(), setup.limits
    if options.benchmark_limits:
        return replace(prepared, dry_run=None)

    def slowest() -> DryRun | None:
        """The slowest of all commands' runs; None if no test passes. Each run has the host for
        itself."""
        texts, dry_run = prepared.texts, None
        withheld = {path: texts[path] for path in prepared.project.withheld if path in texts}
        for command in prepared.project.test_commands:
            execution = _execution(prepared, command, withheld, options)
            for _ in range(RUNS):
                with setup.slots.alone(setup.stopped):
                    outcome = _outcome(prepared, execution, setup.stopped)
                if not _passing(outcome):
                    break
                times = (outcome.cpu_seconds, outcome.wall_seconds, outcome.pause_seconds)
                dry_run = DryRun(*map(max, times, astuple(dry_run) if dry_run else times))
                bounded = within(limits, replace(prepared, dry_run=dry_run))
                # Further runs would leave the benchmark's limits as they are, and take long.
                if all(getattr(bounded, n) == getattr(limits, n) for n in _TIMES):
                    break
        return dry_run

    def measure() -> DryRun | None:
        with store.making(prepared.key):
            is_known, dry_run = store.load_dry_run(options, prepared.key)
            if not is_known:
                setup.say(f"{prepared.project.repository}: timing the tests")
                dry_run = slowest()
                store.save_dry_run(options, prepared.key, dry_run)
            return dry_run

    return replace(prepared, dry_run=setup.dry_run(prepared, measure))


def _execution(
    image: Prepared, command: str, withheld: Mapping[str, str], options: Options
) -> Execution:
    files: dict[str, Json] = {**withheld}
    payload: dict[str, Json] = {"files": files, "command": command, "report": image.project.report}
    if image.hidden:
        payload["watch"] = first_watch()
        payload["hidden"] = [*image.hidden]
    limits = replace(_LIMITS, cpu_seconds=options.test_seconds, memory=options.build_memory)
    return Execution("repository", payload, limits)


def _outcome(image: Prepared, execution: Execution, stopped: Callable[[], bool]) -> Outcome:
    def run(sandbox: Sandbox) -> Outcome:
        with closing(sandbox), aborting(sandbox.abort, stopped):
            return next(sandbox.run_all([execution]))

    open_sandbox = partial(Fresh, image, execution.limits)
    ready = partial(opened, open_sandbox, patience=0.5, stopped=stopped)
    return _settled(ready, run, stopped, or_last=False)


def _settled(
    ready: Callable[[], Sandbox],
    run: Callable[[Sandbox], Outcome],
    stopped: Callable[[], bool],
    *,
    or_last: bool,
) -> Outcome:
    """Two container deaths of the same kind are the outcome; of TRIES different ones the last one
    is, with `or_last`. Raises SandboxError, also if no sandbox can be opened."""
    ends, losses = list[str](), Losses()
    while True:
        sandbox = ready()
        try:
            return run(sandbox)
        except SandboxGone as gone:
            # A stop ends containers too: that is not an outcome.
            give_up_if(stopped)
            if gone.how in attribution.INFRASTRUCTURE_ENDS:
                losses.note(gone)
                continue
            is_last = len(ends) == TRIES - 1
            if gone.how in ends or (is_last and or_last):
                return Outcome(died=gone.how)
            if is_last:
                raise
            ends.append(gone.how)


def _passing(outcome: Outcome) -> frozenset[str]:
    report = read(outcome)
    return report.passed if report.complete else frozenset()
