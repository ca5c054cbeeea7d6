"""Filters for marks, on the pages of rating."""

from django import template
from django.utils.translation import gettext

from leaderboard.pages.shared.numbers import nearest, rounded
from leaderboard.pages.shared.panel_words import gate_words, holds_words, lack_words, scale_name
from leaderboard.pages.shared.score_words import missing, moment

register = template.Library()
for words in (gate_words, holds_words, lack_words, moment):
    register.filter(words)
register.filter("scale", scale_name)


@register.filter
def marks(value: float | None, digits: int = 2) -> str:
    """2.666 as "2.67", negative values with a minus sign; None as a dash."""
    if value is None:
        return missing()
    sign = "\N{MINUS SIGN}" if nearest(value, digits) < 0 else ""
    return sign + rounded(abs(value), digits)


@register.simple_tag
def bounds(low: float | None, high: float | None) -> str:
    """Formats as "2.10 to 2.85"; "" if there is no interval."""
    if low is None or high is None:
        return ""
    return gettext("%(low)s to %(high)s") % {"low": marks(low), "high": marks(high)}


@register.filter
def minutes(seconds: int | None) -> str:
    """90 s as "2", in whole minutes; None and 0 as a dash."""
    return rounded(seconds / 60, 0) if seconds else missing()
