"""Differences between a few entrants: paired 95 % intervals, and the swap test of each pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import hypot, isinf, sqrt

import numpy as np

from evaluation.engine.metrics.intervals import FEWEST, Floats, degrees, t_quantile
from evaluation.engine.metrics.paired import (
    Clusters,
    EntrantId,
    Showing,
    Table,
    joint_p_values,
    published,
    swap_p_values,
)
from evaluation.engine.metrics.raters import Raters, margins


@dataclass(frozen=True, slots=True)
class Difference:
    """The first entrant's score less the second one's (-1..1) with its 95 % interval.

    `low` and `high` are None with fewer than `FEWEST` clusters, and if `raters_differ`: too few
    raters in common to separate the entrants' difference from that of the raters. `p` is that
    of the pair's swap test; `adjusted` is corrected for all compared pairs.
    """

    first: EntrantId
    second: EntrantId
    value: float
    low: float | None
    high: float | None
    p: float
    adjusted: float
    raters_differ: bool = False


@dataclass(frozen=True, slots=True)
class Comparison:
    """The differences of all pairs, on `tasks` tasks in `clusters` clusters."""

    pairs: tuple[Difference, ...]
    tasks: int
    clusters: int


def compare(
    showings: Sequence[Showing],
    clusters: Clusters | None = None,
    *,
    adjust: bool = True,
    panels: Sequence[Raters] | None = None,
) -> Comparison:
    """Compares each pair, in the order of the entrants. With a single cluster every p is 1. With
    `adjust=False`, for pairs whose corrected p is known from their board, `adjusted` is `p`.
    `panels` are the raters of each entrant, if people judge. Raises ValueError if the entrants have
    different tasks."""
    table = Table.of(showings, clusters)
    every = np.ones((len(showings), len(showings)), dtype=np.bool_)
    p = swap_p_values(table, every) if table.clusters > 1 else every.astype(np.float64)
    adjusted = np.maximum(p, joint_p_values(table)) if adjust and table.clusters > 1 else p
    apart = None if panels is None else margins(panels)
    pairs = []
    for one, other in combinations(range(len(showings)), 2):
        margin = 0.0 if apart is None else float(apart[one, other])
        low, high = difference_interval(table, one, other, margin)
        pairs.append(
            Difference(
                first=showings[one].entrant,
                second=showings[other].entrant,
                value=float(table.scores[one] - table.scores[other]),
                low=low,
                high=high,
                p=float(p[one, other]),
                adjusted=float(adjusted[one, other]),
                raters_differ=isinf(margin),
            )
        )
    return Comparison(tuple(pairs), len(showings[0].units), table.clusters)


def difference_interval(
    table: Table, one: int, other: int, margin: float = 0.0
) -> tuple[float, float] | tuple[None, None]:
    """The 95 % interval of the difference of two scores on the same clusters.

    d +- q sqrt(V), with the jackknife's variance V (J. G. MacKinnon, M. O. Nielsen and M. D. Webb,
    Journal of Applied Econometrics 38 (2023) 671-694) and Student's quantile q (see `degrees`). d
    and V are computed with two additional clusters, one where the first entrant is better and one
    where the second one is, by the greatest difference on any cluster (1 if there is none). With
    single passes this is as in D. G. Bonett and R. M. Price, Journal of Educational and Behavioral
    Statistics 37 (2012) 479-488. Without the two clusters, entrants that differ on no task would
    have an interval of length 0. `margin` (see `raters.margins`) widens it, as an independent
    error. Returns (None, None) if fewer than `FEWEST` clusters reach a place, or if the margin is
    infinite.
    """
    totals, sizes = table.totals[[one, other]], table.sizes[[one, other]]
    reached = np.count_nonzero(sizes, axis=1)
    if reached[reached > 0].min() < FEWEST or isinf(margin):
        return None, None
    counts = sizes.sum(axis=1)
    # The size of the two clusters is the mean size, weighted by size.
    extra = np.divide(np.square(sizes).sum(axis=1), counts, where=counts > 0, out=counts * 0)
    scores = published(totals, sizes)
    apart = float(np.abs(scores[0] - scores[1]).max()) or 1.0
    higher, lower = (1 + apart) / 2, (1 - apart) / 2
    better = np.stack([extra * [[higher], [lower]], extra * [[lower], [higher]]], axis=1)
    padded = np.concatenate([totals, better], axis=1)
    padded_sizes = np.concatenate([sizes, np.stack([extra, extra], axis=1)], axis=1)
    sums, padded_counts = padded.sum(axis=1), padded_sizes.sum(axis=1)
    centre = _difference(sums, padded_counts)
    without = published(sums[:, None] - padded, padded_counts[:, None] - padded_sizes)
    extended = padded.shape[1]
    squares = np.square(without[0] - without[1] - centre)
    variance = (extended - 1) / extended * float(squares.sum())
    # The mean share of each cluster in the places of both entrants.
    places = counts[:, None]
    shares = np.divide(sizes, places, where=places > 0, out=np.zeros_like(sizes))
    quantile = t_quantile(degrees(shares.sum(axis=(0, 2)) / shares.sum()))
    half = hypot(quantile * sqrt(variance), margin)
    difference = _difference(totals.sum(axis=1), counts)
    return max(-1.0, min(difference, centre - half)), min(1.0, max(difference, centre + half))


def _difference(totals: Floats, sizes: Floats) -> float:
    scores = published(totals, sizes)
    return float(scores[0] - scores[1])
