"""Template tags for all pages. No models or queries: rows are read by attribute or by key."""

import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any
from urllib.parse import quote

from django import template
from django.conf import settings
from django.template.context import Context
from django.template.loader_tags import BLOCK_CONTEXT_KEY
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import capfirst
from django.utils.translation import get_language, get_language_info, gettext

from leaderboard.boards.rows import Bar
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.shared.code import shown_text, unseen_note
from leaderboard.pages.shared.conversations import has_conversations
from leaderboard.pages.shared.crumbs import account_crumbs, entrant_crumbs, submission_crumbs
from leaderboard.pages.shared.drawing import Axis, part
from leaderboard.pages.shared.mark_words import CHUNK_WORDS, MARK_WORDS, mark_kind, tally
from leaderboard.pages.shared.numbers import per_cent
from leaderboard.pages.shared.panel_words import scale_words
from leaderboard.pages.shared.public import category_words, instruction_words, level_words
from leaderboard.pages.shared.score_words import (
    compact_date,
    count,
    heat_step,
    measure,
    metric_name,
    missing,
    percent,
    score_ends,
    score_number,
    score_shortly,
    score_told,
    seconds,
    signed,
)
from leaderboard.text import web_address

register = template.Library()
register.filter("instruction", instruction_words)
register.filter("level", level_words)
register.filter("worded", in_readers_language)
for _crumbs in (account_crumbs, entrant_crumbs, submission_crumbs):
    register.simple_tag(_crumbs)
for _filter in (
    compact_date,
    count,
    has_conversations,
    measure,
    percent,
    scale_words,
    score_ends,
    score_number,
    score_shortly,
    score_told,
    seconds,
    setting_words,
    shown_text,
    signed,
    unseen_note,
    web_address,
):
    register.filter(_filter)
register.simple_tag(metric_name)

DOT_PITCH, DOTS_IN_LINE = 12, 20
MOST_CHUNK_CELLS = 100

# A cell for several chunks shows the first of these states that occurs.
_CHUNK_URGENCY = ("returned", "lost", "running", "waiting", "cancelled", "done")


@register.filter
def category(value: Any) -> Any:
    """A category's words; any other value as it is."""
    return category_words(value) if isinstance(value, str) else value


@register.filter
def with_code(sentence: str) -> SafeString:
    """The sentence in the reader's language, escaped; text in backticks becomes code."""
    sentence = in_readers_language(sentence)
    parts = sentence.split("`")
    if len(parts) % 2 == 0:
        return format_html("{}", sentence)
    parts[1::2] = [format_html("<code>{}</code>", part) for part in parts[1::2]]
    return format_html_join("", "{}", ((part,) for part in parts))


@register.simple_tag(takes_context=True)
def page_title(context: Context) -> str:
    """Renders the page's block `title` again: a template can define a block only once."""
    title = context.render_context[BLOCK_CONTEXT_KEY].get_block("title")
    return str(title.render(context))


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
    """Whether slots have several samples and no score's error has two parts; not in
    conversations."""
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


# --- Marks --------------------------------------------------------------------------------


@register.inclusion_tag("parts/verdict_mark.html")
def verdict_mark(
    status: str | None, integrity: str | None = None, *, words: bool = True
) -> dict[str, Any]:
    """The mark with its words; `words=False` shows them to screen readers only."""
    kind = mark_kind(status, integrity)
    return {"kind": kind, "text": MARK_WORDS[kind], "words": words}


@register.inclusion_tag("parts/legend.html")
def mark_legend() -> dict[str, Any]:
    return {"kinds": MARK_WORDS.items()}


@register.simple_tag
def contact() -> str:
    """The address of the operators; "" without the setting."""
    return f"mailto:{settings.CONTACT}" if "@" in settings.CONTACT else settings.CONTACT


@register.simple_tag
def task_dots(verdicts: Iterable[Any]) -> SafeString:
    """One mark for each verdict (a row with status and integrity, or None), in lines of 20. Made
    here instead of in a template, because a page has a thousand."""
    kinds = tuple(mark_kind(part(row, "status"), part(row, "integrity")) for row in verdicts)
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


@register.simple_tag
def heat(
    value: float | None, text: str | None = None, *, url: str = "", best: bool = False
) -> SafeString:
    """A cell coloured by a value from 0 to 1, with it in per cent or `text`; hatched for None."""
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


@register.inclusion_tag("parts/chunks.html")
def chunks(states: Sequence[str]) -> dict[str, Any]:
    """The strip of chunks; above MOST_CHUNK_CELLS chunks, several share a cell."""
    per_cell = max(1, math.ceil(len(states) / MOST_CHUNK_CELLS))
    groups = [states[start : start + per_cell] for start in range(0, len(states), per_cell)]
    return {
        "cells": [min(group, key=_CHUNK_URGENCY.index) for group in groups],
        "text": tally(states, CHUNK_WORDS),
        "per_cell": per_cell,
    }


# --- Drawings -----------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _grid(axis: Axis) -> SafeString:
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
    bounds, line, point, text = value is None, "", "", gettext("no interval")
    if low is not None and high is not None:
        text = gettext("95 %% interval %(low)s to %(high)s")
        if bounds:
            text = gettext("between %(low)s and %(high)s, provisional")
        text %= {"low": measure(low, axis.unit), "high": measure(high, axis.unit)}
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
        text,
        _grid(axis),
        line,
        point,
    )


@register.simple_tag
@lru_cache(maxsize=1_000)
def rank_bars(bars: tuple[Bar, ...]) -> SafeString:
    """Bars that join tie groups, first in <td class="rank"> of <table class="table board lanes-N">,
    N being their number. Cached: most rows have the same bars as their neighbours."""
    kinds = ((f"bar-{bar.state} bar-lead" if bar.lead else f"bar-{bar.state}",) for bar in bars)
    lanes = format_html_join("", '<span class="rank-bar {}"></span>', kinds)
    return format_html('<span class="rank-bars" aria-hidden="true">{}</span>', lanes)


# --- Navigation ---------------------------------------------------------------------------


# Both lists stand twice on a page, for desktops and phones. As templates they took a tenth of the
# time of a small page.
@register.simple_tag(takes_context=True)
def main_links(context: Context) -> SafeString:
    """The links of the header. That of the room in which the page lies is marked."""
    names = {
        "home": gettext("Overview"),
        "benchmarks": gettext("Benchmarks"),
        "entrants": gettext("Entrants"),
        "compare": gettext("Compare"),
        "rate": gettext("Rate") if getattr(context.get("user"), "is_rater", False) else "",
        "docs": gettext("Docs"),
        "search": gettext("Search"),
    }
    here, links = getattr(context.get("request"), "path", ""), []
    for name, text in names.items():
        if text:
            url = reverse(name)
            current = here == url if name == "home" else here.startswith(url)
            link = '<a href="{}" aria-current="page">{}</a>' if current else '<a href="{}">{}</a>'
            links.append((format_html(link, url, text),))
    return format_html_join("\n", "{}", links)


@register.simple_tag(takes_context=True)
def language_links(context: Context) -> SafeString:
    """Links, so that pages for visitors need no cookie."""
    page, links = quote(context["request"].get_full_path(), safe=""), []
    for code, _name in settings.LANGUAGES:
        link = '<a href="{}?next={}" lang="{}" rel="nofollow">{}</a>'
        if code == get_language():
            link = link.replace(">{}", ' aria-current="true">{}')
        url, name = reverse("language", args=[code]), get_language_info(code)["name_local"]
        links.append((format_html(link, url, page, code, capfirst(name)),))
    return format_html_join("", "{}", links)
