from __future__ import annotations

from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.boards.filters import Filters
from leaderboard.boards.overview import matrix
from leaderboard.boards.queries import Result
from tests.leaderboard.boards.invented import board, result, score


def test_who_is_not_settled_or_not_run_has_no_cell_in_the_overview() -> None:
    first = board(pk=1, revision=_revision("one"))
    second = board(pk=2, revision=_revision("two"))
    results = {
        1: [_entered("A", 1, 0.9, pk=1), _entered("B", 2, 0.5, pk=2)],
        2: [_entered("B", 1, 0.6, pk=2), _entered("A", None, None, pk=1)],
    }
    made = matrix([first, second], results, "two", Filters())
    cells = [[cell and (cell.value, cell.best) for cell in line.cells] for line in made.lines]
    assert cells == [[(0.5, False), (0.6, True)], [(0.9, True), None]]


def _revision(slug: str) -> Revision:
    return Revision(benchmark=Benchmark(slug=slug))


def _entered(name: str, place: int | None, value: float | None, pk: int) -> Result:
    return result(name, place, score(value), pk=pk)
