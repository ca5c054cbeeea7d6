"""The chances of ranks: a normal model in which scores shrink towards each other.

The entrants' true scores are normal around a common mean, the published scores are normal around
the true ones. The variance between entrants is estimated from the board (empirical Bayes): it is
the variance of the scores less the mean of the scores' own variances (L. V. Hedges, Psychological
Bulletin 93 (1983) 388-395), shrinks by the share of James and Stein (B. Efron and C. Morris, JASA
70 (1975) 311-319), and counts as none if it could be chance. The chances of ranks follow N. M.
Laird and T. A. Louis, Journal of Educational Statistics 14 (1989) 29-46.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.paired import Table, blocks, freedom

Indices: TypeAlias = NDArray[np.intp]
# Ranks that count as the top.
TOP = 3
# Fewer scores hardly show how far apart the true scores are: for some spreads, the chances would be
# off by more than 5 points. See bench.rank_chances.
FEWEST_ENTRANTS = 20
_SEED = 1989
_DRAWS = 10_000
# Standard errors by which no true score deviates in `_DRAWS` draws.
_FAR = 6.0
# Decimal places of a chance; further ones are Monte Carlo error.
_DIGITS = 4
# If the estimated variance between entrants is below the first number, in standard errors of the
# estimate, the second number replaces it, as a share of the scores' mean variance: with 0 all ranks
# would be ties. Without the first number, the leader of nearly equal entrants is trusted too much.
_LEAST_SPREAD, _NO_SPREAD = 0.6, 0.0001


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
        mean, freedom = float(variances.mean()), len(scores) - 1
        ratio = float(scores.var(ddof=1)) / mean
        if ratio < 1 + _LEAST_SPREAD * sqrt(2 / freedom):
            return cls(scores, variances, _NO_SPREAD * mean)
        return cls(scores, variances, (ratio * freedom / max(1, freedom - 2) - 1) * mean)

    def facts(self) -> dict[str, object]:
        """The whole model as JSON values."""
        own = {"scores": self.scores.tolist(), "variances": self.variances.tolist()}
        return {**own, "spread": self.spread}

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Model:
        return cls(np.array(facts["scores"]), np.array(facts["variances"]), facts["spread"])

    @property
    def _kept(self) -> Floats:
        """By entrant, the share of its distance to the common mean that remains after shrinking."""
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
    """By entrant, the part of its score's variance that it does not share with the others: sums of
    two such parts fit the jackknife's variances of all differences (least squares). The parts
    shrink to their mean by the share of their variation that is noise (G. K. Smyth, Statistical
    Applications in Genetics and Molecular Biology 3 (2004) 3): with few clusters, the entrants
    whose variance is estimated too low would be trusted too much. The minimum is the variance of
    half a cluster, because results that are all equal do not show how others would vary."""
    entrants, changes = len(table.totals), table.changes
    # By entrant, the sum of the variances of its differences from all entrants.
    apart = changes - changes.mean(axis=1, keepdims=True)
    squares = np.square(apart).sum(axis=0)
    sums = (entrants * squares + squares.sum()) * (table.clusters - 1) / table.clusters
    common = sums.sum() / (2 * (entrants - 1))
    found = (sums - common) / (entrants - 2) if entrants > 2 else sums / 2
    mean, noise = found.mean(), 2 * found.mean() ** 2 / freedom(table.sizes.mean(axis=0))
    kept = max(0.0, 1 - noise / found.var(ddof=1)) if found.var() else 0.0
    bounded: Floats = np.maximum(mean + kept * (found - mean), 0.5 / (table.clusters + 2) ** 2)
    return bounded
