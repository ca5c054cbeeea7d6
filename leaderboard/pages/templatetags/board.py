"""Rows of boards and cells of the overview as HTML, made here and not in a template: a board has
hundreds of rows."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

from django import template
from django.template.context import Context
from django.template.loader import render_to_string
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext, ngettext

from leaderboard.pages.shared.panel_words import hold_words, holds_words
from leaderboard.pages.templatetags.assay import (
    compact_date,
    count,
    defined_on,
    heat,
    heats,
    interval,
    measure,
    missing,
    number_cells,
    percent,
    plus_minus,
    rank_bars,
    score_shortly,
)

register = template.Library()


@register.simple_tag(takes_context=True)
def board_row(context: Context, row: Any, *, ranked: bool = True) -> SafeString:
    """A row (rows.BoardRow) of the context's `table` and `axis`."""
    table, own = context["table"], row.entrant.team_id in context["own_teams"]
    slices = judged = ""
    if table.slice:
        slices = format_html(
            '<td class="slices secondary optional-2"><span class="heats">{}</span></td>',
            heats(row.slices),
        )
    if context["judged_shown"]:
        judged = format_html('<td class="date secondary">{}</td>', compact_date(row.judged))
    return format_html(
        "{}{}{}{}{}{}{}</tr>",
        _start(row, own) if ranked else _start_unranked(own),
        _entrant(row, own, context["transcripts"]),
        _score(row, table.unit),
        _interval(row, context["axis"]),
        number_cells(row.others),
        slices,
        judged,
    )


@register.simple_tag
def overview_cells(cells: Iterable[Any], sorted_at: int | None) -> SafeString:
    """The cells (overview.Cell or None) of an entrant in the overview."""
    made = (_overview_cell(cell, place == sorted_at) for place, cell in enumerate(cells))
    return mark_safe("".join(made))  # noqa: S308 - safe parts


def _overview_cell(cell: Any, is_sorted: bool) -> SafeString:
    start = mark_safe(' class="sorted-by"' if is_sorted else "")  # noqa: S308
    if cell is None:
        return format_html("<td{}>{}</td>", start, heat(None))
    text = score_shortly(cell) if cell.top else None
    mark, under = "*" if cell.without else "", ""
    if cell.low is not None and cell.high is not None:
        under = f"{percent(cell.low, 0)}–{percent(cell.high, 0)}"
    if under or mark:
        under = format_html('<span class="under">{}{}</span>', under, mark)
    return format_html(
        "<td{}>{}{}</td>", start, heat(cell.value, text, url=cell.url, best=cell.best), under
    )


def _start(row: Any, own: bool) -> SafeString:
    kinds = {"leading": row.leading, "group-end": row.group_end, "own": own}
    return format_html(
        '<tr class="{}" data-groups="{}"><td class="rank">{}{}</td>',
        " ".join(kind for kind, holds in kinds.items() if holds),
        row.groups,
        rank_bars(row.bars),
        row.rank or "–",
    )


def _start_unranked(own: bool) -> SafeString:
    start = '<tr{}><td class="rank">{}</td>'
    return format_html(start, mark_safe(' class="own"') if own else "", missing())  # noqa: S308


def _entrant(row: Any, own: bool, transcripts: bool) -> SafeString:
    entrant, here = row.entrant, row.submission.asked_here
    facts = [row.entrant_line]
    if row.ledger:
        facts.append(_runs(row.ledger))
    if transcripts:
        facts.append(_part("boards/_run_by.html", here, get_language()))
    yours = format_html(' <span class="tag">{}</span>', gettext("yours")) if own else ""
    return format_html(
        '<th scope="row" class="entrant"><input class="choose" type="checkbox" name="entrant" '
        'value="{}" aria-label="{}"><a class="name" href="{}">{}</a> {}{}'
        '<span class="under">{}{}{}</span></th>',
        entrant.slug,
        gettext("Compare %(name)s") % {"name": entrant.name},
        entrant.get_absolute_url(),
        entrant.name,
        _part("parts/hallmark.html", here, get_language()),
        yours,
        *_joined(facts),
    )


def _joined(facts: list[str]) -> list[str]:
    """Three parts: missing ones are empty."""
    parts = [facts[0], *(format_html(" · {}", fact) for fact in facts[1:])]
    return [*parts, "", ""][:3]


def _runs(ledger: Any) -> str:
    words = ngettext(
        "%(published)s of %(all)s evaluated run published",
        "%(published)s of %(all)s evaluated runs published",
        ledger.judged,
    ) % {"all": count(ledger.judged), "published": count(ledger.published)}
    if not ledger.declared:
        return words
    declared = ngettext(
        "%(all)s run declared, %(unused)s never uploaded, %(gone)s withdrawn",
        "%(all)s runs declared, %(unused)s never uploaded, %(gone)s withdrawn",
        ledger.declared,
    )
    numbers = {"all": ledger.declared, "unused": ledger.unused, "gone": ledger.withdrawn}
    return f"{words} · {declared % {name: count(number) for name, number in numbers.items()}}"


@lru_cache(maxsize=32)
def _part(name: str, asked_here: bool, _language: str | None) -> SafeString:
    """A template of a submission, which shows only who asked for its generations."""
    return render_to_string(name, {"submission": SimpleNamespace(asked_here=asked_here)})


def _score(row: Any, unit: str) -> SafeString:
    return format_html(
        '<td class="score"><a href="{}">{}</a><span class="under">{}</span></td>',
        row.submission.get_absolute_url(),
        measure(row.value, unit),
        _under_score(row, unit),
    )


def _under_score(row: Any, unit: str) -> str:
    if row.value is not None:
        return f"{plus_minus(row.value, row.low, row.high, unit)} {defined_on(row.own)}".rstrip()
    if row.scored_again:
        return gettext("is scored again")
    if row.holds or row.low is None:
        return gettext("provisional")
    return f"{percent(row.low)}–{percent(row.high)}"


def _interval(row: Any, axis: Any) -> SafeString:
    if not row.holds:
        return format_html('<td class="interval">{}</td>', interval(row, axis))
    return format_html(
        '<td class="interval"><span class="second small" title="{}">{}</span></td>',
        holds_words(row.holds),
        hold_words(row.holds[0]),
    )
