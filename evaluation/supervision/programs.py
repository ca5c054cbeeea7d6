"""What a program is, and when one that ended is started again."""

from __future__ import annotations

import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

FIRST_PAUSE, LONGEST_PAUSE, SETTLED = 0.2, 10.0, 60.0


@dataclass(frozen=True, slots=True)
class Program:
    """A command that is kept running. Times are in seconds.

    `environment` is added to the supervisor's. With `ready`, what follows is started only when
    it has said yes, and what follows has ended before this one is asked to stop; it must answer
    soon, since nothing else is looked after meanwhile, and what it raises ends the supervisor.
    `stop_signal` goes to the program alone, which sees to its children; what is left of them
    after `grace_seconds` is killed.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], bool] | None = None
    ready_seconds: float = 30.0
    stop_signal: signal.Signals = signal.SIGTERM
    grace_seconds: float = 10.0


class Living(NamedTuple):
    """A program that runs, for so many seconds and for the `starts`th time."""

    name: str
    pid: int
    seconds: float
    starts: int


def pause_after(ran: float, before: float) -> float:
    """How long to wait with the next start: doubling, and short again after a long run.

    `ran` and `before`, the last pause (0 where there was none), are in seconds.
    """
    if before == 0 or ran >= SETTLED:
        return FIRST_PAUSE
    return min(2 * before, LONGEST_PAUSE)
