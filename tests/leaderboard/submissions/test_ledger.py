"""Tests that a board says from how many judged submissions its team chose the published ones."""

from __future__ import annotations

from django.test import Client

from evaluation.state import scheduling
from evaluation.work import actions
from leaderboard.accounts.models import Entrant
from leaderboard.boards.queries import Ledger, ledgers_of
from leaderboard.submissions.models import LedgerEntry
from tests.support.cast import Cast

BOARD = "/benchmarks/rucodeeval/"


def ledger(cast: Cast) -> Ledger:
    assert cast.rucodeeval.current is not None
    return ledgers_of(cast.rucodeeval.current, "base")[cast.northwood.pk]


def test_a_row_says_of_how_many_runs_its_team_published_it(cast: Cast, client: Client) -> None:
    one = cast.entrant("One")
    for _ in range(3):
        cast.judged_submission(one, publish=False)
    cast.judged_submission(one)
    cast.judged_submission(cast.entrant("Two"), publish=False)
    cast.judged_submission(cast.entrant("Theirs", cast.fenland), ("failed",))
    assert ledger(cast) == Ledger(5, 1)
    text = client.get(BOARD).content.decode()
    assert "the team published 1 of 5 evaluated runs" in text
    assert "the team published 1 of 1 evaluated run" in text
    assert "Runs that are judged elsewhere cannot be seen" in text
    rows = client.get("/benchmarks/rucodeeval/board.json").json()["rows"]
    assert [(row["team_runs_published"], row["team_runs_evaluated"]) for row in rows] == [
        (1, 5),
        (1, 1),
    ]


def test_what_is_deleted_or_moved_still_counts(cast: Cast) -> None:
    tried, kept = cast.entrant("Tried"), cast.entrant("Kept")
    for _ in range(4):
        cast.judged_submission(tried, publish=False)
    cast.judged_submission(kept)
    tried.delete()
    assert ledger(cast) == Ledger(5, 1)
    # The row of an entrant that moved to a team without earlier runs keeps its first team's ledger.
    Entrant.objects.filter(pk=kept.pk).update(team=cast.fenland)
    assert LedgerEntry.objects.get(submission__entrant=kept).team == cast.northwood
    text = Client().get(BOARD).content.decode()
    assert "the team published 1 of 5 evaluated runs" in text


def test_a_run_counts_from_its_first_verdicts_on_also_if_it_is_cancelled(cast: Cast) -> None:
    submission = cast.submission(cast.entrant())
    evaluation = actions.open_evaluation(submission=submission)
    assert not LedgerEntry.objects.exists()
    chunk = evaluation.chunks.first()
    assert chunk is not None
    assert scheduling.claim_chunk(pk=chunk.pk, owner="worker", host="here")
    assert actions.cancel_evaluation(evaluation=evaluation)
    assert ledger(cast) == Ledger(1, 0)


def test_a_submission_that_is_judged_again_counts_once(cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant())
    again = actions.judge_again(submission=submission)
    cast.judge(again)
    cast.score(again)
    assert ledger(cast) == Ledger(1, 1)


def test_other_settings_and_revisions_have_ledgers_of_their_own(cast: Cast) -> None:
    entrant = cast.entrant()
    cast.judged_submission(entrant)
    cast.judged_submission(entrant, benchmark=cast.codeif)
    cast.judged_submission(entrant, benchmark=cast.codeif, setting="multi_turn", samples=1)
    assert ledger(cast) == Ledger(1, 1)
