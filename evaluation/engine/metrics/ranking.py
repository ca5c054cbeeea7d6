"""A board's order, and the places that are distinguishable from chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import hypot

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.metrics import paired
from evaluation.engine.metrics.intervals import FEWEST, Floats
from evaluation.engine.metrics.power import detectable
from evaluation.engine.metrics.raters import Raters, margins
from evaluation.engine.metrics.swaps import Swaps


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
    None if `power.detectable` is, with fewer than two entrants, and if `raters_differ`: some pair
    has too few raters in common, see `raters.margins`.
    """

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
