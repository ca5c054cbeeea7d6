"""Entrants by benchmarks: what the home page's table shows. Pure: no queries."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from leaderboard.accounts.models import Entrant
from leaderboard.boards.filters import Filters
from leaderboard.boards.queries import Result
from leaderboard.boards.words import entrant_short_line
from leaderboard.scores.models import Board
from leaderboard.submissions.models import Submission


@dataclass(frozen=True, slots=True)
class Matrix:
    """The overview: for each entrant a cell per board, None where it has no settled result."""

    boards: tuple[Board, ...]
    lines: tuple[MatrixLine, ...]


@dataclass(frozen=True, slots=True)
class MatrixLine:
    entrant: Entrant
    cells: tuple[MatrixCell | None, ...]

    @property
    def entrant_line(self) -> str:
        return entrant_short_line(self.entrant)


@dataclass(frozen=True, slots=True)
class MatrixCell:
    board: Board
    submission: Submission
    value: float
    best: bool


def matrix(
    boards: Sequence[Board], results: Mapping[int, Sequence[Result]], sort: str, filters: Filters
) -> Matrix:
    """Entrants in order of their score on the board of the benchmark `sort`, those without
    one last, then by the other boards, then by name."""
    cells: dict[Entrant, dict[int, MatrixCell]] = {}
    for board in boards:
        for result in results.get(board.pk, ()):
            entrant = result.standing.submission.entrant
            if (cell := _matrix_cell(board, result)) and filters.matches(entrant):
                cells.setdefault(entrant, {})[board.pk] = cell
    first = sorted(boards, key=lambda board: board.revision.benchmark.slug != sort)
    ordered = sorted(cells, key=lambda e: (*_by_score(cells[e], first), e.name))
    lines = (MatrixLine(e, tuple(cells[e].get(board.pk) for board in boards)) for e in ordered)
    return Matrix(tuple(boards), tuple(lines))


def _matrix_cell(board: Board, result: Result) -> MatrixCell | None:
    score, standing = result.overall(board.metric), result.standing
    if score is None or score.value is None or standing.place is None:
        return None
    return MatrixCell(board, standing.submission, score.value, standing.place == 1)


def _by_score(cells: Mapping[int, MatrixCell], boards: Iterable[Board]) -> list[float]:
    return [-cells[board.pk].value if board.pk in cells else 1.0 for board in boards]
