"""Whether boards show the difference that they claim to show with 80 % power."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from bench.simulated import Design, RatedDesign
from evaluation.engine.metrics.paired import LEVEL, critical_difference, joint_maxima, p_values
from evaluation.engine.metrics.ranking import POWER, detectable

# Maximum difference of the power shown from the claimed power, and the number of Monte Carlo errors
# allowed on top.
MOST, ERRORS = 0.1, 2.0
ENTRANTS = (2, 5, 20)
# Number of boards over which the claim is averaged. Claims differ by a tenth, and power is steep.
# At least this share of the boards has to claim a difference.
_PILOTS, _CLAIMING = 100, 0.9


@dataclass(frozen=True, slots=True)
class Claim:
    """`difference` is the mean of the claims, `shown` the share of boards that separate two
    entrants that truly differ by it; None if no two entrants can."""

    design: str
    entrants: int
    boards: int
    difference: float | None
    shown: float | None

    @property
    def error(self) -> float:
        return sqrt(POWER * (1 - POWER) / self.boards)

    @property
    def holds(self) -> bool:
        return self.shown is None or abs(self.shown - POWER) <= MOST + ERRORS * self.error


def claim(design: Design | RatedDesign, entrants: int, boards: int) -> Claim:
    random = np.random.default_rng([zlib.crc32(design.title.encode()), entrants, boards])
    found = [_claimed(design, random, entrants) for _ in range(_PILOTS)]
    claims = [one for one in found if one is not None]
    claiming = len(claims) >= _CLAIMING * _PILOTS
    difference = float(np.mean(claims)) if claiming else None
    gain = None if difference is None else design.gain_for(random, difference)
    if gain is None:
        return Claim(design.title, entrants, boards, difference, None)
    gains = np.zeros(entrants)
    gains[0] = gain
    made = (design.board(random, entrants, gains) for _ in range(boards))
    shown = float(np.mean([p_values(one, margins=apart)[0, 1] <= LEVEL for one, apart in made]))
    return Claim(design.title, entrants, boards, difference, shown)


def _claimed(
    design: Design | RatedDesign, random: np.random.Generator, entrants: int
) -> float | None:
    table, _margins = design.board(random, entrants)
    return detectable(table, critical_difference(table, joint_maxima(table)))


HEAD = ("board", "entrants", "boards", "claimed", "shown", "error")


def row(one: Claim) -> Sequence[str]:
    claimed = "" if one.difference is None else f"{one.difference * 100:.1f}"
    shown = ["", ""]
    if one.shown is not None:
        shown = [f"{one.shown * 100:.0f}", f"{one.error * 100:.0f}"]
    return [one.design, str(one.entrants), str(one.boards), claimed, *shown]
