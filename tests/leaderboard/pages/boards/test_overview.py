from __future__ import annotations

from leaderboard.pages.boards.filters import Filters
from leaderboard.pages.boards.overview import Cell, Column, board_cells, matrix, mean_cells
from leaderboard.pages.boards.queries import Result
from tests.leaderboard.pages.boards.invented import board, result, score

# As rows of the database are one entrant by their key.
KEYS = {"A": 1, "B": 2}


def test_who_is_not_settled_or_not_run_has_no_cell_in_the_overview() -> None:
    columns = [Column("one", "One", ""), Column("two", "Two", "")]
    cells = {
        "one": board_cells(board(pk=1), [entered("A", 1, 0.9), entered("B", 2, 0.5)]),
        "two": board_cells(board(pk=2), [entered("B", 1, 0.6), entered("A", None, None)]),
    }
    made = matrix(columns, cells, "two", Filters())
    found = [[cell and (cell.value, cell.best) for cell in line.cells] for line in made.lines]
    assert found == [[(0.5, False), (0.6, True)], [(0.9, True), None]]


def test_a_mean_counts_each_benchmark_once_and_names_what_was_not_run() -> None:
    boards = {"One": [board(pk=1)], "Two": [board(pk=2), board(pk=3)]}
    results = {
        1: [entered("A", 1, 0.75), entered("B", 2, 0.5)],
        2: [entered("A", 1, 0.25)],
        3: [entered("A", 1, 0.75), entered("B", None, 0.9)],
    }
    found = {e.name: cell for e, cell in mean_cells(boards, results).items()}
    assert found == {"A": Cell(0.625, True), "B": Cell(0.5, False, without=("Two",))}


def test_a_mean_over_a_slice_takes_that_slice_alone() -> None:
    java = score(0.25, slice="language", slice_value="java")
    results = {1: [result("A", 1, score(0.75), java, pk=1)]}
    found = mean_cells({"One": [board(pk=1)]}, results, ("language", "java"))
    assert [cell.value for cell in found.values()] == [0.25]


def entered(name: str, place: int | None, value: float | None) -> Result:
    return result(name, place, score(value), pk=KEYS[name])
