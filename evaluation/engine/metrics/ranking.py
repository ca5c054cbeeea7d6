"""A board's order, and how much of it can be told from chance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.metrics.paired import (
    EntrantId,
    Floats,
    Showing,
    numbers_first,
    paired_p_values,
)

_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class RankedEntrant:
    """An entrant with its score (0..1) and the places, from 1, that it may really have.

    `low` is 1 + the number of entrants that are significantly better, `high` the
    number of all entrants less those significantly worse.
    """

    entrant: EntrantId
    score: float
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """A board on `tasks` tasks, its rows in order of score, equal ones in order of entrant.

    `groups` holds positions in `rows`, from 0: sets of at least two entrants no two of
    which differ significantly. They may overlap and skip rows, since being tied is
    not transitive. `every_group` says whether these are all the maximal ones; if not,
    they are the longest runs of neighbouring rows instead, and some tied pairs share none.

    `lead` has the p-value of the first row against each following one after Holm's
    correction over all pairs of the board.
    """

    rows: tuple[RankedEntrant, ...]
    tasks: int
    groups: tuple[tuple[int, ...], ...]
    every_group: bool
    lead: tuple[float, ...]


def rank(showings: Sequence[Showing]) -> Ranking:
    """The entrants in order of score, tied where their paired test says so at 5 %.

    Raises ValueError where the entrants did not face the same tasks, or for an
    entrant that is there twice.
    """
    if len({showing.entrant for showing in showings}) < len(showings):
        raise ValueError("an entrant is on the board twice")
    if not showings:
        return Ranking((), 0, (), True, ())
    ordered = sorted(showings, key=lambda s: (-s.score, numbers_first(s.entrant)))
    adjusted = _adjusted(paired_p_values(ordered))
    different = adjusted <= _LEVEL
    groups = maximal_groups(~different, most=len(ordered))
    return Ranking(
        rows=tuple(_row(showing, place, different) for place, showing in enumerate(ordered)),
        tasks=len(ordered[0].units),
        groups=tuple(contiguous_groups(~different) if groups is None else groups),
        every_group=groups is not None,
        lead=tuple(map(float, adjusted[0, 1:])),
    )


def holm(p_values: Floats) -> Floats:
    """Each p-value after Holm's correction over all of them, in their order.

    S. Holm, Scandinavian Journal of Statistics 6 (1979) 65-70: the i-th smallest of m
    times m + 1 - i, no less than those of smaller ones, and at most 1.
    """
    order = np.argsort(p_values, kind="stable")
    scaled = p_values[order] * np.arange(len(p_values), 0, -1)
    adjusted = np.empty_like(scaled)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(scaled))
    return adjusted


def maximal_groups(tied: NDArray[np.bool_], most: int) -> list[tuple[int, ...]] | None:
    """Each largest set of two or more all tied with each other, in order of position.

    None where there are more than `most`, sets of one included: n entrants can form
    3^(n/3) of them, though at most n where ties go by distance in score alone.

    Adds one entrant after the other to the sets of those before. These never become
    fewer, so if they exceed `most` on the way, they would at the end.
    """
    peers = [_as_bits(row) & ~(1 << position) for position, row in enumerate(tied)]
    groups: list[int] = []
    for position in range(len(peers)):
        groups = _with_another(groups, position, peers)
        if len(groups) > most:
            return None
    return sorted(_positions(group) for group in groups if group.bit_count() > 1)


def contiguous_groups(tied: NDArray[np.bool_]) -> list[tuple[int, ...]]:
    """Each longest run of two or more neighbouring positions all tied with each other."""
    runs, stop = [], 0
    for start in range(len(tied)):
        before = stop = max(stop, start + 1)
        while stop < len(tied) and tied[stop, start:stop].all():
            stop += 1
        if stop > before:
            runs.append(tuple(range(start, stop)))
    return runs


def _adjusted(p: Floats) -> Floats:
    pairs = np.triu_indices(len(p), 1)
    adjusted = np.ones_like(p)
    adjusted[pairs] = holm(p[pairs])
    return np.minimum(adjusted, adjusted.T)


def _row(showing: Showing, place: int, different: NDArray[np.bool_]) -> RankedEntrant:
    # Equal scores never differ significantly: all that differ above are better.
    better = int(different[place, :place].sum())
    worse = int(different[place, place:].sum())
    return RankedEntrant(showing.entrant, showing.score, 1 + better, len(different) - worse)


def _with_another(groups: Sequence[int], position: int, peers: Sequence[int]) -> list[int]:
    """The maximal groups, as bit sets, once `position` has joined those before it."""
    before = (1 << position) - 1
    kept = [group for group in groups if group & ~peers[position]]
    shared = {group & peers[position] for group in groups} or {0}
    joined = [part for part in shared if not _extra(part, peers[position] & before, peers)]
    return kept + [part | 1 << position for part in joined]


def _extra(group: int, candidates: int, peers: Sequence[int]) -> int:
    """Those of `candidates` that are tied with all of the group."""
    for member in _positions(group):
        candidates &= peers[member]
    return candidates


def _as_bits(row: NDArray[np.bool_]) -> int:
    return sum(1 << int(position) for position in np.flatnonzero(row))


def _positions(group: int) -> tuple[int, ...]:
    return tuple(position for position in range(group.bit_length()) if group >> position & 1)
