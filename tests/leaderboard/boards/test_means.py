from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.boards import means
from leaderboard.boards.filters import Filters
from leaderboard.boards.means import Cell, Lack, board_means, mean_cells
from leaderboard.boards.rows import Row
from leaderboard.boards.scores import WHOLE, ShownScore, Slice
from leaderboard.pages.boards.columns import ShownColumn, matrix_lines
from tests.leaderboard.boards.invented import board, entrant

# Rows with the same key are one entrant, as in the database.
KEYS = {"A": 1, "B": 2, "C": 3}


def test_who_is_not_settled_or_not_run_has_no_cell_in_the_overview() -> None:
    columns = [ShownColumn("one", "One", ""), ShownColumn("two", "Two", "")]
    cells = {
        "one": board_means(board([0.01]), [entered("A", 1, 0.9), entered("B", 2, 0.5)]).cells,
        "two": board_means(board([]), [entered("B", 1, 0.6), entered("A", None, None)]).cells,
    }
    made = matrix_lines(columns, cells, "two", Filters())
    found = [[cell and (cell.value, cell.best) for cell in line.cells] for line in made]
    assert found == [[(0.5, False), (0.6, False)], [(0.9, True), None]]  # B with nobody


@pytest.mark.parametrize(
    ("p", "clusters", "places", "best", "tied", "tested"),
    [
        ([0.01, 0.02], 164, "123", "A", "", True),
        ([0.2, 0.01], 164, "123", "", "AB", True),
        # Siblings: B is better than C, and C is not separated from the first one.
        ([0.01, 0.086], 164, "123", "", "AC", True),
        ([None, None], 3, "123", "", "", False),
        # The board is made again: its first row was withdrawn, or a row is new.
        ([0.01, 0.02, 0.03], 164, "234", "", "", None),
        ([0.01], 164, "123", "", "", None),
    ],
)
def test_a_board_s_leaders_are_those_that_its_tests_do_not_separate(
    p: list[Any], clusters: int, places: str, best: str, tied: str, tested: bool | None
) -> None:
    made = board(p)
    made.facts["clusters"] = clusters
    rows = [entered(name, int(place), 0.9) for name, place in zip("ABC", places, strict=True)]
    found = board_means(made, rows)
    marked = [
        "".join(e.shown_name for e, cell in found.cells.items() if getattr(cell, mark))
        for mark in ("best", "tied")
    ]
    assert (*marked, found.tested) == (best, tied, tested)


def column(
    parts: Mapping[int, Slice] | None = None, **titles: Sequence[tuple[int, str]]
) -> means.Column:
    """Of boards by the title of their benchmark: keys and settings."""
    boards = []
    for title, of_title in titles.items():
        revision = Revision(benchmark=Benchmark(title=title))
        boards += [board(pk=pk, setting=name, revision=revision) for pk, name in of_title]
    return means.Column("", boards, parts or {})


def cells(of: means.Column, results: dict[int, list[Row]]) -> dict[str, Cell]:
    return {e.shown_name: cell for e, cell in mean_cells(of, results).cells.items()}


ONE, TWO = [(1, "base")], [(2, "base")]


def test_a_mean_counts_each_benchmark_once_and_names_what_was_not_run() -> None:
    of = column(One=ONE, Two=[(2, "base"), (3, "other")])
    results = {
        1: [entered("A", 1, 0.75), entered("B", 2, 0.5)],
        2: [entered("A", 1, 0.25)],
        3: [entered("A", 1, 0.75), entered("B", None, 0.9)],
    }
    found = cells(of, results)
    assert (found["A"].value, found["A"].without) == (0.625, ())
    assert (found["B"].value, found["B"].without) == (0.5, (Lack("Two"),))


def test_who_skips_the_harder_benchmark_or_setting_is_below_who_ran_all() -> None:
    """A loses to B on the benchmark that both ran, and would be first by its mean."""
    of = column(One=[(1, "base"), (2, "two_round")], Two=[(3, "base")])
    results = {
        1: [entered("B", 1, 0.92), entered("A", 2, 0.79)],
        2: [entered("B", 1, 0.5)],
        3: [entered("B", 1, 0.35)],
    }
    made = mean_cells(of, results).cells
    lines = matrix_lines([ShownColumn("skill", "Skill", "")], {"skill": made}, "skill", Filters())
    assert [line.entrant.shown_name for line in lines] == ["B", "A"]
    assert lines[1].without == ("One (two round)", "Two")


def test_a_board_that_nobody_has_a_result_on_is_missed_by_nobody() -> None:
    made = mean_cells(column(One=ONE, New=TWO), {1: [entered("A", 1, 0.5)]})
    assert [cell.without for cell in made.cells.values()] == [()]
    assert made.boards == (1,)


def test_a_board_counts_if_half_of_the_entrants_have_a_result() -> None:
    rare, half = [entered("A", 1, 0.9)], [entered("A", 1, 0.9), entered("B", 2, 0.8)]
    every = [*half, entered("C", 3, 0.1)]
    found = mean_cells(column(One=ONE, Two=TWO), {1: every, 2: rare})
    assert found.boards == (1,)
    assert [cell.without for cell in found.cells.values()] == [(), (), ()]
    found = mean_cells(column(One=ONE, Two=TWO), {1: every, 2: half})
    assert found.boards == (1, 2)
    assert [e.shown_name for e, cell in found.cells.items() if cell.without] == ["C"]


def test_a_mean_over_a_slice_takes_that_slice_alone() -> None:
    row = entered("A", 1, 0.75)
    java = ShownScore("pass@1", 0.25, 0.2, 0.3)
    scores = {**row.scores, ("pass@1", "language", "java"): java}
    results = {1: [replace(row, scores=scores)]}
    found = cells(column({1: ("language", "java")}, One=ONE), results)
    assert [cell.value for cell in found.values()] == [0.25]


def entered(name: str, place: int | None, value: float | None) -> Row:
    ends = (None, None) if value is None else (value - 0.01, value + 0.01)
    shown = ShownScore("pass@1", value, *ends)
    return Row(
        entrant(name, pk=KEYS[name]),
        submission=7,
        place=place,
        rank_low=place,
        rank_high=place,
        scores={("pass@1", *WHOLE): shown},
    )
