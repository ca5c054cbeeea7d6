from __future__ import annotations

from leaderboard.boards.ties import Bar, bar_lanes


def states(groups: list[set[int]], rows: int) -> list[list[str]]:
    return [[bar.state for bar in bars] for bars in bar_lanes(groups, rows)]


def test_a_bar_joins_its_group() -> None:
    assert states([{0, 1, 2}, {3}], 4) == [["start"], ["middle"], ["end"], ["only"]]


def test_a_lane_is_used_again_once_it_is_free() -> None:
    assert states([{0, 1}, {1, 2}, {2, 3}], 4)[3] == ["end", "none"]


def test_a_bar_leaves_a_gap_at_a_row_that_is_not_of_its_group() -> None:
    assert states([{0, 2}], 3) == [["start"], ["gap"], ["end"]]


def test_the_leading_group_is_marked_and_no_other() -> None:
    assert bar_lanes([{0, 1}, {2}], 3)[1:] == [[Bar("end", lead=True)], [Bar("only")]]


def test_without_groups_there_are_no_bars() -> None:
    assert bar_lanes([], 2) == [[], []]
