"""The home page's table: entrants by benchmarks, languages or skills. Pure: no queries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import TypeAlias

from leaderboard.accounts.models import Entrant
from leaderboard.pages.boards.filters import Filters
from leaderboard.pages.boards.queries import OVERALL, Result
from leaderboard.pages.boards.words import entrant_short_line
from leaderboard.pages.templatetags.assay import score_shortly
from leaderboard.scores.models import Board

# A slice's name and value.
Slice: TypeAlias = tuple[str, str]
WHOLE: Slice = (OVERALL, "")


@dataclass(frozen=True, slots=True)
class Column:
    """A benchmark's first board (with its `url`), or a language or skill that benchmarks share."""

    key: str
    title: str
    line: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """`without` names the column's benchmarks without a result; `text` is for other units."""

    value: float
    best: bool
    url: str = ""
    without: tuple[str, ...] = ()
    text: str | None = None


Cells: TypeAlias = Mapping[Entrant, Cell]


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


def matrix(
    columns: Sequence[Column], cells: Mapping[str, Cells], sort: str, filters: Filters
) -> Matrix:
    """Sorts entrants by column `sort`, then by the other columns, then by name; missing last."""
    found = {entrant for column in columns for entrant in cells[column.key]}
    first = sorted(columns, key=lambda column: column.key != sort)
    ordered = sorted(
        (entrant for entrant in found if filters.matches(entrant)),
        key=lambda entrant: (*_by_value(entrant, cells, first), entrant.name),
    )
    lines = (MatrixLine(e, tuple(cells[c.key].get(e) for c in columns)) for e in ordered)
    return Matrix(tuple(columns), tuple(lines))


def _by_value(
    entrant: Entrant, cells: Mapping[str, Cells], columns: Iterable[Column]
) -> list[float]:
    found = (cells[column.key].get(entrant) for column in columns)
    return [-cell.value if cell else 1.0 for cell in found]


def board_cells(board: Board, results: Iterable[Result]) -> dict[Entrant, Cell]:
    cells = {}
    for result in results:
        standing, value = result.standing, _settled(board, result, WHOLE)
        if value is not None:
            url = standing.submission.get_absolute_url()
            score = result.overall(board.metric)
            text = score_shortly(score) if score and score.top else None
            cells[standing.submission.entrant] = Cell(value, standing.place == 1, url, text=text)
    return cells


def mean_cells(
    boards: Mapping[str, Sequence[Board]],
    results: Mapping[int, Sequence[Result]],
    part: Slice = WHOLE,
    skill: str = "",
) -> dict[Entrant, Cell]:
    """The unweighted mean over benchmarks, where each benchmark is the mean over its settings.

    The cell lists missing benchmarks. A rating scale with the name of the `skill` replaces the
    primary metric.
    """
    by_title = {title: _over_settings(some, results, part, skill) for title, some in boards.items()}
    values: dict[Entrant, float] = {}
    for entrant in {entrant for found in by_title.values() for entrant in found}:
        values[entrant] = fmean(f[entrant] for f in by_title.values() if entrant in f)
    best = max(values.values(), default=None)
    return {
        entrant: Cell(
            value,
            value == best,
            without=tuple(
                title for title, some in by_title.items() if some and entrant not in some
            ),
        )
        for entrant, value in values.items()
    }


def _over_settings(
    boards: Iterable[Board], results: Mapping[int, Sequence[Result]], part: Slice, skill: str
) -> dict[Entrant, float]:
    values: dict[Entrant, list[float]] = defaultdict(list)
    for board in boards:
        for result in results.get(board.pk, ()):
            value = _settled(board, result, part, skill)
            if value is not None:
                values[result.standing.submission.entrant].append(value)
    return {entrant: fmean(found) for entrant, found in values.items()}


def _settled(board: Board, result: Result, part: Slice, skill: str = "") -> float | None:
    score = result.scores.get((skill, *part))
    if score is None or score.top is None:
        score = result.scores.get((board.metric, *part))
    return score.value if score and result.standing.place is not None else None
