"""Turns generations into verdicts (plan, run, judge) in batches with canaries. Knows neither Docker
nor databases nor queues. A batch counts only if its canaries get their known verdicts."""

import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

from evaluation.engine.compiler_messages import compiler_message
from evaluation.engine.errors import EngineAway, SandboxError, SandboxGone, give_up_if
from evaluation.engine.family import ByExecution, Canary
from evaluation.engine.records import (
    Case,
    Execution,
    Integrity,
    Limits,
    Outcome,
    Status,
    Step,
    Verdict,
    evidence_in,
    printable,
)
from evaluation.engine.sandbox import attribution, texts
from evaluation.engine.sandbox.slots import STRETCH_SECONDS, Slots, Stretch

# Maximum cases per batch; the family's `batch_seconds` may end a batch earlier.
BATCH_CASES = 64
# Runs after which a container is replaced.
RENEW_AFTER = 2000
# Seconds to wait for Docker.
PATIENCE_SECONDS = 120.0
# Maximum number of sandboxes lost in a row.
PATIENT_ENDS = 20
_WRONG_CANARY = (
    "A program with a known verdict was judged wrongly: task %s, which has to %s, is %s (%s). %s"
)
# Maximum bytes of a compiler's message.
_MESSAGE = 1000
# Attempts for a batch, or for an accused run, before the infrastructure is blamed.
TRIES = 3

log = logging.getLogger(__name__)


class Sandbox(Protocol):
    """The interface of `sandbox.session.Session`."""

    runs: int

    def run_all(self, executions: Iterable[Execution]) -> Iterator[Outcome]: ...
    def abort(self) -> None: ...
    def close(self) -> None: ...


def opened(
    open_sandbox: Callable[[], Sandbox],
    *,
    patience: float = PATIENCE_SECONDS,
    stopped: Callable[[], bool] = lambda: False,
) -> Sandbox:
    """Retries for `patience` seconds, at least once, since a busy host may take longer to open a
    sandbox; then, or if stopped, raises SandboxError."""
    deadline = time.monotonic() + patience
    pause, gone, tries = 0.1, 0, 0
    while True:
        give_up_if(stopped)
        try:
            return open_sandbox()
        except (EngineAway, SandboxGone) as error:
            # Waiting for Docker does not help if a container does not start.
            gone += isinstance(error, SandboxGone) and error.how != "docker"
            tries += 1
            if gone == TRIES or (tries > 1 and time.monotonic() + pause > deadline):
                raise
            time.sleep(pause)
            pause = min(pause * 2, 3.0)


class Losses:
    """Counts the sandboxes that were lost in a row. Raises SandboxError after too many."""

    def __init__(self) -> None:
        self._count = 0

    def note(self, gone: SandboxGone | None) -> None:
        self._count = 0 if gone is None else self._count + 1
        if gone is not None and self._count > PATIENT_ENDS:
            raise SandboxError(texts.LOST_AGAIN(cause=gone.message))


@dataclass(slots=True)
class _Path:
    case: Case
    verdict: Verdict | None = None
    steps: list[Step] = field(default_factory=list)


class _Due(NamedTuple):
    path: _Path
    execution: Execution


