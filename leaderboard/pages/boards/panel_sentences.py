"""The lines under a board's answer: the difference that it can show; if people rate, the raters,
their agreement, and the intervals' scope."""

from django.utils.translation import gettext, ngettext

from leaderboard.annotation.models import PanelAgreement
from leaderboard.boards.panels import Panels
from leaderboard.pages.shared.numbers import rounded
from leaderboard.pages.shared.panel_words import gate_words, lack_words, scale_words
from leaderboard.scores.models import Board

# K. Krippendorff, Content Analysis, 4th ed. 2019, chapter 12: thresholds for reliable data and for
# tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667


def panel_lines(panels: Panels, metric: str, unshared: int = 0) -> list[str]:
    """`unshared`: the pairs of ranked entrants that are tied for lack of common raters."""
    scores = (score for of_row in panels.scores.values() for score in of_row)
    rows = [score for score in scores if score.criterion == metric]
    if not rows:
        return []
    lines: list[str] = []
    for alpha in panels.agreements:
        if not lines and (alpha.criterion, alpha.measure) == (metric, "alpha"):
            lines = [agreement_line(alpha), gate_words(alpha.low, alpha.campaign.least_agreement)]
    # If there are published means, the intervals shown are theirs.
    rows = [row for row in rows if row.published] or rows
    raters = max(row.raters for row in rows)
    text = ngettext(
        "%(raters)d rater; intervals, ranks and ties hold for similar tasks and only this panel.",
        "%(raters)d raters; intervals, ranks and ties hold for similar tasks and only this panel.",
        raters,
    )
    if all(row.scope == "population" for row in rows if row.value is not None):
        text = ngettext(
            "%(raters)d rater; the intervals hold for similar tasks and raters, the ranks and "
            "ties for similar tasks and only this panel.",
            "%(raters)d raters; the intervals hold for similar tasks and raters, the ranks and "
            "ties for similar tasks and only this panel.",
            raters,
        )
    # Nothing before the first mark.
    lines.append(text % {"raters": raters} if raters else "")
    if unshared:
        text = ngettext(
            "%(number)d pair of entrants counts as tied whatever their means: different people "
            "rated the two, so their difference may be one between raters.",
            "%(number)d pairs of entrants count as tied whatever their means: different people "
            "rated the two, so their difference may be one between raters.",
            unshared,
        )
        lines.append(text % {"number": unshared})
    return [line for line in lines if line]


def agreement_line(alpha: PanelAgreement) -> str:
    scale = scale_words(alpha.criterion)
    if alpha.value is None:
        text = gettext("The agreement between raters on %(scale)s cannot be computed: %(lack)s.")
        return text % {"scale": scale, "lack": lack_words(alpha.lack)}
    statistic = gettext("alpha %(value)s") % {"value": rounded(alpha.value, 2)}
    if alpha.low is not None and alpha.high is not None:
        numbers = {name: rounded(getattr(alpha, name), 2) for name in ("value", "low", "high")}
        statistic = gettext("alpha %(value)s (%(low)s–%(high)s)") % numbers
    text = gettext("The raters agree little on %(scale)s: %(alpha)s.")
    if alpha.value >= RELIABLE:
        text = gettext("The raters agree closely on %(scale)s: %(alpha)s.")
    elif alpha.value >= TENTATIVE:
        text = gettext(
            "The raters agree on %(scale)s, enough for tentative conclusions: %(alpha)s."
        )
    return text % {"scale": scale, "alpha": statistic}


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
