"""An evaluation is scored once, whichever workers end its last chunks, and however many try."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from django.db import connection, transaction
from django.utils.translation import override

from evaluation import jobs
from evaluation.engine.conversations import texts
from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Verdict
from evaluation.state import scheduling
from evaluation.state.scheduling import claim_scoring, finish_chunk, to_be_scored
from leaderboard import leases
from leaderboard.messages import FAULT, in_readers_language
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.models import Board, Score, Standing, TaskResult
from leaderboard.scores.scoring import score_evaluation
from tests.evaluation.web.conftest import T, age, at_once, closing_connection
from tests.evaluation.web.test_scheduling import claim
from tests.support.cast import Cast
from tests.support.commands import wait_for


@pytest.fixture
def over(cast: Cast, evaluation: Evaluation) -> Evaluation:
    """An evaluation whose chunks are all done and that is not scored yet."""
    cast.judge(evaluation)
    return evaluation


def claimed(evaluation: Evaluation, owner: str = "worker") -> Evaluation:
    found = claim_scoring(pk=evaluation.pk, owner=owner)
    assert found is not None
    return found


def test_nothing_is_scored_before_the_last_chunk_is_over(evaluation: Evaluation) -> None:
    evaluation.chunks.exclude(number=3).update(state=ChunkState.DONE)
    assert claim_scoring(pk=evaluation.pk, owner="early") is None
    last = claim(evaluation)
    assert claim_scoring(pk=evaluation.pk, owner="early") is None
    assert finish_chunk(chunk=last)
    assert to_be_scored().get() == evaluation


def test_who_scores_has_it_alone_until_the_lease_runs_out(over: Evaluation) -> None:
    first = claimed(over)
    assert claim_scoring(pk=over.pk, owner="second") is None
    age(first)
    second = claimed(over, "second")
    assert (second.attempt, second.owner) == (2, "second")


def test_a_scorer_that_lost_its_claim_writes_nothing(over: Evaluation) -> None:
    late = claimed(over)
    age(late)
    assert not score_evaluation(evaluation=late)
    assert not Score.objects.exists()
    assert score_evaluation(evaluation=claimed(over, "second"))
    before = list(Score.objects.order_by("pk").values_list("pk", flat=True))
    assert not score_evaluation(evaluation=late)
    assert list(Score.objects.order_by("pk").values_list("pk", flat=True)) == before
    assert TaskResult.objects.count() == 12


def test_a_refusal_keeps_how_transcripts_depart_from_the_rules(over: Evaluation) -> None:
    task = over.submission.revision.tasks.first()
    departures = {task.pk: texts.AFTER_END(turn=3)}
    assert scheduling.refuse(evaluation=claimed(over), departures=departures)
    over.refresh_from_db()
    assert over.departures == [[task.pk, "Turn 3 comes after the conversation's end."]]
    with override("ru"):
        assert in_readers_language(over.departures[0][1]) == "Ход 3 идёт после конца диалога."


def test_notes_of_scores_are_told_in_the_reader_s_language(cast: Cast, over: Evaluation) -> None:
    cast.score(over)
    notes = Score.objects.exclude(note="")
    assert notes
    for language in ("ru", "zh-hans"):
        with override(language):
            assert [score for score in notes if in_readers_language(score.note) == score.note] == []


def test_why_scoring_failed_is_told_in_the_reader_s_language(over: Evaluation) -> None:
    Verdict.objects.update(status="gone")
    with pytest.raises(ValueError, match="gone"):
        jobs.score(over.pk)
    over.refresh_from_db()
    assert over.cause == str(FAULT(kind="ValueError"))
    with override("ru"):
        assert in_readers_language(over.cause).startswith("Внутренняя ошибка (ValueError).")


def test_of_many_at_once_one_scores(shared_database: None, over: Evaluation) -> None:
    claims = at_once(*(partial(claim_scoring, pk=over.pk, owner=name) for name in "abcdef"))
    assert [claim.attempt for claim in claims if claim] == [1]
    assert score_evaluation(evaluation=next(claim for claim in claims if claim))
    assert TaskResult.objects.count() == 12


def test_a_board_made_by_two_at_once_has_each_row_once(shared_database: None, cast: Cast) -> None:
    submission = cast.judged_submission(cast.entrant())
    board = want_board(submission=submission)
    made = at_once(*(partial(make_board, board=Board.objects.get(pk=board.pk)) for _ in range(4)))
    assert sorted(made) == [False, False, False, True]
    assert [row.submission for row in Standing.objects.all()] == [submission]


# Two workers end the last two chunks at the same time. While its transaction is open, each sees the
# other's chunk unfinished, so both must look again after their commits.


def finish_and_score(evaluation: Evaluation, chunk: Chunk, meet: threading.Barrier) -> bool:
    """Ends the chunk while another worker ends the other one, then scores unless the other does."""
    with transaction.atomic():
        assert finish_chunk(chunk=chunk)
        meet.wait(10)
        assert not to_be_scored().filter(pk=evaluation.pk).exists()
        meet.wait(10)
    mine = claim_scoring(pk=evaluation.pk, owner=f"worker {chunk.number}")
    return mine is not None and score_evaluation(evaluation=mine)


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_of_two_finishers_that_overlap_one_scores(cast: Cast, evaluation: Evaluation) -> None:
    cast.judge(evaluation)
    evaluation.chunks.filter(number__gte=2).update(state=ChunkState.WAITING)
    meet = threading.Barrier(2)
    last = [claim(evaluation), claim(evaluation)]
    scored = at_once(*(partial(finish_and_score, evaluation, chunk, meet) for chunk in last))
    evaluation.refresh_from_db()
    assert sorted(scored) == [False, True]
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.DONE, 1)
    assert TaskResult.objects.count() == 12
    assert Score.objects.filter(metric="pass@1", slice="overall").count() == 1


def somebody_waits() -> bool:
    """Whether some other session of this database waits for a row."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return bool(cursor.fetchone()[0])


