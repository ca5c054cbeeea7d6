"""The home page's table in words: the titles of its views and columns."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from leaderboard.boards import means, queries
from leaderboard.boards.filters import Filters
from leaderboard.boards.means import (
    BENCHMARK,
    LANGUAGE,
    MEAN,
    NATURAL,
    SKILL,
    Cell,
    Cells,
    Means,
    means_of,
)
from leaderboard.boards.queries import ShownEntrant
from leaderboard.boards.scores import WHOLE, Slice
from leaderboard.boards.selection import Site
from leaderboard.pages.boards import words
from leaderboard.pages.shared.score_words import metric_name, p_equals
from leaderboard.scores.models import Board

# The most entrants that an answer names as equally good.
_NAMED = 3


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
            "in its first setting and current revision. Provisional "
            "results are on the benchmark's page. The mean is over shares of solved tasks: "
            "each benchmark has the same weight, and is averaged over its settings."
        ),
    ),
    View(
        LANGUAGE,
        _("By language"),
        _(
            "The share of the tasks in the language that is solved, in per cent: the mean over the "
            "benchmarks that have such tasks, each with the same weight."
        ),
    ),
    View(
        NATURAL,
        _("By language of the instructions"),
        _(
            "The share of the tasks with instructions in the language that is solved, in per cent: "
            "the mean over the benchmarks that have such tasks, each with the same weight."
        ),
    ),
    View(
        SKILL,
        _("By skill"),
        _(
            "The share of solved tasks in per cent: the mean over the benchmarks that test the "
            "skill, each with the same weight and averaged over its settings. Marks count only if "
            "people alone judge the skill; they are rescaled: 1 becomes 0, the best mark 100."
        ),
    ),
)


def shown_views(site: Site) -> list[View]:
    useful = means.views_of(site)
    return [view for view in _VIEWS if view.name in useful]


@dataclass(frozen=True, slots=True)
class ShownColumn:
    """One board, or a mean over several: all, or those of a language, a skill, or a setting with
    its own metric. `boards` are titles and addresses; `answer` says which entrant to take."""

    key: str
    title: str
    line: str
    boards: Sequence[tuple[str, str]] = ()
    answer: str = ""

    @property
    def url(self) -> str:
        """The address of the only board."""
        return self.boards[0][1] if len(self.boards) == 1 else ""


def columns_of(site: Site, view: str) -> tuple[list[ShownColumn], Mapping[str, Cells]]:
    """The columns with a cell, and all columns' cells."""
    columns, cells = [], {}
    for column, of_column in means_of(site, view):
        cells[column.key] = of_column.cells
        if not of_column.cells:
            continue
        boards = [board for board in column.boards if board.pk in of_column.boards]
        if view == BENCHMARK and column.key != MEAN:
            board = boards[0]
            title = board.revision.benchmark.title
            languages = site.languages.get(board.revision_id, [])
            codes = dict.fromkeys(words.programming_language(row.language) for row in languages)
            top = queries.scales_of(board.revision.benchmark).get(board.metric)
            line = " · ".join(filter(None, (", ".join(codes), metric_name(board.metric, top))))
        elif column.setting:
            title, line = boards[0].metric, words.setting_title(column.key)
        else:
            title = mean_title(view, column.key)
            number = len({board.revision.benchmark_id for board in boards})
            count = ngettext("%(number)d benchmark", "%(number)d benchmarks", number)
            line = count % {"number": number}
        links = [_board_link(board, column.part(board.pk)) for board in boards]
        columns.append(ShownColumn(column.key, title, line, links, _answer(of_column)))
    return columns, cells


def mean_title(view: str, key: str) -> str:
    """The title of a column over all benchmarks, or over those of a language or a skill."""
    titles: Mapping[str, Callable[[str], str]] = {
        LANGUAGE: words.programming_language,
        NATURAL: words.natural_language,
        SKILL: words.skill_title,
    }
    return gettext("Mean") if key == MEAN else titles[view](key)


