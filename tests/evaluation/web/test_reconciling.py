"""After any crash, one pass over the database resumes the work; a second pass changes nothing."""

from datetime import timedelta

import django_rq
import pytest
from django.db import connection
from django.db.models import Count, Model
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from evaluation.models import Chunk, ChunkState, Evaluation, Worker
from evaluation.state import scheduling
from evaluation.state.scheduling import MOST_TRIES, RETRY_LOST_SECONDS
from evaluation.work import actions
from evaluation.work.bells import AHEAD, UNHEARD_SECONDS, ring_for_room, ring_next_chunks
from evaluation.work.reconciling import forget_workers, reconcile
from leaderboard.accounts.models import Entrant
from leaderboard.scores.boards import make_board, want_board
from leaderboard.scores.models import Board
from leaderboard.submissions.models import Upload, UploadState
from tests.evaluation.web.conftest import age, at_once, ids
from tests.evaluation.web.test_scheduling import claim, lose, make_due
from tests.support.cast import Cast
from tests.support.valkey import Queue


def empty(name: str) -> None:
    """The queue loses all of its jobs."""
    django_rq.get_connection(name).flushdb()


def long_ago(model: type[Model]) -> None:
    """Ages all notifications, so that none can still be on its way to the queue."""
    past = timezone.now() - timedelta(seconds=UNHEARD_SECONDS + 1)
    model._default_manager.exclude(rung=None).update(rung=past)


def upload_in(state: UploadState, cast: Cast, entrant: Entrant | None = None) -> Upload:
    assert cast.rucodeeval.current is not None
    return Upload.objects.create(
        entrant=entrant or cast.entrant(),
        revision=cast.rucodeeval.current,
        setting="base",
        name="predictions.jsonl",
        size=1,
        sha256="0" * 64,
        state=state,
        expires=timezone.now() + timedelta(days=1),
    )


def test_chunks_that_the_queue_lost_are_rung_again(
    running_valkey: Queue, evaluation: Evaluation
) -> None:
    ring_next_chunks(evaluation.pk)
    before = ids()
    long_ago(Chunk)
    assert reconcile() == 0, "they are in the queue"
    Chunk.objects.exclude(rung=None).update(rung=timezone.now())
    running_valkey.kill()
    running_valkey.start()
    assert ids() == []
    assert reconcile() == 0, "they may be on their way still"
    long_ago(Chunk)
    assert reconcile() == AHEAD
    assert sorted(ids()) == sorted(before)


def test_a_chunk_whose_worker_stopped_answering_waits_and_is_rung_for(
    valkey: Queue, evaluation: Evaluation
) -> None:
    chunk = claim(evaluation)
    age(chunk)
    assert reconcile() == 0, "there is no queue"
    chunk.refresh_from_db()
    assert (chunk.state, chunk.tries) == (ChunkState.WAITING, 1)
    valkey.start()
    reconcile()
    assert f"chunk-{chunk.pk}-2" not in ids(), "it waits a while first"
    evaluation.chunks.exclude(pk=chunk.pk).update(state=ChunkState.DONE)
    make_due(evaluation)
    reconcile()
    assert f"chunk-{chunk.pk}-2" in ids()


def test_a_chunk_is_taken_back_once_by_several_that_look(
    shared_database: None, valkey: Queue, evaluation: Evaluation
) -> None:
    chunk = claim(evaluation)
    age(chunk)
    taken = at_once(*[scheduling.take_back_run_out] * 4)
    assert sorted(taken) == [[], [], [], [evaluation.pk]]
    chunk.refresh_from_db()
    assert chunk.tries == 1


@pytest.mark.parametrize(
    ("dead_in", "waits_in", "bell"),
    [
        (UploadState.CHECKING, UploadState.RECEIVED, "check_upload"),
        (UploadState.STORING, UploadState.CONFIRMED, "store_upload"),
    ],
)
def test_an_upload_whose_step_died_goes_back_to_wait_for_it(
    running_valkey: Queue, cast: Cast, dead_in: UploadState, waits_in: UploadState, bell: str
) -> None:
    upload = upload_in(dead_in, cast)
    age(upload)
    assert reconcile() == 1
    upload.refresh_from_db()
    assert (upload.state, upload.lease_until) == (waits_in, None)
    assert ids("intake") == [f"{bell}-{upload.pk}-1"]


