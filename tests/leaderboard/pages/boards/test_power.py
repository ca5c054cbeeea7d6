from __future__ import annotations

from typing import Any

import pytest

from leaderboard.pages.boards.power import power_line
from tests.leaderboard.boards.invented import board


@pytest.mark.parametrize(
    ("facts", "ranked_rows", "top", "said"),
    [
        ({"detectable": 0.0837}, 2, None, "differ by 8.4 points, this board separates them"),
        ({"detectable": None}, 2, None, "This board is too small to say"),
        ({"detectable": 0.1, "raters_differ": False}, 5, 4, "differ by 0.30 marks, this board"),
        ({"detectable": None, "raters_differ": True}, 5, 4, "Some entrants have too few raters"),
        # Too few rows, or not computed.
        ({"detectable": 0.1}, 1, None, None),
        ({}, 5, None, None),
    ],
)
def test_power_is_told_in_points_or_marks(
    facts: dict[str, Any], ranked_rows: int, top: int | None, said: str | None
) -> None:
    line = power_line(board(facts=facts), ranked_rows, top)
    assert line == "" if said is None else said in line
