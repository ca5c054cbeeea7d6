"""The home page (overview, news, benchmarks) and the list of benchmarks."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext

from evaluation.engine.registry import FAMILIES
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards import queries
from leaderboard.boards.exports import as_csv, means_document, means_lines
from leaderboard.boards.filters import OF_ENTRANT, Filters
from leaderboard.boards.means import BENCHMARK, MEAN, SKILL
from leaderboard.boards.rows import Row, rank_text
from leaderboard.boards.scores import WHOLE, ShownScore, scores_shown
from leaderboard.boards.selection import Site
from leaderboard.pages.boards import words
from leaderboard.pages.boards.board_charts import Card
from leaderboard.pages.boards.columns import (
    MatrixLine,
    ShownColumn,
    View,
    columns_of,
    matrix_lines,
    shown_views,
)
from leaderboard.pages.boards.menus import Menu, entrant_menus
from leaderboard.pages.boards.views.charts import size_card
from leaderboard.pages.boards.views.entrants import ResultLine
from leaderboard.pages.shared.record import render_page

# Further entrants are on the benchmarks' own pages.
MOST_LINES = 40
_NEWS = 6
_WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class BenchmarkCard:
    benchmark: Benchmark
    languages: SafeString
    tasks: int
    entrants: int
    leader: Row | None = None
    score: ShownScore | None = None
    # The number of other rows with rank 1.
    level: int = 0


@dataclass(frozen=True)
class HomePage:
    """The table of entrants by `view`, with the queries that sort by its `columns`; `more` entrants
    follow its `lines`. `unordered` says why its means order nobody; `incomplete` names entrants and
    what they lack."""

    filters: Filters
    views: Sequence[tuple[View, str]]
    view: View
    columns: Sequence[tuple[ShownColumn, str]]
    sorted_by: str
    sorted_at: int | None
    lines: Sequence[MatrixLine]
    more: int
    incomplete: Sequence[tuple[str, str]]
    unordered: str
    menus: Sequence[Menu]
    untranslated: bool
    size: Card | None
    counts: Mapping[str, int]
    tasks_count: int
    cards: Sequence[BenchmarkCard]
    news: Sequence[ResultLine]
    news_of_week: bool
    families: Sequence[str]


def home(request: HttpRequest) -> HttpResponse:
    """On a fresh installation, shows the first steps."""
    site = Site(request.user)
    filters = Filters.of_query(request.GET.dict(), keep=("by", "sort"), names=OF_ENTRANT)
    views = shown_views(site)
    view = next((view for view in views if view.name == request.GET.get("by", "")), views[0])
    columns, cells = columns_of(site, view.name)
    sort = request.GET.get("sort", "")
    if not cells.get(sort):
        # Nobody has a place by a mean that every entrant lacks a part of.
        first = columns[0].key if columns else ""
        sort = first if cells.get(MEAN) or MEAN not in cells else ""
    lines = matrix_lines(columns, cells, sort, filters)
    lacking: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for line in lines[:MOST_LINES]:
        if line.without:
            lacking[line.without].append(line.entrant.shown_name)
    unordered = ""
    if columns and MEAN in cells and not cells[MEAN]:
        unordered = gettext(
            "No entrant has a result on every benchmark of the mean, therefore no order over all "
            "of them is fair. Sort by one benchmark."
        )
    skills = [("skill", name) for benchmark in site.benchmarks for name in benchmark.skills]
    keys, news = [column.key for column in columns], _news(site)
    dates = [piece.standing.submission.published for piece in news]
    page = HomePage(
        filters=filters,
        views=[(view, filters.query(by=view.name, sort="")) for view in views],
        view=view,
        columns=[(column, filters.query(sort=column.key)) for column in columns],
        sorted_by=sort,
        sorted_at=keys.index(sort) if sort in keys else None,
        lines=lines[:MOST_LINES],
        more=max(0, len(lines) - MOST_LINES),
        incomplete=[(", ".join(names), ", ".join(lack)) for lack, names in lacking.items()],
        unordered=unordered,
        menus=entrant_menus(filters, set().union(*cells.values())),
        untranslated=view.name == SKILL and words.untranslated(skills),
        size=size_card(cells.get(MEAN, {})),
        counts=queries.site_counts(site.user),
        tasks_count=sum(map(site.tasks_of, site.benchmarks)),
        # Without leaders: those need every row of the boards.
        cards=[_card(site, row, site.shown_on(row)) for row in site.benchmarks],
        news=news,
        news_of_week=all(date is not None and date >= timezone.now() - _WEEK for date in dates),
        families=sorted(FAMILIES),
    )
    return render_page(request, "boards/home.html", page)


def means_file(request: HttpRequest, ending: str) -> HttpResponse:
    """The whole table of the requested view, as CSV or JSON."""
    site = Site(request.user)
    names = [view.name for view in shown_views(site)]
    view = request.GET.get("by", "")
    document = means_document(site, view if view in names else BENCHMARK)
    if ending == "json":
        return JsonResponse(document, json_dumps_params={"ensure_ascii": False})
    name = "-".join(filter(None, ("means", document["by"])))
    text = as_csv(means_lines(document))
    response = HttpResponse(text, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return response


def benchmarks(request: HttpRequest) -> HttpResponse:
    site = Site(request.user)
    cards = []
    for benchmark in site.benchmarks:
        board = site.boards.get(benchmark.pk)
        rows = site.results.get(board.pk, []) if board else []
        ranked = [row for row in rows if row.place is not None]
        card = _card(site, benchmark, len(rows))
        # After a withdrawal there may be no row at place 1 until the board is remade.
        if board and ranked and ranked[0].place == 1:
            level = sum(row.rank_low == 1 for row in ranked) - 1
            score = ranked[0].overall(board.metric)
            card = replace(card, leader=ranked[0], score=score, level=level)
        cards.append(card)
    return render(request, "boards/benchmarks.html", {"cards": cards, "families": sorted(FAMILIES)})


def _card(site: Site, benchmark: Benchmark, entrants: int) -> BenchmarkCard:
    """Without a leader."""
    languages = words.language_fact(site.languages.get(benchmark.current_id or 0, []))
    return BenchmarkCard(benchmark, languages, site.tasks_of(benchmark), entrants)


def _news(site: Site) -> list[ResultLine]:
    standings = queries.latest_standings(site.every_board, _NEWS)
    scores = scores_shown(standings, ())
    news = []
    for standing in standings:
        board, rank = standing.board, rank_text(standing.rank_low, standing.rank_high)
        score = scores[standing.evaluation_id].get((board.metric, *WHOLE))
        first = board.revision.benchmark.setting
        setting = "" if board.setting == first else words.setting_title(board.setting)
        news.append(ResultLine(standing, setting, score if rank else None, rank))
    return news
