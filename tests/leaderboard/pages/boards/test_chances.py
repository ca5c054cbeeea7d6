from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evaluation.engine.metrics.chances import FEWEST_ENTRANTS, Model
from leaderboard.boards.facts import chance_above, chances_of
from leaderboard.boards.filters import Filters
from leaderboard.boards.rows import board_table
from leaderboard.pages.boards.chances import chance_lines, chance_text, few_line, power_line
from tests.leaderboard.boards.invented import board, ranked

FACTS = {"first": [0.62, 0.379, 0.001], "top": [1.0, 0.999, 0.004], "above_next": [0.6, 0.996]}


def test_chances_are_whole_per_cent_and_never_certain() -> None:
    found = [chance_text(chance) for chance in (0.0, 0.004, 0.0149, 0.505, 0.99, 0.9901, 1.0, None)]
    assert found == ["< 1 %", "< 1 %", "1 %", "51 %", "99 %", "> 99 %", "> 99 %", ""]


def test_rows_that_cannot_be_among_the_first_are_left_out() -> None:
    rows, made = ranked(0.9, 0.8, 0.1), board(facts=FACTS)
    table = board_table(made, rows, Filters())
    found = chance_lines(chances_of(made, 3), table.ranked, ["A", "B", "C"])
    assert [(line.first, line.top, line.above_next, line.next) for line in found] == [
        ("62 %", "> 99 %", "60 %", "B"),
        ("38 %", "> 99 %", "> 99 %", "C"),
    ]


def test_chances_of_another_number_of_rows_are_not_shown() -> None:
    assert chances_of(board(facts=FACTS), 2) == []
    assert chances_of(board(facts={}), 3) == []
    assert chance_lines([], board_table(board(), ranked(0.9), Filters()).ranked, ["A"]) == []


@pytest.mark.parametrize(
    ("facts", "ranked_rows", "top", "said"),
    [
        ({"detectable": 0.0837}, 2, None, "differ by 8.4 points, this board separates them"),
        ({"detectable": None}, 2, None, "This board is too small:"),
        ({"detectable": 0.1, "raters_differ": False}, 5, 4, "differ by 0.30 marks, this board"),
        ({"detectable": None, "raters_differ": True}, 5, 4, "Not all entrants were rated by"),
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


def test_the_chance_of_any_pair_is_that_of_the_model() -> None:
    model = Model.of(np.linspace(0.9, 0.4, 20), np.full(20, 0.001))
    made = board(facts={"model": model.facts()})
    chances = model.chances()
    assert chance_above(made, 20, 1, 2) == pytest.approx(chances.above_next[0], abs=1e-4)
    assert chance_above(made, 20, 2, 1) == pytest.approx(1 - chances.above_next[0], abs=1e-4)
    far = chance_above(made, 20, 1, 20)
    assert far is not None and far > 0.99
    nothing = [(made, 19, 1, 2), (made, 20, None, 2), (board(facts={}), 20, 1, 2)]
    assert {chance_above(*one) for one in nothing} == {None}


def test_a_board_with_few_rows_says_why_it_shows_no_chances() -> None:
    tested = board(facts={"detectable": 0.1})
    said = few_line(tested, FEWEST_ENTRANTS - 1, None)
    assert said.startswith(f"Chances of ranks are shown from {FEWEST_ENTRANTS} ranked entrants on")
    others = [
        (tested, FEWEST_ENTRANTS, None),
        (tested, 1, None),
        (tested, 5, 4),
        (board(), 5, None),
    ]
    assert {few_line(*one) for one in others} == {""}
