from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import timedelta

import pytest

from leaderboard.boards.filters import Filters
from leaderboard.boards.rows import (
    Row,
    Table,
    board_table,
    fitting,
    rank_text,
    reference_scores,
    tie_groups,
)
from leaderboard.boards.scores import ShownScore, other_metrics
from tests.leaderboard.boards.invented import JUDGED, board, ranked, result, score


def table(
    results: Sequence[Row], filters: Filters | None = None, baseline: float | None = None
) -> Table:
    return board_table(board(), results, filters or Filters(), baseline)


def names(rows: Iterable[Row]) -> list[str]:
    return ["People" if row.reference else row.entrant.shown_name for row in rows]


def states(rows: Iterable[Row]) -> list[list[str]]:
    return [[bar.state for bar in row.bars] for row in rows]


@pytest.mark.parametrize(("ranks", "text"), [((1, 3), "1–3"), ((4, 4), "4"), ((None, None), "")])
def test_a_rank_is_an_interval(ranks: tuple[int | None, int | None], text: str) -> None:
    assert rank_text(*ranks) == text


def test_unsettled_results_stand_below_without_value_or_rank() -> None:
    """Also if they have a value, but no place."""
    bounds = score(None, least=0.61, most=0.64)
    made = table([*ranked(0.7), result("Open", None, bounds), result("Odd", None, score(0.9))])
    row, odd = made.unsettled
    assert (row.value, row.low, row.high, row.rank) == (None, 0.61, 0.64, "")
    assert odd.value is None
    assert names(made.ranked) == ["A"]


def test_further_metrics_stand_in_the_order_of_their_numbers() -> None:
    scores = [score(0.5), score(0.8, metric="pass@10"), score(0.7, metric="pass@5")]
    assert other_metrics("pass@1", [result("A", 1, *scores).scores]) == ("pass@5", "pass@10")


def test_an_undefined_score_is_none_with_its_reason() -> None:
    """A metric without any value has no column."""
    some = result("A", 1, score(0.5), score(0.9, metric="pass@5"))
    lack = score(None, metric="pass@5", note="needs 5 samples")
    none = result("B", 2, score(0.4), lack, score(None, metric="pass@10"))
    made = table([some, none])
    assert made.others == ("pass@5",)
    cell = made.ranked[1].overall("pass@5")
    assert cell and (cell.value, cell.note) == (None, "needs 5 samples")


def sliced(name: str, count: int) -> list[ShownScore]:
    return [score(0.5, slice=name, slice_value=f"{name} {n}") for n in range(count)]


@pytest.mark.parametrize(
    ("categories", "levels", "chosen"),
    [
        (2, 2, "category"),
        (1, 3, "level"),
        (9, 8, "category"),
        (10, 9, "level"),
        (1, 1, ""),
        (12, 10, ""),
    ],
)
def test_the_first_slice_with_two_to_nine_values_is_shown(
    categories: int, levels: int, chosen: str
) -> None:
    scores = [score(0.5), *sliced("category", categories), *sliced("level", levels)]
    assert table([result("A", 1, *scores)]).slice == chosen


def test_bars_join_groups_and_single_rows_have_their_own() -> None:
    """A lane is used again once it is free."""
    rows = [
        result("A", 1, score(0.9), groups=[0], weights="open"),
        result("B", 2, score(0.8), groups=[0, 1]),
        result("C", 3, score(0.7), groups=[1, 2], weights="open"),
        result("D", 4, score(0.6), groups=[2], weights="open"),
        result("E", 5, score(0.5), groups=[2], weights="open"),
        result("F", 6, score(0.1), weights="open"),
    ]
    made = table(rows)
    assert tie_groups([row.groups for row in made.ranked]) == [{0, 1}, {1, 2}, {2, 3, 4}, {5}]
    assert states(made.ranked) == [
        ["start", "none"], ["end", "start"], ["start", "end"],
        ["middle", "none"], ["end", "none"], ["only", "none"],
    ]  # fmt: skip
    assert [row.group_end for row in made.ranked] == [False, False, False, False, True, True]
    # A row whose ties are filtered out has a bar of its own.
    assert states(table(rows, Filters(weights="unknown")).ranked) == [["only"]]


def test_filters_leave_ranks_and_the_leader_as_they_are_among_all() -> None:
    rows = [result("A", 1, score(0.9), weights="open"), result("B", 2, score(0.8))]
    everybody = table(rows)
    filtered = table(rows, Filters(weights="unknown"))
    assert [row.bars[0].lead for row in everybody.ranked] == [True, False]
    assert [row.bars[0].lead for row in filtered.ranked] == [False]
    assert [row.rank for row in filtered.ranked] == ["2"]
    assert (filtered.shown, filtered.total) == (1, 2)


def test_groups_that_find_no_room_are_left_out_and_that_is_told() -> None:
    groups = [set(range(start, start + 3)) for start in range(3)]
    kept, every = fitting(groups, most=2)
    assert (kept, every) == ([{0, 1, 2}, {1, 2, 3}], False)
    assert fitting(groups, most=3)[1]


@pytest.mark.parametrize(
    ("baseline", "order", "bars"),
    [(0.95, "People A B", []), (0.8, "A People B", ["gap"]), (0.1, "A B People", ["none"])],
)
def test_people_stand_where_their_score_puts_them(
    baseline: float, order: str, bars: list[str]
) -> None:
    """A bar passes them as a gap."""
    rows = [result("A", 1, score(0.9), groups=[0]), result("B", 2, score(0.7), groups=[0])]
    made = table(rows, baseline=baseline)
    assert names(made.drawn) == order.split()
    assert names(made.ranked) == ["A", "B"]
    assert [bar.state for row in made.drawn if row.reference for bar in row.bars] == bars


def referred(name: str, day: int, *values: tuple[str, float | None]) -> Row:
    """A row with these scores of the benchmark's own programs, which ran on that day."""
    scores = [score(value, metric, of_references=True) for metric, value in values]
    row = result(name, 1, score(0.5), *scores)
    return replace(row, finished=JUDGED + timedelta(days=day))


def test_it_is_told_as_of_the_result_that_was_scored_last_the_best_first() -> None:
    old = referred("A", 0, ("pass_oracle@1", 0.9))
    new = referred(
        "B", 1, ("num_samples", 12.0), ("pass_stub@1", 0.0), ("pass_oracle@1", 1.0), ("x", None)
    )
    for rows in ([old, new], [new, old]):
        found = [one.metric for one in reference_scores(rows)]
        assert found == ["pass_oracle@1", "pass_stub@1", "num_samples"]
        assert other_metrics("pass@1", [row.scores for row in rows]) == ()
    assert reference_scores(ranked(0.5)) == []
