"""Metrics of dynamic conversations (formats.md, 5e): each turn's numbers, and the report that
is published of them.

Knows no rules: what was sent and what was marked is told by `conversations.dialogue`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Numbers:
    """What one turn came to: instruction accuracy, conversation accuracy, the share of
    instructions forgotten, and instructions followed for each turn so far."""

    ia: float
    ca: float
    ifr: float
    ife: float


def numbers(
    turn: int,
    current: str | None,
    sent: Sequence[str | None],
    marked: Iterable[str | None],
    row: Mapping[str | None, bool],
) -> Numbers:
    """The numbers of turn `turn`, counted from 1, whose code passes what `row` says of each
    instruction; None is the base prompt.

    `current` is the instruction that was sent, `sent` all that were, once for every time they
    were picked, this turn's among them; `marked` those still listed that an earlier turn passed.
    """
    followed = sum(row[name] for name in sent)
    kept = [row[name] for name in marked]
    return Numbers(
        ia=float(row[current]),
        ca=followed / len(sent),
        ifr=kept.count(False) / len(kept) if kept else 0.0,
        ife=followed / turn,
    )


@dataclass(frozen=True, slots=True)
class Position:
    """Means over the `n` conversations that reach a place: `first` and `last` are the turns in
    it, counted from 1."""

    first: int
    last: int
    n: int
    means: Numbers


def by_turn(conversations: Iterable[Sequence[Numbers]]) -> list[Position]:
    """The means at each turn."""
    return _positions(conversations, width=1)


def by_pair(conversations: Iterable[Sequence[Numbers]]) -> list[Position]:
    """The means at turns 1-2, 3-4 and so on: each conversation's turns are averaged in pairs
    first, an odd last turn standing alone."""
    paired = (_in_pairs(turns) for turns in conversations)
    return _positions(paired, width=2)


def published(conversations: Iterable[Sequence[Numbers]]) -> Numbers | None:
    """The report as it is published: the mean over pairs of turns, each pair weighing the same
    however few conversations reach it. None where nothing was said."""
    pairs = by_pair(conversations)
    return _mean([pair.means for pair in pairs]) if pairs else None


def _in_pairs(turns: Sequence[Numbers]) -> list[Numbers]:
    return [_mean(turns[start : start + 2]) for start in range(0, len(turns), 2)]


def _positions(conversations: Iterable[Sequence[Numbers]], width: int) -> list[Position]:
    columns = zip_longest(*conversations)
    return [
        Position(place * width + 1, (place + 1) * width, len(there), _mean(there))
        for place, column in enumerate(columns)
        if (there := [found for found in column if found is not None])
    ]


def _mean(several: Sequence[Numbers]) -> Numbers:
    def over(value: Callable[[Numbers], float]) -> float:
        return fmean(map(value, several))

    return Numbers(
        ia=over(lambda found: found.ia),
        ca=over(lambda found: found.ca),
        ifr=over(lambda found: found.ifr),
        ife=over(lambda found: found.ife),
    )
