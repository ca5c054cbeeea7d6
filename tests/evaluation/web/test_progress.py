"""How far an evaluation is: figures and sentences for its page, in a constant number of queries."""

from datetime import UTC, datetime, timedelta

import pytest
from django.db.models.functions import Now
from django.utils import timezone as clock
from django.utils.translation import override
from pytest_django import DjangoAssertNumQueries
from pytest_django.fixtures import Settings

from evaluation.engine.sandbox import texts
from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Forecast, Worker
from evaluation.state import scheduling
from evaluation.state.expected_end import keep_forecast
from evaluation.state.progress import GROUPS, progress
from evaluation.work.actions import open_evaluation
from tests.evaluation.web.conftest import age
from tests.evaluation.web.test_scheduling import claim, fail, lose, make_due, store
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


def worker(name: str = "worker-1", *, silent: float = 0, queue: str = "python") -> None:
    seen = clock.now() - timedelta(seconds=silent)
    Worker.objects.create(name=name, host="here", queues=[queue], started=seen, seen=seen)


def test_before_anything_is_taken_it_is_queued(evaluation: Evaluation) -> None:
    worker()
    now = progress(evaluation)
    assert (now.state, now.started) == (EvaluationState.JUDGING, None)
    assert (now.judged, now.total, now.others, now.workers) == (0, 36, 0, 1)
    # Four seconds of one worker per chunk are planned.
    assert now.left is not None and now.left.low < 16 < now.left.high
    assert [chunk.state for chunk in now.chunks] == [ChunkState.WAITING] * 4
    assert now.remarks == (NEXT,)


def test_what_is_judged_is_counted_by_group_and_tells_the_time_left(evaluation: Evaluation) -> None:
    worker()
    store(claim(evaluation), 9)
    begun = clock.now() - timedelta(seconds=30)
    Evaluation.objects.update(started=begun)
    evaluation.chunks.exclude(claimed=None).update(claimed=begun)
    evaluation.refresh_from_db()
    now = progress(evaluation)
    assert (now.judged, now.started) == (9, begun)
    assert now.counts == {**dict.fromkeys(GROUPS, 0), "passed": 9}
    # About 2.3 s a run by the plan and nine runs, and 27 runs to go.
    assert now.left is not None and 15 < now.left.low < 60 < now.left.high
    assert [chunk.judged for chunk in now.chunks] == [9, 0, 0, 0]


def test_every_status_has_a_group(cast: Cast, evaluation: Evaluation) -> None:
    statuses = [
        "passed", "failed", "compile_error", "runtime_error", "timeout", "memory_exceeded",
        "output_exceeded", "not_run",
    ]  # fmt: skip
    cast.judge(evaluation, statuses, least=16)
    assert progress(evaluation).counts == {
        "passed": 2, "wrong": 2, "error": 8, "slow": 2, "review": 0, "infrastructure": 2,
    }  # fmt: skip
    evaluation.verdicts.filter(status="passed").update(integrity="suspect")
    assert progress(evaluation).counts["review"] == 2
    evaluation.verdicts.filter(status="passed").update(integrity="confirmed")
    assert progress(evaluation).counts["wrong"] == 4


NEXT = "Its next chunk is the next in line: it waits for a worker that is free."


def rung(evaluation: Evaluation, seconds: float) -> None:
    """Its chunks entered the queue this long ago."""
    evaluation.chunks.update(rung=clock.now() - timedelta(seconds=seconds))


def test_others_take_turns_and_put_the_end_off(cast: Cast, evaluation: Evaluation) -> None:
    worker()
    store(claim(evaluation), 5)
    one = progress(evaluation).left
    second = open_evaluation(submission=cast.submission(cast.entrant("Second")))
    third = open_evaluation(submission=cast.submission(cast.entrant("Third")))
    rung(second, 60)
    rung(third, 50)
    rung(evaluation, 40)
    shared = progress(evaluation)
    assert shared.ahead == second.chunks.count() + third.chunks.count()
    assert shared.remarks == ()
    assert progress(third).remarks == (
        f"Its next chunk waits for its turn: {second.chunks.count()} chunks of other submissions "
        "are ahead.",
    )
    assert shared.others == progress(second).others == 2
    assert one is not None and shared.left is not None and shared.left.high > 2 * one.high
    scheduling.cancel(evaluation=third)
    assert progress(second).others == 1


