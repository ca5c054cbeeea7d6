"""Words for metrics, and for the results of ratings: scales, reasons, agreement of raters. Pure."""

from collections.abc import Iterable
from math import floor

from django.utils.text import capfirst
from django.utils.translation import gettext

from evaluation.engine.registry import METRIC_WORDS
from leaderboard.pages.shared.numbers import EXACT, rounded


def metric_words(metric: str) -> str:
    """A metric written out, with its abbreviation; pass@k and unknown ones as they are."""
    words = METRIC_WORDS.get(metric)
    return gettext(words) if words else metric


def scale_words(criterion: str) -> str:
    return gettext(criterion)


def scale_name(criterion: str) -> str:
    return capfirst(scale_words(criterion))


def hold_words(hold: str) -> str:
    reasons = {
        "not_rated": gettext("not opened for rating yet"),
        "unrated_generations": gettext("some generations are not rated yet"),
        "too_few_ratings": gettext("too few marks yet"),
        "agreement_unknown": gettext("too few marks to compute the agreement between raters"),
        "too_little_agreement": gettext("the raters agree too little"),
        "constant_marks": gettext("all marks are the same: the organisers decide"),
    }
    return reasons.get(hold, hold.replace("_", " "))


def holds_words(holds: Iterable[str]) -> str:
    return ", ".join(map(hold_words, holds))


def lack_words(lack: str) -> str:
    reasons = {
        "too_few_raters": gettext("too few: fewer than two raters"),
        "too_little_shared": gettext("too few: fewer than ten tasks with several raters"),
        "too_few_other_marks": gettext(
            "fewer than five tasks have a generation that most raters gave another mark than the "
            "most frequent one, so these few would decide it"
        ),
        "no_variation": gettext("all marks are the same"),
    }
    return reasons.get(lack, lack.replace("_", " "))


def gate_words(low: float | None, least: float) -> str:
    """Whether the lower end of alpha's interval lets means be published; "" without an end."""
    if low is None:
        return ""
    if low >= least:
        sentence = gettext("Its lower end, %(low)s, reaches the required %(least)s.")
    else:
        sentence = gettext("Its lower end, %(low)s, is below the required %(least)s.")
    # Rounds down, so that an end below the minimum is not shown as equal to it.
    down = floor(round(low * 1000, EXACT)) / 1000
    return sentence % {"low": rounded(down, 3), "least": rounded(least, 3)}
