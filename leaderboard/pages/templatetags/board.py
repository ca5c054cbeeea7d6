"""Rows of boards and cells of the overview as HTML, made here because there are hundreds."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import escape
from types import SimpleNamespace
from typing import Any

from django import template
from django.template import Engine
from django.template.context import Context
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from django.utils.timezone import localdate
from django.utils.translation import get_language, gettext, ngettext

from leaderboard.boards.queries import Ledger
from leaderboard.boards.rows import Row
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import entrant_line, identity, slice_value
from leaderboard.pages.shared.drawing import PERCENT, Axis, part, unit_of
from leaderboard.pages.shared.panel_words import hold_words, holds_words
from leaderboard.pages.shared.score_words import (
    compact_date,
    count,
    heat_step,
    measure,
    missing,
    percent,
    score_number,
    score_shortly,
    signed,
)
from leaderboard.pages.templatetags.assay import defined_on, heat, interval, rank_bars

register = template.Library()
register.filter("identity", identity)


@dataclass(frozen=True, slots=True)
class _Columns:
    """The texts and addresses that all rows of a table share. They are made once per table: one
    takes as long as the rest of a cell. `sorted_by` is the key of a head, and `title` its words."""

    language: str | None
    compare: str
    yours: str
    entrant: tuple[str, str]
    submission: tuple[str, str]
    metric: str
    top: int | None
    others: tuple[str, ...]
    slice: str
    slice_values: tuple[str, ...]
    sorted_by: str
    title: str
    judged: bool
    transcripts: bool
    axis: Axis
    # Dates of this year are written without it.
    year: int


@register.simple_tag(takes_context=True)
def board_rows(context: Context, rows: Iterable[Any], *, ranked: bool = True) -> SafeString:
    table, now = context["table"], context["heads"].now
    columns = _Columns(
        language=get_language(),
        compare=gettext("Compare %(name)s"),
        yours=escape(gettext("yours")),
        entrant=_around("entrant"),
        submission=_around("submission"),
        metric=table.metric,
        top=table.top,
        others=table.others,
        slice=table.slice,
        slice_values=table.slice_values,
        sorted_by=now.key,
        title=str(now.title),
        judged=context["judged_shown"],
        transcripts=context["selected"].transcripts,
        axis=context["axis"],
        year=localdate().year,
    )
    html: list[str] = []
    for row in rows:
        if row.reference:
            with context.push(row=row):
                reference = Engine.get_default().get_template("boards/_reference_row.html")
                html.append(reference.render(context))
        else:
            is_own = row.entrant.team_id in context["own_teams"]
            html.append(_row(row, columns, is_own=is_own, ranked=ranked))
    return mark_safe("".join(html))  # noqa: S308 - safe parts


def _around(name: str) -> tuple[str, str]:
    """The parts of an address before and after its slug or key."""
    before, _key, after = reverse(name, args=[0]).rpartition("0")
    return before, after


@lru_cache(maxsize=2_000)
def _row(row: Row, columns: _Columns, *, is_own: bool, ranked: bool) -> str:
    """Cached: most readers of a board get the same rows."""
    now, title = columns.sorted_by, columns.title
    slices = judged = ""
    if columns.slice:
        chosen = now.removeprefix(f"{columns.slice}:")
        start = _cell("slices secondary optional-2", "" if chosen == now else title)
        cells = _heats(row, columns, chosen)
        slices = f'{start}><span class="heats">{cells}</span></td>'
    if columns.judged:
        start = _cell("date secondary", title if now == "judged" else "")
        judged = f"{start}>{compact_date(row.finished)}</td>"
    drawn = (
        interval(row, columns.axis)
        if not row.holds
        else (
            f'<span class="second small" title="{escape(holds_words(row.holds))}">'
            f"{escape(hold_words(row.holds[0]))}</span>"
        )
    )
    return (
        _start(row, is_own=is_own, ranked=ranked)
        + _entrant(row, columns, is_own=is_own)
        + _score(row, columns)
        + f'<td class="interval">{drawn}</td>'
        + _number_cells(row, columns)
        + slices
        + judged
        + "</tr>"
    )


@register.simple_tag
def overview_rows(lines: Iterable[Any], sorted_at: int | None) -> SafeString:
    entrant, language = _around("entrant"), get_language()
    made = (
        _overview_row(line, line.entrant.slug.join(entrant), sorted_at, language) for line in lines
    )
    return mark_safe("".join(made))  # noqa: S308 - safe parts


@lru_cache(maxsize=2_000)
def _overview_row(line: Any, of_entrant: str, sorted_at: int | None, _language: str | None) -> str:
    cells = (
        _overview_cell(cell, url or f"{of_entrant}#means", place == sorted_at)
        for place, (cell, url) in enumerate(zip(line.cells, line.urls, strict=True))
    )
    return (
        f'<tr><th scope="row"><a class="name" href="{of_entrant}">{escape(line.entrant.shown_name)}'
        f'</a><span class="under">{line.entrant_line}</span></th>{"".join(cells)}</tr>'
    )


def _overview_cell(cell: Any, url: str, is_sorted: bool) -> str:
    start = '<td class="sorted-by">' if is_sorted else "<td>"
    if cell is None:
        return f"{start}{heat(None)}</td>"
    text = score_shortly(cell) if cell.top else None
    mark, under = "*" if cell.without else "", ""
    if cell.tied:
        reason = escape(gettext("cannot be distinguished from the first"))
        mark = f' <abbr title="{reason}">≈</abbr>'
    if cell.low is not None and cell.high is not None:
        ends = (score_shortly(cell._replace(value=end)) for end in (cell.low, cell.high))
        under = "–".join(ends)
    if under or mark:
        under = f'<span class="under">{under}{mark}</span>'
    return f"{start}{heat(cell.value, text, url=url, best=cell.best)}{under}</td>"


@register.simple_tag
def sign_rows(signs: Any) -> SafeString:
    entrant, language = _around("entrant"), get_language()
    rows = (
        f'<tr><th scope="row"><a class="name" href="{row.entrant.slug.join(entrant)}">'
        f"{escape(row.entrant.shown_name)}</a></th>"
        f"{_sign(overlap, language) if signs.overlaps else ''}"
        f"{_sign(age, language) if signs.ages else ''}</tr>"
        for row, overlap, age in signs.lines
    )
    return mark_safe("".join(rows))  # noqa: S308 - safe parts


@lru_cache(maxsize=2_000)
def _sign(sign: Any, _language: str | None) -> str:
    if sign is None:
        return f'<td class="num">{missing()}</td>'
    unusual = f'<span class="under">{escape(gettext("unusual"))}</span>' if sign.flagged else ""
    return (
        f'<td class="num">{points(sign.excess)} <span class="second">{points(sign.low)} … '
        f"{points(sign.high)}</span>{unusual}</td>"
    )


def points(share: float) -> str:
    return signed(share * 100, 1)


def _start(row: Row, *, is_own: bool, ranked: bool) -> str:
    if not ranked:
        kind = ' class="own"' if is_own else ""
        return f'<tr{kind}><td class="rank">{missing()}</td>'
    kinds = {"leading": row.leading, "group-end": row.group_end, "own": is_own}
    kind = " ".join(kind for kind, holds in kinds.items() if holds)
    groups = " ".join(map(str, row.groups)) if row.part is None else ""
    start = f'<tr class="{kind}" data-groups="{groups}"><td class="rank">'
    return f"{start}{rank_bars(row.bars)}{row.rank or '–'}</td>"


def _entrant(row: Row, columns: _Columns, *, is_own: bool) -> str:
    """Escapes only texts that people write; slugs have only letters, digits, "-" and "_"."""
    entrant, here, name = row.entrant, row.asked_here, escape(row.entrant.shown_name)
    facts: list[str] = [entrant_line(entrant)]
    if row.ledger:
        facts += map(escape, _runs(row.ledger))
    if columns.transcripts:
        facts.append(_part("boards/_run_by.html", here, columns.language))
    yours = f' <span class="tag">{columns.yours}</span>' if is_own else ""
    return (
        '<th scope="row" class="entrant"><input class="choose" type="checkbox" name="entrant" '
        f'value="{entrant.slug}" aria-label="{escape(columns.compare) % {"name": name}}">'
        f'<a class="name" href="{entrant.slug.join(columns.entrant)}">{name}</a>&nbsp;'
        f"{_part('parts/hallmark.html', here, columns.language)}{yours}"
        f'<span class="under">{" · ".join(facts)}</span></th>'
    )


def _runs(ledger: Ledger) -> Iterator[str]:
    """Which of the team's runs are missing; nothing if none is."""
    if ledger.unpublished:
        yield ngettext(
            "the team published %(published)s of %(all)s evaluated run",
            "the team published %(published)s of %(all)s evaluated runs",
            ledger.judged,
        ) % {"all": count(ledger.judged), "published": count(ledger.published)}
    if ledger.unused or ledger.withdrawn:
        numbers = {"all": ledger.declared, "unused": ledger.unused, "gone": ledger.withdrawn}
        yield ngettext(
            "%(all)s run declared, %(unused)s never uploaded, %(gone)s withdrawn",
            "%(all)s runs declared, %(unused)s never uploaded, %(gone)s withdrawn",
            ledger.declared,
        ) % {name: count(number) for name, number in numbers.items()}


