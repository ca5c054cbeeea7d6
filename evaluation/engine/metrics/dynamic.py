"""Metrics of a dynamic conversation's turns. Source: docs/specification/conversations.md. Knows no
rules: `conversations.dialogue` decides which instructions were sent and marked."""

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
    """Returns the metrics of turn `turn`, counted from 1. None is the base prompt. `sent` has every
    pick so far, this turn's `current` included; `marked` are the instructions, still listed, that
    an earlier turn passed; `row` says whether this turn's code passes."""
    followed = sum(row[name] for name in sent)
    kept = [row[name] for name in marked]
    return Numbers(
        ia=float(row[current]),
        ca=followed / len(sent),
        ifr=kept.count(False) / len(kept) if kept else 0.0,
        ife=followed / turn,
    )
