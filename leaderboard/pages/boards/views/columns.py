"""The columns of the home page's table: benchmarks, languages, or skills."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from leaderboard.benchmarks.models import Benchmark
from leaderboard.pages.boards import queries, words
from leaderboard.pages.boards.filters import Filters
from leaderboard.pages.boards.overview import (
    WHOLE,
    Cells,
    Column,
    Slice,
    board_cells,
    mean_cells,
)
from leaderboard.pages.boards.views.site import Site
from leaderboard.pages.templatetags.assay import metric_name
from leaderboard.scores.models import Board

BENCHMARK, LANGUAGE, NATURAL, SKILL = "", "language", "natural_language", "skill"


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
            "results are on the benchmark's page."
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
    """The columns with at least one cell, and their cells. `common_to` as in `mean_cells`."""
    if view.name == BENCHMARK:
        return _benchmarks(site)
    found = [one for one in queries.current_boards(site.benchmarks) if counts(one)]
    boards = [board for board in found if board.metric == board.revision.benchmark.metric]
    # Settings with their own metric are separate columns next to the skills, in no mean.
    beside = [board for board in found if board not in boards] if view.name == SKILL else []
    values = _values(site, view.name)
    # Slices by language; a skill may be the name of a rating scale.
    slices, scales = ((), list(values)) if view.name == SKILL else ((view.name,), [])
    results = site.read([*boards, *beside], slices, scales)
    columns, cells = [], {}
    for value, slugs in values.items():
        own = [b for b in boards if b.revision.benchmark.slug in slugs]
        parts = {board.pk: _part(site, view.name, value, board) for board in own}
        skill = value if view.name == SKILL else ""
        means = mean_cells(_by_title(own), results, parts, skill, common_to)
        cells[value] = means.cells
        count = ngettext("%(number)d benchmark", "%(number)d benchmarks", means.benchmarks)
        line = count % {"number": means.benchmarks}
        columns.append(Column(value, _title(view.name, value), line))
    for setting in dict.fromkeys(board.setting for board in beside):
        some = [board for board in beside if board.setting == setting]
        cells[setting] = mean_cells(_by_title(some), results, common_to=common_to).cells
        columns.append(Column(setting, some[0].metric, words.setting_title(setting)))
    return [column for column in columns if cells[column.key]], cells


def counts(board: Board) -> bool:
    """Whether the board counts in means today."""
    days = board.revision.benchmark.counts_from
    if board.setting not in days:
        return True
    day = days[board.setting]
    return day is not None and date.fromisoformat(day) <= timezone.localdate()


def _part(site: Site, name: str, value: str, board: Board) -> Slice:
    """The whole board if all its tasks have the value, as for people's ratings, which have no
    score by language."""
    of_benchmark = _values_of(site, name, board.revision.benchmark)
    return WHOLE if name == SKILL or list(of_benchmark) == [value] else (name, value)


def _benchmarks(site: Site) -> tuple[list[Column], Mapping[str, Cells]]:
    columns, cells = [], {}
    for benchmark in site.benchmarks:
        board, results = site.boards.get(benchmark.pk), site.results_of(benchmark)
        if board and results:
            code = words.code_languages(site.languages.get(board.revision_id, []))
            top = queries.scales_of(benchmark).get(board.metric)
            line = " · ".join(filter(None, (code, metric_name(board.metric, top))))
            url = benchmark.get_absolute_url()
            columns.append(Column(benchmark.slug, benchmark.title, line, url))
            cells[benchmark.slug] = board_cells(board, results)
    return columns, cells


def _values(site: Site, name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for benchmark in site.benchmarks:
        for value in _values_of(site, name, benchmark):
            found[value].add(benchmark.slug)
    return found


def _values_of(site: Site, name: str, benchmark: Benchmark) -> Mapping[str, None]:
    """In order."""
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
        LANGUAGE: words.programming_language,
        NATURAL: words.natural_language,
        SKILL: words.skill_title,
    }
    return told[name](value)
