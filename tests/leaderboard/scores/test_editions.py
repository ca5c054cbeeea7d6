"""Tests that each computed board leaves an edition, and that old ones are thinned out."""

from datetime import datetime, timedelta

import numpy as np
import pytest
from django.utils import timezone

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.metrics import METRICS_VERSION
from evaluation.models import Evaluation
from evaluation.state import scheduling
from evaluation.work import actions
from evaluation.work.exclusions import leave_out, take_in_again
from leaderboard.benchmarks.models import Task, TaskExclusion
from leaderboard.scores import boards, changes
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.changes import LEFT_OUT, TAKEN_IN, VERDICTS
from leaderboard.scores.models import Board, Edition
from leaderboard.scores.pairs import adjusted_p, packed
from leaderboard.submissions.models import Submission, Visibility, random_id
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


def test_a_deleted_submission_leaves_its_editions(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("First"), BETTER)
    gone = cast.judged_submission(cast.entrant("Second"), WORSE)
    Submission.objects.filter(pk=gone.pk).update(visibility=Visibility.PRIVATE)
    gone.delete()
    assert sorted(edition.rows.count() for edition in Edition.objects.all()) == [1, 1]


def scored_again(cast: Cast) -> Edition:
    for evaluation in scheduling.to_be_scored():
        cast.score(evaluation)
    assert make_board(board=Board.objects.get())
    return Edition.objects.all()[0]


def test_a_task_that_is_left_out_is_a_change_with_the_rows_before(cast: Cast) -> None:
    # Of twelve tasks, the last two are not solved.
    cast.judged_submission(cast.entrant("First"), ("passed",) * 30 + ("failed",) * 6)
    cast.judged_submission(cast.entrant("Second"), BETTER)
    task = Task.objects.order_by("pk")[11]
    leave_out(tasks=Task.objects.filter(pk=task.pk), reason="It is wrong.", user=cast.dora)
    edition = scored_again(cast)
    assert edition.changes["tasks"] == [[task.pk, LEFT_OUT, 2]]
    assert edition.changes.keys() == {"tasks", "rows"}
    # Of the row with 1.0 only the interval changed.
    assert [value for _, value, _, _ in edition.changes["rows"]] == [10 / 12]
    assert sorted(edition.rows.values_list("value", flat=True)) == [10 / 11, 1.0]
    take_in_again(exclusions=TaskExclusion.objects.all())
    assert scored_again(cast).changes["tasks"][0][:2] == [task.pk, TAKEN_IN]


def test_another_engine_and_the_tasks_that_it_judges_otherwise_are_a_change(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant("First"), WORSE)
    again = actions.judge_again(submission=submission)
    Evaluation.objects.filter(pk=again.pk).update(engine_version="99")
    cast.judge(again, BETTER)
    edition = scored_again(cast)
    assert edition.changes["engine"] == [ENGINE_VERSION, "99"]
    assert [kind for _, kind, _ in edition.changes["tasks"]] == [VERDICTS] * 12
    ((key, value, *ranks),) = edition.changes["rows"]
    assert (key, ranks) == (submission.pk, [1, 1]) and value == pytest.approx(1 / 3)


def test_other_metrics_are_a_change_and_new_results_are_none(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    cast.judged_submission(cast.entrant("First"), BETTER)
    submission = cast.judged_submission(cast.entrant("Second"), WORSE)
    assert not Edition.objects.exclude(changes={})
    for module in (boards, changes):
        monkeypatch.setattr(module, "METRICS_VERSION", "of tomorrow")
    assert make_board(board=want_board(submission=submission))
    expected = {"metrics": [METRICS_VERSION, "of tomorrow"], "rows": []}
    assert Edition.objects.all()[0].changes == expected


def test_scoring_again_without_another_result_is_no_change(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("First"), BETTER)
    assert scheduling.score_again(evaluation=Evaluation.objects.get())
    assert scored_again(cast).changes == {}
    assert Edition.objects.count() == 1


def test_a_change_is_never_thinned_out(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("First"), BETTER)
    Edition.objects.update(changes={"rows": []})
    old = Edition.objects.get()
    for days in (40, 40, 3):
        row = Edition.objects.get(pk=old.pk)
        row.pk, row.public_id, row.changes = None, random_id(), {}
        row.made_at = timezone.now() - timedelta(days=days)
        row.save()
    Edition.objects.filter(pk=old.pk).update(made_at=timezone.now() - timedelta(days=40, hours=1))
    cast.judged_submission(cast.entrant("Second"), WORSE)
    # Of the two of one day, one has no rows any more.
    assert not Edition.objects.get(pk=old.pk).thinned
    assert Edition.objects.filter(thinned=True).count() == 1


def test_a_board_of_twenty_a_day_keeps_one_of_each_day() -> None:
    now, number = timezone.now(), 0
    kept: list[tuple[int, datetime]] = []
    for day in range(60):
        for part in range(20 if day > 20 else 1):
            number += 1
            made_at = now + timedelta(days=day, hours=24 * part / 20)
            every = [(number, made_at), *kept]
            deleted = boards.surplus(every, made_at)
            kept = [edition for edition in every if edition[0] not in deleted]
    assert 59 <= len(kept) <= 59 + 21
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
