"""Tests of the format of numbers and times on the pages of rating."""

from __future__ import annotations

from datetime import UTC, datetime

from django.utils import timezone

from leaderboard.pages.shared.score_words import moment
from leaderboard.pages.templatetags.rating import minutes


def test_work_whose_clock_did_not_run_is_missing_and_not_zero() -> None:
    assert (minutes(90), minutes(600)) == ("2", "10")
    assert minutes(None) == minutes(0) != "0"


def test_a_moment_is_told_like_dates_elsewhere() -> None:
    this_year = datetime(timezone.localdate().year, 11, 22, 17, 34, tzinfo=UTC)
    assert moment(this_year) == "22 Nov, 17:34"
    assert moment(datetime(1999, 1, 2, 3, 4, tzinfo=UTC)) == "2 Jan 1999, 03:04"