@lru_cache(maxsize=32)
def _part(name: str, asked_here: bool, _language: str | None) -> SafeString:
    """Renders a template that needs only to know who asked for a submission's generations."""
    return render_to_string(name, {"submission": SimpleNamespace(asked_here=asked_here)})


def _score(row: Row, columns: _Columns) -> str:
    address, unit = str(row.submission).join(columns.submission), unit_of(columns.top)
    if row.value is not None:
        around = plus_minus(row.value, row.low, row.high, unit)
        under = f"{around} {defined_on(row.overall(columns.metric))}".rstrip()
    elif not row.has_results:
        under = gettext("is scored again")
    elif row.holds or row.low is None:
        under = gettext("provisional")
    else:
        under = f"{percent(row.low)}–{percent(row.high)}"
    return (
        f'<td class="score"><a href="{address}">{measure(row.value, unit)}</a>'
        f'<span class="under">{escape(under)}</span></td>'
    )


def plus_minus(
    value: float | None, low: float | None, high: float | None, unit: str = PERCENT
) -> str:
    """Formats as "±5.2", or as "+4.9 −5.5" if the displayed sides differ."""
    if value is None or low is None or high is None:
        return ""
    # If an end equals the value, a rounding error may put the difference below 0.
    above, below = measure(max(0.0, high - value), unit), measure(max(0.0, value - low), unit)
    return f"±{above}" if above == below else f"+{above} −{below}"