class _Backlog:
    def __init__(
        self, judged: ByExecution, limits: Limits, cases: Iterator[Case], done: Callable[[], None]
    ) -> None:
        self.paths: list[_Path] = []
        # Sent to a sandbox and not answered yet, in order.
        self.sent: deque[_Due] = deque()
        self._due: deque[_Due] = deque()
        self._judged, self._limits = judged, limits
        self._cases, self._done = cases, done
        self._losses = Losses()

    def goes_on(self) -> bool:
        if not self._due and (due := self._next_case()) is not None:
            self._due.append(due)
        return bool(self._due)

    def runs(self) -> Iterator[Execution]:
        while (due := self._due.popleft() if self._due else self._next_case()) is not None:
            self.sent.append(due)
            limits = due.execution.limits
            longer = replace(limits, cpu_seconds=limits.cpu_seconds * attribution.GRACE)
            yield replace(due.execution, limits=longer)

    def _next_case(self) -> _Due | None:
        for case in self._cases:
            path = _Path(case)
            self.paths.append(path)
            planned = self._judged.plan(case, self._limits)
            if isinstance(planned, Execution):
                return _Due(path, planned)
            path.verdict = planned
            self._done()
        return None

    def take(self, due: _Due, outcome: Outcome) -> None:
        """Raises ValueError for a family that suspects a pass and does not say why."""
        path, judged = due.path, self._judged
        path.steps.append(Step(due.execution, outcome))
        following = None if judged.proceed is None else judged.proceed(path.case, path.steps)
        if following is not None:
            self._due.append(_Due(path, following))
            return
        verdict = judged.judge(path.case, path.steps)
        if verdict.integrity is Integrity.SUSPECT and not evidence_in(verdict.evidence):
            raise ValueError(f"a suspect verdict without evidence: {verdict.unit}")
        if verdict.status is Status.COMPILE_ERROR and (
            program := judged.program(path.case, path.steps)
        ):
            message = compiler_message(program, path.case.generation.text)
            verdict = replace(verdict, evidence=printable(message, _MESSAGE))
        path.verdict = verdict
        self._done()

    def take_back(self, gone: SandboxGone | None) -> None:
        """Raises SandboxError after too many losses in a row."""
        self._losses.note(gone)
        self._due.extendleft(reversed(self.sent))
        self.sent.clear()


def portion(left: deque[Case], seconds: float) -> Iterator[Case]:
    """Yields one batch, popped from `left` on demand. Threads may share the deque."""
    began, taken = time.monotonic(), 0
    while taken < BATCH_CASES and time.monotonic() - began < seconds:
        try:
            case = left.popleft()
        except IndexError:
            return
        taken += 1
        yield case


