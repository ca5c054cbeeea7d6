"""A family and sandboxes that follow a test's script, for tests of the layers above them."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

from evaluation.engine.errors import SandboxError, SandboxGone
from evaluation.engine.family import ByExecution, Canary
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import Workplace
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Key,
    Limits,
    Outcome,
    Status,
    Step,
    Stop,
    Task,
    Verdict,
)

LIMITS = Limits(cpu_seconds=10.0)
TASK = Task("t", public={}, hidden={})
RIGHT, WRONG = Outcome(exit_code=0), Outcome(exit_code=1)


def case(text: str, sample: int = 0) -> Case:
    return Case(TASK, Generation(Key("t", sample), text), "base")


def plan(case: Case, limits: Limits) -> Execution | Verdict:
    text = case.generation.text
    if text.startswith("empty"):
        return Verdict(case.generation.key, Status.COMPILE_ERROR)
    return Execution("scripted", {"text": text}, limits)


def proceed(case: Case, steps: Sequence[Step]) -> Execution | None:
    """A generation named `twice` takes a second step, whatever came of the first."""
    return steps[0].execution if case.generation.text == "twice" and len(steps) == 1 else None


def judge(case: Case, steps: Sequence[Step]) -> Verdict:
    outcome = steps[-1].outcome
    statuses = {0: Status.PASSED, 1: Status.FAILED}
    status = statuses.get(outcome.exit_code if outcome.exit_code is not None else -1)
    if outcome.died is not None:
        status = Status.MEMORY_EXCEEDED if outcome.died == "oom" else Status.RUNTIME_ERROR
    if outcome.stop is not None:
        status = Status.TIMEOUT
    said = outcome.output
    return Verdict(case.generation.key, status or Status.RUNTIME_ERROR, evidence=said, output=said)


FAMILY = ByExecution(
    image="scripted",
    limits=LIMITS,
    canaries=(Canary(case("good canary"), True), Canary(case("bad canary"), False)),
    plan=plan,
    judge=judge,
    proceed=proceed,
)

# The outcome of a run of a text in the n-th sandbox; an exception also ends the sandbox.
Script = Callable[[int, str], Outcome | Exception]


def truthful(_: int, text: str) -> Outcome:
    return WRONG if text.startswith("bad") else RIGHT


def gone(how: str) -> SandboxGone:
    return SandboxGone(how, f"It went down ({how}).")


@dataclass
class World:
    """All sandboxes of a test, and what happened in them."""

    script: Script = truthful
    refusals: list[Exception] = field(default_factory=list)
    opened: list[ScriptedSandbox] = field(default_factory=list)
    ran: list[tuple[int, str, float, bool]] = field(default_factory=list)
    slots: ScriptedSlots = field(default_factory=lambda: ScriptedSlots())
    lock: threading.Lock = field(default_factory=threading.Lock)

    def open(self) -> ScriptedSandbox:
        with self.lock:
            if self.refusals:
                raise self.refusals.pop(0)
            self.opened.append(ScriptedSandbox(self, len(self.opened)))
            return self.opened[-1]

    def workplace(self, workers: int = 2, stopped: Callable[[], bool] = lambda: False) -> Workplace:
        setup = Setup(LIMITS, self.slots, Options, workers=workers, patience=0.2, stopped=stopped)
        return Workplace(FAMILY, setup, {}, self.open, FAMILY.canaries)

    @property
    def left_open(self) -> list[int]:
        return [sandbox.number for sandbox in self.opened if not sandbox.closed]

    def texts(self, *, alone: bool | None = None) -> list[str]:
        return [text for _, text, _, was in self.ran if alone is None or was is alone]


class ScriptedSandbox:
    """Implements `pipeline.Sandbox`."""

    def __init__(self, world: World, number: int) -> None:
        self.number = number
        self.runs = 0
        self.closed = self.aborted = self.dead = False
        self._world = world

    def run_all(self, executions: Iterable[Execution]) -> Iterator[Outcome]:
        return map(self._run, executions)

    def _run(self, execution: Execution) -> Outcome:
        text, cpu = str(execution.payload["text"]), execution.limits.cpu_seconds
        assert self._world.slots.holders, "a run without a host slot"
        if self.dead or self.closed or self.aborted:
            raise SandboxGone("docker", "It is gone.")
        self._world.ran.append((self.number, text, cpu, self._world.slots.is_alone))
        said = self._world.script(self.number, text)
        if isinstance(said, SandboxGone):
            self.dead = True
            raise SandboxGone(said.how, str(said))
        if isinstance(said, Exception):
            raise said
        self.runs += 1
        return said

    def abort(self) -> None:
        self.aborted = True

    def close(self) -> None:
        self.closed = True


class ScriptedSlots:
    """Stands for `sandbox.slots.Slots`, and records what is held."""

    def __init__(self) -> None:
        self.holders = 0
        self.waits = 0
        self.is_alone = False
        self._lock = threading.Lock()

    def _change(self, by: int) -> None:
        with self._lock:
            self.holders += by

    @contextmanager
    def _held(self, alone: bool, stopped: Callable[[], bool]) -> Iterator[None]:
        if stopped():
            raise SandboxError("Stopped.")
        self._change(1)
        self.is_alone = alone
        try:
            yield
        finally:
            self.is_alone = False
            self._change(-1)

    def one(self, stopped: Callable[[], bool] = lambda: False) -> AbstractContextManager[None]:
        self.waits += 1
        return self._held(False, stopped)

    def alone(self, stopped: Callable[[], bool] = lambda: False) -> AbstractContextManager[None]:
        return self._held(True, stopped)


def stopped_by_processor_time(seconds: float) -> Outcome:
    return Outcome(signal=9, stop=Stop.CPU, cpu_seconds=seconds)
