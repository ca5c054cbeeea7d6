"""The lines under a rated board's answer: raters, their agreement, and the intervals' scope."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext, ngettext

from leaderboard.annotation.models import PanelAgreement, PanelScore
from leaderboard.boards.panels import Panels
from leaderboard.pages.shared.numbers import rounded
from leaderboard.pages.shared.panel_words import gate_words, lack_words, scale_words

# K. Krippendorff, Content Analysis, 4th ed. 2019, chapter 12: thresholds for reliable data and for
# tentative conclusions.
RELIABLE, TENTATIVE = 0.8, 0.667


def lines(panels: Panels, metric: str, unshared: int = 0) -> list[str]:
    """`unshared`: the pairs of ranked entrants that are tied for lack of common raters."""
    rows = [row for found in panels.scores.values() for row in found if row.criterion == metric]
    if not rows:
        return []
    alphas = [one for one in panels.agreements if (one.criterion, one.measure) == (metric, "alpha")]
    told = [agreement_line(alphas[0])] if alphas else []
    told += filter(None, map(_gate_line, alphas[:1]))
    published = [row for row in rows if row.published]
    # If there are published means, the intervals shown are theirs.
    return [*told, *_panel_lines(published or rows), *_unshared_lines(unshared)]


def _gate_line(alpha: PanelAgreement) -> str:
    return gate_words(alpha.low, alpha.campaign.least_agreement)


def agreement_line(alpha: PanelAgreement) -> str:
    words = {"scale": scale_words(alpha.criterion), "alpha": alpha_text(alpha)}
    if alpha.value is None:
        words["lack"] = lack_words(alpha.lack)
        return (
            gettext("The agreement between raters on %(scale)s cannot be computed: %(lack)s.")
            % words
        )
    if alpha.value >= RELIABLE:
        return gettext("The raters agree closely on %(scale)s: %(alpha)s.") % words
    if alpha.value >= TENTATIVE:
        return (
            gettext("The raters agree on %(scale)s, enough for tentative conclusions: %(alpha)s.")
            % words
        )
    return gettext("The raters agree little on %(scale)s: %(alpha)s.") % words


def alpha_text(alpha: PanelAgreement) -> str:
    """Formats as alpha 0.90 (0.85–0.93)."""
    if alpha.value is None:
        return ""
    words = {"value": rounded(alpha.value, 2)}
    if alpha.low is None or alpha.high is None:
        return gettext("alpha %(value)s") % words
    words |= {"low": rounded(alpha.low, 2), "high": rounded(alpha.high, 2)}
    return gettext("alpha %(value)s (%(low)s–%(high)s)") % words


def _panel_lines(rows: Sequence[PanelScore]) -> list[str]:
    """The number of raters and the scope of intervals and ranks; empty before the first mark.

    Ranks come from comparisons by task, whatever the number of raters.
    """
    raters = max(row.raters for row in rows)
    if not raters:
        return []
    if all(row.scope == "population" for row in rows if row.value is not None):
        text = ngettext(
            "%(raters)d rater; the intervals hold for similar tasks and raters, the ranks and "
            "ties for similar tasks and only this panel.",
            "%(raters)d raters; the intervals hold for similar tasks and raters, the ranks and "
            "ties for similar tasks and only this panel.",
            raters,
        )
    else:
        text = ngettext(
            "%(raters)d rater; intervals, ranks and ties hold for similar tasks and only this "
            "panel.",
            "%(raters)d raters; intervals, ranks and ties hold for similar tasks and only this "
            "panel.",
            raters,
        )
    return [text % {"raters": raters}]


def _unshared_lines(pairs: int) -> list[str]:
    if not pairs:
        return []
    text = ngettext(
        "%(number)d pair of entrants counts as tied whatever their means: different people rated "
        "the two, so their difference may be one between raters.",
        "%(number)d pairs of entrants count as tied whatever their means: different people rated "
        "the two, so their difference may be one between raters.",
        pairs,
    )
    return [text % {"number": pairs}]
