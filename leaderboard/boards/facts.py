"""The signs of memorisation that were computed with a board. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.engine.metrics.memorisation import Sign
from leaderboard.boards.rows import Row
from leaderboard.scores.models import Board


@dataclass(frozen=True, slots=True)
class SignLine:
    """A ranked row with its signs; None if there is too little to compare with."""

    row: Row
    overlap: Sign | None
    age: Sign | None


@dataclass(frozen=True, slots=True)
class SignTable:
    """`overlaps`, `ages`: whether the board has any signs of this kind."""

    lines: Sequence[SignLine]
    overlaps: bool
    ages: bool


def sign_table(board: Board, ranked: int, rows: Sequence[Row]) -> SignTable | None:
    """Covers the ranked rows that are shown. None without signs, or while the board is remade."""
    signs: dict[str, list[Sign | None]] = {}
    for kind in ("overlaps", "ages"):
        stored = board.facts.get(kind, [])
        if len(stored) == ranked:
            signs[kind] = [None if sign is None else Sign(**sign) for sign in stored]
    if not signs:
        return None
    overlaps, ages = (signs.get(kind, [None] * ranked) for kind in ("overlaps", "ages"))
    lines = [SignLine(r, overlaps[r.place - 1], ages[r.place - 1]) for r in rows if r.place]
    return SignTable(lines, "overlaps" in signs, "ages" in signs)
