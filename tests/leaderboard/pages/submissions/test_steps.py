"""Times in words, as exact as they are known."""

from __future__ import annotations

import pytest

from leaderboard.pages.submissions.views.steps import duration_words, roughly


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0 s"),
        (8, "8 s"),
        (59.6, "1 min"),
        (125, "2 min 5 s"),
        (300, "5 min"),
        (11400, "3 h 10 min"),
    ],
)
def test_durations_have_two_units_at_most(seconds: float, words: str) -> None:
    assert duration_words(seconds) == words


@pytest.mark.parametrize(
    ("seconds", "rough"), [(0, 1), (7, 7), (44, 40), (89, 90), (1647, 1620), (7300, 7200)]
)
def test_a_guess_is_rounded(seconds: int, rough: int) -> None:
    assert roughly(seconds) == rough
