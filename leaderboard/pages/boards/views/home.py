"""The home page (overview, news, benchmarks) and the list of benchmarks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from evaluation.engine.registry import FAMILIES
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards import queries
from leaderboard.boards.filters import OF_ENTRANT, Filters
from leaderboard.boards.means import MEAN, SKILL
from leaderboard.boards.rows import Row, rank_text
from leaderboard.boards.scores import WHOLE, ShownScore, scores_shown
from leaderboard.boards.selection import Site
from leaderboard.pages.boards import words
from leaderboard.pages.boards.board_charts import Card
from leaderboard.pages.boards.columns import (
    Column,
    MatrixLine,
    View,
    columns_of,
    matrix_lines,
    views_of,
)
from leaderboard.pages.boards.menus import Choice, Menu, entrant_menus
from leaderboard.pages.boards.views.charts import size_card
from leaderboard.pages.boards.views.selection import reader
from leaderboard.pages.shared.record import render_page
from leaderboard.scores.models import Standing

# Further entrants are on the benchmarks' own pages.
MOST_LINES = 40
# The address asks for means over the benchmarks that all entrants of a column have in common.
COMMON = "common"
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


@dataclass(frozen=True, slots=True)
class News:
    standing: Standing
    score: ShownScore | None
    rank: str
    setting: str


@dataclass(frozen=True)
class HomePage:
    """The table of entrants by `view`, with the queries that sort by its `columns`; `more` entrants
    follow its `lines`. `unordered` says why its means order nobody; `incomplete` names entrants and
    what they lack."""

    filters: Filters
    views: Sequence[tuple[View, str]]
    view: View
    columns: Sequence[tuple[Column, str]]
    sorted_by: str
    sorted_at: int | None
    lines: Sequence[MatrixLine]
    more: int
    incomplete: Sequence[tuple[str, str]]
    unordered: str
    sets: Sequence[Choice]
    menus: Sequence[Menu]
    untranslated: bool
    size: Card | None
    counts: Mapping[str, int]
    tasks_count: int
    cards: Sequence[BenchmarkCard]
    news: Sequence[News]
    news_of_week: bool
    families: Sequence[str]


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """On a fresh installation, shows the first steps."""
    site = Site(reader(request))
    filters = Filters.of(request.GET.dict(), keep=("by", "sort", "set"), names=OF_ENTRANT)
    views = views_of(site)
    view = next((view for view in views if view.name == request.GET.get("by", "")), views[0])
    common = request.GET.get("set") == COMMON
    columns, cells = columns_of(site, view.name, filters if common else None)
    # The requested column, or else the one that compares most entrants; the mean over all
    # benchmarks is preferred unless it compares less than half as many.
    full = {key: sum(not cell.without for cell in own.values()) for key, own in cells.items()}
    sort = request.GET.get("sort", "")
    if not cells.get(sort):
        sort = max(full, key=lambda key: full[key] * (2 if key == MEAN else 1), default="")
    lines = matrix_lines(columns, cells, sort, filters)
    lacking: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for line in lines[:MOST_LINES]:
        if line.without:
            lacking[line.without].append(line.entrant.name)
    # Why these means do not order the entrants.
    unordered, means = "", MEAN if MEAN in cells else sort
    if (columns or common) and means in cells and not full[means]:
        unordered = gettext(
            "No entrant has a result on every benchmark of the mean, therefore no order over all "
            "of them is fair. Take only those in common, or sort by one benchmark."
        )
        if common:
            unordered = gettext(
                "The entrants shown have no benchmark in common, therefore no order over several "
                "benchmarks is fair. Filter the entrants, or sort by one benchmark."
            )
    sets = [
        Choice(gettext("All benchmarks of a column"), filters.query(set=""), not common),
        Choice(gettext("Only those in common"), filters.query(set=COMMON), common),
    ]
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
        sets=sets if common or unordered or lacking else [],
        menus=entrant_menus(filters, {entrant for own in cells.values() for entrant in own}),
        untranslated=view.name == SKILL and words.untranslated(skills),
        size=None if common else size_card(cells.get(MEAN, {})),
        counts=queries.site_counts(site.user),
        tasks_count=sum(map(site.tasks_of, site.benchmarks)),
        # Without leaders: those need every row of the boards.
        cards=[_card(site, one, site.shown_on(one)) for one in site.benchmarks],
        news=news,
        news_of_week=all(date is not None and date >= timezone.now() - _WEEK for date in dates),
        families=sorted(FAMILIES),
    )
    return render_page(request, "boards/home.html", page)


@require_safe
def benchmarks(request: HttpRequest) -> HttpResponse:
    site = Site(reader(request))
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


def _news(site: Site) -> list[News]:
    standings = queries.latest_standings(site.every_board, _NEWS)
    scores = scores_shown(standings, ())
    news = []
    for standing in standings:
        board, rank = standing.board, rank_text(standing.rank_low, standing.rank_high)
        score = scores[standing.evaluation_id].get((board.metric, *WHOLE))
        first = board.revision.benchmark.setting
        setting = "" if board.setting == first else words.setting_title(board.setting)
        news.append(News(standing, score if rank else None, rank, setting))
    return news
