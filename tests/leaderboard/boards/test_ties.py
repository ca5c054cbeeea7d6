import pytest

from leaderboard.boards.rows import Bar, bar_lanes


@pytest.mark.parametrize(
    ("groups", "rows"),
    [
        ([{0, 1, 2}, {3}], [["start"], ["middle"], ["end"], ["only"]]),
        # A lane is used again once it is free.
        (
            [{0, 1}, {1, 2}, {2, 3}],
            [["start", "none"], ["end", "start"], ["start", "end"], ["end", "none"]],
        ),
        # A row that is not of the group.
        ([{0, 2}], [["start"], ["gap"], ["end"]]),
        ([], [[], []]),
    ],
)
def test_a_bar_joins_its_group(groups: list[set[int]], rows: list[list[str]]) -> None:
    lanes = bar_lanes(groups, len(rows))
    assert [[bar.state for bar in bars] for bars in lanes] == rows


def test_the_leading_group_is_marked_and_no_other() -> None:
    assert bar_lanes([{0, 1}, {2}], 3)[1:] == [[Bar("end", lead=True)], [Bar("only")]]
