"""From generations to verdicts: plan, run, judge, in batches that carry their canaries.

Knows neither Docker nor databases nor queues: it is given a way to open sandboxes
and hands back verdicts. A batch counts only if its canaries told the truth.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from typing import Protocol

from evaluation.engine.errors import EngineAway, SandboxError, SandboxGone
from evaluation.engine.family import ByExecution
from evaluation.engine.records import (
    Case,
    Execution,
    Limits,
    Outcome,
    Step,
    Verdict,
)
from evaluation.engine.sandbox import attribution

# A container is replaced after so many runs, whatever happened in it.
RENEW_AFTER = 2000
# So many runs in a row with one host slot: who wants to be alone waits no longer.
STRETCH = 16
# How often in a row the engine may take a sandbox away before anything ran in it.
PATIENT_ENDS = 20
# How often a batch, or an accused generation, is tried before the machinery is blamed.
TRIES = 3


class Sandbox(Protocol):
    """What `sandbox.session.Session` offers."""

    runs: int

    def run_all(self, executions: Iterable[Execution]) -> Iterator[Outcome]: ...
    def abort(self) -> None: ...
    def close(self) -> None: ...


class HostSlots(Protocol):
    """What `sandbox.slots.Slots` offers."""

    def one(self) -> AbstractContextManager[None]: ...
    def alone(self) -> AbstractContextManager[None]: ...


@dataclass(slots=True)
class _Path:
    """A case on its way: what it has been through, and what comes next."""

    case: Case
    next: Execution | None = None
    verdict: Verdict | None = None
    steps: list[Step] = field(default_factory=list)


class Judge:
    """Judges batches for one family, one sandbox at a time. Not for several threads.

    open_sandbox() raises SandboxError where none can be had; `patience` seconds of
    that are waited out, since an engine that restarts comes back.
    """

    def __init__(
        self,
        judged: ByExecution,
        open_sandbox: Callable[[], Sandbox],
        slots: HostSlots,
        *,
        limits: Limits | None = None,
        patience: float = 120.0,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._judged = judged
        self._open = open_sandbox
        self._slots = slots
        self._limits = limits or judged.limits
        self._patience = patience
        self._stopped = stopped
        self._sandbox: Sandbox | None = None

    def close(self) -> None:
        """Ends the sandbox; the judge can go on with a new one."""
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None

    def abort(self) -> None:
        """From another thread: ends the sandbox under whatever runs in it."""
        sandbox = self._sandbox
        if sandbox is not None:
            sandbox.abort()

    def batch(
        self, stretches: Iterable[Sequence[Case]], done: Callable[[], None] = lambda: None
    ) -> list[Verdict]:
        """The verdicts of all cases in their order; one stretch is taken when the last is done.

        `done` is called for each generation. Raises SandboxError where the machinery fails
        for good; nothing counts then.
        """
        if self._sandbox is not None and self._sandbox.runs >= RENEW_AFTER:
            self.close()
        cases: list[Case] = []
        coming: Iterable[Sequence[Case]] = stretches
        for _ in range(TRIES):
            opening, *others = self._judged.canaries
            # The first canary opens the batch, the others close it, whatever came between.
            told = self._judge([opening.case])
            verdicts: list[Verdict] = []
            for stretch in coming:
                cases += stretch if coming is stretches else ()
                verdicts += self._judge(stretch, done)
            told += self._judge([canary.case for canary in others])
            if all(v.passed == c.passes for v, c in zip(told, self._judged.canaries, strict=True)):
                return verdicts
            # Quarantine: what this sandbox said is forgotten with it.
            self.close()
            coming = [cases]
        raise SandboxError("Programs whose verdict is known were judged wrongly three times.")

    def _judge(
        self, cases: Sequence[Case], done: Callable[[], None] = lambda: None
    ) -> list[Verdict]:
        """Runs and judges until every case has its verdict, all at the same step at a time."""
        paths = [_Path(case) for case in cases]
        for path in paths:
            self._advance(path, self._judged.plan(path.case, self._limits), done)
        while waiting := [(path, path.next) for path in paths if path.next is not None]:
            for path, outcome in self._run(waiting):
                assert path.next is not None
                path.steps.append(Step(path.next, outcome))
                self._advance(path, self._proceed(path), done)
        return [path.verdict for path in paths if path.verdict is not None]

    @staticmethod
    def _advance(path: _Path, to: Execution | Verdict, done: Callable[[], None]) -> None:
        if isinstance(to, Verdict):
            path.next, path.verdict = None, to
            done()
        else:
            path.next = to

    def _proceed(self, path: _Path) -> Execution | Verdict:
        proceed = self._judged.proceed
        following = None if proceed is None else proceed(path.case, path.steps)
        return following or self._judged.judge(path.case, path.steps)

    def _run(self, wave: list[tuple[_Path, Execution]]) -> Iterator[tuple[_Path, Outcome]]:
        """The outcome of each, whatever happens to the sandboxes meanwhile."""
        left = wave
        away = 0
        while left:
            self._give_up_if_stopped()
            ran, gone = 0, None
            near: list[tuple[_Path, Execution]] = []
            sandbox = self._ready()
            with self._slots.one():
                try:
                    for outcome in sandbox.run_all(_with_grace(e) for _, e in left[:STRETCH]):
                        path, execution = left[ran]
                        ran += 1
                        if attribution.near_limit(outcome, execution.limits):
                            near.append((path, execution))
                        else:
                            yield path, outcome
                except SandboxGone as error:
                    gone = error
                    self.close()
            for path, execution in near:
                yield path, self._accused(execution, ends=[])
            if gone is None or gone.how in attribution.INFRASTRUCTURE_ENDS:
                away = 0 if ran else away + 1
                if away > PATIENT_ENDS:
                    raise SandboxError(f"Sandboxes are lost again and again: {gone}")
                left = left[ran:]
                continue
            self._give_up_if_stopped()
            path, execution = left[ran]
            yield path, self._accused(execution, ends=[gone.how])
            left = left[ran + 1 :]

    def _accused(self, execution: Execution, ends: list[str]) -> Outcome:
        """Runs it alone on the host between two canaries; the same end twice is its own."""
        guilty = 0
        for _ in range(TRIES):
            sandbox = self._ready()
            canary = _canary_execution(self._judged, self._limits)
            before: Outcome | None = None
            with self._slots.alone():
                try:
                    runs = sandbox.run_all([canary, execution, canary])
                    before = next(runs)
                    outcome, after = next(runs), next(runs)
                    how = "" if self._canary_passed(after) else "canary"
                except SandboxGone as gone:
                    how = gone.how
            # What goes wrong with it or right after it is its doing, what before it is not.
            good = before is not None and self._canary_passed(before)
            if good and not how:
                return outcome
            self.close()
            self._give_up_if_stopped()
            if good and how not in attribution.INFRASTRUCTURE_ENDS:
                guilty += 1
                if how in ends or guilty == TRIES:
                    return Outcome(died=how)
                ends.append(how)
        raise SandboxError("Sandboxes go down before anything of a submission runs in them.")

    def _canary_passed(self, outcome: Outcome) -> bool:
        step = Step(_canary_execution(self._judged, self._limits), outcome)
        return self._judged.judge(self._judged.canaries[0].case, [step]).passed

    def _ready(self) -> Sandbox:
        """A sandbox that works; waits out an engine that is away."""
        deadline = time.monotonic() + self._patience
        pause, gone = 0.1, 0
        while self._sandbox is None:
            self._give_up_if_stopped()
            try:
                self._sandbox = self._open()
            except (EngineAway, SandboxGone) as error:
                # A container that does not even start is no engine that comes back.
                gone += isinstance(error, SandboxGone) and error.how != "docker"
                if gone == TRIES or time.monotonic() + pause > deadline:
                    raise
                time.sleep(pause)
                pause = min(pause * 2, 3.0)
        self._give_up_if_stopped()
        return self._sandbox

    def _give_up_if_stopped(self) -> None:
        if self._stopped():
            raise SandboxError("Stopped.")


def _canary_execution(judged: ByExecution, limits: Limits) -> Execution:
    planned = judged.plan(judged.canaries[0].case, limits)
    assert isinstance(planned, Execution), "a canary has to run"
    return planned


def _with_grace(execution: Execution) -> Execution:
    limits = execution.limits
    longer = replace(limits, cpu_seconds=limits.cpu_seconds * attribution.GRACE)
    return replace(execution, limits=longer)
