"""The columns of the home page's table: benchmarks, languages, or skills."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.metrics import METRICS_VERSION
from leaderboard.benchmarks.models import Benchmark
from leaderboard.pages.boards import queries, stored_means, words
from leaderboard.pages.boards.filters import Filters
from leaderboard.pages.boards.overview import (
    Cells,
    Column,
    Means,
    board_cells,
    mean_cells,
)
from leaderboard.pages.boards.queries import WHOLE, Slice
from leaderboard.pages.boards.views.site import Site
from leaderboard.pages.shared.score_words import metric_name
from leaderboard.scores.models import Board

BENCHMARK, LANGUAGE, NATURAL, SKILL = "", "language", "natural_language", "skill"
# The key of the mean over all benchmarks; no benchmark's address has a "~".
MEAN = "~mean"


@dataclass(frozen=True, slots=True)
class View:
    name: str
    title: str | Promise
    note: str | Promise


VIEWS = (
    View(
        BENCHMARK,
        _("By benchmark"),
        _(
            "Each benchmark's primary metric in per cent, or its mean mark if people rate it, "
            "in its first setting and current revision; the leader is bold. Provisional "
            "results are on the benchmark's page. The mean gives each benchmark the same "
            "weight; for it, a mean mark is rescaled: 1 becomes 0, and the best mark becomes 100."
        ),
    ),
    View(
        LANGUAGE,
        _("By language"),
        _(
            "The primary metric over the tasks in the language, in per cent: the mean over the "
            "benchmarks that have such tasks, each with the same weight."
        ),
    ),
    View(
        NATURAL,
        _("By language of the instructions"),
        _(
            "The primary metric over the tasks with instructions in the language, in per cent: "
            "the mean over the benchmarks that have such tasks, each with the same weight."
        ),
    ),
    View(
        SKILL,
        _("By skill"),
        _(
            "The primary metric in per cent, or the scale on which people rate the skill: the "
            "mean over the benchmarks that test it, each with the same weight and averaged "
            "over its settings. A mean mark is rescaled: 1 becomes 0, and the best mark "
            "becomes 100."
        ),
    ),
)


def views_of(site: Site) -> list[View]:
    """The useful views: by language only if there are several, by skill only if there are any."""
    some = {BENCHMARK: True, SKILL: any(one.skills for one in site.benchmarks)}
    for name in (LANGUAGE, NATURAL):
        some[name] = len(_values(site, name)) > 1
    return [view for view in VIEWS if some[view.name]]


def columns_of(
    site: Site, view: View, common_to: Filters | None = None
) -> tuple[list[Column], Mapping[str, Cells]]:
    """The columns with at least one cell, and all columns' cells. `common_to` as in
    `mean_cells`."""
    sources = _sources(site, view.name)
    means: Mapping[str, Means] = {}
    if common_to is None:
        means = stored_means.read(view.name, _digest(site, view.name, sources))
    if means.keys() != {one.key for one in sources}:
        means = _means(site, view.name, sources, common_to)
    columns = [_column(site, view.name, one, means[one.key]) for one in sources]
    cells = {one.key: means[one.key].cells for one in sources}
    return [column for column in columns if cells[column.key]], cells


def store_means() -> None:
    """Stores the columns that visitors see."""
    site = Site(AnonymousUser())
    for view in views_of(site):
        sources = _sources(site, view.name)
        digest = _digest(site, view.name, sources)
        stored_means.write(view.name, digest, _means(site, view.name, sources, None))


@dataclass(frozen=True, slots=True)
class _Source:
    """A column and its boards, each limited to a part. `setting`: the column is for a setting with
    its own metric."""

    key: str
    boards: Sequence[Board]
    parts: Mapping[int, Slice]
    setting: bool = False


def _sources(site: Site, name: str) -> list[_Source]:
    if name == BENCHMARK:
        return _first_boards(site)
    ranking = filter(queries.ranks_by_own_metric, site.every_board)
    found = [board for board in ranking if counts(board)]
    boards = [board for board in found if board.metric == board.revision.benchmark.metric]
    sources = []
    for value, slugs in _values(site, name).items():
        own = [b for b in boards if b.revision.benchmark.slug in slugs]
        parts = {board.pk: _part(site, name, value, board) for board in own}
        sources.append(_Source(value, own, parts))
    # Settings with their own metric get separate columns next to the skills and count in no mean.
    beside = [board for board in found if board not in boards] if name == SKILL else []
    for setting in dict.fromkeys(board.setting for board in beside):
        some = [board for board in beside if board.setting == setting]
        sources.append(_Source(setting, some, {}, setting=True))
    return sources


def _first_boards(site: Site) -> list[_Source]:
    boards = [site.boards[one.pk] for one in site.benchmarks if one.pk in site.boards]
    own = [_Source(board.revision.benchmark.slug, [board], {}) for board in boards]
    counted = [one for one in boards if counts(one) and one.metric == one.revision.benchmark.metric]
    return [_Source(MEAN, counted, {}), *own] if len(counted) > 1 else own


def _boards_of(sources: Sequence[_Source]) -> list[Board]:
    return list({board.pk: board for one in sources for board in one.boards}.values())


def _digest(site: Site, name: str, sources: Sequence[_Source]) -> str:
    facts = [
        (one.key, sorted((b.pk, one.parts.get(b.pk, WHOLE)) for b in one.boards)) for one in sources
    ]
    made_by = ENGINE_VERSION, METRICS_VERSION
    return stored_means.made_of(_boards_of(sources), site.rows, (name, *made_by, facts))


def _means(
    site: Site, name: str, sources: Sequence[_Source], common_to: Filters | None
) -> dict[str, Means]:
    if name == BENCHMARK:
        return {one.key: _of_benchmark(site, one, common_to) for one in sources}
    # Languages are slices of a board; a skill may be the name of a rating scale.
    skills = [one.key for one in sources if not one.setting] if name == SKILL else []
    results = site.read(_boards_of(sources), () if name == SKILL else (name,), skills)
    return {
        one.key: mean_cells(
            _by_title(one.boards),
            results,
            one.parts,
            one.key if one.key in skills else "",
            common_to,
        )
        for one in sources
    }


def _of_benchmark(site: Site, source: _Source, common_to: Filters | None) -> Means:
    """The cells of a benchmark or of the mean. If every entrant lacks a result, the mean orders
    nobody and has no cells."""
    if source.key != MEAN:
        (board,) = source.boards
        return Means(board_cells(board, site.results.get(board.pk, ())), 1)
    means = mean_cells(_by_title(source.boards), site.results, common_to=common_to)
    full = any(not cell.without for cell in means.cells.values())
    return means if full else Means({}, means.benchmarks)


def _column(site: Site, name: str, source: _Source, means: Means) -> Column:
    if name == BENCHMARK and source.key != MEAN:
        return _benchmark(site, source.boards[0])
    if source.setting:
        return Column(source.key, source.boards[0].metric, words.setting_title(source.key))
    count = ngettext("%(number)d benchmark", "%(number)d benchmarks", means.benchmarks)
    return Column(source.key, _title(name, source.key), count % {"number": means.benchmarks})


def counts(board: Board) -> bool:
    """Whether the board counts in means today. If only some settings have a day, a later release
    has added the others, and they do not count until staff set their day."""
    days = board.revision.benchmark.counts_from
    if not days:
        return True
    day = days.get(board.setting)
    return day is not None and date.fromisoformat(day) <= timezone.localdate()


def _part(site: Site, name: str, value: str, board: Board) -> Slice:
    """The slice of the board with this value. It is the whole board if all its tasks have the
    value, so that people's ratings, which have no score by language, are included."""
    of_benchmark = _values_of(site, name, board.revision.benchmark)
    return WHOLE if name == SKILL or list(of_benchmark) == [value] else (name, value)