def while_uncommitted(first: Callable[[], object], second: Callable[[], T]) -> T:
    """The result of `second`, which starts after `first` is done and waits for its commit."""
    done, commit = threading.Event(), threading.Event()

    def hold() -> None:
        with transaction.atomic():
            assert first()
            done.set()
            assert commit.wait(30)

    def follow() -> T:
        assert done.wait(10)
        return second()

    with ThreadPoolExecutor() as pool:
        holding = pool.submit(closing_connection(hold))
        following = pool.submit(closing_connection(follow))
        try:
            # Ask outside of a transaction, in which the answer would always be the same.
            wait_for(somebody_waits)
        finally:
            commit.set()
        holding.result()
        return following.result()


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_claim_that_waits_for_a_cancellation_comes_too_late(evaluation: Evaluation) -> None:
    chunk = evaluation.chunks.get(number=0)
    late = while_uncommitted(
        partial(scheduling.cancel, evaluation=evaluation),
        partial(scheduling.claim_chunk, pk=chunk.pk, owner="late", host="here"),
    )
    chunk.refresh_from_db()
    assert (late, chunk.state) == (None, ChunkState.CANCELLED)


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_a_claim_of_a_chunk_waits_for_nobody_who_has_the_evaluation(evaluation: Evaluation) -> None:
    chunk = evaluation.chunks.get(number=0)
    with transaction.atomic():
        Evaluation.objects.update(cause="being written")
        # A claim that waited here would wait for ever, and so would anyone who waits for its chunk.
        (taken,) = at_once(
            lambda: leases.claimed(scheduling.waiting_chunks(), pk=chunk.pk, owner="worker")
        )
    assert taken == chunk


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_nothing_is_scored_that_is_being_tried_anew(over: Evaluation) -> None:
    over.chunks.filter(number=0).update(state=ChunkState.LOST)
    late = while_uncommitted(
        partial(scheduling.retry_lost, evaluation=over),
        partial(claim_scoring, pk=over.pk, owner="late"),
    )
    over.refresh_from_db()
    assert (late, over.state) == (None, EvaluationState.JUDGING)
