"""The difference that a board can show."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np

from evaluation.engine.metrics import intervals
from evaluation.engine.metrics.paired import Table

POWER = 0.8
# On fewer clusters, whether a difference is shown depends on a few of them.
FEWEST = 25
_POWER_QUANTILE = NormalDist().inv_cdf(POWER)
# For a two-sided test at 5 %.
_QUANTILE = NormalDist().inv_cdf(0.975)


def detectable(table: Table, critical: float) -> float | None:
    """Returns the true difference that a board separates with 80 % power, or None: with fewer than
    `FEWEST` clusters, or if not even the greatest possible difference is separated. `table` is in
    the board's order, and `critical` the difference that the joint test has to exceed.

    The mean square of a difference on a cluster is the median over all pairs, and more the greater
    the true difference is (R. J. Connor, Biometrics 43 (1987) 207-211). Six clusters have to
    differ, since a test of swaps has no p of 5 % with fewer.
    """
    clusters = table.clusters
    if clusters < FEWEST:
        return None
    # Lazy, as in `intervals`.
    from scipy.special import bdtrc

    values = table.changes * (clusters - 1)
    products = values.T @ values / clusters
    squares = products.diagonal()[:, None] + products.diagonal() - 2 * products
    # At least that of half a cluster: results that are all equal do not show how others would vary.
    typical = float(np.median(squares[np.triu_indices(len(squares), 1)]))
    square = max(typical, clusters / (clusters + 2) ** 2)
    # How far apart two entrants are on a cluster that separates them: 1 for single passes. Then a
    # greater difference is more such clusters, in the better one's favour; with partial scores it
    # is a greater distance on each cluster.
    apart = np.abs(np.diff(values, axis=1))
    step = min(1.0, float(np.square(apart).sum() / apart.sum())) if apart.any() else 1.0
    differences = np.linspace(0, 1, 1001)[1:]
    middle = float(np.median(table.scores))
    more = differences * np.maximum(0, 1 - square / max(middle, 1 - middle))
    expected = np.maximum(np.square(differences), square + step**2 * more)
    error = np.sqrt(np.maximum(0, expected - np.square(differences)) / clusters)
    # The joint test widens with a pair's variance.
    needed = max(critical, _QUANTILE * sqrt(square / clusters)) * np.sqrt(expected / square)
    enough = bdtrc(intervals.FEWEST - 1, clusters, np.minimum(1, differences / step)) >= POWER
    shown = differences[enough & (needed + _POWER_QUANTILE * error <= differences)]
    return float(shown[0]) if shown.size else None
