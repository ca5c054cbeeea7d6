"""A board's order, the places that are distinguishable from chance, and the difference that it can
show."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import hypot, sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.metrics import paired
from evaluation.engine.metrics.intervals import FEWEST, Floats
from evaluation.engine.metrics.raters import Raters, margins
from evaluation.engine.metrics.swaps import Swaps

POWER = 0.8
# On fewer clusters, whether a difference is shown depends on a few of them.
FEWEST_FOR_POWER = 25
_POWER_QUANTILE = NormalDist().inv_cdf(POWER)
# For a two-sided test at 5 %.
_QUANTILE = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class RankedEntrant:
    """An entrant with its score (0..1) and its range of places, counted from 1."""

    entrant: paired.EntrantId
    score: float
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """A board on `tasks` tasks in `clusters` clusters. Rows are ordered by score, equal ones by
    entrant.

    `groups` holds positions in `rows`, from 0: sets of at least two entrants, no two of which
    differ significantly. They may overlap and skip rows, because ties are not transitive. Without
    `every_group` they are only the longest runs of neighbouring rows. `p` has the p-value of each
    pair of rows, corrected for the number of pairs; `lead` is its first row, without the diagonal.
    With fewer than `FEWEST` clusters nothing is tested: `p` is empty, and `lead` is None for each.
    `unshared` counts the pairs that are tied because they have too few raters in common.

    `detectable` is the difference of two scores that the board separates with 80 % power. It is
    None if `detectable` is, with fewer than two entrants, and if `raters_differ`: some pair
    has too few raters in common, see `raters.margins`."""

    rows: tuple[RankedEntrant, ...]
    tasks: int
    clusters: int
    groups: tuple[tuple[int, ...], ...]
    every_group: bool
    lead: tuple[float | None, ...]
    detectable: float | None = None
    unshared: int = 0
    raters_differ: bool = False
    p: Floats = field(default_factory=lambda: np.ones((0, 0)), compare=False)


def rank(
    showings: Sequence[paired.Showing],
    clusters: paired.Clusters | None = None,
    swaps: Swaps | None = None,
    panels: Sequence[Raters] | None = None,
) -> Ranking:
    """Orders the entrants by score; two are tied unless both tests of `paired.p_values` reject that
    at 5 %. `clusters` has the cluster of each task; without it each task is its own cluster.
    `swaps` supplies the tests of an earlier board and then holds those of this one. `panels`
    are the raters of each entrant, if people judge. Raises ValueError if the entrants have
    different tasks, or if an entrant occurs twice."""
    if len({showing.entrant for showing in showings}) < len(showings):
        raise ValueError("an entrant is on the board twice")
    if not showings:
        return Ranking((), 0, 0, (), True, ())
    table = paired.Table.of(showings, clusters)
    names, scores = [showing.entrant for showing in showings], table.scores.tolist()
    # Rounded, because the sum of a score's units may depend on their order.
    keys = [(-round(scores[i], 12), paired.numbers_first(name)) for i, name in enumerate(names)]
    order = sorted(range(len(names)), key=keys.__getitem__)
    ordered = table.select(order)
    compared, swaps = len(names) > 1 and table.clusters >= FEWEST, swaps or Swaps()
    maxima = paired.joint_maxima(ordered, swaps) if compared else None
    apart = None if panels is None else margins([panels[i] for i in order])
    p = paired.p_values(ordered, swaps, maxima, apart)
    different = p <= paired.LEVEL
    groups = maximal_groups(~different, most=len(order))
    # Equal scores never differ significantly, so each row above that differs is better.
    rows = tuple(
        RankedEntrant(
            names[i],
            scores[i],
            low=1 + int(different[place, :place].sum()),
            high=len(order) - int(different[place, place:].sum()),
        )
        for place, i in enumerate(order)
    )
    raters_differ = apart is not None and bool(np.isinf(apart).any())
    reach = None
    if maxima is not None and not raters_differ:
        margin = 0.0 if apart is None else float(np.median(apart[np.triu_indices(len(apart), 1)]))
        reach = detectable(ordered, hypot(paired.critical_difference(ordered, maxima), margin))
    return Ranking(
        rows=rows,
        tasks=len(showings[0].units),
        clusters=table.clusters,
        groups=tuple(contiguous_groups(~different) if groups is None else groups),
        every_group=groups is not None,
        lead=tuple(map(float, p[0, 1:])) if compared else (None,) * (len(order) - 1),
        detectable=reach,
        unshared=0 if apart is None else int(np.isinf(apart).sum()) // 2,
        raters_differ=raters_differ,
        p=p if compared else np.ones((0, 0)),
    )


def detectable(table: paired.Table, critical: float) -> float | None:
    """Returns the true difference that a board separates with 80 % power, or None: with fewer than
    `FEWEST_FOR_POWER` clusters, or if not even the greatest possible difference is separated.
    `table` is in the board's order, `critical` the difference that the joint test has to exceed.

    The mean square of a difference on a cluster is the median over all pairs, and more the greater
    the true difference is (R. J. Connor, Biometrics 43 (1987) 207-211). Six clusters have to
    differ, since a test of swaps has no p of 5 % with fewer."""
    clusters = table.clusters
    if clusters < FEWEST_FOR_POWER:
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
    enough = bdtrc(FEWEST - 1, clusters, np.minimum(1, differences / step)) >= POWER
    shown = differences[enough & (needed + _POWER_QUANTILE * error <= differences)]
    return float(shown[0]) if shown.size else None


def maximal_groups(tied: NDArray[np.bool_], most: int) -> list[tuple[int, ...]] | None:
    """Returns the maximal sets of two or more that are all tied with each other, by position.
    Returns None above `most` sets, sets of one included: n entrants can form 3^(n/3). The number of
    sets never decreases as entrants are added, so it can stop early."""
    peers = [
        sum(1 << int(position) for position in np.flatnonzero(row)) & ~(1 << position)
        for position, row in enumerate(tied)
    ]
    groups: list[int] = []
    for position, tied_with in enumerate(peers):
        earlier = tied_with & ((1 << position) - 1)
        apart = [group for group in groups if group & ~tied_with]
        shared = {group & tied_with for group in groups} or {0}
        joined = [part for part in shared if not _tied_with_all(part, earlier, peers)]
        groups = apart + [part | 1 << position for part in joined]
        if len(groups) > most:
            return None
    return sorted(
        tuple(position for position in range(group.bit_length()) if group >> position & 1)
        for group in groups
        if group.bit_count() > 1
    )


def _tied_with_all(group: int, candidates: int, peers: Sequence[int]) -> int:
    """The candidates, as bits, that are tied with every member and are none themselves."""
    while group and candidates:
        member = group.bit_length() - 1
        candidates &= peers[member]
        group ^= 1 << member
    return candidates


def contiguous_groups(tied: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    runs, stop = [], 0
    for start in range(len(tied)):
        before = stop = max(stop, start + 1)
        while stop < len(tied) and tied[stop, start:stop].all():
            stop += 1
        if stop > before:
            runs.append(tuple(range(start, stop)))
    return runs
