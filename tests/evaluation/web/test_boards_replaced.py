"""Tests that a board keeps its rows while results are scored again, and then changes all at
once."""

import threading
import time
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from evaluation import jobs
from evaluation.engine.metrics import paired
from evaluation.engine.records import Integrity
from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Verdict
from evaluation.state import scheduling
from evaluation.work import actions, review
from evaluation.work.exclusions import leave_out
from evaluation.work.reconciling import reconcile
from leaderboard.benchmarks.models import Task
from leaderboard.boards import queries
from leaderboard.boards.frames import BoardFrames
from leaderboard.boards.rows import rows_of
from leaderboard.scores import boards, scoring
from leaderboard.scores.models import Board, Score, Standing, TaskResult
from leaderboard.submissions.models import Submission
from tests.evaluation.web.conftest import age, at_once
from tests.support.cast import Cast

PATTERNS = (("passed",), ("passed", "passed", "failed"), ("failed", "passed"), ("failed",))


def settle_suspects(to: Integrity) -> None:
    suspects = Verdict.objects.filter(integrity=Integrity.SUSPECT)
    review.settle(verdicts=list(suspects), to=to)


@pytest.fixture
def four(cast: Cast) -> list[Evaluation]:
    made = [
        cast.judged_submission(cast.entrant(f"Model {number}"), pattern, samples=1)
        for number, pattern in enumerate(PATTERNS)
    ]
    long_ago()
    return [one.evaluations.get() for one in made]


def long_ago() -> None:
    """Dates the making of every board back by a minute, so that it may be made again at once."""
    Board.objects.update(made_at=timezone.now() - timedelta(minutes=1), rung=None)


def leave_one_out(cast: Cast) -> None:
    tasks = Task.objects.filter(revision=cast.rucodeeval.current, number=0)
    leave_out(tasks=tasks, reason="Its tests are wrong.", user=cast.dora)


def score_and_make(evaluations: list[Evaluation]) -> None:
    for evaluation in evaluations:
        jobs.score(evaluation.pk)
    jobs.board(Board.objects.get().pk)


def shown(cast: Cast) -> dict[str, tuple[int | None, float | None, int]]:
    """By entrant: place, score and number of tasks, as the public board has them."""
    board = Board.objects.get()
    return {
        row.entrant.shown_name: (
            row.place,
            None if (score := row.overall("pass@1")) is None else score.value,
            0 if score is None else score.tasks,
        )
        for row in rows_of(board, cast.charlie)
    }


@pytest.mark.any_database
def test_the_board_shows_its_four_rows_until_all_four_are_scored_again(
    cast: Cast, four: list[Evaluation], client: Client
) -> None:
    before, made_at = shown(cast), Board.objects.get().made_at
    leave_one_out(cast)
    for number, evaluation in enumerate(four):
        jobs.board(Board.objects.get().pk)
        assert (shown(cast), Board.objects.get().made_at) == (before, made_at)
        text = client.get("/benchmarks/rucodeeval/").content.decode()
        again = len(four) - number
        assert f"{again} result{'s are' if again > 1 else ' is'} being scored again" in text
        assert not boards.due_boards()
        jobs.score(evaluation.pk)
        # Its team reads the new score before the board does.
        assert evaluation.scores.get(metric="pass@1", slice="overall").tasks == 11
    assert shown(cast) == before
    jobs.board(Board.objects.get().pk)
    after = shown(cast)
    assert {name: row[0] for name, row in after.items()} == {n: r[0] for n, r in before.items()}
    assert {row[2] for row in after.values()} == {11}
    assert "being scored again" not in client.get("/benchmarks/rucodeeval/").content.decode()
    assert not Score.with_replaced.filter(replaced=True)
    assert not TaskResult.with_replaced.filter(replaced=True)


@pytest.mark.any_database
def test_charts_and_solve_rates_are_of_the_results_that_the_board_shows(
    cast: Cast, four: list[Evaluation]
) -> None:
    task = Task.objects.get(revision=cast.rucodeeval.current, number=0)
    leave_one_out(cast)
    for evaluation in four[:2]:
        jobs.score(evaluation.pk)
    assert len(BoardFrames(Board.objects.get()).tasks) == 12
    rates = queries.with_solve_rates(Task.objects.filter(pk=task.pk), Board.objects.get())
    assert rates.get().solve_rate == 0.5
    standings = Standing.objects.all()
    assert queries.task_results(task, standings, "pass") == {
        one.pk: (passed, 1) for one, passed in zip(four, (1, 1, 0, 0), strict=True)
    }


@pytest.mark.any_database
@pytest.mark.parametrize("dies", [False, True])
def test_a_scoring_that_fails_or_dies_blocks_nobody_else(
    cast: Cast, four: list[Evaluation], monkeypatch: pytest.MonkeyPatch, dies: bool
) -> None:
    leave_one_out(cast)
    for evaluation in four[:3]:
        jobs.score(evaluation.pk)
    if dies:
        assert scheduling.claim_scoring(pk=four[3].pk, owner="killed")
        reconcile()
        assert not boards.due_boards()
        age(four[3])
        reconcile()
    else:
        with monkeypatch.context() as patch, pytest.raises(ZeroDivisionError):
            patch.setattr(scoring, "judged", lambda *_: 1 / 0)
            jobs.score(four[3].pk)
    board = boards.due_boards().get()
    jobs.board(board.pk)
    found = shown(cast)
    # No row is of the other set of tasks, and no row vanished.
    assert found.pop("Model 3") == (None, None, 0)
    assert {row[2] for row in found.values()} == {11}
    long_ago()
    age(four[3])
    score_and_make(four[3:])
    assert shown(cast)["Model 3"] == (4, 0.0, 11)


