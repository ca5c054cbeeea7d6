"""The signs of memorisation of a board's entrants, in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from evaluation.engine.metrics.memorisation import Sign
from leaderboard.pages.boards.rows import BoardRow
from leaderboard.scores.models import Board

# Keys of the board's facts.
_KINDS = ("overlaps", "ages")


@dataclass(frozen=True, slots=True)
class SignLine:
    """A ranked row with its signs; None if there is too little to compare with."""

    row: BoardRow
    overlap: Sign | None
    age: Sign | None


@dataclass(frozen=True, slots=True)
class SignTable:
    """`overlaps`, `ages`: whether the board has any signs of this kind."""

    lines: Sequence[SignLine]
    overlaps: bool
    ages: bool


def sign_table(board: Board, ranked: int, rows: Sequence[BoardRow]) -> SignTable | None:
    """Covers the ranked rows that are shown. None without signs, or while the board is remade."""
    found = {}
    for kind in _KINDS:
        stored = board.facts.get(kind, [])
        if len(stored) == ranked:
            found[kind] = [None if sign is None else Sign(**sign) for sign in stored]
    if not found:
        return None
    none = [None] * ranked
    overlaps, ages = (found.get(kind, none) for kind in _KINDS)
    lines = [
        SignLine(row, overlaps[place - 1], ages[place - 1])
        for row in rows
        if (place := row.result.place)
    ]
    return SignTable(lines, "overlaps" in found, "ages" in found)