def _benchmark(site: Site, board: Board) -> Column:
    benchmark = board.revision.benchmark
    code = words.code_languages(site.languages.get(board.revision_id, []))
    top = queries.scales_of(benchmark).get(board.metric)
    line = " · ".join(filter(None, (code, metric_name(board.metric, top))))
    return Column(benchmark.slug, benchmark.title, line, benchmark.get_absolute_url())


def _values(site: Site, name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for benchmark in site.benchmarks:
        for value in _values_of(site, name, benchmark):
            found[value].add(benchmark.slug)
    return found


def _values_of(site: Site, name: str, benchmark: Benchmark) -> Mapping[str, None]:
    """The benchmark's values, in order, as keys."""
    languages = site.languages.get(benchmark.current_id or 0, [])
    values = {
        LANGUAGE: [language for language, _natural, _tasks in languages],
        NATURAL: [natural for _language, natural, _tasks in languages if natural],
        SKILL: benchmark.skills,
    }
    return dict.fromkeys(values[name])


def _by_title(boards: Sequence[Board]) -> Mapping[str, list[Board]]:
    found: dict[str, list[Board]] = defaultdict(list)
    for board in boards:
        found[board.revision.benchmark.title].append(board)
    return found


def _title(name: str, value: str) -> str:
    told: Mapping[str, Callable[[str], str]] = {
        BENCHMARK: lambda _mean: gettext("Mean"),
        LANGUAGE: words.programming_language,
        NATURAL: words.natural_language,
        SKILL: words.skill_title,
    }
    return told[name](value)
