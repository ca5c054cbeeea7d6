"""A run's progress as figures. Reads only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

from evaluation.engine.generation.price import Price
from evaluation.state.forecast import Interval
from leaderboard.generation.models import Run, RunState
from leaderboard.messages import in_readers_language

_COUNTS = ("tokens_in", "tokens_out", "uncounted", "cut_off", "again")
# Assumed drift of an endpoint's speed, as a logarithm.
DRIFT = 0.2


@dataclass(frozen=True, slots=True)
class Figures:
    """`done` and `total` count answers, or conversations if the run continues by verdicts.

    `rate` is in answers per second, `left` in seconds; None means unknown. `again` counts retries.
    `ready` is false while the environment that judges turns is being prepared.
    """

    total: int
    done: int
    answered: int
    lost: int
    rate: float | None
    left: Interval | None
    tokens_in: int
    tokens_out: int
    uncounted: int
    cut_off: int
    again: int
    trouble: str
    reason: str
    price: Price | None
    ready: bool

    @property
    def cost(self) -> float | None:
        """In the team's currency."""
        price = self.price
        return None if price is None else price.total(self.tokens_in, self.tokens_out)

    @classmethod
    def of(cls, run: Run) -> Self:
        said = run.progress
        counts = {name: int(said.get(name, 0)) for name in _COUNTS}
        answered = int(said.get("answered", 0)) + int(said.get("kept", 0))
        new, rate = int(said.get("new", 0)), float(said.get("rate", 0.0))
        # Conversations that ended early also count as done.
        done = int(said.get("talks", 0)) if run.by_verdicts else answered
        open_ones = max(0, run.total - done - (0 if run.by_verdicts else run.lost))
        pace = float(said.get("pace", 0.0)) if run.by_verdicts else rate
        moving = run.state == RunState.RUNNING and new > 0 and rate > 0 and pace > 0
        left = None
        if moving and open_ones:
            # About 80 % of the ends, if the answers so far and the open ones come independently of
            # each other, and the endpoint's speed changes by DRIFT.
            spread = 1.28 * math.sqrt(rate / (new * pace) + 1 / open_ones) + DRIFT
            expected = open_ones / pace
            left = Interval(expected * math.exp(-spread), expected * math.exp(spread))
        return cls(
            total=run.total,
            done=done,
            answered=answered,
            lost=run.lost,
            rate=rate if new else None,
            left=left,
            ready=bool(said.get("ready", True)),
            trouble=in_readers_language(said.get("trouble", "")),
            reason=in_readers_language(said.get("reason", "")),
            price=run.price,
            **counts,
        )
