"""Tests of charts of people's marks: shares as stored, gaps hatched, and only certain findings."""

from dataclasses import replace
from typing import Any

import pytest

from leaderboard.boards.frames import Frame
from leaderboard.pages.boards.board_charts import CHARTS
from leaderboard.pages.boards.charts import marks
from tests.leaderboard.pages.boards.chart_boards import (
    SCALES,
    Made,
    agreements,
    chart,
    drawn,
    framed,
    made,
    mark_row,
    provisional_row,
)

pytestmark = pytest.mark.any_database

TOKENS = [f"heat-{step}" for step in range(1, 7)]


def rated(*marks: tuple[object, ...], entrants: int = 2, **more: Any) -> Made:
    return replace(made(entrants), marks=framed("marks", marks), **more)


# --- How marks spread ---------------------------------------------------------------------


def test_a_bar_s_parts_are_the_shares_of_the_marks_in_order() -> None:
    found = drawn("spread", rated(mark_row(0, "correctness", [0.1, 0.2, 0.3, 0.4]), entrants=1))
    assert [trace["x"] for trace in found["data"]] == [[10], [20], [30], [40], [0]]


def test_what_was_not_handed_in_or_is_provisional_is_hatched_and_no_mark() -> None:
    row = mark_row(0, "correctness", [0.5, 0.0, 0.0, 0.5], missing=0.2)
    found = drawn("spread", rated(row, provisional_row(1, "correctness")))
    assert [trace["x"] for trace in found["data"]] == [[30, 0], [0, 0], [0, 0], [50, 0], [20, 100]]
    bars = found["themes"]["light"]["template"]["data"]["bar"]
    assert [("pattern" in bar["marker"]) for bar in bars] == [False] * 4 + [True]
    known = rated(provisional_row(0, "correctness"), provisional_row(1, "correctness"))
    for name in ("spread", "pair-1", "pair-2", "pair-3"):
        assert CHARTS[name](known, "") is None


@pytest.mark.parametrize("top", [2, 3, 4, 5, 6])
def test_the_worst_mark_is_the_faintest_and_the_best_the_strongest(top: int) -> None:
    steps = [marks.step(mark, top) for mark in range(1, top + 1)]
    assert (steps[0], steps[-1]) == (TOKENS[0], TOKENS[-1])
    assert steps == sorted(set(steps))


def test_scales_without_best_marks_are_named_in_the_title() -> None:
    rows = (
        mark_row(0, "correctness", [0, 0, 0.4, 0.6]),
        mark_row(1, "correctness", [1.0, 0, 0, 0]),
        mark_row(0, "code quality", [0, 0.6, 0.4]),
        mark_row(1, "code quality", [0.6, 0.0, 0.4]),
    )
    told = "No entrant gets the best mark half of the time: code quality"
    assert chart("spread", rated(*rows)).title == told
    assert chart("spread", rated(*rows[:2])).title == "Distribution of the marks"


# --- One scale against another ------------------------------------------------------------


def test_each_pair_of_scales_has_its_chart() -> None:
    known = made()
    assert [chart(f"pair-{number}", known).title for number in (1, 2, 3)] == [
        "Correctness and code quality correlate",
        "Correctness and maintainability correlate",
        "Code quality and maintainability correlate",
    ]
    # Five entrants are too few for a correlation, and two for a chart.
    assert chart("pair-1", made(5)).title == "Code quality against correctness"
    assert CHARTS["pair-1"](made(2), "") is None


def test_dots_are_the_means_on_the_whole_of_both_scales() -> None:
    known = made(4)
    found = drawn("pair-1", known)
    points = marks.mean_points(known.rows, known.marks, ("correctness", "code quality"))
    assert found["data"][0]["x"] == pytest.approx(list(points["x"]))
    assert found["layout"]["xaxis"]["range"] == pytest.approx([0.88, 4.12])
    assert found["layout"]["yaxis"]["range"] == pytest.approx([0.88, 3.12])


def test_who_lacks_one_of_the_means_is_no_dot() -> None:
    known = made(4)
    marks = known.marks.astype({"value": float})
    marks.loc[(marks["evaluation"] == 0) & (marks["criterion"] == "code quality"), "value"] = None
    known = replace(known, marks=marks)
    assert len(drawn("pair-1", known)["data"][0]["x"]) == 3
    assert len(drawn("pair-2", known)["data"][0]["x"]) == 4


# --- Agreement ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (agreements(0.7, 0.9), "The raters agree enough to publish means on every scale"),
        (agreements(0.2, 0.6), "The raters agree too little on every scale"),
        (agreements(0.6, 0.9), "Agreement between raters"),
    ],
)
def test_agreement_is_said_where_every_interval_is_on_one_side(found: Frame, said: str) -> None:
    assert chart("agreement", replace(made(), agreements=found)).title == said


def test_a_scale_without_a_figure_says_why() -> None:
    found = agreements()
    found.loc[found["criterion"] == "correctness", ["value", "low", "high"]] = None
    found.loc[found["criterion"] == "correctness", "lack"] = "no_variation"
    known = replace(made(), agreements=found)
    texts = [note.get("text") for note in drawn("agreement", known)["layout"]["annotations"]]
    assert "Correctness: all marks are the same" in texts
    lack = "all marks are the same"
    assert chart("agreement", known).table().rows[0] == ["correctness", lack, lack]
    nothing = replace(made(), agreements=agreements(lack="too_little_shared"))
    assert CHARTS["agreement"](nothing, "") is None


def test_only_the_first_campaign_is_drawn_and_all_are_told() -> None:
    older = agreements(0.1, 0.3).assign(campaign=2, title="Spring")
    both = framed("agreements", [*agreements().to_numpy(), *older.to_numpy()])
    known = replace(made(), agreements=both)
    assert drawn("agreement", known)["data"][0]["x"] == [0.75] * 3
    assert [row[0] for row in chart("agreement", known).table().rows] == [
        f"{title} · {scale}" for title in ("Autumn", "Spring") for scale in SCALES
    ]


# --- All ----------------------------------------------------------------------------------


def test_a_rated_board_s_breakdown_is_in_marks_and_no_chart_is_in_per_cent() -> None:
    known = replace(made(4), top=5)
    found, shares = drawn("breakdown", known), drawn("breakdown", made(4))
    assert found["layout"]["xaxis"]["range"] == [1, 5]
    assert found["data"][0]["x"] == pytest.approx(
        [1 + 4 * x / 100 for x in shares["data"][0]["x"]], abs=1e-3
    )
    assert [CHARTS[name](known, "") for name in ("size", "tokens", "cost", "time")] == [None] * 4