def test_an_upload_that_waits_unheard_is_rung_for(running_valkey: Queue, cast: Cast) -> None:
    entrant = cast.entrant()
    upload = upload_in(UploadState.RECEIVED, cast, entrant)
    in_peace = upload_in(UploadState.CHECKED, cast, entrant)
    assert reconcile() == 1
    assert ids("intake") == [f"check_upload-{upload.pk}-1"]
    in_peace.refresh_from_db()
    assert in_peace.rung is None


def test_scoring_that_nobody_was_told_of_or_that_died_is_rung_for(
    running_valkey: Queue, cast: Cast, evaluation: Evaluation
) -> None:
    cast.judge(evaluation)
    reconcile()
    assert ids("scoring") == [f"score-{evaluation.pk}-1"]
    empty("scoring")
    scoring = scheduling.claim_scoring(pk=evaluation.pk, owner="worker")
    assert scoring is not None
    long_ago(Evaluation)
    assert reconcile() == 0
    age(scoring)
    assert reconcile() == 1
    assert ids("scoring") == [f"score-{evaluation.pk}-2"]


def test_a_board_that_is_not_up_to_date_is_rung_for_until_it_is(
    running_valkey: Queue, cast: Cast
) -> None:
    submission = cast.judged_submission(cast.entrant())
    board = want_board(submission=submission)
    # Changes that follow at once wait for each other.
    assert reconcile() == 0
    Board.objects.update(made_at=timezone.now() - timedelta(minutes=1))
    assert reconcile() == 1
    want_board(submission=submission)
    long_ago(Board)
    assert reconcile() == 0
    assert ids("scoring") == [f"board-{board.pk}-1"]
    assert make_board(board=board)
    empty("scoring")
    long_ago(Board)
    assert reconcile() == 0


def test_lost_chunks_are_tried_anew_after_an_hour(
    running_valkey: Queue, evaluation: Evaluation
) -> None:
    chunk = lose(evaluation)
    assert (chunk.state, chunk.tries) == (ChunkState.LOST, MOST_TRIES)
    later = timezone.now() + timedelta(seconds=RETRY_LOST_SECONDS)
    Chunk.objects.filter(pk=chunk.pk).update(not_before=later)
    reconcile()
    chunk.refresh_from_db()
    assert chunk.state == ChunkState.LOST
    make_due(evaluation)
    reconcile()
    chunk.refresh_from_db()
    assert (chunk.state, chunk.tries) == (ChunkState.WAITING, 0)
    assert f"chunk-{chunk.pk}-{chunk.attempt + 1}" in ids()


def test_workers_that_were_not_seen_for_a_day_are_forgotten(db: None) -> None:
    now = timezone.now()
    for name, hours in (("old", 25), ("new", 1)):
        seen = now - timedelta(hours=hours)
        Worker.objects.create(name=name, host="here", started=seen, seen=seen)
    forget_workers()
    assert [worker.name for worker in Worker.objects.all()] == ["new"]


def test_a_pass_asks_as_many_queries_with_one_waiting_evaluation_as_with_three(
    running_valkey: Queue, cast: Cast, evaluation: Evaluation
) -> None:
    def queries() -> int:
        ring_for_room()
        with CaptureQueriesContext(connection) as asked:
            reconcile()
        return len(asked)

    before = queries()
    for name in ("Marl", "Sprig"):
        actions.open_evaluation(submission=cast.submission(cast.entrant(name)))
    assert queries() == before
    waiting = Chunk.objects.exclude(rung=None).values_list("evaluation").annotate(n=Count("pk"))
    assert {n for _evaluation, n in waiting} == {AHEAD}
