"""The home page (overview, news, benchmarks) and the list of benchmarks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.templatetags.static import static
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from evaluation.engine.registry import FAMILIES
from leaderboard.benchmarks.models import Benchmark
from leaderboard.finders import PREFIX
from leaderboard.pages.boards import queries, words
from leaderboard.pages.boards.filters import OF_ENTRANT, Choice, Filters
from leaderboard.pages.boards.overview import Cells, MatrixLine, matrix
from leaderboard.pages.boards.queries import BriefResult, Number, Result, ShownScore
from leaderboard.pages.boards.rows import rank_text
from leaderboard.pages.boards.views.charts import size_card
from leaderboard.pages.boards.views.columns import MEAN, SKILL, columns_of, views_of
from leaderboard.pages.boards.views.selection import reader
from leaderboard.pages.boards.views.site import Site
from leaderboard.plotly_release import BUNDLE
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
    languages: str
    tasks: int
    entrants: int
    leader: BriefResult | None = None
    score: Number | None = None
    level: int = 0


@dataclass(frozen=True, slots=True)
class News:
    standing: Standing
    score: ShownScore | None
    rank: str
    setting: str


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """On a fresh installation, shows the first steps."""
    site = Site(reader(request))
    news = _news(site)
    since = timezone.now() - _WEEK
    published = [piece.standing.submission.published for piece in news]
    context = {
        **_overview(request, site),
        "counts": queries.site_counts(site.user),
        "tasks_count": sum(map(site.tasks_of, site.benchmarks)),
        "cards": _short_cards(site),
        "news": news,
        "news_of_week": all(date is not None and date >= since for date in published),
        "families": sorted(FAMILIES),
    }
    return render(request, "boards/home.html", context)


@require_safe
def benchmarks(request: HttpRequest) -> HttpResponse:
    site = Site(reader(request))
    cards = [_card(site, benchmark) for benchmark in site.benchmarks]
    context = {"cards": cards, "families": sorted(FAMILIES)}
    return render(request, "boards/benchmarks.html", context)


def _overview(request: HttpRequest, site: Site) -> dict[str, object]:
    filters = Filters.of(request.GET.dict(), keep=("by", "sort", "set"), names=OF_ENTRANT)
    views = views_of(site)
    view = next((one for one in views if one.name == request.GET.get("by", "")), views[0])
    common = request.GET.get("set") == COMMON
    columns, cells = columns_of(site, view, filters if common else None)
    sort = _sort(request.GET.get("sort", ""), cells)
    overview = matrix(columns, cells, sort, filters)
    lines = overview.lines[:MOST_LINES]
    entrants = {entrant for own in cells.values() for entrant in own}
    means = cells.get(MEAN if MEAN in cells else sort) if columns or common else None
    unordered = _unordered(means, common=common)
    return {
        "views": [(one, filters.query(by=one.name, sort="")) for one in views],
        "view": view,
        "columns": [(column, filters.query(sort=column.key)) for column in columns],
        "untranslated": view.name == SKILL
        and words.untranslated(("skill", name) for one in site.benchmarks for name in one.skills),
        "sorted_by": sort,
        "sorted_at": next((n for n, one in enumerate(columns) if one.key == sort), None),
        "lines": lines,
        "incomplete": _incomplete(lines),
        "unordered": unordered,
        "sets": _sets(filters, common=common) if common or unordered or _incomplete(lines) else [],
        "more": max(0, len(overview.lines) - MOST_LINES),
        "menus": filters.menus(entrants),
        "filters": filters,
        "size": None if common else size_card(cells.get(MEAN, {})),
        "plotly_src": static(f"{PREFIX}/{BUNDLE}"),
    }


def _sort(asked: str, cells: Mapping[str, Cells]) -> str:
    """The requested column, or else the one that compares most entrants; the mean over all
    benchmarks is preferred unless it compares less than half as many."""
    if cells.get(asked):
        return asked
    full = {key: sum(not cell.without for cell in own.values()) for key, own in cells.items()}
    return max(full, key=lambda key: full[key] * (2 if key == MEAN else 1), default="")


def _unordered(cells: Cells | None, *, common: bool) -> str:
    """Why these means do not order the entrants; "" if they do, or if `cells` is None (no
    means)."""
    if cells is None or any(not cell.without for cell in cells.values()):
        return ""
    if common:
        return gettext(
            "The entrants shown have no benchmark in common, therefore no order over several "
            "benchmarks is fair. Filter the entrants, or sort by one benchmark."
        )
    return gettext(
        "No entrant has a result on every benchmark of the mean, therefore no order over all of "
        "them is fair. Take only those in common, or sort by one benchmark."
    )


def _incomplete(lines: Iterable[MatrixLine]) -> list[tuple[str, str]]:
    """Names of the entrants that lack the same results, and names of these results."""
    found: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for line in lines:
        if line.without:
            found[line.without].append(line.entrant.name)
    return [(", ".join(names), ", ".join(without)) for without, names in found.items()]


def _sets(filters: Filters, *, common: bool) -> list[Choice]:
    """The choice of the benchmarks over which means are taken."""
    return [
        Choice(gettext("All benchmarks of a column"), filters.query(set=""), not common),
        Choice(gettext("Only those in common"), filters.query(set=COMMON), common),
    ]


def _short_cards(site: Site) -> list[BenchmarkCard]:
    """Cards without leaders: those need every row of the boards."""
    counts = {
        key: site.rows[one.pk].shown for key, one in site.boards.items() if one.pk in site.rows
    }
    return [
        BenchmarkCard(one, _languages(site, one), site.tasks_of(one), counts.get(one.pk, 0))
        for one in site.benchmarks
    ]


def _languages(site: Site, benchmark: Benchmark) -> str:
    return words.language_fact(site.languages.get(benchmark.current_id or 0, []))


def _card(site: Site, benchmark: Benchmark) -> BenchmarkCard:
    results = site.results_of(benchmark)
    board = site.boards.get(benchmark.pk)
    ranked = [line for line in results if line.place is not None]
    # After a withdrawal there may be no row at place 1 until the board is remade.
    leader = ranked[0] if ranked and ranked[0].place == 1 else None
    score = leader.overall(board.metric) if leader and board else None
    return BenchmarkCard(
        benchmark=benchmark,
        languages=_languages(site, benchmark),
        tasks=site.tasks_of(benchmark),
        entrants=len(results),
        leader=leader,
        score=score,
        level=sum(line.rank_low == 1 for line in ranked) - 1,
    )


def _news(site: Site) -> list[News]:
    standings = queries.latest_standings(site.every_board, _NEWS)
    metrics = {standing.board.metric for standing in standings}
    scores = queries.scores_shown(standings, metrics)
    return [_piece(Result(one, scores[one.evaluation_id])) for one in standings]


def _piece(result: Result) -> News:
    standing = result.standing
    score = result.overall(standing.board.metric)
    rank = rank_text(standing.rank_low, standing.rank_high)
    setting, first = standing.board.setting, standing.board.revision.benchmark.setting
    return News(
        standing=standing,
        score=score if rank else None,
        rank=rank,
        setting="" if setting == first else words.setting_title(setting),
    )
