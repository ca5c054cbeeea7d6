"""Many workers on one host over the pipeline: a run from cases to verdicts.

Threads suffice: the work is done in containers, a thread waits for its own.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from queue import Queue

from evaluation.engine.errors import SandboxError
from evaluation.engine.family import ByExecution
from evaluation.engine.pipeline import HostSlots, Judge, Sandbox
from evaluation.engine.records import Case, Limits, Verdict

# Batches shrink towards the end, so that no worker is left with a long one alone.
LEAST, MOST = 8, 64


class _Batches:
    """Cases in order, handed out in batches, to whichever worker asks."""

    def __init__(self, cases: Sequence[Case], workers: int) -> None:
        self._left = deque(cases)
        self._workers = workers
        self._lock = threading.Lock()

    def take(self) -> list[Case]:
        with self._lock:
            size = max(LEAST, min(MOST, len(self._left) // (self._workers * 4)))
            return [self._left.popleft() for _ in range(min(size, len(self._left)))]


class Run:
    """Judges cases with `workers` sandboxes at a time."""

    def __init__(
        self,
        judged: ByExecution,
        open_sandbox: Callable[[], Sandbox],
        slots: HostSlots,
        *,
        workers: int,
        limits: Limits | None = None,
        patience: float = 180.0,
    ) -> None:
        self._stop = threading.Event()
        self._workers = workers
        self._judges = [
            Judge(
                judged,
                open_sandbox,
                slots,
                limits=limits,
                patience=patience,
                stopped=self._stop.is_set,
            )
            for _ in range(workers)
        ]
        self._said: Queue[list[Verdict] | SandboxError | BaseException | None] = Queue()

    def verdicts(
        self, cases: Sequence[Case], done: Callable[[], None] = lambda: None
    ) -> Iterator[list[Verdict]]:
        """Batches of verdicts as they are settled; `done` is called, from any thread, for
        each generation that has been judged. Raises SandboxError. Whoever stops iterating,
        also by an exception, leaves no container behind."""
        batches = _Batches(cases, self._workers)
        threads = [
            threading.Thread(target=self._work, args=(judge, batches, done), name=f"judge-{n}")
            for n, judge in enumerate(self._judges)
        ]
        for thread in threads:
            thread.start()
        try:
            working = len(threads)
            while working:
                said = self._said.get()
                if said is None:
                    working -= 1
                elif isinstance(said, BaseException):
                    raise said
                else:
                    yield said
        finally:
            self._stop.set()
            for judge in self._judges:
                judge.abort()
            for thread in threads:
                thread.join()

    def _work(self, judge: Judge, batches: _Batches, done: Callable[[], None]) -> None:
        try:
            while not self._stop.is_set() and (cases := batches.take()):
                self._said.put(judge.batch(cases, done))
        except BaseException as error:  # told to the caller, who raises it
            self._said.put(error)
        finally:
            judge.close()
            self._said.put(None)