def test_the_speed_of_other_submissions_is_learnt(cast: Cast, settings: Settings) -> None:
    worker()
    slow = cast.judged_submission(cast.entrant("Slow")).evaluations.get()
    began = clock.now() - timedelta(hours=1)
    slow.chunks.update(state=ChunkState.DONE, claimed=began, worked=timedelta(minutes=20))
    fresh = open_evaluation(submission=cast.submission(cast.entrant("Fresh")))
    learnt = progress(fresh).left
    slow.chunks.update(worked=None)
    planned = progress(fresh).left
    assert learnt.low > 2 * planned.low


def test_a_worker_that_serves_two_busy_queues_counts_half(evaluation: Evaluation) -> None:
    Worker.objects.create(
        name="both", host="here", queues=["python", "java"], started=clock.now(), seen=clock.now()
    )
    alone = progress(evaluation).left
    other = open_evaluation(submission=evaluation.submission)
    other.chunks.update(queue="java")
    shared = progress(evaluation)
    assert (shared.workers, shared.others) == (1, 0)
    assert shared.left.low == pytest.approx(2 * alone.low)


def test_the_time_that_workers_spent_is_kept_over_all_turns(evaluation: Evaluation) -> None:
    for ends in (scheduling.end_turn, scheduling.finish_chunk):
        chunk = claim(evaluation)
        # By the database's clock, which SQLite reads in milliseconds.
        evaluation.chunks.update(claimed=Now() - timedelta(seconds=30))
        assert ends(chunk=chunk)
    chunk.refresh_from_db()
    assert chunk.worked is not None and 60 <= chunk.worked.total_seconds() < 70


def test_recent_forecasts_decide_on_the_interval(cast: Cast, evaluation: Evaluation) -> None:
    worker()
    made = clock.now() - timedelta(hours=2)
    submission = cast.judged_submission(cast.entrant("Earlier"), publish=False)
    Chunk.objects.filter(evaluation__submission=submission).update(
        worked=timedelta(seconds=10), runs=10
    )
    for _ in range(40):
        earlier = Evaluation.objects.create(
            submission=submission,
            state=EvaluationState.DONE,
            current=False,
            judging_ended=made + timedelta(hours=1),
        )
        # Each took ten times as long as its forecast.
        earlier.forecasts.create(phase=0, queue="python", made=made, seconds=360)
    found = progress(evaluation).left
    # 36 runs of a second each are planned.
    assert found is not None and found.high == pytest.approx(360, rel=0.1)


def test_the_reconciler_keeps_one_forecast_of_each_phase(evaluation: Evaluation) -> None:
    worker()
    keep_forecast()
    assert not Forecast.objects.exists(), "a plan is no forecast"
    store(claim(evaluation), 5)
    evaluation.chunks.exclude(claimed=None).update(claimed=clock.now() - timedelta(seconds=5))
    for _ in range(3):
        keep_forecast()
    (kept,) = evaluation.forecasts.all()
    assert (kept.phase, kept.queue) == (0, "python")
    Evaluation.objects.update(created=clock.now() - timedelta(seconds=kept.seconds))
    keep_forecast()
    assert list(evaluation.forecasts.order_by("phase").values_list("phase", flat=True)) == [0, 2]
    scheduling.cancel(evaluation=evaluation)
    keep_forecast()
    assert Forecast.objects.count() == 2


def test_without_a_worker_it_says_so(evaluation: Evaluation) -> None:
    worker(silent=600)
    worker("worker-2", queue="java")
    now = progress(evaluation)
    assert now.workers == 0
    assert now.remarks == (
        "No worker is running for this benchmark. Judging resumes automatically when one starts.",
    )


