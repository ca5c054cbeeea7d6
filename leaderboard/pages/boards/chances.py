"""The difference that a board can show, and the chances of its ranks, in words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass

from django.utils.translation import gettext

from evaluation.engine.metrics.chances import FEWEST_ENTRANTS
from leaderboard.boards.facts import RankChances
from leaderboard.boards.rows import Row
from leaderboard.pages.shared.numbers import per_cent, rounded
from leaderboard.scores.models import Board

# Rows that are less likely to be among the first three are left out.
_LEAST = 0.01


@dataclass(frozen=True, slots=True)
class ChanceLine:
    """A row with its chances in words. `next` is the entrant below it on the whole board."""

    row: Row
    first: str
    top: str
    above_next: str
    next: str


def chance_lines(
    chances: Sequence[RankChances], rows: Sequence[Row], names: Sequence[str]
) -> list[ChanceLine]:
    """The ranked rows shown that may be among the first three. `names` are by place."""
    lines = []
    for row in rows if chances else ():
        if row.place is None or chances[row.place - 1].top < _LEAST:
            continue
        of_row = chances[row.place - 1]
        below = "" if of_row.above_next is None else names[row.place]
        first, top, above = map(chance_text, astuple(of_row))
        lines.append(ChanceLine(row, first, top, above, below))
    return lines


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
