"""Tests that a board's order is computed only from published results."""

import pytest
from django.test import Client
from django.urls import reverse

from evaluation.models import Verdict
from evaluation.work.actions import publish_submission, withdraw_submission
from leaderboard.benchmarks.models import Benchmark, TaskExclusion
from leaderboard.scores.boards import make_board, stale_boards, want_board
from leaderboard.scores.models import Board
from leaderboard.submissions.models import Submission
from tests.support.cast import Cast

BETTER, WORSE = ("passed",), ("failed", "failed", "passed")


def order(board: Board) -> list[tuple[str, int | None]]:
    rows = board.standings.select_related("submission__entrant")
    return [(row.submission.entrant.name, row.place) for row in rows]


@pytest.mark.any_database
def test_an_entrant_stands_with_its_newest_published_result(cast: Cast) -> None:
    entrant = cast.entrant()
    cast.judged_submission(entrant, BETTER)
    newest = cast.judged_submission(entrant, WORSE)
    cast.judged_submission(entrant, BETTER, publish=False)
    assert [row.submission for row in Board.objects.get().standings.all()] == [newest]


@pytest.mark.any_database
def test_tasks_of_one_repository_are_compared_as_one(cast: Cast) -> None:
    cast.judged_submission(cast.entrant("Worse"), WORSE)
    submission = cast.judged_submission(cast.entrant("Better"), BETTER)
    board = Board.objects.get()
    assert list(board.standings.values_list("rank_low", "rank_high")) == [(1, 1), (2, 2)]
    assert (board.facts["clusters"], board.facts["cluster"]) == (12, "task")
    Benchmark.objects.filter(revisions=board.revision).update(family_slug="realcode")
    for task in board.revision.tasks.all():
        task.public = {"repository": f"acme/{task.number % 3}"}
        task.save()
    submission = Submission.objects.get(pk=submission.pk)
    assert make_board(board=want_board(submission=submission))
    board.refresh_from_db()
    assert list(board.standings.values_list("rank_low", "rank_high")) == [(1, 2), (1, 2)]
    assert (board.facts["tasks"], board.facts["clusters"]) == (12, 3)
    assert board.facts["cluster"] == "repository"


@pytest.mark.any_database
def test_a_row_counts_its_passes_that_count_by_tier(cast: Cast) -> None:
    half = ("failed", "passed")
    for name, pattern, facts in (
        ("Proved", BETTER, {}),
        ("Shared", half, {"tier": "shared", "integrity": "cleared"}),
        ("Suspect", BETTER, {"integrity": "suspect"}),
        ("Wrong", ("failed",), {}),
    ):
        cast.judged_submission(cast.entrant(name), pattern, samples=1, **facts)
    mixed = cast.judged_submission(cast.entrant("Mixed"), BETTER, samples=1)
    first = Verdict.objects.filter(evaluation__submission=mixed).earliest("pk")
    Verdict.objects.filter(pk=first.pk).update(tier="shared")
    board = want_board(submission=mixed)
    assert make_board(board=board)
    rows = board.standings.values_list(
        "submission__entrant__name", "passes_outside", "passes_shared"
    )
    assert {name: counts for name, *counts in rows} == {
        "Proved": [12, 0], "Shared": [0, 6], "Suspect": [0, 0], "Wrong": [0, 0], "Mixed": [11, 1],
    }  # fmt: skip


@pytest.mark.any_database
def test_withdrawing_takes_the_row_off_and_publishing_puts_it_back(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant(), BETTER)
    withdraw_submission(submission=submission)
    board = stale_boards().get()
    assert make_board(board=board)
    assert order(board) == []
    submission.refresh_from_db()
    publish_submission(submission=submission)
    assert make_board(board=stale_boards().get())
    assert order(board) == [("Larch Coder 32B", 1)]


@pytest.mark.any_database
def test_statistics_of_tasks_are_made_with_the_board(cast: Cast, client: Client) -> None:
    """Twelve entrants of growing strength. Only the weaker half solves the last task; its tests are
    marked for review until the task is excluded."""
    for strength in range(12):
        solved = tuple("passed" if task < strength else "failed" for task in range(11))
        last = ("passed" if strength < 6 else "failed",)
        entrant = cast.entrant(f"Model {strength}", organisation=f"Maker {strength}")
        cast.judged_submission(entrant, solved + last, samples=1)
    rows = list(Board.objects.get().task_statistics.order_by("task__number"))
    assert [row.n for row in rows] == [12] * 12
    rates = [(11 - task) / 12 for task in range(11)]
    assert [row.rate for row in rows] == pytest.approx([*rates, 0.5])
    found = [row.discrimination or 0 for row in rows]
    assert found[5] > 0.6 and found[11] < -0.6
    assert [row.task.number for row in rows if row.flagged] == [11]
    tasks, task = "/benchmarks/rucodeeval/tasks/", "/benchmarks/rucodeeval/tasks/11/"
    assert "Discrimination" in client.get(tasks).text
    assert "weak entrants solve it more often than strong ones" in client.get(task).text
    assert "tests may be wrong" not in client.get(task).text
    client.force_login(cast.dora)
    overview = client.get(reverse("admin-overview")).text
    assert "Weak entrants solve 1 task more often than strong ones" in overview
    page = client.get(reverse("admin:scores_taskstatistics_changelist"), {"tests": "open"})
    assert [row.pk for row in page.context["cl"].queryset] == [rows[11].pk]
    TaskExclusion.objects.create(task=rows[11].task, reason="Its tests are wrong.")
    assert "Weak entrants" not in client.get(reverse("admin-overview")).text
