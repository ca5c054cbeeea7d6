"""How far a difference between two entrants may be one between their raters."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import inf, isfinite

import numpy as np

from evaluation.engine.metrics.agreement import Floats, Item, marks_by_rater, raters_of
from evaluation.engine.metrics.paired import LEVEL
from evaluation.engine.metrics.panel import rater_spread

# Two entrants need at least this share of their marks from raters in common.
LEAST_COMMON = 0.5
# Smaller differences of weights are rounding errors.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Raters:
    """The raters of an entrant's marks, by person, each with the weight of the marks in the mean.
    `variance` is that between raters (of marks as shares of the scale), or None if no items are
    shared; `degrees` are its degrees of freedom."""

    weights: Mapping[str, float] = field(default_factory=dict)
    variance: float | None = None
    degrees: int = 0


def weights_of(items: Sequence[Item], missing: int = 0) -> dict[str, float]:
    """Each person's share of the mean over these items. A missing generation has no rater."""
    weights: dict[str, float] = defaultdict(float)
    for item in items:
        for who in item.counting:
            weights[who] += 1 / len(item.counting) / (len(items) + missing)
    return dict(weights)


def variance_between(items: Sequence[Item], top: int) -> tuple[float | None, int]:
    """The variance between raters by `panel.rater_spread`, with the same weight for each rater:
    otherwise two raters of all entrants would outweigh others that rated one entrant each. The
    degrees of freedom are those of F. E. Satterthwaite, Biometrics Bulletin 2 (1946) 110-114, at
    least 1."""
    if not items:
        return None, 0
    marks = (marks_by_rater(items, raters_of(items)) - 1) / (top - 1)
    spread = rater_spread(marks, alike=True)
    if spread is None:
        return None, 0
    degrees = 2 * spread.variance**2 / spread.error if spread.error else spread.rank
    return spread.variance, max(1, round(degrees))


def margins(panels: Sequence[Raters]) -> Floats:
    """By pair, the difference that raters alone explain on 5 % of boards: q sqrt(s^2 / 2 sum_j
    (w_1j - w_2j)^2), with s^2 the variance between raters and q the 95 % quantile of the
    studentised range (J. W. Tukey, The Problem of Multiple Comparisons, 1953) of as many means as
    there are entrants. 0 if both have the same raters with the same weights. Infinite if s^2 is
    unknown, or if raters in common gave less than half of the marks."""
    people = {who: column for column, who in enumerate({w for p in panels for w in p.weights})}
    weights = np.zeros((len(panels), len(people)))
    for row, panel in enumerate(panels):
        for who, weight in panel.weights.items():
            weights[row, people[who]] = weight
    variances = np.array([inf if panel.variance is None else panel.variance for panel in panels])
    rows = []
    for row, panel in enumerate(panels):
        degrees = [min(other.degrees, panel.degrees) for other in panels]
        quantiles = np.array([_range_quantile(len(panels), n) if n else inf for n in degrees])
        apart = np.square(weights - weights[row]).sum(axis=1)
        common = np.minimum(weights, weights[row]).sum(axis=1)
        alike = (apart < _ROUNDING) & (common > 0)
        alike[row] = True
        estimated = np.isfinite(variances) & isfinite(variances[row]) & (common >= LEAST_COMMON)
        variance = np.where(estimated, np.maximum(variances, variances[row]), 0.0)
        unequal = np.where(estimated, quantiles, 0.0) * np.sqrt(variance / 2 * apart)
        rows.append(np.where(alike, 0.0, np.where(estimated, unequal, inf)))
    return np.array(rows)


@lru_cache(maxsize=1000)
def _range_quantile(entrants: int, degrees: int) -> float:
    from scipy.stats import studentized_range

    return float(studentized_range.ppf(1 - LEVEL, entrants, degrees))
