"""Metrics of a dynamic conversation's turns; `turn_pairs` computes their means.

Knows no rules: `conversations.dialogue` decides which instructions were sent and marked. Source:
docs/specification/conversations.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Numbers:
    """One turn's instruction accuracy, conversation accuracy, share of instructions forgotten, and
    instructions followed per turn so far."""

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
    """Returns the metrics of turn `turn`, counted from 1.

    `row` says by instruction whether the turn's code passes; None is the base prompt. `current` is
    the instruction sent in this turn; `sent` has every pick so far, repeats and this turn's
    included. `marked` are the instructions, still listed, that an earlier turn passed.
    """
    followed = sum(row[name] for name in sent)
    kept = [row[name] for name in marked]
    return Numbers(
        ia=float(row[current]),
        ca=followed / len(sent),
        ifr=kept.count(False) / len(kept) if kept else 0.0,
        ife=followed / turn,
    )
