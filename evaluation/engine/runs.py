"""Many workers on one host over the pipeline: a run from cases to verdicts.

Threads suffice: the work is done in containers, a thread waits for its own.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Sequence
from queue import Queue

from evaluation.engine.family import ByExecution, Canary
from evaluation.engine.pipeline import PATIENCE_SECONDS, HostSlots, Judge, Sandbox, portion
from evaluation.engine.records import Case, Limits, Verdict

# At least as many as a sandbox is sent ahead, so that neighbours never wait for each other.
STRIDE = 4


def _in_strides(cases: Sequence[Case]) -> deque[Case]:
    """Cases to be handed out one by one to whichever worker asks.

    Not in order but in strides: neighbours are often samples of one task, and where one
    never ends the next may not either.
    """
    return deque(case for start in range(STRIDE) for case in cases[start::STRIDE])


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
        canaries: Sequence[Canary] | None = None,
        patience: float = PATIENCE_SECONDS,
    ) -> None:
        self._batch_seconds = judged.batch_seconds
        self._stop = threading.Event()
        self._workers = workers
        self._judges = [
            Judge(
                judged,
                open_sandbox,
                slots,
                limits=limits,
                canaries=canaries,
                patience=patience,
                stopped=self._stop.is_set,
            )
            for _ in range(workers)
        ]
        self._said: Queue[list[Verdict] | BaseException | None] = Queue()

    def verdicts(
        self, cases: Sequence[Case], done: Callable[[], None] = lambda: None
    ) -> Generator[list[Verdict], None, None]:
        """Batches of verdicts as they are settled; `done` is called, from any thread, for
        each generation that has been judged. Raises SandboxError. Whoever stops iterating,
        also by an exception, leaves no container behind."""
        waiting = _in_strides(cases)
        threads = [
            threading.Thread(target=self._work, args=(judge, waiting, done), name=f"judge-{n}")
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

    def _work(self, judge: Judge, waiting: deque[Case], done: Callable[[], None]) -> None:
        try:
            while not self._stop.is_set() and waiting:
                self._said.put(judge.batch(portion(waiting, self._batch_seconds), done))
        except BaseException as error:  # told to the caller, who raises it
            self._said.put(error)
        finally:
            judge.close()
            self._said.put(None)