def _cell(kind: str, label: str) -> str:
    """A cell's start, labelled if the rows are sorted by it: narrow pages hide the headings."""
    if not label:
        return f'<td class="{kind}"'
    return f'<td class="{kind} sorted-by" data-label="{escape(label)}"'


def _number_cells(row: Row, columns: _Columns) -> str:
    html = ""
    for metric in columns.others:
        score = row.overall(metric)
        title = f' title="{escape(score_note(score))}"' if score and score.note else ""
        on = defined_on(score)
        under = f'<span class="under">{escape(on)}</span>' if on else ""
        is_sorted = metric == columns.sorted_by
        start = _cell("num k secondary optional-1", columns.title if is_sorted else "")
        html += f"{start}{title}>{score_number(score)}{under}</td>"
    return html


def score_note(score: Any) -> str:
    """Why a score has no value; "" if there is no note."""
    note: str = part(score, "note") or ""
    if part(score, "top") is None:
        return in_readers_language(note)
    return holds_words(note.split(", ")) if note else ""


def _heats(row: Row, columns: _Columns, sorted_by: str) -> str:
    made = []
    for value in columns.slice_values:
        score = row.scores.get((columns.metric, columns.slice, value))
        label = escape(slice_value(columns.slice, value) or value)
        title = f"{label}: {escape(score_note(score))}" if score and score.note else label
        step = heat_step(score.value) if score else None
        shown = score_shortly(score) if step else "–"
        kind = f"heat heat-{step or 'missing'}{' sorted-by' if value == sorted_by else ''}"
        made.append(
            f'<span class="{kind}" title="{title}">'
            f'<span class="visually-hidden">{label} </span>{shown}</span>'
        )
    return "".join(made)
