"""A benchmark's page and its files: the answer, the ranked table, the charts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import TypeVar

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from leaderboard.boards import arranging, exports, queries
from leaderboard.boards.facts import SignTable, chances_of, sign_table
from leaderboard.boards.filters import Filters
from leaderboard.boards.panels import panels_of
from leaderboard.boards.rows import Table, reference_scores
from leaderboard.boards.scores import WHOLE, ShownScore
from leaderboard.pages.boards import board_charts, panel_sentences, sentences, words
from leaderboard.pages.boards import menus as board_menus
from leaderboard.pages.boards.board_charts import Card, Offered
from leaderboard.pages.boards.chances import ChanceLine, chance_lines, few_line, power_line
from leaderboard.pages.boards.menus import Choice, Heads, Menu
from leaderboard.pages.boards.views.selection import Selected, SelectedPage, select
from leaderboard.pages.shared.citing import Citation
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.drawing import Axis, interval_axis, unit_of
from leaderboard.pages.shared.record import render_page
from leaderboard.pages.shared.score_words import metric_name
from leaderboard.text import web_address

_Response = TypeVar("_Response", bound=HttpResponseBase)


@dataclass(frozen=True)
class BoardPage(SelectedPage):
    """`table` lacks the columns that the address hides; `part` is "" for the whole board.
    `own_teams` are the reader's. `power` is the difference that the board can show; `few` says why
    it has no `chances` of ranks; `signs` are those of memorisation. Filters do not limit `charts`.
    """

    crumbs: Sequence[Crumb]
    table: Table | None
    axis: Axis | None
    heads: Heads | None
    judged_shown: bool
    columns: Sequence[Choice]
    menus: Sequence[Menu]
    whole_query: str
    own_teams: frozenset[int]
    part: str
    answer: sentences.Answer
    tiers: str
    panel: Sequence[str]
    power: str
    few: str
    chances: Sequence[ChanceLine]
    signs: SignTable | None
    tasks_count: int
    languages: SafeString
    samples: int | None
    left_out: int
    references: Sequence[tuple[str, ShownScore]]
    engines: Sequence[str]
    untranslated: bool
    charts: Sequence[Card]
    breakdowns: Sequence[Choice]
    citations: Sequence[Citation]


@require_safe
def benchmark(request: HttpRequest, slug: str) -> HttpResponse:
    selected = select(request, slug)
    board, rows, filters = selected.board, selected.rows, selected.filters
    part = "" if selected.part == WHOLE else words.slice_value(*selected.part)
    hidden = frozenset(filter(None, selected.arrangement("hide").split(",")))
    whole = selected.table
    table = arranging.without(whole, hidden) if whole else None
    by, charts = request.GET.get("by", ""), Offered()
    if board and rows:
        charts = board_charts.offered(board, selected.benchmark.slug, selected.query, by)
    shared = sum(passes.shared for passes in charts.passes.values())
    power, few, chances, signs = "", "", list[ChanceLine](), None
    if board and table and selected.part == WHOLE:
        power = power_line(board, table.places, table.top)
        few = few_line(board, table.places, table.top)
        # Rows with a rank come first.
        names = [row.entrant.name for row in rows]
        chances = chance_lines(chances_of(board, table.places), table.ranked, names)
        signs = sign_table(board, table.places, table.ranked)
    languages = queries.languages_of([selected.revision.pk])[selected.revision.pk]
    teams = request.user.teams.all() if request.user.is_authenticated else ()
    page = BoardPage(
        selected=selected,
        crumbs=[Crumb(gettext("Benchmarks"), reverse("benchmarks")), Crumb(selected.title)],
        table=table,
        axis=interval_axis(table.on_axis, unit_of(table.top)) if table else None,
        heads=board_menus.heads(table, selected.arrangement("sort"), filters) if table else None,
        judged_shown="judged" not in hidden,
        columns=board_menus.column_choices(whole, hidden, filters) if whole else [],
        menus=(
            *board_menus.row_menus(filters, rows),
            *board_menus.part_menus(
                selected.slices, selected.part, partial(filters.query, sort="")
            ),
        ),
        whole_query=filters.query(slice="", value="", sort=""),
        own_teams=frozenset(team.pk for team in teams),
        part=part,
        answer=_answer(selected, table, part),
        tiers=sentences.tier_sentence(
            sum(passes.outside for passes in charts.passes.values()),
            shared,
            queries.reviewed_passes(board) if board and shared else 0,
        ),
        panel=_panel(selected),
        power=power,
        few=few,
        chances=chances,
        signs=signs,
        tasks_count=sum(tasks for _language, _natural, tasks in languages),
        languages=words.language_fact(languages),
        samples=None if selected.transcripts else words.samples_each(rows, selected.metric),
        left_out=len(selected.revision.left_out()),
        references=[(words.reference_words(s.metric), s) for s in reference_scores(rows)],
        engines=sorted({row.engine_version for row in rows}),
        untranslated=words.untranslated_in(selected.slices),
        charts=charts.cards if table and table.ranked else [],
        breakdowns=_breakdowns(dict(charts.breakdowns), by, filters),
        citations=_citations(selected, f"{request.scheme}://{request.get_host()}"),
    )
    return render_page(request, "boards/benchmark.html", page)


def _answer(selected: Selected, table: Table | None, part: str) -> sentences.Answer:
    if table and table.rows and selected.part != WHOLE:
        best = arranging.best_first(table.ranked, lower=table.metric in table.lower)
        score = best[0].scores.get((table.metric, *selected.part)) if best else None
        name = best[0].entrant.name if best else ""
        return sentences.of_part(score, name, part, table.metric)
    shown = None
    if table and selected.filters.active:
        shown = sorted(table.rows, key=lambda row: inf if row.place is None else row.place)
    return sentences.answer(selected.board, selected.rows, selected.top, shown=shown)


def _panel(selected: Selected) -> list[str]:
    if not selected.scales or not selected.rows:
        return []
    panels = panels_of(row.submission for row in selected.rows)
    unshared = selected.board.facts.get("unshared", 0) if selected.board else 0
    return panel_sentences.lines(panels, selected.metric, unshared)


def _breakdowns(titles: Mapping[str, str], by: str, filters: Filters) -> list[Choice]:
    """Links to the breakdown by another slice, if there are several."""
    chosen = by if by in titles else next(iter(titles), "")
    return [
        Choice(title, f"{filters.query(by=name)}#chart-breakdown", name == chosen)
        for name, title in titles.items()
        if len(titles) > 1
    ]


def _citations(selected: Selected, site: str) -> list[Citation]:
    """`site` is the address before a path."""
    board, benchmark = selected.board, selected.benchmark
    revision = gettext("revision %(label)s") % {"label": selected.revision.label}
    setting = gettext("%(name)s setting") % {"name": words.setting_words(selected.setting)}
    facts = board.facts if board else {}
    versions = []
    if facts.get("engine"):
        versions.append(gettext("engine %(version)s") % {"version": facts["engine"]})
    if facts.get("metrics"):
        versions.append(gettext("metrics %(version)s") % {"version": facts["metrics"]})
    return [
        Citation(
            gettext("This board"),
            gettext("%(title)s leaderboard") % {"title": benchmark.title},
            site + selected.permanent,
            (revision, setting, metric_name(selected.metric, selected.top), *versions),
            board.made_at.year if board and board.made_at else None,
        ),
        Citation(
            gettext("The benchmark"),
            benchmark.title,
            web_address(benchmark.link) or site + benchmark.get_absolute_url(),
            (revision, f"SHA-256 {selected.revision.sha256}"),
            selected.revision.imported.year,
            author=benchmark.title,
        ),
    ]


@require_safe
def board_csv(request: HttpRequest, slug: str) -> HttpResponse:
    selected = select(request, slug)
    passes = board_charts.passes(selected.board) if selected.board else {}
    text = exports.as_csv(exports.board_lines(selected, passes))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    return as_file(response, selected, "csv")


@require_safe
def board_json(request: HttpRequest, slug: str) -> HttpResponse:
    selected = select(request, slug)
    passes = board_charts.passes(selected.board) if selected.board else {}
    document = exports.as_document(selected, passes)
    response = JsonResponse(document, json_dumps_params={"ensure_ascii": False, "indent": 1})
    return as_file(response, selected, "json")


def as_file(response: _Response, selected: Selected, ending: str, *more: str) -> _Response:
    parts = (selected.benchmark.slug, selected.setting, selected.revision.label, *more)
    name = "-".join("".join(c if c.isalnum() else "-" for c in part) for part in parts)
    safe = name.encode("ascii", "replace").decode().replace("?", "-")
    response["Content-Disposition"] = f'attachment; filename="{safe}.{ending}"'
    return response
