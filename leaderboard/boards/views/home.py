"""The home page: entrants by benchmarks, what is new, and all benchmarks; and their list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import cached_property
from django.views.decorators.http import require_safe

from evaluation.engine.registry import FAMILIES
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards import queries, words
from leaderboard.boards.filters import Filters
from leaderboard.boards.overview import matrix
from leaderboard.boards.queries import Result
from leaderboard.boards.rows import rank_text
from leaderboard.boards.views.selection import reader
from leaderboard.scores.models import Board, Standing

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person

# The rest is one click away, on the benchmarks' own pages.
MOST_LINES = 40
_NEWS = 6
_WEEK = timedelta(days=7)


@dataclass
class Site:
    """Benchmarks with their first boards and these boards' rows, each read once."""

    user: Person

    @cached_property
    def benchmarks(self) -> list[Benchmark]:
        return list(queries.benchmark_list(self.user))

    @cached_property
    def boards(self) -> dict[int, Board]:
        return queries.first_boards(self.benchmarks)

    @cached_property
    def results(self) -> dict[int, list[Result]]:
        return queries.results_of(self.boards.values(), self.user)

    @cached_property
    def languages(self) -> Mapping[int, list[queries.Languages]]:
        return queries.languages_by_revision(self.benchmarks)

    def results_of(self, benchmark: Benchmark) -> list[Result]:
        board = self.boards.get(benchmark.pk)
        return self.results.get(board.pk, []) if board else []


@dataclass(frozen=True, slots=True)
class BenchmarkCard:
    """A benchmark in a list: who leads on its first board, and how many stand there."""

    benchmark: Benchmark
    languages: str
    entrants: int
    leader: Result | None
    value: float | None
    level: int


@dataclass(frozen=True, slots=True)
class News:
    standing: Standing
    value: float | None
    rank: str
    setting: str


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """Everything at one glance; on a fresh installation what to do first."""
    site = Site(reader(request))
    filters = Filters.of(request.GET.dict(), keep=("sort",))
    boards = _columns(site)
    overview = matrix(boards, site.results, _sort(request, site, boards), filters)
    news = _news(site.user)
    context = {
        "overview": overview,
        "lines": overview.lines[:MOST_LINES],
        "more": max(0, len(overview.lines) - MOST_LINES),
        "menus": filters.menus(_entrants(site)),
        "filters": filters,
        "sorts": [_column_head(site, board, filters) for board in boards],
        "sorted_by": _sort(request, site, boards),
        "counts": queries.site_counts(site.user),
        "tasks_count": sum(_tasks_count(benchmark) for benchmark in site.benchmarks),
        "cards": _cards(site),
        "news": news,
        "news_of_week": _all_of_this_week(news),
        "families": sorted(FAMILIES),
    }
    return render(request, "boards/home.html", context)


@require_safe
def benchmarks(request: HttpRequest) -> HttpResponse:
    """All benchmarks with what they ask for and who leads."""
    context = {"cards": _cards(Site(reader(request))), "families": sorted(FAMILIES)}
    return render(request, "boards/benchmarks.html", context)


def _columns(site: Site) -> list[Board]:
    """The boards that somebody stands on, in the order of the benchmarks."""
    found = (site.boards.get(benchmark.pk) for benchmark in site.benchmarks)
    return [board for board in found if board and site.results.get(board.pk)]


def _column_head(site: Site, board: Board, filters: Filters) -> tuple[Board, str, str]:
    """The board, the query that sorts by it, and its tasks' languages."""
    languages = site.languages.get(board.revision_id, [])
    return (
        board,
        filters.query(sort=board.revision.benchmark.slug),
        words.code_languages(languages),
    )


def _sort(request: HttpRequest, site: Site, boards: Sequence[Board]) -> str:
    """The benchmark to sort by: the one asked for, else the one with most entrants."""
    slugs = {board.revision.benchmark.slug for board in boards}
    asked = request.GET.get("sort", "")
    if asked in slugs or not boards:
        return asked
    fullest = max(boards, key=lambda board: len(site.results[board.pk]))
    return fullest.revision.benchmark.slug


def _entrants(site: Site) -> Iterable[Entrant]:
    return {r.standing.submission.entrant for rows in site.results.values() for r in rows}


def _tasks_count(benchmark: Benchmark) -> int:
    return int(getattr(benchmark, "tasks_count", 0))


def _cards(site: Site) -> list[BenchmarkCard]:
    return [_card(site, benchmark) for benchmark in site.benchmarks]


def _card(site: Site, benchmark: Benchmark) -> BenchmarkCard:
    results = site.results_of(benchmark)
    board = site.boards.get(benchmark.pk)
    ranked = [r for r in results if r.standing.place is not None]
    # Between a withdrawal and the board's next making nobody may stand at the first place.
    leader = ranked[0] if ranked and ranked[0].standing.place == 1 else None
    score = leader.overall(board.metric) if leader and board else None
    return BenchmarkCard(
        benchmark=benchmark,
        languages=words.language_fact(site.languages.get(benchmark.current_id or 0, [])),
        entrants=len(results),
        leader=leader,
        value=score.value if score else None,
        level=sum(r.standing.rank_low == 1 for r in ranked) - 1,
    )


def _news(user: Person) -> list[News]:
    standings = queries.latest_standings(user, _NEWS)
    metrics = {standing.board.metric for standing in standings}
    scores = queries.scores_of([s.evaluation_id for s in standings], metrics)
    return [_piece(Result(one, scores[one.evaluation_id])) for one in standings]


def _piece(result: Result) -> News:
    standing = result.standing
    score = result.overall(standing.board.metric)
    rank = rank_text(standing.rank_low, standing.rank_high)
    setting, first = standing.board.setting, standing.board.revision.benchmark.setting
    return News(
        standing=standing,
        value=score.value if score and rank else None,
        rank=rank,
        setting="" if setting == first else words.setting_title(setting),
    )


def _all_of_this_week(news: Sequence[News]) -> bool:
    since = timezone.now() - _WEEK
    dates = (piece.standing.submission.published for piece in news)
    return all(date is not None and date >= since for date in dates)
