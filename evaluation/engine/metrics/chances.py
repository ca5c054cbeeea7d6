"""The chances of ranks: a normal model in which scores shrink towards each other.

The entrants' true scores are normal around a common mean, the published scores are normal around
the true ones. The variance between entrants is estimated from the board by restricted maximum
likelihood (empirical Bayes: B. Efron and C. Morris, JASA 70 (1975) 311-319; C. N. Morris, JASA 78
(1983) 47-55). The chances of ranks follow N. M. Laird and T. A. Louis, Journal of Educational
Statistics 14 (1989) 29-46.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.paired import Table, blocks

Indices: TypeAlias = NDArray[np.intp]
# Ranks that count as the top.
TOP = 3
_SEED = 1989
_DRAWS = 10_000
# Standard errors beyond which a true score does not occur in as many draws.
_FAR = 6.0
# Digits beyond which a chance is Monte Carlo error.
_DIGITS = 4
# The variances between entrants that are tried, in units of the scores' own variance. The least
# one is used for no variance: with 0 all ranks would be ties.
_SPREADS = np.geomspace(0.01, 10_000, 200)


@dataclass(frozen=True, slots=True)
class Chances:
    """By entrant, in the order of the scores: the chances of being the best one, of being among the
    best `TOP`, and of being better than the next entrant (none for the last one)."""

    first: tuple[float, ...]
    top: tuple[float, ...]
    above_next: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """The true scores are independent given their common mean; `variances` are those of the scores
    around them, `spread` is the variance of the true scores between entrants."""

    scores: Floats
    variances: Floats
    spread: float

    @classmethod
    def of(cls, scores: Floats, variances: Floats) -> Model:
        """More is better in `scores`; `variances` are from `own_variances`."""
        spreads = _SPREADS * variances.mean()
        precision = 1 / (variances + spreads[:, None])
        total = precision.sum(axis=1)
        centres = precision @ scores / total
        misfit = (precision * np.square(scores - centres[:, None])).sum(axis=1)
        # The likelihood without the common mean, which is unknown.
        logs = np.log(precision).sum(axis=1) - np.log(total) - misfit
        return cls(scores, variances, float(spreads[logs.argmax()]))

    @property
    def _kept(self) -> Floats:
        """By entrant, the share of its distance to the common mean that remains."""
        return self.spread / (self.variances + self.spread)

    @property
    def _centre(self) -> tuple[float, float]:
        """The common mean and its variance."""
        precision = 1 / (self.variances + self.spread)
        total = float(precision.sum())
        return float(precision @ self.scores) / total, 1 / total

    def above(self, ones: Indices, others: Indices) -> Floats:
        """By pair, the chance that the true score of the one is greater than that of the other."""
        # Lazy, as in `intervals`.
        from scipy.special import ndtr

        kept, (centre, error) = self._kept, self._centre
        means = centre + kept * (self.scores - centre)
        noise = kept * self.variances
        shared = np.square(kept[ones] - kept[others]) * error
        found: Floats = ndtr(
            (means[ones] - means[others]) / np.sqrt(noise[ones] + noise[others] + shared)
        )
        return found

    def chances(self, draws: int = _DRAWS) -> Chances:
        number, places = len(self.scores), np.arange(len(self.scores))
        first, top = np.zeros(number), np.zeros(number)
        near = self._near_the_top
        for drawn in self._drawn(draws, near):
            best = near[np.argpartition(-drawn, min(TOP, len(near)) - 1, axis=1)[:, :TOP]]
            top += np.bincount(best.ravel(), minlength=number)
            first += np.bincount(near[drawn.argmax(axis=1)], minlength=number)
        above = self.above(places[:-1], places[1:])
        parts = (first / draws, top / draws, above)
        return Chances(*(tuple(part.round(_DIGITS).tolist()) for part in parts))

    @property
    def _near_the_top(self) -> Indices:
        """All entrants but those that are too far below the best `TOP` to be among them."""
        kept, (centre, error) = self._kept, self._centre
        means = centre + kept * (self.scores - centre)
        reach = _FAR * np.sqrt(kept * self.variances + np.square(1 - kept) * error)
        bar = np.sort(means - reach)[-min(TOP, len(means))]
        return np.flatnonzero(means + reach >= bar)

    def _drawn(self, number: int, entrants: Indices) -> Iterator[Floats]:
        """True scores by draw (row) and entrant."""
        random = np.random.default_rng(_SEED)
        kept, (centre, error) = self._kept[entrants], self._centre
        noise = np.sqrt(kept * self.variances[entrants])
        for draws in blocks(number):
            drawn = random.normal(centre, sqrt(error), (draws, 1))
            own = random.standard_normal((draws, len(entrants)))
            yield drawn + kept * (self.scores[entrants] - drawn) + noise * own


def own_variances(table: Table) -> Floats:
    """By entrant, the part of its score's variance that it does not share with the others: the sums
    of two of them come closest to the jackknife's variances of all differences (least squares).
    At least that of half a cluster, because results that are all alike do not show how the ones
    look that are not."""
    entrants, changes = len(table.totals), table.changes
    # By entrant, the sum of the variances of its differences from all entrants.
    apart = changes - changes.mean(axis=1, keepdims=True)
    squares = np.square(apart).sum(axis=0)
    sums = (entrants * squares + squares.sum()) * (table.clusters - 1) / table.clusters
    common = sums.sum() / (2 * (entrants - 1))
    found = (sums - common) / (entrants - 2) if entrants > 2 else sums / 2
    bounded: Floats = np.maximum(found, 0.5 / (table.clusters + 2) ** 2)
    return bounded
