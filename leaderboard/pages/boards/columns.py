"""The home page's table in words: the titles of its views and columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from leaderboard.boards import means, queries
from leaderboard.boards.filters import Filters
from leaderboard.boards.means import BENCHMARK, LANGUAGE, MEAN, NATURAL, SKILL, Cell, Cells
from leaderboard.boards.queries import ShownEntrant
from leaderboard.boards.selection import Site
from leaderboard.pages.boards import words
from leaderboard.pages.shared.score_words import metric_name


@dataclass(frozen=True, slots=True)
class View:
    name: str
    title: str | Promise
    note: str | Promise


_VIEWS = (
    View(
        BENCHMARK,
        _("By benchmark"),
        _(
            "Each benchmark's primary metric in per cent, or its mean mark if people rate it, "
            "in its first setting and current revision. The leader is bold if it is better than "
            "all others by more than chance would explain; otherwise ≈ marks those that cannot be "
            "distinguished from the first. Provisional "
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
    useful = means.views_of(site)
    return [view for view in _VIEWS if view.name in useful]


@dataclass(frozen=True, slots=True)
class Column:
    """One benchmark's first board (with its `url`), or a mean over several benchmarks: all, or
    those of a language, a skill, or a setting with its own metric."""

    key: str
    title: str
    line: str
    url: str = ""


def columns_of(
    site: Site, view: str, common_to: Filters | None = None
) -> tuple[list[Column], Mapping[str, Cells]]:
    """The columns with a cell, and all columns' cells. `common_to` as in `means.mean_cells`."""
    words_of: Mapping[str, Callable[[str], str]] = {
        BENCHMARK: lambda _mean: gettext("Mean"),
        LANGUAGE: words.programming_language,
        NATURAL: words.natural_language,
        SKILL: words.skill_title,
    }
    columns, cells = [], {}
    for column, of_column in means.means_of(site, view, common_to):
        cells[column.key] = of_column.cells
        if not of_column.cells:
            continue
        board, url = column.boards[0], ""
        if view == BENCHMARK and column.key != MEAN:
            benchmark = board.revision.benchmark
            title, url = benchmark.title, benchmark.get_absolute_url()
            languages = site.languages.get(board.revision_id, [])
            codes = dict.fromkeys(words.programming_language(code) for code, _, _ in languages)
            top = queries.scales_of(benchmark).get(board.metric)
            line = " · ".join(filter(None, (", ".join(codes), metric_name(board.metric, top))))
        elif column.setting:
            title, line = board.metric, words.setting_title(column.key)
        else:
            title = words_of[view](column.key)
            number = of_column.benchmarks
            count = ngettext("%(number)d benchmark", "%(number)d benchmarks", number)
            line = count % {"number": number}
        columns.append(Column(column.key, title, line, url))
    return columns, cells


@dataclass(frozen=True, slots=True)
class MatrixLine:
    entrant: ShownEntrant
    cells: tuple[Cell | None, ...]

    @property
    def entrant_line(self) -> str:
        size = words.size_text(self.entrant.parameters)
        return " · ".join(filter(None, (self.entrant.organisation, size)))

    @property
    def without(self) -> tuple[str, ...]:
        lacks = (lack for cell in self.cells if cell for lack in cell.without)
        names = (
            f"{lack.title} ({words.setting_words(lack.setting)})" if lack.setting else lack.title
            for lack in lacks
        )
        return tuple(dict.fromkeys(names))


def matrix_lines(
    columns: Sequence[Column], cells: Mapping[str, Cells], sort: str, filters: Filters
) -> list[MatrixLine]:
    """A cell per entrant and column, None if there is no settled result. Sorted by column `sort`,
    the other columns and the name: full means, those that lack something, missing ones."""
    entrants = {entrant for column in columns for entrant in cells[column.key]}
    first = sorted(columns, key=lambda column: column.key != sort)

    def order(entrant: ShownEntrant) -> tuple[list[tuple[int, float]], str]:
        in_columns = (cells[column.key].get(entrant) for column in first)
        values = [(bool(cell.without), -cell.value) if cell else (2, 0.0) for cell in in_columns]
        return values, entrant.name

    matching = sorted(filter(filters.matches, entrants), key=order)
    return [MatrixLine(e, tuple(cells[c.key].get(e) for c in columns)) for e in matching]
