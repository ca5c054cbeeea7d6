"""Differences between a few entrants: paired 95 % intervals, and the swap test of each pair."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isinf, sqrt
from statistics import fmean

import numpy as np

from evaluation.engine.metrics import paired
from evaluation.engine.metrics.intervals import FEWEST, t_quantile
from evaluation.engine.metrics.raters import Raters, margins

# Fewest clusters of each benchmark for a difference over several.
FEWEST_OF_BENCHMARK = 12


@dataclass(frozen=True, slots=True)
class Difference:
    """The first entrant's score less the second one's (-1..1) with its 95 % interval. `low` and
    `high` are None without `difference_interval`. `p` is the greater one of the pair's
    `own_p_values` and swap test; `adjusted` is corrected for all compared pairs. Both are None, not
    tested, with fewer than `FEWEST` clusters, and if `raters_differ`: too few raters in common to
    separate the entrants' difference from that of the raters."""

    first: paired.EntrantId
    second: paired.EntrantId
    value: float
    low: float | None
    high: float | None
    p: float | None
    adjusted: float | None
    raters_differ: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences of all pairs, on `tasks` tasks in `clusters` clusters."""

    pairs: tuple[Difference, ...]
    tasks: int
    clusters: int


def compare(
    showings: Sequence[paired.Showing],
    clusters: paired.Clusters | None = None,
    *,
    adjust: bool = True,
    panels: Sequence[Raters] | None = None,
) -> Comparison:
    """Compares each pair, in the order of the entrants. With
    `adjust=False`, for pairs whose corrected p is known from their board, `adjusted` is `p`.
    `panels` are the raters of each entrant, if people judge. Raises ValueError if the entrants have
    different tasks."""
    table = paired.Table.of(showings, clusters)
    every = np.ones((len(showings), len(showings)), dtype=np.bool_)
    tested, pairs = table.clusters >= FEWEST, []
    apart = None if panels is None else margins(panels)
    if tested:
        swapped = paired.swap_p_values(table, every)
        p = adjusted = np.maximum(paired.own_p_values(table, apart), swapped)
    if tested and adjust:
        adjusted = np.maximum(p, paired.joint_p_values(table, paired.joint_maxima(table), apart))
    for pair in combinations(range(len(showings)), 2):
        first, second = pair
        margin = 0.0 if apart is None else float(apart[pair])
        comparable = tested and not isinf(margin)
        low, high = difference_interval(table, first, second, margin)
        pairs.append(
            Difference(
                first=showings[first].entrant,
                second=showings[second].entrant,
                value=float(table.scores[first] - table.scores[second]),
                low=low,
                high=high,
                p=float(p[pair]) if comparable else None,
                adjusted=float(adjusted[pair]) if comparable else None,
                raters_differ=isinf(margin),
            )
        )
    return Comparison(tuple(pairs), len(showings[0].units), table.clusters)


def difference_interval(
    table: paired.Table, first: int, second: int, margin: float = 0.0
) -> tuple[float, float] | tuple[None, None]:
    """The 95 % interval of the difference of two scores on the same clusters: all values that the
    test of `own_p_values` does not reject, with Student's quantile.

    A value x is tested by subtracting x times each cluster's share of the tasks from its
    contribution. With even clusters and without what V lacks (see `Table.variances`) this is
    Student's interval. `margin` (see `raters.margins`) widens it, as an independent error. Returns
    (None, None) if fewer than `FEWEST` clusters reach a place, if the margin is infinite, and if
    some value cannot be rejected however far away it is, because a few clusters have most tasks."""
    pair = table.select([first, second])
    reached = np.count_nonzero(pair.sizes, axis=1)
    if reached[reached > 0].min() < FEWEST or isinf(margin):
        return None, None
    clusters, quantile = pair.clusters, t_quantile(pair.clusters - 1)
    factor = quantile**2 * clusters / (clusters - 1 + quantile**2)
    parts, shares = pair.contributions, pair.shares.mean(axis=0)
    difference = float(pair.scores[0] - pair.scores[1])
    apart = parts[0] - parts[1]
    lacking = float(pair.variances[0, 1] - np.square(apart).sum())
    rest = apart - difference * shares
    # (difference - x)^2 <= factor * (sum of (rest + (difference - x) shares)^2 + lacking)
    square = 1 - factor * float(shares @ shares)
    if square <= 0:
        return None, None
    middle = factor * float(rest @ shares) / square
    half = sqrt(middle**2 + factor * float(rest @ rest + lacking) / square + margin**2)
    return max(-1.0, difference - middle - half), min(1.0, difference - middle + half)


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """The mean over benchmarks of the difference of two entrants' scores (-1..1), each benchmark
    with the same weight, with its 95 % interval and the p of no difference."""

    value: float
    low: float
    high: float
    p: float


def mean_difference(tables: Sequence[paired.Table]) -> MeanDifference:
    """Compares two entrants over independent benchmarks; a table has a benchmark's results of
    both. A benchmark's variance is the jackknife's, plus what `Table.variances` lacks; Student's
    quantile has the degrees of freedom of F. E. Satterthwaite (Biometrics Bulletin 2 (1946)
    110-114) for the sum. The entrants may differ on each benchmark, therefore nothing is swapped.
    Raises ValueError without tables, and if one has fewer than `FEWEST_OF_BENCHMARK` clusters."""
    from scipy.special import stdtr

    if not tables or min(table.clusters for table in tables) < FEWEST_OF_BENCHMARK:
        raise ValueError(f"each benchmark needs at least {FEWEST_OF_BENCHMARK} clusters")
    values, parts, freedoms = [], [], []
    for table in tables:
        values.append(float(table.scores[0] - table.scores[1]))
        effects = table.changes[:, 0] - table.changes[:, 1]
        apart = table.contributions[0] - table.contributions[1]
        lacking = float(table.variances[0, 1] - np.square(apart).sum())
        scale = (table.clusters - 1) / table.clusters
        parts.append(scale * float(np.square(effects).sum()) + lacking / scale)
        freedoms.append(paired.freedom(table.sizes.mean(axis=0)))
    value, variance = fmean(values), sum(parts)
    degrees = variance**2 / sum(np.square(parts) / freedoms)
    error = sqrt(variance) / len(tables)
    half = t_quantile(degrees) * error
    p = 2 * float(stdtr(degrees, -abs(value) / error)) if error else 1.0
    return MeanDifference(value, max(-1.0, value - half), min(1.0, value + half), p)
