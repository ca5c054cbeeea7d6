"""The difference that a board can show, and the chances of its ranks, in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.utils.translation import gettext

from evaluation.engine.metrics.chances import FEWEST_ENTRANTS, Model
from leaderboard.pages.boards.rows import BoardRow
from leaderboard.pages.shared.numbers import per_cent, rounded
from leaderboard.scores.models import Board

# Rows that are less likely to be among the first three are left out.
_LEAST = 0.01
_PARTS = ("first", "top", "above_next")


@dataclass(frozen=True, slots=True)
class RankChances:
    """Shares of 1; `above_next` is None in the last row of a board."""

    first: float
    top: float
    above_next: float | None


@dataclass(frozen=True, slots=True)
class ChanceLine:
    """A row with its chances in words. `next` is the entrant below it on the whole board."""

    row: BoardRow
    first: str
    top: str
    above_next: str
    next: str


def chances_of(board: Board, ranked: int) -> list[RankChances]:
    """The chances by place. Empty if none are stored, or if they do not belong to these `ranked`
    rows, for example while the board is being remade."""
    first, top, above = (board.facts.get(name) for name in _PARTS)
    if not first or len(first) != ranked:
        return []
    return [RankChances(*one) for one in zip(first, top, [*above, None], strict=True)]


def chance_above(board: Board, ranked: int, better: int | None, worse: int | None) -> float | None:
    """The chance that the entrant at place `better` is truly better than the one at place `worse`.
    None if the board shows no chances."""
    facts = board.facts.get("model")
    if not facts or len(facts["scores"]) != ranked or better is None or worse is None:
        return None
    found = Model.of_facts(facts).above(np.array([better - 1]), np.array([worse - 1]))
    return float(found[0])


def chance_lines(
    chances: Sequence[RankChances], rows: Sequence[BoardRow], names: Sequence[str]
) -> list[ChanceLine]:
    """The ranked rows shown that may be among the first three. `names` are by place."""
    found = []
    for row in rows:
        place = row.result.place
        own = chances[place - 1] if place and chances else None
        if own is None or own.top < _LEAST:
            continue
        below = "" if place is None or own.above_next is None else names[place]
        first, top, above = map(chance_text, (own.first, own.top, own.above_next))
        found.append(ChanceLine(row, first, top, above, below))
    return found


def chance_text(chance: float | None) -> str:
    """Whole per cent, never 0 or 100: a chance is an estimate. "" for None."""
    if chance is None:
        return ""
    if chance < 0.01:
        return "< 1 %"
    return "> 99 %" if chance > 0.99 else f"{per_cent(chance, 0)} %"


def power_line(board: Board, ranked: int, top: int | None) -> str:
    """The smallest difference that the board shows with 80 % power, or why there is none; `top` is
    the best mark, if people judge. "" if it was not computed."""
    facts = board.facts
    if ranked < 2 or "detectable" not in facts:
        return ""
    if facts.get("raters_differ"):
        return gettext(
            "Not all entrants were rated by the same people. Therefore the smallest difference "
            "that this board shows is not known: it would depend on how the raters differ."
        )
    share = facts["detectable"]
    if share is None:
        return gettext(
            "This board is too small: no difference between two entrants is shown with a "
            "probability of 80 %."
        )
    gap = gettext("%(number)s points") % {"number": rounded(share * 100, 1)}
    if top is not None:
        gap = gettext("%(number)s marks") % {"number": rounded(share * (top - 1), 2)}
    sentence = gettext(
        "If two entrants truly differ by %(gap)s, this board separates them with a probability "
        "of 80 %%. Smaller differences are often missed."
    )
    return sentence % {"gap": gap}


def few_line(board: Board, ranked: int, top: int | None) -> str:
    """Why the board shows no chances if it has too few ranked rows, else ""."""
    tested = ranked >= 2 and "detectable" in board.facts and top is None
    if ranked >= FEWEST_ENTRANTS or not tested:
        return ""
    return gettext(
        "Chances of ranks are shown from %(fewest)s ranked entrants on: fewer scores do not say "
        "well enough how far entrants are truly apart."
    ) % {"fewest": FEWEST_ENTRANTS}
