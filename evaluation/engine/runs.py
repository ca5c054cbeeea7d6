"""The one pool of workers over the pipeline, for the command line, the site's chunks and the turns
of conversations.

Threads suffice: the work is done in containers, a thread waits for its own.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from queue import Queue

from evaluation.engine.pipeline import Judge, portion
from evaluation.engine.preparation.stopping import aborting
from evaluation.engine.preparation.workplaces import Workplace
from evaluation.engine.records import Case, Verdict

# At least as many as a sandbox is sent ahead, so that neighbours never wait for each other.
STRIDE = 4


def judge_cases(
    workplace: Workplace,
    cases: Sequence[Case],
    settled: Callable[[list[Verdict]], None],
    done: Callable[[], None] = lambda: None,
) -> None:
    """Judges the cases. `settled` gets the verdicts batch by batch, in the caller's thread; `done`
    is called from any thread for each case that has been judged.

    Raises SandboxError, also where the setup's `stopped` says so, and what `settled` raises; no
    sandbox is left behind.
    """
    waiting, seconds = _in_order(cases, workplace.setup.workers), workplace.judged.batch_seconds
    events: Queue[list[Verdict] | BaseException | None] = Queue()

    def work(judge: Judge) -> None:
        try:
            while waiting:
                events.put(judge.batch(portion(waiting, seconds), done))
        except BaseException as error:  # raised again in the caller's thread
            events.put(error)
        finally:
            events.put(None)

    with pool(workplace, work):
        working = workplace.setup.workers
        while working:
            event = events.get()
            if event is None:
                working -= 1
            elif isinstance(event, BaseException):
                raise event
            else:
                settled(event)


def _in_order(cases: Sequence[Case], workers: int) -> deque[Case]:
    """The cases, to be handed out one by one to whichever worker asks.

    For several workers in strides: neighbours are often samples of one task, and where one never
    ends the next may not either.
    """
    stride = STRIDE if workers > 1 else 1
    return deque(case for start in range(stride) for case in cases[start::stride])


@contextmanager
def pool(workplace: Workplace, work: Callable[[Judge], None]) -> Iterator[None]:
    """Threads, as many as the setup's `workers`, that each call `work` with a judge of their own.

    Leaving it, or the setup's `stopped`, ends what their sandboxes run: `Judge.batch` then raises
    SandboxError. It is left when all threads have ended.
    """
    setup, over = workplace.setup, threading.Event()
    judges = [
        Judge(
            workplace.judged,
            workplace.open_sandbox,
            setup.slots,
            limits=setup.limits,
            canaries=workplace.canaries,
            patience=setup.patience,
            stopped=lambda: over.is_set() or setup.stopped(),
        )
        for _ in range(setup.workers)
    ]

    def run(judge: Judge) -> None:
        with closing(judge):
            work(judge)

    def end() -> None:
        over.set()
        for judge in judges:
            judge.abort()

    threads = [
        threading.Thread(target=run, args=(judge,), name=f"judge-{number}")
        for number, judge in enumerate(judges)
    ]
    for thread in threads:
        thread.start()
    try:
        with aborting(end, setup.stopped):
            yield
    finally:
        end()
        for thread in threads:
            thread.join()
