"""The chances of ranks: a normal model in which scores shrink towards each other.

The entrants' true scores are normal around a common mean, the published scores are normal around
the true ones. The variance between entrants is estimated from the board (empirical Bayes): it is
the variance of the scores less the mean of the scores' own variances (L. V. Hedges, Psychological
Bulletin 93 (1983) 388-395), shrinks by the share of James and Stein (B. Efron and C. Morris, JASA
70 (1975) 311-319), and counts as none if it could be chance. The chances of ranks follow N. M.
Laird and T. A. Louis, Journal of Educational Statistics 14 (1989) 29-46.
"""

from __future__ import annotations

from collections.abc import Mapping
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
        return {
            "scores": self.scores.tolist(),
            "variances": self.variances.tolist(),
            "spread": self.spread,
        }

    @classmethod
    def of_facts(cls, facts: Mapping[str, Any]) -> Model:
        return cls(np.array(facts["scores"]), np.array(facts["variances"]), facts["spread"])

    def _expected(self) -> tuple[Floats, float, float, Floats]:
        """By entrant, the share of its distance to the common mean that remains after shrinking;
        the common mean and its variance; by entrant, the expected true score."""
        shares = self.spread / (self.variances + self.spread)
        precision = 1 / (self.variances + self.spread)
        total = float(precision.sum())
        centre = float(precision @ self.scores) / total
        return shares, centre, 1 / total, centre + shares * (self.scores - centre)

    def above(self, ones: Indices, others: Indices) -> Floats:
        """By pair, the chance that the true score of the one is greater than that of the other."""
        # Lazy, as in `intervals`.
        from scipy.special import ndtr

        shares, _centre, error, means = self._expected()
        noise = shares * self.variances
        shared = np.square(shares[ones] - shares[others]) * error
        chances: Floats = ndtr(
            (means[ones] - means[others]) / np.sqrt(noise[ones] + noise[others] + shared)
        )
        return chances

    def chances(self, draws: int = _DRAWS) -> Chances:
        shares, centre, error, means = self._expected()
        # All entrants but those that are too far below the best `TOP` to be among them.
        reach = _FAR * np.sqrt(shares * self.variances + np.square(1 - shares) * error)
        bar = np.sort(means - reach)[-min(TOP, len(means))]
        near = np.flatnonzero(means + reach >= bar)
        number, random = len(self.scores), np.random.default_rng(_SEED)
        first, top = np.zeros(number), np.zeros(number)
        noise = np.sqrt(shares * self.variances)[near]
        for block in blocks(draws):
            common = random.normal(centre, sqrt(error), (block, 1))
            true = common + shares[near] * (self.scores[near] - common)
            true += noise * random.standard_normal((block, len(near)))
            best = near[np.argpartition(-true, min(TOP, len(near)) - 1, axis=1)[:, :TOP]]
            top += np.bincount(best.ravel(), minlength=number)
            first += np.bincount(near[true.argmax(axis=1)], minlength=number)
        above_next = self.above(np.arange(number - 1), np.arange(1, number))
        parts = (first / draws, top / draws, above_next)
        return Chances(*(tuple(part.round(_DIGITS).tolist()) for part in parts))


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
    parts = (sums - common) / (entrants - 2) if entrants > 2 else sums / 2
    mean, noise = parts.mean(), 2 * parts.mean() ** 2 / freedom(table.sizes.mean(axis=0))
    share = max(0.0, 1 - noise / parts.var(ddof=1)) if parts.var() else 0.0
    bounded: Floats = np.maximum(mean + share * (parts - mean), 0.5 / (table.clusters + 2) ** 2)
    return bounded
