"""How well the chances of ranks agree with the truth on simulated boards."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from bench.simulated import Design
from evaluation.engine.metrics.chances import (
    FEWEST_ENTRANTS,
    TOP,
    Chances,
    Model,
    own_variances,
)
from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.paired import Table, published

ENTRANTS = (5, 10, 20, 50)
# The standard deviation of the entrants' true scores, in standard errors of one score: for the
# first design, and for the others.
SPREADS, FEW_SPREADS = (0.1, 0.5, 1.0, 2.0, 5.0), (0.1, 0.5, 5.0)
NAMES = ("best", "top three", "above")
# Maximum difference between the mean chance shown and the share of boards on which it is true.
MOST = 0.05
# Number of Monte Carlo errors allowed on top.
ERRORS = 2.0
_DRAWS, _PLAIN_DRAWS = 500, 50
# Number of boards from which the standard error of a score is estimated.
_PILOTS = 20
# The linear program's simulated leaders by spread, and values of the scores' variance.
_PAIRS, _BINS = 100_000, 300


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
    spread: float
    agreements: tuple[Agreement, ...]

    @property
    def holds(self) -> bool:
        return not self.shown or all(one.holds for one in self.agreements)

    @property
    def shown(self) -> bool:
        return self.entrants >= FEWEST_ENTRANTS


def calibration(design: Design, entrants: int, spread: float, boards: int) -> Calibration:
    """The chances that the first row is truly the best one and truly better than the second, and
    that the first three rows are truly the best three."""
    random = np.random.default_rng([zlib.crc32(f"{design.title} {spread}".encode()), entrants])
    error = _standard_error(design, random)
    found = [_trial(design, random, entrants, spread * error) for _ in range(boards)]
    shown, plain, true = (np.mean(part, axis=0) for part in zip(*found, strict=True))
    return Calibration(
        design.title,
        entrants,
        spread,
        tuple(
            Agreement(name, float(shown[n]), float(true[n]), float(plain[n]), boards)
            for n, name in enumerate(NAMES)
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


def least_error(entrants: int) -> float:
    """The least possible error of the mean chance shown for the leader, at the worst spread.

    The rules in question show at least an equal share for each entrant, and a larger chance the
    further the scores are apart. Scores are normal, with a variance of 1, around normal true
    scores.

    The mean of a rule depends on the spread only through the variance of the scores, because their
    order and relative distances do not depend on the spread. Therefore a linear program over the
    functions of this variance finds the best rule.
    """
    from scipy.optimize import linprog
    from scipy.stats import chi2

    spreads, freedom = np.geomspace(SPREADS[0], SPREADS[-1], 30)[:, None], entrants - 1
    random = np.random.default_rng(entrants)
    true, noise = random.standard_normal((2, _PAIRS, entrants))
    leads = [true.argmax(axis=1) == (true * spread + noise).argmax(axis=1) for spread in spreads]
    share = np.mean(leads, axis=1)
    edges = np.concatenate([[0], np.geomspace(0.01, 1_000, _BINS - 1), [np.inf]])
    chances = np.diff(chi2.cdf(edges * freedom / (1 + np.square(spreads)), freedom))
    falls = np.eye(_BINS - 1, _BINS) - np.eye(_BINS - 1, _BINS, 1)
    # The last column is the error.
    rows = np.vstack([chances, -chances, falls])
    rows = np.hstack([rows, -np.repeat([[1.0], [0.0]], [2 * len(share), _BINS - 1], axis=0)])
    bounds = np.concatenate([share, -share, np.zeros(_BINS - 1)])
    target = np.append(np.zeros(_BINS), 1)
    found = linprog(target, rows, bounds, bounds=[(1 / entrants, 1)] * _BINS + [(0, 1)])
    return float(found.fun)


HEAD = (
    *("board", "entrants", "boards", "spread"),
    *(f"{name}: {kind}" for name in NAMES for kind in ("shown", "true", "without shrinkage")),
)
REASON_HEAD, FEW = ("entrants", "points off"), (2, 3, 4, 5, 10, FEWEST_ENTRANTS)


def row(one: Calibration) -> Sequence[str]:
    chances = [
        f"{chance * 100:.0f}"
        for found in one.agreements
        for chance in (found.shown, found.true, found.plain)
    ]
    boards = str(one.agreements[0].boards)
    return [one.design, str(one.entrants), boards, f"{one.spread:g}", *chances]


def reason_row(entrants: int) -> Sequence[str]:
    return [str(entrants), f"{least_error(entrants) * 100:.1f}"]
