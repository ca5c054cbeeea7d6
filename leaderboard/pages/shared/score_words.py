"""Scores, counts and dates as texts. Rows are read by attribute or by key."""

import math
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from django.utils import timezone
from django.utils.formats import date_format, number_format, time_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, pgettext

from evaluation.engine.metrics.paired import LEVEL
from leaderboard.boards.scores import read_on
from leaderboard.pages.shared.drawing import PERCENT, part, unit_of
from leaderboard.pages.shared.numbers import nearest, per_cent, rounded
from leaderboard.pages.shared.panel_words import metric_words, scale_words

HEAT_STEPS = 6


def missing() -> SafeString:
    """The dash for a missing number, which is never shown as zero or blank."""
    return format_html('<span class="missing">{}</span>', "–")


def p_number(p: float, *, up: bool = False) -> str:
    """Two digits, three below 0.1, never rounded across 5 %. `up`: rounds away from zero."""
    digits = 2 if p >= 0.1 else 3
    unit = 10**digits
    shown = -(-p * unit // 1) / unit if up else round(p * unit) / unit
    if p > LEVEL >= shown:
        shown = LEVEL + 1 / unit
    return number_format(shown, digits)


def p_text(p: float) -> str:
    return f"< {number_format(0.001, 3)}" if p < 0.001 else p_number(p)


def p_equals(p: float) -> str:
    """For example "p = 0.21"."""
    return f"p {p_text(p)}" if p < 0.001 else f"p = {p_text(p)}"


def signed(value: float | None, digits: int = 2) -> str:
    """With its sign; 0 has none. None as a dash."""
    if value is None:
        return missing()
    shown = nearest(value, digits)
    sign = "+" if shown > 0 else "−" if shown < 0 else ""
    return sign + rounded(abs(value), digits)


def percent(value: float | None, digits: int = 1) -> str:
    """0.784 as "78.4"; None as a dash."""
    return missing() if value is None else per_cent(value, digits)


def measure(value: float | None, unit: str = PERCENT) -> str:
    """A score in its unit: per cent with one digit, or plain with two."""
    if unit == PERCENT or value is None:
        return percent(value)
    return rounded(value, 2)


def score_number(score: Any) -> str:
    """A score (value, is_count, top) in its unit: a count, a mean mark, or per cent."""
    value = part(score, "value")
    if part(score, "is_count") and value is not None:
        return count(round(value)) if value == round(value) else rounded(value, 2)
    return _on_scale(value, score)


def score_ends(score: Any) -> str:
    """A score's interval in its unit, for example 73.2–83.6; a dash without an interval."""
    low, high = part(score, "low"), part(score, "high")
    if low is None or high is None:
        return missing()
    return f"{_on_scale(low, score)}–{_on_scale(high, score)}"


def score_shortly(score: Any) -> str:
    """For cells: whole per cent, or a mean mark with one digit."""
    value, top = part(score, "value"), part(score, "top")
    if value is None or top is None:
        return percent(value, 0)
    return rounded(read_on(value, top) or 0, 1)


def metric_name(metric: str, top: int | None) -> str:
    """A metric's display name; rating scales are translated."""
    return metric_words(metric) if top is None else scale_words(metric)


def score_told(score: Any) -> str:
    """Formats as "78.4 %" or "3.83 of 4"; a missing value as a dash."""
    number, top = score_number(score), part(score, "top")
    if part(score, "value") is None or part(score, "is_count"):
        return number
    if top is None:
        return gettext("%(number)s %%") % {"number": number}
    return gettext("%(mark)s of %(top)s") % {"mark": number, "top": top}


def _on_scale(share: float | None, score: Any) -> str:
    top = part(score, "top")
    return measure(read_on(share, top), unit_of(top))


def count(value: int | None) -> str:
    """1640 as "1,640"; None as a dash."""
    return missing() if value is None else number_format(value, 0, force_grouping=True)


def seconds(milliseconds: float | None) -> str:
    """311 ms as "0.311 s"; from ten seconds with one digit; None as a dash."""
    if milliseconds is None:
        return missing()
    digits = 3 if milliseconds < 10_000 else 1
    return gettext("%(number)s s") % {"number": rounded(milliseconds / 1000, digits)}


def compact_date(value: date | None) -> str:
    """Formats as "12 Nov", with the year if it is not the current one; None as a dash."""
    if value is None:
        return missing()
    if isinstance(value, datetime) and timezone.is_aware(value):
        value = timezone.localtime(value).date()
    return _dated(value, value.year == timezone.localdate().year, get_language())


@lru_cache(maxsize=2_000)
def _dated(value: date, this_year: bool, _language: str | None) -> str:
    if this_year:
        return date_format(value, pgettext("format of a date in this year", "j M"))
    return date_format(value, pgettext("format of a date in another year", "j M Y"))


def heat_step(value: float | None) -> int | None:
    """The step of a heat cell, 1 to 6, for a value of 0 to 1; None for None."""
    if value is None:
        return None
    return min(HEAT_STEPS, max(1, math.floor(value * HEAT_STEPS) + 1))


def moment(value: datetime) -> str:
    """Formats as "12 Nov, 17:34 UTC", with the year if it is not the current one."""
    return f"{compact_date(value)}, {time_format(timezone.localtime(value), 'H:i T')}"
