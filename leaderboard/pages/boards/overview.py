"""The home page's table: entrants by benchmarks, languages or skills. Pure: no queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from django.urls import reverse

from evaluation.engine.metrics.means import Estimate, over_benchmarks, over_settings
from leaderboard.accounts.models import Entrant
from leaderboard.pages.boards.filters import Filters
from leaderboard.pages.boards.queries import WHOLE, BriefResult, Number, Slice
from leaderboard.pages.boards.words import entrant_short_line, setting_words
from leaderboard.scores.models import Board


@dataclass(frozen=True, slots=True)
class Column:
    """One benchmark's first board (with its `url`), or a mean over several benchmarks: all, or
    those of a language, a skill, or a setting with its own metric."""

    key: str
    title: str
    line: str
    url: str = ""


class Lack(NamedTuple):
    """A benchmark, or one of its settings, on which an entrant has no result."""

    title: str
    setting: str = ""

    @property
    def words(self) -> str:
        return f"{self.title} ({setting_words(self.setting)})" if self.setting else self.title


class Cell(NamedTuple):
    """`without` names the benchmarks and settings of the column without a result: such a mean is
    not compared with full ones. `top` is the best mark if people judge. A tuple, because a page
    reads thousands from the database and shows some of them."""

    value: float
    best: bool
    submission: int | None = None
    without: tuple[Lack, ...] = ()
    top: int | None = None
    low: float | None = None
    high: float | None = None

    @property
    def url(self) -> str:
        return reverse("submission", args=[self.submission]) if self.submission else ""


Cells: TypeAlias = Mapping[Entrant, Cell]
# The entrants' values, by title of the benchmark and by board.
_Found: TypeAlias = Mapping[str, Mapping[Board, Mapping[Entrant, Estimate]]]


@dataclass(frozen=True, slots=True)
class Means:
    """The cells of a column, and the number of benchmarks that its means cover."""

    cells: Cells
    benchmarks: int


@dataclass(frozen=True, slots=True)
class Matrix:
    """A cell per entrant and column, None if there is no settled result."""

    columns: tuple[Column, ...]
    lines: tuple[MatrixLine, ...]


@dataclass(frozen=True, slots=True)
class MatrixLine:
    entrant: Entrant
    cells: tuple[Cell | None, ...]

    @property
    def entrant_line(self) -> str:
        return entrant_short_line(self.entrant)

    @property
    def without(self) -> tuple[str, ...]:
        """The parts that are missing in any of its means."""
        found = (lack.words for cell in self.cells if cell for lack in cell.without)
        return tuple(dict.fromkeys(found))


def matrix(
    columns: Sequence[Column], cells: Mapping[str, Cells], sort: str, filters: Filters
) -> Matrix:
    """Sorts entrants by column `sort`, then by the other columns, then by name. Means that lack
    something come after all full ones, and missing ones last.
    """
    found = {entrant for column in columns for entrant in cells[column.key]}
    first = sorted(columns, key=lambda column: column.key != sort)
    ordered = sorted(
        (entrant for entrant in found if filters.matches(entrant)),
        key=lambda entrant: (_by_value(entrant, cells, first), entrant.name),
    )
    lines = (MatrixLine(e, tuple(cells[c.key].get(e) for c in columns)) for e in ordered)
    return Matrix(tuple(columns), tuple(lines))


def _by_value(
    entrant: Entrant, cells: Mapping[str, Cells], columns: Iterable[Column]
) -> list[tuple[int, float]]:
    found = (cells[column.key].get(entrant) for column in columns)
    return [(bool(cell.without), -cell.value) if cell else (2, 0.0) for cell in found]


def board_cells(board: Board, results: Iterable[BriefResult]) -> dict[Entrant, Cell]:
    """`results` are in the board's order. All with the first one's score are the best."""
    cells: dict[Entrant, Cell] = {}
    leading = None
    for result in results:
        score = _settled_score(board, result, WHOLE)
        if score is not None and score.value is not None:
            leading = score.value if result.place == 1 else leading
            best = score.value == leading
            cells[result.entrant] = Cell(score.value, best, result.submission_id, top=score.top)
    return cells


def mean_cells(
    boards: Mapping[str, Sequence[Board]],
    results: Mapping[int, Sequence[BriefResult]],
    parts: Mapping[int, Slice] | None = None,
    skill: str = "",
    common_to: Filters | None = None,
) -> Means:
    """The unweighted mean over benchmarks, where each benchmark is the mean over its settings.

    `boards` are by benchmark, `parts` the slices by board. Only entrants with a result on every
    board that has any are compared; the other cells name what they lack. With `common_to`, only
    boards count on which all entrants of the column that match these filters have a result. A
    rating scale with the name of the `skill` replaces the primary metric.
    """
    found: _Found = {
        title: {
            board: estimates
            for board in some
            if (estimates := _estimates(board, results, (parts or {}).get(board.pk, WHOLE), skill))
        }
        for title, some in boards.items()
    }
    if common_to is not None:
        found = _in_common(found, common_to)
    found = {title: some for title, some in found.items() if some}
    every = {entrant for some in found.values() for own in some.values() for entrant in own}
    cells = {entrant: _mean_cell(entrant, found) for entrant in every}
    best = max((cell.value for cell in cells.values() if not cell.without), default=None)
    return Means(
        {
            entrant: cell._replace(best=not cell.without and cell.value == best)
            for entrant, cell in cells.items()
        },
        len(found),
    )


def _mean_cell(entrant: Entrant, found: _Found) -> Cell:
    own = [
        over_settings(there)
        for some in found.values()
        if (there := [values[entrant] for values in some.values() if entrant in values])
    ]
    mean = over_benchmarks(own)
    lacks = tuple(lack for title, some in found.items() for lack in _lacks(entrant, title, some))
    return Cell(mean.value, best=False, without=lacks, low=mean.low, high=mean.high)


def _lacks(
    entrant: Entrant, title: str, some: Mapping[Board, Mapping[Entrant, Estimate]]
) -> list[Lack]:
    """The benchmark, or those of its settings, on which the entrant has no result."""
    settings = [board.setting for board, values in some.items() if entrant not in values]
    if len(settings) == len(some):
        return [Lack(title)]
    return [Lack(title, setting) for setting in settings]


def _in_common(found: _Found, shown: Filters) -> _Found:
    every = {
        entrant
        for some in found.values()
        for own in some.values()
        for entrant in own
        if shown.matches(entrant)
    }
    return {
        title: {board: own for board, own in some.items() if every <= own.keys()}
        for title, some in found.items()
    }


def _estimates(
    board: Board, results: Mapping[int, Sequence[BriefResult]], part: Slice, skill: str
) -> dict[Entrant, Estimate]:
    values = {}
    for result in results.get(board.pk, ()):
        score = _settled_score(board, result, part, skill)
        if score is not None and score.value is not None:
            values[result.entrant] = Estimate(score.value, score.low, score.high)
    return values


def _settled_score(
    board: Board, result: BriefResult, part: Slice, skill: str = ""
) -> Number | None:
    score: Number | None = result.scores.get((skill, *part))
    if score is None or score.top is None:
        score = result.scores.get((board.metric, *part))
    return score if score and result.place is not None else None
