"""The differences that a board can show, and the tasks that it takes to show one."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

from evaluation.engine.metrics.intervals import FEWEST, Floats
from evaluation.engine.metrics.paired import Table, freedom

POWER = 0.8
_POWER_QUANTILE = NormalDist().inv_cdf(POWER)
# For a two-sided test at 5 %.
_QUANTILE = NormalDist().inv_cdf(0.975)


def detectable(variances: Floats, critical: float, clusters: int) -> float | None:
    """Returns the true difference that a board separates with 80 % power: `critical`, which the
    difference of two scores has to exceed there, and the 80 % quantile of its error, for two
    entrants of median variance. `variances` are from `own_variances`. None with fewer than
    `FEWEST` clusters, or if not even the greatest possible difference is separated."""
    if clusters < FEWEST:
        return None
    both = (variances[:, None] + variances)[np.triu_indices(len(variances), 1)]
    error = sqrt(float(np.median(both)))
    # If all results are equal, `critical` is 0, but a test of the pair still has a minimum.
    difference = max(critical, _QUANTILE * error) + _POWER_QUANTILE * error
    return difference if difference < 1 else None


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
