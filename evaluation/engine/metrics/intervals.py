"""95 % intervals of means, clustered: ten generations of a task are not ten tasks, and ten tasks of
a repository are not ten repositories; and of means over benchmarks, from their own intervals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import fsum, hypot, inf, sqrt
from statistics import NormalDist, fmean
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]

# Fewest clusters for an interval.
FEWEST = 6
# Fewest clusters of equal size for the parts of a standard error: with fewer or uneven ones, the
# part of the tasks is more than 10 % too small on average.
FEWEST_FOR_PARTS = 50
# Additional clusters in `score_interval`, of passes and of failures each. With 1, intervals of
# partial scores that are nearly all equal cover 0.90 to 0.93 on 50 tasks.
EXTRA = 1.5
_UPPER = 0.975
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over `n` units with its 95 % interval. `value` is None without units, `low` and `high`
    with fewer than `FEWEST` clusters."""

    value: float | None
    low: float | None
    high: float | None
    n: int
    clusters: int


def mean_interval(groups: Sequence[Sequence[float]]) -> Interval:
    """Returns the mean over all units; a group holds one cluster's units, values from 0 up. Uses
    the exact interval of Clopper and Pearson if every cluster is a single pass or failure, else
    `score_interval`. If values exceed 1, the interval ends at the greatest value."""
    filled = [group for group in groups if group]
    n, clusters = sum(map(len, filled)), len(filled)
    if not filled:
        return Interval(None, None, None, 0, 0)
    mean = fsum(value for group in filled for value in group) / n
    if clusters < FEWEST:
        return Interval(mean, None, None, n, clusters)
    if all(len(group) == 1 and group[0] in (0, 1) for group in filled):
        low, high = clopper_pearson(round(mean * n), n)
        return Interval(mean, low, high, n, clusters)
    top = max(1.0, max(map(max, filled)))
    # Sorted, so that rounding does not depend on the order of the tasks.
    sums = np.array(sorted((fsum(group) / top, len(group)) for group in filled))
    low, high = score_interval(sums[:, :1], sums[:, 1:], passed=1 / top)
    return Interval(mean, min(mean, low * top), max(mean, high * top), n, clusters)


class ErrorParts(NamedTuple):
    """The two parts of a mean's standard error; the sum of their squares is its square. `tasks`
    would remain with any number of samples for each task; `runs` comes from the samples drawn."""

    tasks: float
    runs: float


def error_parts(groups: Sequence[Sequence[tuple[float, float]]]) -> ErrorParts | None:
    """A group holds one cluster's units, each with its variance from run to run. The whole variance
    is the jackknife's over the clusters. What the runs do not explain is from the tasks, at least
    0. Returns None without any variance, or if the clusters have fewer degrees of freedom than
    `FEWEST_FOR_PARTS` clusters of equal size."""
    if len(groups) < FEWEST_FOR_PARTS:
        return None
    sums = np.array([(*np.sum(group, axis=0), len(group)) for group in groups])
    total, noise, n = sums.sum(axis=0)
    if degrees(sums[:, 2] / n) < FEWEST_FOR_PARTS - 1:
        return None
    changes = (total - sums[:, 0]) / (n - sums[:, 2]) - total / n
    whole = (len(groups) - 1) / len(groups) * float(np.square(changes).sum())
    runs = max(0.0, float(noise) / n**2)
    return ErrorParts(sqrt(max(0.0, whole - runs)), sqrt(runs)) if whole or runs else None


def places_interval(groups: Sequence[Sequence[Sequence[float]]]) -> Interval:
    """Returns the mean over places of each place's mean; a group holds one cluster's conversations,
    each with its values by place, in 0..1. Without an interval if fewer than `FEWEST` clusters
    reach some place: the interval would not show how much one conversation more may change that
    place's mean."""
    totals, sizes = by_place(groups)
    reached = sizes.sum(axis=0)
    n, clusters = int(reached.sum()), len(groups)
    if not n:
        return Interval(None, None, None, 0, 0)
    mean = float((totals.sum(axis=0) / reached).mean())
    if np.count_nonzero(sizes, axis=0).min() < FEWEST:
        return Interval(mean, None, None, n, clusters)
    order = np.lexsort(np.hstack([totals, sizes]).T)
    low, high = score_interval(totals[order], sizes[order])
    return Interval(mean, min(mean, low), max(mean, high), n, clusters)


def by_place(groups: Sequence[Sequence[Sequence[float]]]) -> tuple[Floats, Floats]:
    """The sum and the number of values by cluster (row) and place (column)."""
    places = max((len(values) for group in groups for values in group), default=0)
    totals, sizes = np.zeros((len(groups), places)), np.zeros((len(groups), places))
    for row, group in enumerate(groups):
        for values in group:
            totals[row, : len(values)] += values
            sizes[row, : len(values)] += 1
    return totals, sizes


def clopper_pearson(passed: int, n: int) -> tuple[float, float]:
    """The exact 95 % interval of a proportion in `n` independent trials. C. J. Clopper and E. S.
    Pearson, Biometrika 26 (1934) 404-413."""
    # Lazy, because scipy takes 0.3 s to import and readers of tasks or uploads do not need it.
    from scipy.special import betaincinv

    low = betaincinv(passed, n - passed + 1, 1 - _UPPER) if passed else 0.0
    high = betaincinv(passed + 1, n - passed, _UPPER) if passed < n else 1.0
    return float(low), float(high)


