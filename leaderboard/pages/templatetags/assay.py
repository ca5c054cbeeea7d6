"""Template tags for all pages. No models or queries: rows are read by attribute or by key.

Numbers inside SVG have a decimal point in every language; displayed numbers follow the language.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from typing import Any

from django import template
from django.template.context import Context
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format, number_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext, gettext_lazy, pgettext

from evaluation.engine.records import Integrity, Status
from leaderboard.messages import Worded
from leaderboard.pages.shared.conversations.reading import has_conversations
from leaderboard.pages.shared.drawing import (
    PERCENT,
    Axis,
    Bar,
    part,
    read_on,
    unit_of,
)
from leaderboard.pages.shared.numbers import nearest, per_cent, rounded
from leaderboard.pages.shared.panel_words import metric_words, scale_words
from leaderboard.pages.shared.public import category_words, level_words

register = template.Library()
register.filter("level", level_words)
register.filter(scale_words)

HEAT_STEPS = 6
DOT_PITCH, DOTS_IN_LINE = 12, 20
MOST_CHUNK_CELLS = 100

# Each kind has a symbol in parts/sprite.html. Summaries use this order.
MARK_WORDS = {
    Status.PASSED.value: gettext_lazy("passed"),
    Status.FAILED.value: gettext_lazy("wrong result"),
    Status.COMPILE_ERROR.value: gettext_lazy("does not compile"),
    Status.RUNTIME_ERROR.value: gettext_lazy("error"),
    Status.TIMEOUT.value: gettext_lazy("too slow"),
    Status.MEMORY_EXCEEDED.value: gettext_lazy("too much memory"),
    Status.OUTPUT_EXCEEDED.value: gettext_lazy("too much output"),
    "review": gettext_lazy("under review"),
    "discounted": gettext_lazy("not counted after review"),
    Status.NOT_RUN.value: gettext_lazy("not run yet (our side)"),
    "waiting": gettext_lazy("not judged yet"),
}
CHUNK_WORDS = {
    "done": gettext_lazy("done"),
    "running": gettext_lazy("being judged"),
    "returned": gettext_lazy("returned to the queue"),
    "lost": gettext_lazy("lost, to be retried"),
    "cancelled": gettext_lazy("cancelled"),
    "waiting": gettext_lazy("waiting"),
}
# A cell for several chunks shows the first of these states that occurs.
_CHUNK_URGENCY = ("returned", "lost", "running", "waiting", "cancelled", "done")


# --- Numbers in words ---------------------------------------------------------------------


def missing() -> SafeString:
    """The dash for a missing number, which is never shown as zero or blank."""
    return format_html('<span class="missing">{}</span>', "–")


@register.filter
def signed(value: float | None, digits: int = 2) -> str:
    """With its sign; 0 has none. None as a dash."""
    if value is None:
        return missing()
    shown = nearest(value, digits)
    sign = "+" if shown > 0 else "−" if shown < 0 else ""
    return sign + rounded(abs(value), digits)


@register.filter
def web_address(link: str) -> str:
    """The link if it is http(s), else "": a stored script URL must not run."""
    return link if link.startswith(("https://", "http://")) else ""


@register.filter
def percent(value: float | None, digits: int = 1) -> str:
    """0.784 as "78.4"; None as a dash."""
    return missing() if value is None else per_cent(value, digits)


@register.filter
def category(value: Any) -> Any:
    """A category's words; any other value as it is."""
    return category_words(value) if isinstance(value, str) else value


@register.filter
def measure(value: float | None, unit: str = PERCENT) -> str:
    """A score in its unit: per cent with one digit, or plain with two."""
    if unit == PERCENT or value is None:
        return percent(value)
    return rounded(value, 2)


@register.filter
def score_number(score: Any) -> str:
    """A score (value, is_count, top) in its unit: a count, a mean mark, or per cent."""
    value = part(score, "value")
    if part(score, "is_count") and value is not None:
        return count(round(value)) if value == round(value) else rounded(value, 2)
    return _on_scale(value, score)


@register.filter
def score_ends(score: Any) -> str:
    """A score's interval in its unit, for example 73.2–83.6; a dash without an interval."""
    low, high = part(score, "low"), part(score, "high")
    if low is None or high is None:
        return missing()
    return f"{_on_scale(low, score)}–{_on_scale(high, score)}"


@register.filter
def score_shortly(score: Any) -> str:
    """For cells: whole per cent, or a mean mark with one digit."""
    value, top = part(score, "value"), part(score, "top")
    if value is None or top is None:
        return percent(value, 0)
    return rounded(read_on(value, top) or 0, 1)


@register.simple_tag(takes_context=True)
def page_title(context: Context) -> str:
    """Renders the page's block `title` again: a template can define a block only once."""
    title = context.render_context[BLOCK_CONTEXT_KEY].get_block("title")
    return str(title.render(context))


@register.simple_tag
def metric_name(metric: str, top: int | None) -> str:
    """A metric's display name; rating scales are translated."""
    return metric_words(metric) if top is None else scale_words(metric)


