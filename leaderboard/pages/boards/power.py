"""The difference that a board can show, in words. Pure."""

from __future__ import annotations

from django.utils.translation import gettext

from leaderboard.pages.shared.numbers import rounded
from leaderboard.scores.models import Board


def power_line(board: Board, ranked: int, top: int | None) -> str:
    """The smallest difference that the board shows with 80 % power, or why there is none; `top` is
    the best mark, if people judge. "" if it was not computed."""
    facts = board.facts
    if ranked < 2 or "detectable" not in facts:
        return ""
    if facts.get("raters_differ"):
        return gettext(
            "Some entrants have too few raters in common. Therefore the smallest difference that "
            "this board shows is not known: it would depend on how the raters differ."
        )
    share = facts["detectable"]
    if share is None:
        return gettext(
            "This board is too small to say which difference between two entrants it shows with a "
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