def _board_link(board: Board, part: Slice) -> tuple[str, str]:
    benchmark, query = board.revision.benchmark, dict[str, str]()
    title, url = benchmark.title, benchmark.get_absolute_url()
    if board.setting != benchmark.setting:
        title = f"{title} ({words.setting_words(board.setting)})"
        query["setting"] = board.setting
    if part != WHOLE:
        query["slice"], query["value"] = part
    return title, f"{url}?{urlencode(query)}" if query else url


def answer_of_part(site: Site, board: Board, part: Slice) -> str:
    """The front page's answer for a language, if the part is all that it covers; else ""."""
    for column, of_column in means_of(site, part[0]) if part[0] in (LANGUAGE, NATURAL) else ():
        if of_column.boards == (board.pk,) and column.part(board.pk) == part:
            return _answer(of_column)
    return ""


def _answer(column: Means) -> str:
    cells = column.cells.items()
    full = [(entrant.shown_name, cell) for entrant, cell in cells if not cell.without]
    if not full:
        return gettext("no entrant has a result on all its benchmarks.")
    tied = [name for name, cell in full[1:] if cell.tied]
    if len(full) == 1:
        sentence = gettext("%(name)s is the only one with all results.")
    elif column.tested is None:
        sentence = gettext("%(name)s is first; whether by chance is being computed.")
    elif not column.tested:
        sentence = gettext("%(name)s is first; its lead cannot be tested.")
    elif not tied:
        sentence = gettext("%(name)s leads by more than chance would explain.")
    elif len(tied) <= _NAMED:
        sentence = gettext("%(name)s leads; %(others)s may be as good.")
    else:
        sentence = ngettext(
            "%(name)s leads; %(number)d other may be as good.",
            "%(name)s leads; %(number)d others may be as good.",
            len(tied),
        )
    return sentence % {"name": full[0][0], "others": ", ".join(tied), "number": len(tied)}


def against_first(cell: Cell) -> str:
    """How the mean compares with the first one, in words; "" if that is not tested here."""
    if cell.best:
        return gettext("leads by more than chance would explain")
    if cell.tied:
        return gettext("tied for the first place: chance may explain the order")
    if cell.p is None:
        return ""
    behind = gettext("behind the first by more than chance would explain (%(p)s)")
    return behind % {"p": p_equals(cell.p)}


@dataclass(frozen=True, slots=True)
class MatrixLine:
    """`urls` are those of the columns' boards, "" if there are several."""

    entrant: ShownEntrant
    cells: tuple[Cell | None, ...]
    urls: tuple[str, ...] = ()

    @property
    def entrant_line(self) -> SafeString:
        size = words.size_text(self.entrant.parameters)
        return words.facts_line(words.identity(self.entrant), size)

    @property
    def without(self) -> tuple[str, ...]:
        return lacking(filter(None, self.cells))


def lacking(cells: Iterable[Cell]) -> tuple[str, ...]:
    """The names of the benchmarks and settings that means lack."""
    lacks = (lack for cell in cells for lack in cell.without)
    names = (
        f"{lack.title} ({words.setting_words(lack.setting)})" if lack.setting else lack.title
        for lack in lacks
    )
    return tuple(dict.fromkeys(names))


def matrix_lines(
    columns: Sequence[ShownColumn], cells: Mapping[str, Cells], sort: str, filters: Filters
) -> list[MatrixLine]:
    """A cell per entrant and column, None without a settled result. Sorted by column `sort` (full
    means, those that lack something, missing ones), the other columns and the name, or by name."""
    entrants = {entrant for column in columns for entrant in cells[column.key]}
    first = sorted(columns, key=lambda column: column.key != sort) if sort else []

    def order(entrant: ShownEntrant) -> tuple[list[tuple[int, float]], str]:
        in_columns = (cells[column.key].get(entrant) for column in first)
        values = [(bool(cell.without), -cell.value) if cell else (2, 0.0) for cell in in_columns]
        return values, entrant.shown_name

    matching = sorted(filter(filters.matches, entrants), key=order)
    urls = tuple(column.url for column in columns)
    return [MatrixLine(e, tuple(cells[c.key].get(e) for c in columns), urls) for e in matching]
