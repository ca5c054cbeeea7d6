"""Judges the turns of conversations in sandboxes, those of many conversations at a time."""

from __future__ import annotations

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from types import TracebackType
from typing import NamedTuple, Self

from evaluation.engine.conversations.dialogue import Name
from evaluation.engine.family import ByExecution, Canary, Talks
from evaluation.engine.instructions import DYNAMIC
from evaluation.engine.pipeline import BATCH_CASES, HostSlots, Sandbox
from evaluation.engine.pipeline import Judge as Worker
from evaluation.engine.records import Case, Generation, Key, Limits, Task, TaskId, Verdict

# A worker that nobody has needed for so long gives its sandbox back: of many projects few are at
# work at a time, and what a sandbox may write to is held in memory.
IDLE_SECONDS = 30.0


class _Asked(NamedTuple):
    case: Case
    verdict: Future[Verdict]


class Pool:
    """Workers over one kind of sandbox that judge whatever cases come, as long as it is open."""

    def __init__(
        self,
        judged: ByExecution,
        open_sandbox: Callable[[], Sandbox],
        slots: HostSlots,
        *,
        workers: int,
        limits: Limits,
        canaries: Sequence[Canary],
    ) -> None:
        self._waiting: deque[_Asked] = deque()
        self._change = threading.Condition()
        self._stop = threading.Event()
        self._least = len(canaries) + 1
        self._workers = [
            Worker(
                judged,
                open_sandbox,
                slots,
                limits=limits,
                canaries=canaries,
                stopped=self._stop.is_set,
            )
            for _ in range(workers)
        ]
        self._threads = [
            threading.Thread(target=self._work, args=(worker,), name=f"judge-{n}", daemon=True)
            for n, worker in enumerate(self._workers)
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        with self._change:
            self._change.notify_all()
        for worker in self._workers:
            worker.abort()
        for thread in self._threads:
            thread.join()

    def verdicts(self, cases: Sequence[Case]) -> list[Future[Verdict]]:
        """A future for each case, which may end in SandboxError."""
        asked = [_Asked(case, Future()) for case in cases]
        with self._change:
            self._waiting.extend(asked)
            self._change.notify_all()
        return [one.verdict for one in asked]

    def _taken(self) -> list[_Asked] | None:
        """The next cases, of all that wait this worker's share, but no less than is worth the
        canaries of a batch; [] where none have come for a while, None when it is over."""
        with self._change:
            self._change.wait_for(lambda: self._waiting or self._stop.is_set(), IDLE_SECONDS)
            if self._stop.is_set():
                return None
            share = max(-(-len(self._waiting) // len(self._workers)), self._least)
            taken = min(share, len(self._waiting), BATCH_CASES)
            return [self._waiting.popleft() for _ in range(taken)]

    def _work(self, worker: Worker) -> None:
        try:
            while (taken := self._taken()) is not None:
                if taken:
                    self._judge(worker, taken)
                else:
                    worker.close()
        finally:
            worker.close()

    def _judge(self, worker: Worker, taken: Sequence[_Asked]) -> None:
        try:
            verdicts = worker.batch([one.case for one in taken])
        except BaseException as error:  # told to whoever waits, who raises it
            for one in _still_waited_for(taken):
                one.verdict.set_exception(error)
            return
        by_future = dict(zip((one.verdict for one in taken), verdicts, strict=True))
        for one in _still_waited_for(taken):
            one.verdict.set_result(by_future[one.verdict])


def _still_waited_for(asked: Sequence[_Asked]) -> list[_Asked]:
    return [one for one in asked if one.verdict.set_running_or_notify_cancel()]


class Place(NamedTuple):
    """Where a task's generations are judged; `filled` gives a case what was prepared for it."""

    pool: Pool
    filled: Callable[[Case], Case]


class SandboxJudge:
    """What an answer passes, each instruction by itself: a `dynamic.Judge` for the tasks that
    have a place."""

    def __init__(self, talks: Talks, places: Mapping[TaskId, Place]) -> None:
        self._talks, self._places = talks, places

    async def __call__(
        self, task: Task, answer: str, names: Sequence[Name]
    ) -> Mapping[Name, Verdict]:
        """Raises SandboxError."""
        place = self._places[task.id]
        generation = Generation(Key(task.id, 0), answer)
        cases = [
            place.filled(Case(task, generation, DYNAMIC, self._talks.test_set(name)))
            for name in names
        ]
        futures = map(asyncio.wrap_future, place.pool.verdicts(cases))
        return dict(zip(names, await asyncio.gather(*futures), strict=True))