@register.filter
def score_told(score: Any) -> str:
    """Formats as "78.4 %" or "3.83 of 4"; a missing value as a dash."""
    number, top = score_number(score), part(score, "top")
    if part(score, "value") is None or part(score, "is_count"):
        return number
    if top is None:
        return gettext("%(number)s %%") % {"number": number}
    return gettext("%(mark)s of %(top)s") % {"mark": number, "top": top}


@register.filter
def shown(row: Worded, sentence: str) -> str:
    return row.shown(sentence)


@register.filter
def error_parts(score: Any) -> str:
    """The two parts of a score's standard error; "" if they are unknown."""
    tasks, runs = part(score, "error_tasks"), part(score, "error_runs")
    if tasks is None or runs is None:
        return ""
    sentence = gettext(
        "Standard error %(whole)s points: %(tasks)s from the choice of tasks, %(runs)s from run "
        "to run."
    )
    parts = {"whole": math.hypot(tasks, runs), "tasks": tasks, "runs": runs}
    return sentence % {name: per_cent(value) for name, value in parts.items()}


@register.filter
def lacks_parts(scores: Sequence[Any], submission: Any) -> bool:
    """Whether there are several samples of each task or instruction, and no score's error has two
    parts. Conversations never have any."""
    if has_conversations(submission.setting):
        return False
    shares = [score for score in scores if part(score, "low") is not None]
    samples = min((submission.generations_count / score.n for score in shares), default=0)
    return samples >= 2 and not any(map(error_parts, shares))


@register.filter
def defined_on(score: Any) -> str:
    """For example "on 18 of 20 turns", for a score that is not defined on every turn."""
    defined = part(score, "defined")
    if defined is None:
        return ""
    words = {"number": count(defined), "turns": count(part(score, "n"))}
    return gettext("on %(number)s of %(turns)s turns") % words


def _on_scale(share: float | None, score: Any) -> str:
    top = part(score, "top")
    return measure(read_on(share, top), unit_of(top))


@register.filter
def count(value: int | None) -> str:
    """1640 as "1,640"; None as a dash."""
    return missing() if value is None else number_format(value, 0, force_grouping=True)


@register.filter
def seconds(milliseconds: float | None) -> str:
    """311 ms as "0.311 s"; from ten seconds with one digit; None as a dash."""
    if milliseconds is None:
        return missing()
    digits = 3 if milliseconds < 10_000 else 1
    return gettext("%(number)s s") % {"number": rounded(milliseconds / 1000, digits)}


@register.filter
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


# --- Marks --------------------------------------------------------------------------------


def mark_kind(status: str | None, integrity: str | None = None) -> str:
    """The key in MARK_WORDS for a verdict, or for none."""
    if not status:
        return "waiting"
    if status == Status.PASSED and integrity == Integrity.SUSPECT:
        return "review"
    if status == Status.PASSED and integrity == Integrity.CONFIRMED:
        return "discounted"
    return str(status)


@register.inclusion_tag("parts/verdict_mark.html")
def verdict_mark(
    status: str | None, integrity: str | None = None, *, words: bool = True
) -> dict[str, Any]:
    """The mark with its words; `words=False` shows them to screen readers only."""
    kind = mark_kind(status, integrity)
    return {"kind": kind, "text": MARK_WORDS[kind], "words": words}


def tally(kinds: Iterable[str], words: Mapping[str, Any]) -> str:
    """Counts in the order of `words`, for example "8 passed, 1 too slow"."""
    counts = Counter(kinds)
    pairs = [{"number": counts[kind], "words": words[kind]} for kind in words if counts[kind]]
    return ", ".join(gettext("%(number)s %(words)s") % pair for pair in pairs)


@register.simple_tag
def task_dots(verdicts: Iterable[Any]) -> SafeString:
    """One mark for each verdict (a row with status and integrity, or None), in lines of 20. Made
    here instead of in a template, because a page has a thousand."""
    kinds = tuple(mark_kind(part(one, "status"), part(one, "integrity")) for one in verdicts)
    return _dots(kinds, get_language()) if kinds else missing()


@lru_cache(maxsize=1_000)
def _dots(kinds: tuple[str, ...], _language: str | None) -> SafeString:
    marks = (
        f'<use href="#mark-{kind}" class="mark-{kind}" x="{index % DOTS_IN_LINE * DOT_PITCH}" '
        f'y="{index // DOTS_IN_LINE * DOT_PITCH}"/>'
        for index, kind in enumerate(kinds)
    )
    width = min(len(kinds), DOTS_IN_LINE) * DOT_PITCH - 2
    height = math.ceil(len(kinds) / DOTS_IN_LINE) * DOT_PITCH - 2
    return format_html(
        '<svg class="dots" role="img" aria-label="{0}" viewBox="0 0 {1} {2}" width="{1}" '
        'height="{2}"><title>{0}</title>{3}</svg>',
        tally(kinds, MARK_WORDS),
        width,
        height,
        mark_safe("".join(marks)),  # noqa: S308 - kinds of MARK_WORDS
    )