class Judge:
    """Judges batches for one family, one sandbox at a time. Not thread-safe, except `abort`.
    `canaries` default to the family's; a project without sound tasks has none."""

    def __init__(
        self,
        judged: ByExecution,
        open_sandbox: Callable[[], Sandbox],
        slots: Slots,
        *,
        limits: Limits | None = None,
        canaries: Sequence[Canary] | None = None,
        patience: float = PATIENCE_SECONDS,
        stopped: Callable[[], bool] = lambda: False,
    ) -> None:
        self._judged = judged
        self._canaries = tuple(judged.canaries if canaries is None else canaries)
        self._open, self._slots = open_sandbox, slots
        # Each run in a project asks for its slot.
        seconds = STRETCH_SECONDS if judged.projects is None else 0.0
        self._stretch = Stretch(slots.one, seconds, stopped)
        self._limits = limits or judged.limits
        self._patience, self._stopped = patience, stopped
        self._sandbox: Sandbox | None = None

    def close(self) -> None:
        self._stretch.end()
        if self._sandbox is not None:
            self._sandbox.close()
            self._sandbox = None

    def abort(self) -> None:
        """Ends the sandbox and its runs. Safe to call from another thread."""
        sandbox = self._sandbox
        if sandbox is not None:
            sandbox.abort()

    def batch(
        self, cases: Iterable[Case], done: Callable[[], None] = lambda: None
    ) -> list[Verdict]:
        """Returns the verdicts in the order of the cases, which are taken on demand. Raises
        SandboxError if the infrastructure fails for good, or if canaries get wrong verdicts in
        TRIES batches; no verdict of the batch counts then."""
        if self._sandbox is not None and self._sandbox.runs >= RENEW_AFTER:
            self.close()
        taken: list[Case] = []

        def noted() -> Iterator[Case]:
            for case in cases:
                taken.append(case)
                yield case

        try:
            for attempt in range(TRIES):
                # The first canary opens the batch and the others close it, to cover all its cases.
                canary_verdicts = self._judge([canary.case for canary in self._canaries[:1]])
                verdicts = self._judge(taken if attempt else noted(), done)
                canary_verdicts += self._judge([canary.case for canary in self._canaries[1:]])
                wrong = [
                    (verdict, canary)
                    for verdict, canary in zip(canary_verdicts, self._canaries, strict=True)
                    if verdict.passed != canary.passes
                ]
                if not wrong:
                    return self._measured(taken, verdicts)
                for verdict, canary in wrong:
                    log.warning(
                        _WRONG_CANARY,
                        canary.case.task.id,
                        "pass" if canary.passes else "fail",
                        verdict.status,
                        verdict.integrity,
                        " ".join(entry.sentence for entry in evidence_in(verdict.evidence)),
                    )
                # Quarantine: discard the sandbox together with its verdicts.
                self.close()
        finally:
            self._stretch.end()
        raise SandboxError(texts.CANARIES_WRONG())

    def _judge(
        self, cases: Iterable[Case], done: Callable[[], None] = lambda: None
    ) -> list[Verdict]:
        backlog = _Backlog(self._judged, self._limits, iter(cases), done)
        while backlog.goes_on():
            give_up_if(self._stopped)
            self._run(backlog)
        return [path.verdict for path in backlog.paths if path.verdict is not None]

    def _measured(self, cases: Sequence[Case], verdicts: list[Verdict]) -> list[Verdict]:
        measure = self._judged.measure
        if measure is None or (execution := measure.plan(cases)) is None:
            return verdicts
        self._stretch.end()
        for _ in range(TRIES):
            sandbox = self._ready()
            try:
                with self._slots.one(self._stopped):
                    (outcome,) = sandbox.run_all([execution])
                values = measure.read(cases, outcome)
            except (SandboxGone, ValueError) as error:
                log.warning("the names of a batch were not found: %s", error)
                lost = isinstance(error, SandboxGone)
                self.close()
                continue
            measured = zip(verdicts, values, strict=True)
            return [replace(verdict, dependencies=value) for verdict, value in measured]
        if lost:
            raise SandboxError(texts.NOT_MEASURED())
        # Something in this batch: verdicts do not depend on it.
        return verdicts

    def _run(self, backlog: _Backlog) -> None:
        sandbox = self._ready()
        gone = None
        near: list[_Due] = []
        self._stretch.go_on()
        try:
            for outcome in sandbox.run_all(self._stretch.of(backlog.runs())):
                due = backlog.sent.popleft()
                limits = due.execution.limits
                if self._judged.near is None:
                    is_near = attribution.near_limit(outcome, limits)
                else:
                    is_near = self._judged.near(due.path.case, outcome, limits)
                if is_near:
                    near.append(due)
                else:
                    backlog.take(due, outcome)
        except SandboxGone as error:
            gone = error
            self.close()
        self._stretch.rest()
        accused = [(due, list[str]()) for due in near]
        if gone is not None and gone.how not in attribution.INFRASTRUCTURE_ENDS:
            give_up_if(self._stopped)
            accused.append((backlog.sent.popleft(), [gone.how]))
        backlog.take_back(gone)
        for due, ends in accused:
            backlog.take(due, self._alone(due.execution, ends))

    def _alone(self, execution: Execution, ends: list[str]) -> Outcome:
        """Repeats a run between two canaries, with exclusive use of the host. The run is at fault
        if its container ends twice in the same way, or TRIES times."""
        # An exclusive run waits for all slots, including the one that this judge holds.
        self._stretch.end()
        guilty = 0
        planned = [self._judged.plan(c.case, self._limits) for c in self._canaries[:1]]
        canary = [execution for execution in planned if isinstance(execution, Execution)]
        assert len(canary) == len(planned), "a canary has to run"

        def passes(outcomes: Iterator[Outcome]) -> bool:
            steps = [Step(execution, next(outcomes)) for execution in canary]
            judge = self._judged.judge
            verdicts = [judge(self._canaries[0].case, [step]) for step in steps]
            return all(verdict.status is Status.PASSED for verdict in verdicts)

        for _ in range(TRIES):
            sandbox = self._ready()
            good, how = False, ""
            with self._slots.alone(self._stopped):
                try:
                    runs = sandbox.run_all([*canary, execution, *canary])
                    good = passes(runs)
                    outcome = next(runs)
                    how = "" if passes(runs) else "canary"
                except SandboxGone as gone:
                    how = gone.how
            # A failure in or right after the run is its own fault; one before the run is not.
            if good and not how:
                return outcome
            self.close()
            give_up_if(self._stopped)
            if good and how not in attribution.INFRASTRUCTURE_ENDS:
                guilty += 1
                if how in ends or guilty == TRIES:
                    return Outcome(died=how)
                ends.append(how)
        raise SandboxError(texts.DOWN_AT_ONCE())

    def _ready(self) -> Sandbox:
        if self._sandbox is None:
            self._sandbox = opened(self._open, patience=self._patience, stopped=self._stopped)
        give_up_if(self._stopped)
        return self._sandbox
