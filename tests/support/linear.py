"""Bounds on processor time that hold on a slow or busy machine: whether a function takes linear
time, and whether it takes at most some seconds."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

GROWTH = 8
# Between the growth of linear time, which is 8, and of quadratic time, 64.
MOST = 24
# Seconds below which a time is too short to compare.
LEAST = 0.05
# On a busy machine equal work takes unequal time; a quadratic algorithm never looks linear.
TRIES = 5
# Seconds of `_loop` on the machine for which bounds in seconds are given.
LOOP_SECONDS, MOST_SLOWNESS = 0.035, 3.0


def is_linear(run: Callable[[int], object], most: int) -> bool:
    """Calls `run` with the size `most` and with an eighth of it."""
    return any(
        _seconds(run, most) < max(LEAST, MOST * _seconds(run, most // GROWTH)) for _ in range(TRIES)
    )


def _seconds(run: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    run(size)
    return time.process_time() - began


@contextmanager
def at_most(seconds: float, what: str = "") -> Iterator[None]:
    """Fails if the block takes more processor time of this thread; other threads and processes do
    not count. Beside other work the same instructions take longer, up to MOST_SLOWNESS times: a
    loop before and after the block tells by how much."""
    loop, began = _loop(), time.thread_time()
    yield
    used = time.thread_time() - began
    slowness = min(MOST_SLOWNESS, max(LOOP_SECONDS, loop, _loop()) / LOOP_SECONDS)
    assert used < seconds * slowness, f"{what} {used:.2f} s, {slowness:.1f} times as slow as usual"


def _loop() -> float:
    began = time.thread_time()
    sum(range(2_000_000))
    return time.thread_time() - began
