"""The differences that a board can show, and the tasks that it takes to show one."""

from __future__ import annotations

from math import ceil, sqrt
from statistics import NormalDist

import numpy as np

from evaluation.engine.metrics.intervals import FEWEST, Floats

POWER = 0.8
_POWER_QUANTILE = NormalDist().inv_cdf(POWER)
# For a two-sided test at 5 %.
_QUANTILE = NormalDist().inv_cdf(0.975)


def tasks_needed(difference: float, discordance: float) -> int | None:
    """Returns the number of clusters on which a paired test shows the difference of two scores with
    80 % power at a level of 5 %. `discordance` is the mean square of the difference on
    a cluster: with one sample of each task it is the share of tasks that only one entrant solves.
    None if there is no difference. Raises ValueError if no results have this difference and this
    discordance.

    R. J. Connor, Biometrics 43 (1987) 207-211.
    """
    if not difference**2 <= discordance <= 1:
        raise ValueError(f"no difference of {difference} with a discordance of {discordance}")
    if not difference:
        return None
    spread = _POWER_QUANTILE * sqrt(discordance - difference**2)
    return ceil(((_QUANTILE * sqrt(discordance) + spread) / difference) ** 2)


def detectable(variances: Floats, critical: float, clusters: int) -> float | None:
    """Returns the true difference that a board separates with 80 % power: `critical`, which the
    difference of two scores has to exceed there, and the 80 % quantile of its error, for two
    entrants of median variance. `variances` are from `chances.own_variances`. None with fewer than
    `FEWEST` clusters, or if not even the greatest possible difference is separated."""
    if clusters < FEWEST:
        return None
    both = (variances[:, None] + variances)[np.triu_indices(len(variances), 1)]
    error = sqrt(float(np.median(both)))
    # If all results are equal, `critical` is 0, but a test of the pair still has a minimum.
    difference = max(critical, _QUANTILE * error) + _POWER_QUANTILE * error
    return difference if difference < 1 else None
