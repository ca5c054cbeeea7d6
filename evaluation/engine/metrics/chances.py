"""The chances of ranks: a normal model in which scores shrink towards each other.

The entrants' true scores are normal around a common mean; the published scores are normal around
the true ones. The spread of the true scores is estimated from the board, with its uncertainty
(empirical Bayes): B. Efron and C. Morris, JASA 70 (1975) 311-319; the chances of ranks after N. M.
Laird and T. A. Louis, Journal of Educational Statistics 14 (1989) 29-46.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
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
# Digits beyond which a chance is Monte Carlo error.
_DIGITS = 4
# The variances between entrants that are possible, in units of the scores' own variance, and how
# likely they are before there are results: `_EQUAL` is the probability of nearly no differences.
# With a few entrants this matters; bench/rank_chances.py shows how well it does.
_SPREADS = np.array([0.003, *np.geomspace(0.3, 1_000, 24)])
_EQUAL = 0.12
_BEFORE = np.array([_EQUAL, *[(1 - _EQUAL) / 24] * 24])


@dataclass(frozen=True, slots=True)
class Chances:
    """By entrant, in the order of the scores: the chances of being the best one, of being among the
    best `TOP`, and of being better than the next entrant (none for the last one)."""

    first: tuple[float, ...]
    top: tuple[float, ...]
    above_next: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Model:
    """What is known of the true scores. `spreads` are possible variances between entrants, and
    `weights` their probabilities; given one of them, each true score is normal."""

    scores: Floats
    variances: Floats
    spreads: Floats
    weights: Floats

    @classmethod
    def of(cls, scores: Floats, variances: Floats) -> Model:
        """More is better in `scores`; `variances` are from `own_variances`."""
        spreads = _SPREADS * variances.mean()
        precision = 1 / (variances + spreads[:, None])
        total = precision.sum(axis=1)
        centres = precision @ scores / total
        misfit = (precision * np.square(scores - centres[:, None])).sum(axis=1)
        # The likelihood without the common mean, which is unknown.
        logs = (np.log(precision).sum(axis=1) - np.log(total) - misfit) / 2
        weights = _BEFORE * np.exp(logs - logs.max())
        return cls(scores, variances, spreads, weights / weights.sum())

    @property
    def _kept(self) -> Floats:
        """By spread (row) and entrant, the share of the distance to the centre that is kept."""
        spreads = self.spreads[:, None]
        found: Floats = spreads / (self.variances + spreads)
        return found

    @property
    def _centres(self) -> tuple[Floats, Floats]:
        """By spread, the common mean and its variance."""
        precision = 1 / (self.variances + self.spreads[:, None])
        total = precision.sum(axis=1)
        return precision @ self.scores / total, 1 / total

    def above(self, ones: Indices, others: Indices) -> Floats:
        """By pair, the chance that the true score of the one is greater than that of the other."""
        # Lazy, as in `intervals`.
        from scipy.special import ndtr

        kept, (centres, errors) = self._kept, self._centres
        means = centres[:, None] + kept * (self.scores - centres[:, None])
        noise = kept * self.variances
        shared = np.square(kept[:, ones] - kept[:, others]) * errors[:, None]
        gaps = means[:, ones] - means[:, others]
        found: Floats = self.weights @ ndtr(
            gaps / np.sqrt(noise[:, ones] + noise[:, others] + shared)
        )
        return found

    def chances(self) -> Chances:
        first, top = np.zeros(len(self.scores)), np.zeros(len(self.scores))
        for drawn in self._drawn():
            best = np.argpartition(-drawn, min(TOP, len(first)) - 1, axis=1)[:, :TOP]
            top += np.bincount(best.ravel(), minlength=len(top))
            first += np.bincount(drawn.argmax(axis=1), minlength=len(first))
        places = np.arange(len(first))
        above = self.above(places[:-1], places[1:])
        parts = (first / _DRAWS, top / _DRAWS, above)
        return Chances(*(tuple(part.round(_DIGITS).tolist()) for part in parts))

    def _drawn(self) -> Iterator[Floats]:
        """True scores by draw (row) and entrant."""
        random = np.random.default_rng(_SEED)
        kept, (centres, errors) = self._kept, self._centres
        noise = np.sqrt(kept * self.variances)
        for draws in blocks(_DRAWS):
            chosen = random.choice(len(self.weights), size=draws, p=self.weights)
            centre = random.normal(centres[chosen], np.sqrt(errors[chosen]))[:, None]
            mean = centre + kept[chosen] * (self.scores - centre)
            yield mean + noise[chosen] * random.standard_normal(mean.shape)


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
    return np.maximum(found, 0.5 / (table.clusters + 2) ** 2)
