"""Metrics of a dynamic conversation's turns; `turn_pairs` has their means.

Knows no rules: `conversations.dialogue` says which instructions were sent and marked.
Source: docs/specification/conversations.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


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