def wilson(share: float, n: float, quantile: float | None = None) -> tuple[float, float]:
    """The 95 % score interval of a proportion seen in `n` independent trials, with the quantile of
    the normal distribution or the given one. E. B. Wilson, JASA 22 (1927) 209-212; method 3 of R.
    G. Newcombe, Statistics in Medicine 17 (1998) 857-872."""
    z = quantile or NormalDist().inv_cdf(_UPPER)
    weight = z * z / n
    centre = share + weight / 2
    half = z * sqrt(max(0.0, share * (1 - share)) / n + weight / (4 * n))
    return max(0.0, (centre - half) / (1 + weight)), min(1.0, (centre + half) / (1 + weight))


def score_interval(
    totals: Floats, sizes: Floats, besides: tuple[float, float] | None = None, passed: float = 1.0
) -> tuple[float, float]:
    """Wilson's interval of m, a mean of ratios, with m (1 - m) / V as the effective number of
    trials. Columns are ratios, rows are clusters; values in 0..1.

    V is the jackknife's variance, which recomputes the mean without each cluster (J. G. MacKinnon,
    M. O. Nielsen and M. D. Webb, Journal of Applied Econometrics 38 (2023) 671-694). m and V are
    computed with `EXTRA` clusters of passes and as many of failures, as in A. Agresti and B. Caffo,
    The American Statistician 54 (2000) 280-288: tasks like those that failed may be missing from a
    sample that passes almost always. E. L. Korn and B. I. Graubard (Survey Methodology 24 (1998)
    193-201) use the effective number in this way. The quantile is Student's, see `degrees`.
    `passed` is the value of a pass. `besides` is a part of the mean's variance that is not between
    its clusters, and the variance of its estimate. It is added to V; the quantile then has the
    degrees of freedom of F. E. Satterthwaite (Biometrics Bulletin 2 (1946) 110-114) for the sum."""
    clusters, reached = len(totals), sizes.sum(axis=0)
    extra = np.square(sizes).sum(axis=0) / reached
    padded = np.vstack([totals, np.zeros_like(extra), passed * extra])
    padded_sizes = np.vstack([sizes, extra, extra])
    times, all_clusters = np.array([1.0] * clusters + [EXTRA] * 2), clusters + 2 * EXTRA
    sums, counts = times @ padded, times @ padded_sizes
    mean = float((sums / counts).mean())
    without = ((sums - padded) / (counts - padded_sizes)).mean(axis=1)
    variance = (1 - 1 / all_clusters) * float(times @ np.square(without - mean))
    # The variance of the mean without the additional clusters.
    variance /= float((reached / counts).mean())
    freedom = degrees((sizes / reached).mean(axis=1))
    if besides is not None:
        part, error = besides
        whole = variance + part
        freedom = 2 * whole**2 / (2 * variance**2 / freedom + error)
        variance = whole
    trials = mean * (1 - mean) / variance
    return wilson(float((totals.sum(axis=0) / reached).mean()), trials, t_quantile(freedom))


def degrees(weights: Floats) -> float:
    """The degrees of freedom of the jackknife's variance, for clusters with these weights (their
    sum is 1), by F. E. Satterthwaite (Biometrics Bulletin 2 (1946) 110-114) with R. M. Bell and D.
    F. McCaffrey's (Survey Methodology 28 (2002) 169-181) assumption: a cluster's variance is
    proportional to its weight. Equal weights give the number of clusters less 1."""
    if weights.max() - weights.min() < _ROUNDING:
        return len(weights) - 1.0
    spread = np.diag(weights) - np.outer(weights, weights)
    leverage = 1 / np.square(1 - weights)
    trace = float(leverage @ spread.diagonal())
    return trace**2 / float(leverage @ np.square(spread) @ leverage)


@lru_cache(maxsize=1000)
def t_quantile(freedom: float) -> float:
    from scipy.special import stdtrit

    return float(stdtrit(freedom, _UPPER)) if freedom < inf else NormalDist().inv_cdf(_UPPER)


@dataclass(frozen=True, slots=True)
class Estimate:
    value: float
    low: float | None = None
    high: float | None = None


def over_settings(parts: Sequence[Estimate]) -> Estimate:
    """Averages the ends of the intervals, because settings share tasks and their errors may all
    have the same sign."""
    if len(parts) == 1:
        return parts[0]
    ends = []
    for side in ("low", "high"):
        numbers = [end for part in parts if (end := getattr(part, side)) is not None]
        ends.append(fmean(numbers) if len(numbers) == len(parts) else None)
    return Estimate(fmean(part.value for part in parts), *ends)


def over_benchmarks(parts: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates, each with the same weight. No interval if one has none.
    The interval recovers each side's variance from the limits (MOVER: G. Y. Zou, A. Donner,
    Statistics in Medicine 27, 2008, 1693-1702). An estimate at the end of its scale has no distance
    to that limit, and counts with the distance to the other one: otherwise the intervals of 20
    means near 1 cover 88 %."""
    value = fmean(part.value for part in parts)
    below, above = [], []
    for part in parts:
        if part.low is None or part.high is None:
            return Estimate(value)
        sides = part.value - part.low, part.high - part.value
        below.append(sides[0] or sides[1])
        above.append(sides[1] or sides[0])
    low, high = value - hypot(*below) / len(parts), value + hypot(*above) / len(parts)
    return Estimate(value, max(0.0, low), min(1.0, high))