def test_a_worker_that_stopped_answering_is_told_with_the_time(evaluation: Evaluation) -> None:
    worker()
    age(claim(evaluation))
    scheduling.take_back_run_out()
    evaluation.chunks.exclude(given_back=None).update(
        given_back=datetime(2026, 3, 1, 14, 2, 41, tzinfo=UTC)
    )
    now = progress(evaluation)
    assert now.remarks == (
        "1 chunk was returned to the queue when its worker stopped answering at 14:02:41. It "
        "runs again; nothing is lost.",
    )
    assert [chunk.is_returned for chunk in now.chunks] == [True, False, False, False]


def test_what_was_given_back_is_told_with_its_cause_until_it_is_done(
    evaluation: Evaluation,
) -> None:
    worker()
    assert [fail(claim(evaluation)), fail(claim(evaluation))] == [True, True]
    (said,) = progress(evaluation).remarks
    assert said.startswith("2 chunks were returned to the queue, the last at ")
    assert said.endswith("nothing is lost. Cause: The disk is full.")
    # On SQLite, a chunk that is due now is not due to a claim in the same millisecond.
    make_due(evaluation)
    for _ in range(2):
        assert scheduling.finish_chunk(chunk=claim(evaluation))
    assert progress(evaluation).remarks == (NEXT,)
    assert fail(claim(evaluation))
    scheduling.cancel(evaluation=evaluation)
    evaluation.refresh_from_db()
    assert progress(evaluation).remarks == ()


def test_a_cause_is_told_in_the_reader_s_language(evaluation: Evaluation) -> None:
    worker()
    for _ in range(scheduling.MOST_TRIES):
        chunk = claim(evaluation)
        assert scheduling.give_back_chunk(chunk=chunk, cause=texts.SILENT(), counts=True)
        with override("ru"):
            (said,) = progress(evaluation).remarks
        assert said.endswith(" Песочница перестала отвечать.")
        make_due(evaluation)
    chunk.refresh_from_db()
    assert (chunk.state, chunk.cause) == (ChunkState.LOST, "The sandbox stopped answering.")


def test_a_page_says_what_a_running_chunk_waits_for_until_its_claim_is_over(
    evaluation: Evaluation,
) -> None:
    worker()
    chunk, other = claim(evaluation), claim(evaluation)
    waits = texts.WAITS_FOR_SLOT(used=3, slots=3)
    for one, shares in ((chunk, ("submission 7",)), (other, ("submission 9", "submission 7"))):
        assert scheduling.renew_lease(chunk=one, waits_for=waits, shares=shares)
    now = progress(evaluation)
    assert now.remarks == ("Waiting for a free slot on this host: 3 of 3 in use.",)
    assert now.holders == ("submission 7", "submission 9")
    assert scheduling.renew_lease(chunk=chunk)
    assert fail(other, counts=False)
    now = progress(evaluation)
    assert (any("Waiting" in said for said in now.remarks), now.holders) == (False, ())
    make_due(evaluation)
    assert claim(evaluation).wait is None


def test_what_is_lost_for_now_is_said_and_not_counted_as_judged(evaluation: Evaluation) -> None:
    worker()
    lose(evaluation)
    now = progress(evaluation)
    assert (now.judged, now.counts["infrastructure"]) == (0, 10)
    assert now.remarks == (
        "1 chunk could not be judged because of a failure on our side. It is retried within "
        "the hour; until then the score excludes its generations. The disk is full.",
    )


def test_what_is_over_has_nothing_ahead_and_no_time_left(cast: Cast) -> None:
    evaluation = cast.judged_submission(cast.entrant()).evaluations.get()
    now = progress(evaluation)
    assert (now.state, now.judged, now.total) == (EvaluationState.DONE, 36, 36)
    assert (now.others, now.left, now.remarks) == (0, None, ())


@pytest.mark.parametrize("chunk_seconds", [40, 0.4])
def test_the_number_of_queries_is_the_same_for_1_and_36_chunks(
    cast: Cast,
    settings: Settings,
    django_assert_num_queries: DjangoAssertNumQueries,
    chunk_seconds: float,
) -> None:
    settings.CHUNK_SECONDS = chunk_seconds
    worker()
    evaluation = open_evaluation(submission=cast.submission(cast.entrant()))
    store(claim(evaluation), 1)
    evaluation.refresh_from_db()
    with django_assert_num_queries(7):
        progress(evaluation)
