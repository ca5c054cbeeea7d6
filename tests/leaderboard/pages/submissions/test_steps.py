"""Tests of times in words, which are as exact as the times are known."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from django.utils import timezone

from evaluation.models import EvaluationState
from evaluation.state.forecast import Interval
from evaluation.state.progress import Progress
from leaderboard.pages.submissions.views.steps import (
    duration_words,
    left_words,
    outward,
)


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
    ("low", "high", "words"),
    [
        (7, 15, "at most about 20 s left, probably done by 12:01"),
        (25, 39, "about 20 to 40 s left, probably done by 12:01"),
        (45, 130, "about 40 s to 3 min left, probably done by 12:03"),
        (301, 719, "about 5 to 15 min left, probably done by 12:15"),
        (1300, 7000, "about 20 min to 2 h 0 min left, probably done by 14:00"),
    ],
)
def test_an_interval_is_rounded_outward_and_plain(
    low: float, high: float, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(timezone, "now", lambda: datetime(2026, 3, 1, 12, tzinfo=UTC))
    rounded = outward(low, high)
    assert rounded[0] <= low and high <= rounded[1]
    state = EvaluationState.JUDGING
    progress = Progress(
        state, 9, 0, 9, 0, (), {}, 0, 1, 0, 0, Interval(low, high), None, None, 0, ()
    )
    with timezone.override(UTC):
        assert left_words(progress) == words
