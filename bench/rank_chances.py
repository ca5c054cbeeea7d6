"""How well the chances of ranks agree with the truth on simulated boards."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from bench.simulated import Design
from evaluation.engine.metrics.chances import TOP, Chances, Model, own_variances
from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.paired import Table, published

ENTRANTS = (2, 5, 20)
# The spread of the entrants' true scores, in standard errors of one score.
SPREADS: Mapping[str, float] = {"equal": 0.1, "close": 0.5, "apart": 2.0, "spread": 5.0}
# Where the bound holds. A few scores say little on their spread: elsewhere chances are further off.
BOUND = ("close", "spread")
NAMES = ("best", "top", "above")
# The greatest difference between the mean chance shown and the share in which it is true.
MOST = 0.05
# Monte Carlo errors that the difference may lie above it.
ERRORS = 2.0
_DRAWS, _PLAIN_DRAWS = 2_000, 200
# Boards from which the standard error of a score is taken.
_PILOTS = 20


@dataclass(frozen=True, slots=True)
class Agreement:
    """The mean of the chances shown, and the share of them that are true. `plain` is the mean of
    the chances that a bootstrap without shrinkage shows."""

    what: str
    shown: float
    true: float
    plain: float
    boards: int

    @property
    def error(self) -> float:
        return sqrt(max(self.true * (1 - self.true), 0.01) / self.boards)

    @property
    def holds(self) -> bool:
        return abs(self.shown - self.true) <= MOST + ERRORS * self.error


@dataclass(frozen=True, slots=True)
class Calibration:
    design: str
    entrants: int
    spread: str
    agreements: tuple[Agreement, ...]

    @property
    def holds(self) -> bool:
        return self.spread not in BOUND or all(one.holds for one in self.agreements)


def calibration(design: Design, entrants: int, spread: str, boards: int) -> Calibration:
    """The chances that the first row is truly the best one and truly better than the second, and
    that the first three rows are truly the best three."""
    random = np.random.default_rng([zlib.crc32(f"{design.title} {spread}".encode()), entrants])
    error = _standard_error(design, random)
    found = [_trial(design, random, entrants, SPREADS[spread] * error) for _ in range(boards)]
    shown, plain, true = (np.mean(part, axis=0) for part in zip(*found, strict=True))
    return Calibration(
        design.title,
        entrants,
        spread,
        tuple(
            Agreement(name, float(shown[n]), float(true[n]), float(plain[n]), boards)
            for n, name in enumerate(NAMES)
            if name != "top" or entrants > TOP
        ),
    )


def _standard_error(design: Design, random: np.random.Generator) -> float:
    tables = (design.table(random, 2) for _ in range(_PILOTS))
    return sqrt(np.mean([own_variances(table).mean() for table in tables]))


def _trial(
    design: Design, random: np.random.Generator, entrants: int, spread: float
) -> tuple[Floats, Floats, Floats]:
    gains = random.normal(0, spread, entrants)
    table = design.table(random, entrants, gains)
    # Equal scores in random order, because their true order is random too.
    order = np.lexsort((random.random(entrants), -table.scores))
    table, gains = Table(table.totals[order], table.sizes[order]), gains[order]
    place = (-gains).argsort().argsort()
    true = np.array([place[0] == 0, (place[:TOP] < TOP).mean(), gains[0] > gains[1]], np.float64)
    shown = Model.of(table.scores, own_variances(table)).chances(_DRAWS)
    return _told(shown), _told(_plain(table, random)), true


def _told(chances: Chances) -> Floats:
    return np.array([chances.first[0], np.mean(chances.top[:TOP]), chances.above_next[0]])


def _plain(table: Table, random: np.random.Generator) -> Chances:
    """The bootstrap over clusters without shrinkage."""
    clusters = table.clusters
    times = random.multinomial(clusters, np.full(clusters, 1 / clusters), _PLAIN_DRAWS)
    sums = (np.tensordot(times, part, (1, 1)) for part in (table.totals, table.sizes))
    scores = published(*sums)
    scores += random.normal(0, 1e-9, scores.shape)
    place = (-scores).argsort(axis=1).argsort(axis=1)
    above = (scores[:, :-1] > scores[:, 1:]).mean(axis=0)
    parts = ((place == 0).mean(axis=0), (place < TOP).mean(axis=0), above)
    return Chances(*(tuple(part.tolist()) for part in parts))


INTRODUCTION = (
    "## Chances of ranks",
    "The true scores of the entrants of a simulated board are drawn from a normal distribution. "
    "Its standard deviation, in standard errors of a score, is {equal:g} (**equal**), {close:g} "
    "(**close**), {apart:g} (**apart**) or {spread:g} (**spread**). Each cell has the mean of the "
    "chances that the boards show, the share in which they are true, and in brackets the mean of "
    "the chances that a bootstrap without shrinkage shows, which believes too much in the leader "
    "of a close board. **Best** is the chance that the first row is truly the best one, **top "
    "three** that each of the first three rows is truly among the best three, and **above** that "
    "the first row is truly better than the second.",
    "The bound for close and spread boards is a difference of {most:.0f} points and twice the "
    "Monte Carlo error, which is at most {error:.1f} points. Equal boards, and boards apart, have "
    "no bound: two to five scores say little on how far their true scores are apart, and any rule "
    "that is right for some boards is wrong for others.",
)
HEAD = ("board", "entrants", "boards", "true scores", "best", "top three", "above")


def section(found: Sequence[Calibration]) -> tuple[str, ...]:
    error = max(one.error for each in found for one in each.agreements) * 100
    return tuple(text.format(most=MOST * 100, error=error, **SPREADS) for text in INTRODUCTION)


def row(one: Calibration) -> Sequence[str]:
    cells = {
        found.what: f"{found.shown:.0%} / {found.true:.0%} ({found.plain:.0%})".replace("%", " %")
        for found in one.agreements
    }
    shown = (cells.get(name, "–") for name in NAMES)
    boards = str(one.agreements[0].boards)
    return [one.design, str(one.entrants), boards, one.spread, *shown]
