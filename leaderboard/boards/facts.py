"""What was computed with a board: the chances of ranks, and signs of memorisation. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evaluation.engine.metrics.chances import Model
from evaluation.engine.metrics.memorisation import Sign
from leaderboard.boards.rows import Row
from leaderboard.scores.models import Board


@dataclass(frozen=True, slots=True)
class RankChances:
    """Shares of 1; `above_next` is None in the last row of a board."""

    first: float
    top: float
    above_next: float | None


def chances_of(board: Board, ranked: int) -> list[RankChances]:
    """The chances by place. Empty if none are stored, or if they do not belong to these `ranked`
    rows, for example while the board is being remade."""
    first, top, above = (board.facts.get(name) for name in ("first", "top", "above_next"))
    if not first or len(first) != ranked:
        return []
    return list(map(RankChances, first, top, [*above, None]))


def chance_above(board: Board, ranked: int, better: int | None, worse: int | None) -> float | None:
    """The chance that the entrant at place `better` is truly better than the one at place `worse`.
    None if the board shows no chances."""
    facts = board.facts.get("model")
    if not facts or len(facts["scores"]) != ranked or better is None or worse is None:
        return None
    chances = Model.of_facts(facts).above(np.array([better - 1]), np.array([worse - 1]))
    return float(chances[0])


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
