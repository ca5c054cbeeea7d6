"""The pool of workers that judges. Threads suffice, because the work happens in containers."""

import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from queue import Queue

from evaluation.engine.pipeline import Judge, portion
from evaluation.engine.preparation.workplaces import Workplace
from evaluation.engine.records import Case, Verdict
from evaluation.engine.sandbox.session import aborting

# At least the number of runs that a sandbox queues, so that neighbours never wait for each other.
STRIDE = 4


def judge_cases(
    workplace: Workplace,
    cases: Sequence[Case],
    settled: Callable[[list[Verdict]], None],
    done: Callable[[], None] = lambda: None,
) -> None:
    """Calls `settled` with the verdicts of each batch, in the caller's thread, and `done` for each
    judged case, from any thread. Raises SandboxError, also if stopped, and any exception from
    `settled`. Closes all sandboxes."""
    workers, seconds = workplace.setup.workers, workplace.judged.batch_seconds
    # Interleaved, because neighbours are often samples of one task: if one never ends, the next may
    # not either.
    stride = STRIDE if workers > 1 else 1
    waiting = deque(case for start in range(stride) for case in cases[start::stride])
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
        while workers:
            event = events.get()
            if event is None:
                workers -= 1
            elif isinstance(event, BaseException):
                raise event
            else:
                settled(event)


@contextmanager
def pool(workplace: Workplace, work: Callable[[Judge], None]) -> Iterator[None]:
    """Runs `work` in one thread per worker, each with its own judge. At the end or if stopped,
    kills the sandboxes (`Judge.batch` then raises SandboxError) and joins the threads."""
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
