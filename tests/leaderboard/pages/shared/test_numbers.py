"""Tests that a number is the same on the page, in a chart, in its table, and rounded from a
file."""

from decimal import ROUND_HALF_UP, Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.pages.boards.charts.drawing import chart_unit, percents, with_interval
from leaderboard.pages.shared import score_words
from leaderboard.pages.shared.numbers import nearest, per_cent, rounded


def drawn(value: float, digits: int) -> Decimal:
    """A chart's number as JavaScript's toFixed rounds it: by its exact value, ties upwards."""
    return Decimal(value).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP)


@given(st.floats(0, 1))
def test_a_share_is_the_same_number_everywhere(share: float) -> None:
    text = score_words.percent(share)
    assert per_cent(share) == text
    row = pd.Series({"value": share, "low": share, "high": share})
    assert with_interval(row) == f"{text} ({text}–{text})"
    (in_chart,) = percents(pd.Series([share]))
    assert in_chart is not None
    assert drawn(in_chart, 1) == Decimal(text)


@given(st.floats(0, 1))
def test_a_mark_is_the_same_number_everywhere(share: float) -> None:
    score = {"value": share, "low": share, "high": share, "top": 5}
    text = score_words.score_number(score)
    ends = score_words.score_ends(score)
    assert with_interval(pd.Series(score), chart_unit(5)) == f"{text} ({ends})"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.9419, "94.2"), (0.94199, "94.2"), (0.1225, "12.3"), (0.57, "57.0"), (1, "100.0")],
)
def test_tables_behind_charts_round_as_boards_do(share: float, text: str) -> None:
    row = pd.Series({"value": share, "low": float("nan"), "high": float("nan")})
    assert (with_interval(row), score_words.percent(share)) == (text, text)


def test_ties_go_away_from_zero_and_nothing_is_minus_zero() -> None:
    assert [nearest(value, 1) for value in (0.25, -0.25)] == [Decimal("0.3"), Decimal("-0.3")]
    assert rounded(-0.04, 1) == "0.0"
