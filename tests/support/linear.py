"""Whether a function takes linear time, by the processor time of two sizes."""

import time
from collections.abc import Callable

GROWTH = 8
# Between the growth of linear time, which is 8, and of quadratic time, 64.
MOST = 24
# Seconds below which a time is too short to compare.
LEAST = 0.05
# On a busy machine equal work takes unequal time; a quadratic algorithm never looks linear.
TRIES = 5


def is_linear(run: Callable[[int], object], most: int) -> bool:
    """Calls `run` with the size `most` and with an eighth of it."""
    return any(
        _seconds(run, most) < max(LEAST, MOST * _seconds(run, most // GROWTH)) for _ in range(TRIES)
    )


def _seconds(run: Callable[[int], object], size: int) -> float:
    began = time.process_time()
    run(size)
    return time.process_time() - began
