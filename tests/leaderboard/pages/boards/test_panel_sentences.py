"""Tests that the lines under a board's answer say in plain words what is stored, and no
more."""

from typing import Any

import pytest

from leaderboard.annotation.models import Campaign, PanelAgreement, PanelScore
from leaderboard.boards.panels import Panels, missing_share
from leaderboard.pages.boards.panel_sentences import agreement_line, panel_lines, power_line
from leaderboard.pages.shared.panel_words import gate_words, holds_words, lack_words
from tests.leaderboard.boards.invented import board

pytestmark = pytest.mark.any_database


def alpha(value: float | None, lack: str = "", *, ends: bool = True) -> PanelAgreement:
    low, high = (value - 0.05, value + 0.05) if ends and value is not None else (None, None)
    return PanelAgreement(
        campaign=CAMPAIGN, criterion="correctness", measure="alpha", value=value, low=low,
        high=high, raters=3, tasks=12, pairs=36, lack=lack,
    )  # fmt: skip


def score(raters: int = 3, scope: str = "panel", campaign: int = 1) -> PanelScore:
    return PanelScore(
        campaign=Campaign(pk=campaign), criterion="correctness", value=3.0, scope=scope,
        ratings=36, raters=raters, items=12, tasks=12,
    )  # fmt: skip


CAMPAIGN = Campaign(pk=1)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        (alpha(0.9), "The raters agree closely on correctness: alpha 0.90 (0.85–0.95)."),
        (alpha(0.8), "The raters agree closely on correctness: alpha 0.80 (0.75–0.85)."),
        (
            alpha(0.7),
            "The raters agree on correctness, enough for tentative conclusions: "
            "alpha 0.70 (0.65–0.75).",
        ),
        (alpha(0.3), "The raters agree little on correctness: alpha 0.30 (0.25–0.35)."),
        (alpha(0.9, ends=False), "The raters agree closely on correctness: alpha 0.90."),
        (
            alpha(None, "too_few_raters"),
            "The agreement between raters on correctness cannot be computed: too few: fewer "
            "than two raters.",
        ),
    ],
)
def test_agreement_is_told_in_words_and_as_alpha(found: PanelAgreement, said: str) -> None:
    assert agreement_line(found) == said


@pytest.mark.parametrize(
    ("scope", "said"),
    [
        (
            "panel",
            "3 raters; intervals, ranks and ties hold for similar tasks and only this panel.",
        ),
        (
            "population",
            "3 raters; the intervals hold for similar tasks and raters, the ranks and ties for "
            "similar tasks and only this panel.",
        ),
    ],
)
def test_it_is_said_whom_the_intervals_speak_of(scope: str, said: str) -> None:
    assert panel_lines(Panels({1: [score(scope=scope)]}, ()), "correctness") == [said]


def test_one_row_about_the_panel_makes_all_of_them_so_unless_it_is_provisional() -> None:
    both = Panels({1: [score(scope="population")], 2: [score()]}, ())
    assert (
        "; intervals, ranks and ties hold for similar tasks" in panel_lines(both, "correctness")[0]
    )
    provisional = score(campaign=2)
    provisional.holds = ["unrated_generations"]
    both = Panels({1: [score(raters=25, scope="population")], 2: [provisional]}, ())
    words = "25 raters; the intervals hold for similar tasks and"
    assert panel_lines(both, "correctness")[0].startswith(words)


def test_pairs_that_are_tied_for_lack_of_common_raters_are_told_of() -> None:
    both = Panels({1: [score()], 2: [score(campaign=2)]}, ())
    (_, said) = panel_lines(both, "correctness", unshared=1)
    assert said.startswith("1 pair of entrants counts as tied whatever their means")
    assert len(panel_lines(both, "correctness")) == 1
    # Without ratings, nothing is said.
    assert panel_lines(Panels({}, ()), "correctness") == []
    assert panel_lines(Panels({1: [score(raters=0)]}, ()), "correctness") == []


@pytest.mark.parametrize(
    ("low", "said"),
    [
        (0.85, "Its lower end, 0.850, reaches the required 0.667."),
        (0.667, "Its lower end, 0.667, reaches the required 0.667."),
        (0.66699, "Its lower end, 0.666, is below the required 0.667."),
        (None, ""),
    ],
)
def test_the_lower_end_of_alpha_is_told_with_what_is_required(low: float | None, said: str) -> None:
    assert gate_words(low, 0.667) == said
    row = alpha(0.9)
    row.low = low
    told = panel_lines(Panels({1: [score()]}, (row,)), "correctness")
    assert (said in told) == bool(said)
    assert len(told) == 2 + bool(said)


def test_reasons_are_told_in_words() -> None:
    told = "some generations are not rated yet, too few marks yet"
    assert holds_words(["unrated_generations", "too_few_ratings"]) == told
    assert holds_words(["something_new"]) == "something new"
    for lack in ("too_few_raters", "too_little_shared", "no_variation"):
        assert "_" not in lack_words(lack)


def test_what_is_missing_is_a_share_of_what_counts() -> None:
    found = score()
    found.missing = 3
    assert missing_share(found) == pytest.approx(3 / 15)
    found.items = 0
    assert missing_share(found) == 0


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
