from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from leaderboard.boards.filters import Filters
from leaderboard.boards.means import Cell, Lack, board_cells, mean_cells
from leaderboard.boards.rows import Row
from leaderboard.boards.scores import WHOLE, ShownScore
from leaderboard.pages.boards.columns import Column, matrix_lines
from leaderboard.scores.models import Board
from tests.leaderboard.boards.invented import board, entrant

# Rows with the same key are one entrant, as in the database.
KEYS = {"A": 1, "B": 2, "C": 3}


def test_who_is_not_settled_or_not_run_has_no_cell_in_the_overview() -> None:
    columns = [Column("one", "One", ""), Column("two", "Two", "")]
    cells = {
        "one": board_cells(board(pk=1), [entered("A", 1, 0.9), entered("B", 2, 0.5)]),
        "two": board_cells(board(pk=2), [entered("B", 1, 0.6), entered("A", None, None)]),
    }
    made = matrix_lines(columns, cells, "two", Filters())
    found = [[cell and (cell.value, cell.best) for cell in line.cells] for line in made]
    assert found == [[(0.5, False), (0.6, True)], [(0.9, True), None]]


def test_a_leader_is_the_best_only_if_the_board_separates_it() -> None:
    rows = [entered("A", 1, 0.9), entered("B", 2, 0.9), entered("C", 3, 0.8)]
    alone = board_cells(board(pk=1), rows)
    assert [(cell.best, cell.tied) for cell in alone.values()] == [(True, False)] + [
        (False,) * 2
    ] * 2
    rows[:2] = [replace(row, rank_low=1, rank_high=2) for row in rows[:2]]
    tied = board_cells(board(pk=1), rows)
    assert [(cell.best, cell.tied) for cell in tied.values()] == [(False, True)] * 2 + [
        (False,) * 2
    ]


def test_a_mean_is_the_best_only_if_it_is_separated_from_all_others() -> None:
    boards = {"One": [board(pk=1)], "Two": [board(pk=2)]}

    def leaders(*values: float) -> list[tuple[bool, bool]]:
        rows = [entered(name, 1, value) for name, value in zip("ABC", values, strict=True)]
        found = means(boards, {1: rows, 2: rows})
        return [(found[name].best, found[name].tied) for name in "ABC"]

    nothing = (False, False)
    assert leaders(0.9, 0.5, 0.4) == [(True, False), nothing, nothing]
    assert leaders(0.9, 0.895, 0.4) == [(False, True), (False, True), nothing]
    assert leaders(0.9, 0.9, 0.9) == [(False, True)] * 3


def test_a_mean_without_an_interval_is_neither_the_best_nor_tied() -> None:
    def marks(*without: str) -> list[tuple[bool, bool]]:
        values = {"A": 0.9, "B": 0.5, "C": 0.1}
        rows = [entered(n, 1, v, has_interval=n not in without) for n, v in values.items()]
        found = means({"One": [board(pk=1)], "Two": [board(pk=2)]}, {1: rows, 2: rows})
        return [(found[name].best, found[name].tied) for name in values]

    nothing = (False, False)
    assert marks("A") == [nothing] * 3
    assert marks("C") == [(True, False), nothing, nothing]


def means(
    boards: dict[str, list[Board]], results: dict[int, list[Row]], **more: Any
) -> dict[str, Cell]:
    return {e.name: cell for e, cell in mean_cells(boards, results, **more).cells.items()}


def test_a_mean_counts_each_benchmark_once_and_names_what_was_not_run() -> None:
    boards = {"One": [board(pk=1)], "Two": [board(pk=2), board(pk=3)]}
    results = {
        1: [entered("A", 1, 0.75), entered("B", 2, 0.5)],
        2: [entered("A", 1, 0.25)],
        3: [entered("A", 1, 0.75), entered("B", None, 0.9)],
    }
    found = means(boards, results)
    assert (found["A"].value, found["A"].best, found["A"].without) == (0.625, True, ())
    assert (found["B"].value, found["B"].best, found["B"].without) == (0.5, False, (Lack("Two"),))


def test_who_skips_the_harder_benchmark_or_setting_is_below_who_ran_all() -> None:
    """A loses to B on the benchmark that both ran, and would be first by its mean."""
    boards = {"One": [board(pk=1), board(pk=2, setting="two_round")], "Two": [board(pk=3)]}
    results = {
        1: [entered("B", 1, 0.92), entered("A", 2, 0.79)],
        2: [entered("B", 1, 0.5)],
        3: [entered("B", 1, 0.35)],
    }
    column = Column("skill", "Skill", "")
    made = mean_cells(boards, results).cells
    lines = matrix_lines([column], {"skill": made}, "skill", Filters())
    assert [line.entrant.name for line in lines] == ["B", "A"]
    assert [cell.best for line in lines for cell in line.cells if cell] == [True, False]
    assert lines[1].without == ("One (two round)", "Two")


def test_a_board_that_nobody_has_a_result_on_is_missed_by_nobody() -> None:
    boards = {"One": [board(pk=1)], "New": [board(pk=2)]}
    made = mean_cells(boards, {1: [entered("A", 1, 0.5)]})
    assert [cell.without for cell in made.cells.values()] == [()]
    assert made.benchmarks == 1


def test_the_common_set_is_what_all_entrants_shown_have() -> None:
    boards = {"One": [board(pk=1)], "Two": [board(pk=2)]}
    results = {
        1: [entered("A", 1, 0.75), entered("B", 2, 0.5)],
        2: [entered("B", 1, 0.9)],
    }
    found = means(boards, results, common_to=Filters())
    assert [(name, cell.value, cell.best) for name, cell in sorted(found.items())] == [
        ("A", 0.75, True),
        ("B", 0.5, False),
    ]
    assert all(cell.without == () for cell in found.values())
    only = means(boards, results, common_to=Filters(organisation="none"))
    assert only["B"].value == pytest.approx(0.7)


def test_a_mean_over_a_slice_takes_that_slice_alone() -> None:
    row = entered("A", 1, 0.75)
    java = ShownScore("pass@1", 0.25, 0.2, 0.3)
    scores = {**row.scores, ("pass@1", "language", "java"): java}
    results = {1: [replace(row, scores=scores)]}
    found = means({"One": [board(pk=1)]}, results, parts={1: ("language", "java")})
    assert [cell.value for cell in found.values()] == [0.25]


def entered(name: str, place: int | None, value: float | None, *, has_interval: bool = True) -> Row:
    ends = (value - 0.01, value + 0.01) if value is not None and has_interval else (None, None)
    shown = ShownScore("pass@1", value, *ends)
    return Row(
        entrant(name, pk=KEYS[name]),
        submission=7,
        place=place,
        rank_low=place,
        rank_high=place,
        scores={("pass@1", *WHOLE): shown},
    )