@pytest.mark.any_database
def test_a_result_whose_lost_part_is_judged_again_stays_on_the_board(
    cast: Cast, four: list[Evaluation]
) -> None:
    before = shown(cast)
    four[0].chunks.update(state=ChunkState.LOST)
    assert scheduling.retry_lost(evaluation=four[0])
    remake(four[1].submission)
    assert shown(cast) == before
    # It does not stay if tasks were left out since then.
    leave_one_out(cast)
    score_and_make(four[1:])
    assert shown(cast)["Model 0"] == (None, None, 0)
    Chunk.objects.filter(evaluation=four[0]).update(state=ChunkState.DONE)
    long_ago()
    score_and_make(four[:1])
    assert shown(cast)["Model 0"] == (1, 1.0, 11)


def remake(submission: Submission) -> None:
    assert boards.make_board(board=boards.want_board(submission=submission))
    long_ago()


def suspect(evaluation: Evaluation) -> None:
    """Marks a pass of a published result as suspect."""
    first = evaluation.verdicts.filter(status="passed").order_by("pk").first()
    Verdict.objects.filter(pk=first.pk).update(integrity="suspect")


@pytest.mark.any_database
def test_a_result_confirmed_as_cheating_leaves_at_once(cast: Cast, four: list[Evaluation]) -> None:
    suspect(four[0])
    settle_suspects(Integrity.CONFIRMED)
    assert list(shown(cast)) == ["Model 1", "Model 2", "Model 3"]
    # Not even a board that is made before it is scored again has its old score.
    assert boards.make_board(board=Board.objects.get())
    assert shown(cast)["Model 0"] == (None, None, 0)
    long_ago()
    score_and_make(four[:1])
    assert shown(cast)["Model 0"] == (1, pytest.approx(11 / 12), 12)


def test_a_decision_while_its_result_is_scored_counts(cast: Cast, four: list[Evaluation]) -> None:
    suspect(four[0])
    assert actions.rescore(evaluation=four[0])
    claimed = scheduling.claim_scoring(pk=four[0].pk, owner="worker")
    assert claimed is not None
    settle_suspects(Integrity.CONFIRMED)
    assert not scoring.score_evaluation(evaluation=claimed)
    jobs.score(four[0].pk)
    four[0].refresh_from_db()
    assert four[0].state == EvaluationState.DONE
    assert four[0].scores.get(metric="pass@1", slice="overall").value == pytest.approx(11 / 12)


@pytest.mark.any_database
def test_a_result_that_is_cancelled_while_it_is_scored_again_leaves(
    cast: Cast, four: list[Evaluation]
) -> None:
    leave_one_out(cast)
    assert actions.cancel_evaluation(evaluation=four[0])
    score_and_make(four[1:])
    assert list(shown(cast)) == ["Model 1", "Model 2", "Model 3"]
    long_ago()
    for evaluation in four[1:]:
        assert actions.rescore(evaluation=evaluation)
        assert actions.cancel_evaluation(evaluation=evaluation)
    jobs.board(Board.objects.get().pk)
    assert shown(cast) == {}


def test_an_order_that_was_computed_from_replaced_results_is_not_stored(
    cast: Cast, four: list[Evaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = shown(cast)
    board = boards.want_board(submission=four[0].submission)
    compute = boards.rank

    def replaced_meanwhile(*showings: object) -> object:
        leave_one_out(cast)
        jobs.score(four[0].pk)
        return compute(*showings)  # type: ignore[arg-type]

    monkeypatch.setattr(boards, "rank", replaced_meanwhile)
    assert not boards.make_board(board=board)
    assert shown(cast) == before


def test_a_board_is_made_when_it_is_due_and_by_one_worker_at_a_time(
    four: list[Evaluation], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(boards, "rank", lambda *_: 1 / 0)
        assert not boards.make_board(board=Board.objects.get()), "it is up to date"
    board = boards.want_board(submission=four[0].submission)
    assert boards.due_boards()
    claimed = boards.claim_board(pk=board.pk, owner="first")
    assert claimed is not None
    assert boards.claim_board(pk=board.pk, owner="second") is None
    boards.release_board(board=claimed)
    jobs.board(board.pk)
    # Changes within seconds share an order.
    boards.want_board(submission=four[0].submission)
    assert not boards.due_boards()
    long_ago()
    assert boards.due_boards()


@pytest.mark.any_database
def test_one_more_entrant_is_compared_with_the_others_only(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number, pattern in enumerate((("passed",), ("failed",), ("passed", "failed", "failed"))):
        cast.judged_submission(cast.entrant(f"Model {number}"), pattern)
    computed: list[int] = []
    count = paired._counts_of_swaps

    def counted(table: paired.Table, missing: Any) -> Any:
        computed.append(int(missing.sum()))
        return count(table, missing)

    monkeypatch.setattr(paired, "_counts_of_swaps", counted)
    submission = cast.judged_submission(cast.entrant("One more"), ("passed", "passed", "failed"))
    assert computed == [3]
    remake(submission)
    assert computed == [3]


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_result_leaves_also_while_an_order_with_it_is_being_stored(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    evaluation = cast.judged_submission(cast.entrant()).evaluations.get()
    board = boards.want_board(submission=evaluation.submission)
    stored = threading.Event()
    write = boards.showings.write_statistics

    def slowly(*arguments: Any) -> None:
        """Follows the replacement of the rows, in the same transaction."""
        stored.set()
        time.sleep(0.5)
        write(*arguments)

    def discounted() -> bool:
        assert stored.wait(10)
        actions.discount(evaluation=evaluation)
        return True

    monkeypatch.setattr(boards.showings, "write_statistics", slowly)
    assert at_once(partial(boards.make_board, board=board), discounted) == [True, True]
    assert not Standing.objects.exists()
