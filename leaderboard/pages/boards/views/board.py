"""A benchmark's page and its files: the answer, the ranked table, the charts."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import TypeVar

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.templatetags.static import static
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from evaluation.work import review
from leaderboard.finders import PREFIX
from leaderboard.pages.boards import (
    arranging,
    chances,
    exports,
    findings,
    memorisation,
    panel_sentences,
    queries,
    sentences,
    words,
)
from leaderboard.pages.boards.docs import doc_url
from leaderboard.pages.boards.filters import Choice
from leaderboard.pages.boards.panels import panels_of
from leaderboard.pages.boards.queries import WHOLE
from leaderboard.pages.boards.rows import BoardRow, Table, board_table, reference_scores
from leaderboard.pages.boards.views.selection import Selection, select
from leaderboard.pages.shared.citing import Citation
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.drawing import interval_axis
from leaderboard.pages.templatetags.assay import metric_name, web_address
from leaderboard.plotly_release import BUNDLE

_Response = TypeVar("_Response", bound=HttpResponseBase)


@require_safe
def benchmark(request: HttpRequest, slug: str) -> HttpResponse:
    selected = select(request, slug)
    found, by = _table(selected), request.GET.get("by", "")
    results = selected.results
    hidden = arranging.hidden_of(selected.arrangement("hide"))
    table = arranging.without(found, hidden) if found else None
    languages = queries.languages_of(selected.revision)
    context = {
        "selected": selected,
        "benchmark": selected.benchmark,
        "crumbs": [Crumb(gettext("Benchmarks"), reverse("benchmarks")), Crumb(selected.title)],
        "table": table,
        "axis": interval_axis(table.on_axis, table.unit) if table else None,
        "answer": _answer(selected, table),
        "part": words.slice_value(*selected.part) if selected.part != WHOLE else "",
        "heads": arranging.heads(table, selected.arrangement("sort"), selected.filters)
        if table
        else None,
        "columns": arranging.column_choices(found, hidden, selected.filters) if found else [],
        "judged_shown": "judged" not in hidden,
        "whole_query": selected.filters.query(slice="", value="", sort=""),
        "own_teams": _own_teams(request),
        "panel": _panel_lines(selected),
        **_chances(selected, table),
        "menus": [
            *selected.filters.result_menus(result.submission for result in results),
            *arranging.menus(selected.slices, selected.part, selected.filters),
        ],
        "tasks_count": sum(tasks for _, _, tasks in languages),
        "languages": words.language_fact(languages),
        "transcripts": selected.transcripts,
        "samples": None if selected.transcripts else words.samples_each(results, selected.metric),
        "left_out": len(selected.revision.left_out()),
        "references": [
            (words.reference_words(score.metric), score) for score in reference_scores(results)
        ],
        "reviewed": review.reviewed_counts(selected.board) if selected.board else (0, 0),
        "engines": sorted({result.engine_version for result in results}),
        **_charts(selected, table, by),
        "untranslated": words.untranslated_in(selected.slices),
        "plotly_src": static(f"{PREFIX}/{BUNDLE}"),
        "how": doc_url("metrics"),
        "citations": _citations(request, selected),
        "selection_query": selected.query,
        "row_query": selected.filters.query(),
    }
    return render(request, "boards/benchmark.html", context)


def _chances(selected: Selection, table: Table | None) -> dict[str, object]:
    """The chances of ranks, the board's power and the signs of memorisation; empty for a part of a
    board."""
    if selected.board is None or table is None or selected.part != WHOLE:
        return {}
    found = chances.chances_of(selected.board, table.places)
    # Rows with a rank come first.
    names = [result.entrant.name for result in selected.results]
    return {
        "power": chances.power_line(selected.board, table.places, selected.top),
        "few": chances.few_line(selected.board, table.places, selected.top),
        "chances": chances.chance_lines(found, table.ranked, names),
        "signs": memorisation.sign_table(selected.board, table.places, table.ranked),
    }


def _answer(selected: Selection, table: Table | None) -> sentences.Answer:
    part = selected.part
    if table and table.rows and part != WHOLE:
        first = next(iter(arranging.best_first(table)), None)
        score = first.result.scores.get((table.metric, *part)) if first else None
        name = first.entrant.name if first else ""
        return sentences.of_part(score, name, words.slice_value(*part), table.metric)
    rows = sorted(table.rows, key=_place) if table and selected.filters.active else None
    shown = None if rows is None else [row.result for row in rows]
    return sentences.answer(selected.board, selected.results, selected.top, shown=shown)


def _place(row: BoardRow) -> float:
    place = row.result.place
    return inf if place is None else place


def _own_teams(request: HttpRequest) -> set[int]:
    if not request.user.is_authenticated:
        return set()
    return set(request.user.teams.values_list("pk", flat=True))


def _panel_lines(selected: Selection) -> list[str]:
    if not selected.scales or not selected.results:
        return []
    found = panels_of(result.submission.pk for result in selected.results)
    unshared = selected.board.facts.get("unshared", 0) if selected.board else 0
    return panel_sentences.lines(found, selected.metric, unshared)


def _charts(selected: Selection, table: Table | None, by: str) -> dict[str, object]:
    """The charts of the whole board, regardless of filters."""
    if selected.board is None or not selected.results:
        return {}
    slug, query = selected.benchmark.slug, selected.query
    charts, kinds = findings.cards(selected.board, slug, query, by)
    return {
        "charts": charts if table and table.ranked else [],
        "breakdowns": _breakdowns(selected, kinds, by),
    }


def _breakdowns(selected: Selection, kinds: Sequence[tuple[str, str]], by: str) -> list[Choice]:
    if len(kinds) < 2:
        return []
    names = [name for name, _words in kinds]
    chosen = by if by in names else names[0]
    return [
        Choice(words, f"{selected.filters.query(by=name)}#chart-breakdown", name == chosen)
        for name, words in kinds
    ]


def _table(selected: Selection) -> Table | None:
    if selected.board is None or not selected.results:
        return None
    table = board_table(
        selected.board,
        selected.results,
        selected.filters,
        selected.benchmark.human_baseline,
        top=selected.top,
        ledgers=queries.ledgers_of(selected.revision, selected.setting),
    )
    if selected.part != WHOLE:
        table = arranging.limited(table, selected.part)
    return arranging.arranged(table, selected.arrangement("sort"))


def _citations(request: HttpRequest, selected: Selection) -> list[Citation]:
    revision = gettext("revision %(label)s") % {"label": selected.revision.label}
    setting = gettext("%(name)s setting") % {"name": words.setting_words(selected.setting)}
    board, benchmark = selected.board, selected.benchmark
    engine = board.facts.get("engine") if board else None
    version = [gettext("engine %(version)s") % {"version": engine}] if engine else []
    if board and (metrics := board.facts.get("metrics")):
        version.append(gettext("metrics %(version)s") % {"version": metrics})
    title = gettext("%(title)s leaderboard") % {"title": benchmark.title}
    return [
        Citation(
            gettext("This board"),
            title,
            request.build_absolute_uri(_permanent(selected)),
            (revision, setting, metric_name(selected.metric, selected.top), *version),
            board.made_at.year if board and board.made_at else None,
        ),
        Citation(
            gettext("The benchmark"),
            benchmark.title,
            web_address(benchmark.link) or request.build_absolute_uri(benchmark.get_absolute_url()),
            (revision, f"SHA-256 {selected.revision.sha256}"),
            selected.revision.imported.year,
            author=benchmark.title,
        ),
    ]


def _permanent(selected: Selection) -> str:
    """The address of this revision, which stays valid after a newer one."""
    kept = selected.bare(revision=selected.revision.label, setting=selected.setting)
    return selected.benchmark.get_absolute_url() + kept


@require_safe
def board_csv(request: HttpRequest, slug: str) -> HttpResponse:
    selected = select(request, slug)
    text = exports.as_csv(exports.board_lines(selected, _table(selected)))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    return as_file(response, selected, "csv")


@require_safe
def board_json(request: HttpRequest, slug: str) -> HttpResponse:
    selected = select(request, slug)
    references = reference_scores(selected.results)
    document = exports.as_document(selected, _table(selected), references)
    response = JsonResponse(document, json_dumps_params={"ensure_ascii": False, "indent": 1})
    return as_file(response, selected, "json")


def as_file(response: _Response, selected: Selection, ending: str, *more: str) -> _Response:
    parts = (selected.benchmark.slug, selected.setting, selected.revision.label, *more)
    name = "-".join("".join(c if c.isalnum() else "-" for c in part) for part in parts)
    safe = name.encode("ascii", "replace").decode().replace("?", "-")
    response["Content-Disposition"] = f'attachment; filename="{safe}.{ending}"'
    return response
