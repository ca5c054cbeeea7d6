"""95 % intervals of means, clustered by task: ten generations of a task are not ten tasks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from math import fsum, sqrt
from statistics import NormalDist

_UPPER = 0.975
_Z = NormalDist().inv_cdf(_UPPER)
# Residuals below this are rounding errors: values lie in 0..1.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over `n` units with its 95 % interval, all in 0..1. `value` is None without units,
    `low` and `high` with fewer than two tasks."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    tasks: int


def mean_interval(groups: Sequence[Sequence[float]]) -> Interval:
    """Returns the mean over all units; a group holds one task's units, values in 0..1. Uses
    Wilson's interval if every task is a single pass or failure or the tasks do not differ, else the
    t interval with the standard error clustered by task."""
    filled = [group for group in groups if group]
    n, tasks = sum(map(len, filled)), len(filled)
    if not filled:
        return Interval(None, None, None, 0, 0)
    mean = fsum(value for group in filled for value in group) / n
    if tasks < 2:
        return Interval(mean, None, None, n, tasks)
    half = None if _all_single_trials(filled) else _clustered_half_width(filled, mean, n)
    low, high = (mean - half, mean + half) if half else wilson(mean, tasks)
    return Interval(mean, max(0.0, low), min(1.0, high), n, tasks)


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % score interval of a proportion seen in `n` independent trials. E. B. Wilson, JASA 22
    (1927) 209-212; method 3 of R. G. Newcombe, Statistics in Medicine 17 (1998) 857-872."""
    weight = _Z * _Z / n
    centre = share + weight / 2
    half = _Z * sqrt(max(0.0, share * (1 - share)) / n + weight / (4 * n))
    return max(0.0, (centre - half) / (1 + weight)), min(1.0, (centre + half) / (1 + weight))


def _all_single_trials(groups: Sequence[Sequence[float]]) -> bool:
    return all(len(group) == 1 and group[0] in (0, 1) for group in groups)


def _clustered_half_width(groups: Sequence[Sequence[float]], mean: float, n: int) -> float | None:
    """Half the clustered interval's width, or None if the tasks show no spread. The variance
    T/(T-1) * sum_t r_t^2 / N^2 with r_t = sum_i (x_ti - mean) is that of a ratio (W. G. Cochran,
    Sampling Techniques, 3rd ed. 1977, chapters 6 and 9A); t has T - 1 degrees of freedom (A. C.
    Cameron and D. L. Miller, Journal of Human Resources 50 (2015) 317-372, section VI)."""
    tasks = len(groups)
    residuals = [fsum(value - mean for value in group) for group in groups]
    if max(map(abs, residuals)) < _ROUNDING * n:
        return None
    variance = tasks / (tasks - 1) * fsum(r * r for r in residuals) / n**2
    return _t_quantile(tasks - 1) * sqrt(variance)


@cache
def _t_quantile(degrees: int) -> float:
    # Lazy, because scipy takes 0.3 s to import and readers of tasks or uploads do not need it.
    from scipy.special import stdtrit

    return float(stdtrit(degrees, _UPPER))
