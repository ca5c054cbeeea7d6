"""Programs, and the pause before one that ended is started again."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

FIRST_PAUSE, LONGEST_PAUSE, SETTLED = 0.2, 10.0, 60.0


@dataclass(frozen=True, slots=True)
class Program:
    """A command that is kept running. Times are in seconds.

    With `ready`, later programs are started only after it returns True, and they end before this
    one is asked to stop. It must return quickly, since the supervisor does nothing else meanwhile;
    an exception in it ends the supervisor. `stop_signal` goes only to the program; children that
    are left after `grace_seconds` are killed.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], bool] | None = None
    ready_seconds: float = 30.0
    stop_signal: signal.Signals = signal.SIGTERM
    grace_seconds: float = 10.0


class Living(NamedTuple):
    """A running program: seconds since its start, and the number of its starts."""

    name: str
    pid: int
    seconds: float
    starts: int


def pause_after(ran: float, before: float) -> float:
    """Seconds to wait before the next start: doubling, and short again after a long run. `before`
    is the last pause, 0 if there was none."""
    if before == 0 or ran >= SETTLED:
        return FIRST_PAUSE
    return min(2 * before, LONGEST_PAUSE)