def heat_step(value: float | None) -> int | None:
    """The step of a heat cell, 1 to 6, for a value of 0 to 1; None for None."""
    if value is None:
        return None
    return min(HEAT_STEPS, max(1, math.floor(value * HEAT_STEPS) + 1))


@register.simple_tag
def heat(
    value: float | None, text: str | None = None, *, url: str = "", best: bool = False
) -> SafeString:
    """A cell coloured by a value from 0 to 1, hatched for None; the text defaults to the value in
    per cent."""
    step = heat_step(value)
    if step is None:
        none = (
            '<span class="heat heat-missing"><span aria-hidden="true">–</span>'
            '<span class="visually-hidden">{}</span></span>'
        )
        return format_html(none, gettext("not run"))
    kind = f"heat heat-{step} heat-best" if best else f"heat heat-{step}"
    shown = percent(value, 0) if text is None else text
    if url:
        return format_html('<a class="{}" href="{}">{}</a>', kind, url, shown)
    return format_html('<span class="{}">{}</span>', kind, shown)


@register.inclusion_tag("parts/steps.html")
def steps(items: Sequence[Any]) -> dict[str, Any]:
    """Steps with title, line and state: done, now, todo or stopped."""
    return {"steps": items}


@register.inclusion_tag("parts/chunks.html")
def chunks(states: Sequence[str]) -> dict[str, Any]:
    """The strip of chunks; above MOST_CHUNK_CELLS chunks, several share a cell."""
    each = max(1, math.ceil(len(states) / MOST_CHUNK_CELLS))
    groups = [states[start : start + each] for start in range(0, len(states), each)]
    return {
        "cells": [min(group, key=_CHUNK_URGENCY.index) for group in groups],
        "text": tally(states, CHUNK_WORDS),
        "each": each,
    }


# --- Drawings -----------------------------------------------------------------------------


def interval_text(low: float | None, high: float | None, *, bounds: bool, unit: str) -> str:
    """The text alternative of the drawing."""
    if low is None or high is None:
        return gettext("no interval")
    ends = {"low": measure(low, unit), "high": measure(high, unit)}
    if bounds:
        return gettext("between %(low)s and %(high)s, provisional") % ends
    return gettext("95 %% interval %(low)s to %(high)s") % ends


@lru_cache(maxsize=64)
def _grid(axis: Axis) -> SafeString:
    """The background of each interval of a board."""
    leader = '<rect class="leader" x="{}" width="{}" y="0" height="100%"/>'
    tick = '<line class="tick" x1="{0}" x2="{0}" y1="0" y2="100%"/>'
    ticks = format_html_join("", tick, ((tick.x,) for tick in axis.ticks))
    return format_html(leader, *axis.leader) + ticks if axis.leader else ticks


@register.simple_tag
def interval(row: Any, axis: Axis) -> SafeString:
    """One row's drawing, inside <td class="interval">; without a value, low and high are bounds."""
    value, low, high = (part(row, name) for name in ("value", "low", "high"))
    return _interval(value, low, high, axis, get_language())


@lru_cache(maxsize=2_000)
def _interval(
    value: float | None, low: float | None, high: float | None, axis: Axis, _language: str | None
) -> SafeString:
    bounds, line, point = value is None, "", ""
    if low is not None and high is not None:
        line = format_html(
            '<line class="{}" x1="{}" x2="{}" y1="50%" y2="50%"/>',
            "bounds" if bounds else "range",
            axis.x(low),
            axis.x(high),
        )
    if value is not None:
        point = format_html('<circle class="point" cx="{}" cy="50%" r="4.5"/>', axis.x(value))
    return format_html(
        '<svg class="interval-plot" role="img" aria-label="{}">{}{}{}</svg>',
        interval_text(low, high, bounds=bounds, unit=axis.unit),
        _grid(axis),
        line,
        point,
    )


@register.inclusion_tag("parts/axis.html", name="axis")
def axis_head(axis: Axis) -> dict[str, Any]:
    return {"axis": axis}


@register.simple_tag
def rank_bars(bars: Sequence[Bar]) -> SafeString:
    """Bars that join tie groups, the first element inside <td class="rank"> of <table class="table
    board lanes-N">, N being the number of parallel bars, up to rows.MOST_LANES."""
    return _joining(tuple(bars))


@lru_cache(maxsize=1_000)
def _joining(bars: tuple[Bar, ...]) -> SafeString:
    """Cached: most rows have the same bars as their neighbours."""
    kinds = ((f"bar-{bar.state} bar-lead" if bar.lead else f"bar-{bar.state}",) for bar in bars)
    lanes = format_html_join("", '<span class="rank-bar {}"></span>', kinds)
    return format_html('<span class="rank-bars" aria-hidden="true">{}</span>', lanes)


# --- Navigation ---------------------------------------------------------------------------


@register.inclusion_tag("parts/nav_link.html", takes_context=True)
def nav_link(context: Context, name: str, text: str) -> dict[str, Any]:
    url, here = reverse(name), getattr(context.get("request"), "path", "")
    current = here == url if name == "home" else here.startswith(url)
    return {"url": url, "text": text, "current": current}
