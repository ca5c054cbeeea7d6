"""Tests that each computed board leaves an edition, and that old ones are thinned out."""

from __future__ import annotations

from datetime import datetime, timedelta

import numpy as np
import pytest
from django.utils import timezone

from evaluation.engine.metrics import METRICS_VERSION
from leaderboard.scores import boards
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.models import Board, Edition
from leaderboard.scores.pairs import adjusted_p, packed
from leaderboard.submissions.models import Submission, Visibility
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

BETTER, WORSE = ("passed",), ("failed", "failed", "passed")


def test_a_board_that_changes_leaves_an_edition_with_ranks_and_scores(cast: Cast) -> None:
    first = cast.judged_submission(cast.entrant("First"), WORSE)
    second = cast.judged_submission(cast.entrant("Second"), BETTER)
    newest, earlier = Edition.objects.all()
    assert (earlier.ranked, newest.ranked) == (1, 2)
    assert newest.engine and newest.made_at > earlier.made_at
    row = newest.rows.get(submission=first)
    assert (row.rank_low, row.rank_high) == (2, 2)
    assert newest.rows.get(submission=second).value == 1.0


def test_a_board_that_is_made_again_as_it_was_leaves_none(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant("First"), BETTER)
    assert make_board(board=want_board(submission=submission))
    assert Edition.objects.count() == 1


def test_a_board_that_is_made_with_other_metrics_leaves_one(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    submission = cast.judged_submission(cast.entrant("First"), BETTER)
    monkeypatch.setattr(boards, "METRICS_VERSION", "of tomorrow")
    assert make_board(board=want_board(submission=submission))
    found = Edition.objects.values_list("metrics", flat=True)
    assert list(found) == ["of tomorrow", METRICS_VERSION]


def test_a_deleted_submission_leaves_its_editions(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("First"), BETTER)
    gone = cast.judged_submission(cast.entrant("Second"), WORSE)
    Submission.objects.filter(pk=gone.pk).update(visibility=Visibility.PRIVATE)
    gone.delete()
    assert sorted(edition.rows.count() for edition in Edition.objects.all()) == [1, 1]


def test_a_board_of_twenty_a_day_keeps_a_bounded_number() -> None:
    """All of the last day, one a day for 60 days, and one a month before that, when there was one a
    day."""
    now, number = timezone.now(), 0
    kept: list[tuple[int, datetime]] = []
    for day in range(365):
        for part in range(20 if day > 300 else 1):
            number += 1
            made_at = now + timedelta(days=day, hours=24 * part / 20)
            every = [(number, made_at), *kept]
            deleted = boards.surplus(every, made_at)
            kept = [edition for edition in every if edition[0] not in deleted]
    assert 80 < len(kept) <= 20 + 61 + 12
    assert kept[0][0] == number


def test_the_newest_editions_of_a_day_survive() -> None:
    now = timezone.now()
    every = [(key, now - timedelta(minutes=key)) for key in range(25)]
    assert boards.surplus(every, now) == [20, 21, 22, 23, 24]


def test_the_p_of_each_pair_of_places_is_stored() -> None:
    random = np.random.default_rng(3)
    upper = np.triu(random.integers(1, 10_001, size=(7, 7)) / 10_000, 1)
    p = upper + upper.T + np.eye(7)
    stored = packed(p)
    for one in range(7):
        for other in range(7):
            if one != other:
                assert adjusted_p(stored, 7, one + 1, other + 1) == p[one, other]
    assert adjusted_p(b"", 7, 1, 2) is None
    assert adjusted_p(stored, 6, 1, 2) is None


def test_a_made_board_stores_its_leads_among_its_pairs(cast: Cast) -> None:
    for number, pattern in enumerate((BETTER, WORSE, ("failed",))):
        cast.judged_submission(cast.entrant(f"Model {number}"), pattern)
    board = Board.objects.get()
    found = [adjusted_p(bytes(board.pairs), 3, 1, place) for place in (2, 3)]
    assert found == board.facts["p"]
