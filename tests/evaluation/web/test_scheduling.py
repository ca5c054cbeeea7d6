"""Evaluations and chunks go from state to state, each step taken once or not at all."""

import threading
from datetime import timedelta

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from evaluation.engine import ENGINE_VERSION, records
from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Verdict
from evaluation.state import scheduling
from evaluation.state.expected_end import WORKER_SILENT_SECONDS
from evaluation.state.scheduling import BACK_OFF_SECONDS, MOST_TRIES, waiting_chunks
from evaluation.state.units import open_units
from evaluation.work import actions
from evaluation.work.chunks import judge_chunk, store_verdicts
from leaderboard.benchmarks.records import task_records
from leaderboard.leases import ClaimLost
from tests.evaluation.web.conftest import age
from tests.support.cast import Cast


def claim(evaluation: Evaluation, owner: str = "worker") -> Chunk:
    """Claims the first waiting chunk."""
    first = waiting_chunks().filter(evaluation=evaluation).order_by("number").first()
    chunk = scheduling.claim_chunk(pk=first.pk, owner=owner, host="here")
    assert chunk is not None
    return chunk


def fail(chunk: Chunk, **more: bool) -> bool:
    return scheduling.give_back_chunk(
        chunk=chunk, cause="The disk is full.", **{"counts": True, **more}
    )


def make_due(evaluation: Evaluation) -> None:
    evaluation.chunks.update(not_before=timezone.now() - timedelta(seconds=1))


def lose(evaluation: Evaluation, tries: int = MOST_TRIES) -> Chunk:
    """Fails the first waiting chunk until it is given up."""
    for _ in range(tries):
        chunk = claim(evaluation)
        assert fail(chunk)
        make_due(evaluation)
    chunk.refresh_from_db()
    return chunk


def judged(chunk: Chunk, count: int) -> tuple[list[records.Verdict], dict[records.Key, int]]:
    """Verdicts for the chunk's next generations, as a judge gives them."""
    tasks = task_records(chunk.evaluation.submission.revision)
    rows = {
        records.Key(tasks[row.task_id].id, row.sample): row.pk
        for row, _test_set in open_units(chunk)[:count]
    }
    return [records.Verdict(key, records.Status.PASSED) for key in rows], rows


def store(chunk: Chunk, count: int = 3) -> None:
    verdicts, rows = judged(chunk, count)
    store_verdicts(chunk=chunk, verdicts=verdicts, generations=rows)


def store_waiting(evaluation: Evaluation) -> None:
    """Stores passes for every waiting chunk, and ends it."""
    while waiting_chunks().exists():
        chunk = claim(evaluation)
        store(chunk, chunk.size)
        assert scheduling.finish_chunk(chunk=chunk)


def judge_waiting(evaluation: Evaluation) -> list[Chunk]:
    """Judges every waiting chunk in sandboxes, and returns them in order."""
    judged_chunks = []
    while waiting_chunks().exists():
        judged_chunks.append(claim(evaluation))
        judge_chunk(chunk=judged_chunks[-1], stop=threading.Event())
        judged_chunks[-1].refresh_from_db()
    return judged_chunks


def written(evaluation: Evaluation) -> list[tuple[int, str]]:
    return list(evaluation.verdicts.values_list("generation", "status").order_by("generation"))


def test_an_evaluation_is_cut_into_chunks_without_gaps(evaluation: Evaluation) -> None:
    chunks = list(evaluation.chunks.order_by("number"))
    assert [(chunk.number, chunk.size) for chunk in chunks] == [(0, 10), (1, 10), (2, 10), (3, 6)]
    cut = [row.pk for chunk in chunks for row, _test_set in open_units(chunk)]
    assert cut == list(
        evaluation.submission.generations.order_by("pk").values_list("pk", flat=True)
    )
    assert {chunk.queue for chunk in chunks} == {"python"}
    assert (evaluation.engine_version, evaluation.current) == (ENGINE_VERSION, True)


def test_the_operators_limits_are_the_evaluations_and_decide_on_the_chunks(
    cast: Cast, settings: Settings
) -> None:
    settings.CHUNK_SECONDS = 1
    cast.rucodeeval.limits = {"cpu_seconds": 0.5}
    cast.rucodeeval.save()
    made = actions.open_evaluation(submission=cast.submission(cast.entrant()))
    assert made.limits["cpu_seconds"] == 0.5
    assert [chunk.size for chunk in made.chunks.all()] == [20, 16]


def test_a_further_evaluation_stands_aside_until_it_is_done(
    cast: Cast, evaluation: Evaluation
) -> None:
    further = actions.open_evaluation(submission=evaluation.submission)
    assert not further.current
    cast.judge(further)
    cast.score(further)
    assert list(Evaluation.objects.filter(current=True)) == [further]


def test_the_first_claim_begins_the_evaluation_and_its_lease_is_renewed(
    evaluation: Evaluation,
) -> None:
    chunk = claim(evaluation)
    evaluation.refresh_from_db()
    claim_facts = (chunk.state, chunk.attempt, chunk.owner, chunk.host)
    assert claim_facts == (ChunkState.RUNNING, 1, "worker", "here")
    began, until = evaluation.started, chunk.lease_until
    assert began is not None and until is not None
    claim(evaluation)
    evaluation.refresh_from_db()
    assert evaluation.started == began
    assert scheduling.renew_lease(chunk=chunk)
    chunk.refresh_from_db()
    assert chunk.lease_until is not None and chunk.lease_until > until


@pytest.mark.parametrize("taken_over", [False, True])
def test_a_worker_that_lost_its_lease_writes_nothing(
    evaluation: Evaluation, taken_over: bool
) -> None:
    late = claim(evaluation)
    age(late)
    if taken_over:
        assert scheduling.take_back_run_out() == [evaluation.pk]
        make_due(evaluation)
        other = claim(evaluation, "other")
        assert other.pk == late.pk
        store(other)
    done = written(evaluation)
    with pytest.raises(ClaimLost):
        store(late)
    assert not scheduling.renew_lease(chunk=late)
    assert not scheduling.note_image(chunk=late, image="image", digest="sha256:1", base=None)
    assert not scheduling.finish_chunk(chunk=late)
    assert not fail(late)
    chunk = Chunk.objects.get(pk=late.pk)
    judged_by_now = ("other", 3) if taken_over else ("worker", 0)
    assert (chunk.state, chunk.image_digest) == (ChunkState.RUNNING, "")
    assert (chunk.owner, chunk.judged) == judged_by_now
    assert written(evaluation) == done


def test_what_was_judged_stays_judged_and_is_not_judged_again(evaluation: Evaluation) -> None:
    first = claim(evaluation)
    store(first, 4)
    assert fail(first)
    make_due(evaluation)
    second = claim(evaluation)
    assert (second.pk, second.judged) == (first.pk, 4)
    assert len(open_units(second)) == 6
    store(second, 6)
    assert scheduling.finish_chunk(chunk=second)
    second.refresh_from_db()
    assert (second.state, second.judged, second.tries) == (ChunkState.DONE, 10, 0)
    assert len(written(evaluation)) == 10


def test_a_chunk_that_is_given_back_waits_a_while(evaluation: Evaluation) -> None:
    chunk = claim(evaluation)
    chunk_rung = Chunk.objects.filter(pk=chunk.pk)
    chunk_rung.update(rung=timezone.now())
    assert fail(chunk)
    chunk.refresh_from_db()
    assert (chunk.state, chunk.tries, chunk.cause) == (ChunkState.WAITING, 1, "The disk is full.")
    assert (chunk.rung, chunk.lease_until) == (None, None)
    pause = (chunk.not_before - chunk.given_back).total_seconds()
    assert pause == pytest.approx(BACK_OFF_SECONDS[1], abs=0.1)
    assert scheduling.claim_chunk(pk=chunk.pk, owner="eager", host="here") is None
    make_due(evaluation)
    assert claim(evaluation) == chunk


def test_only_failures_in_a_row_count_against_a_chunk(evaluation: Evaluation) -> None:
    for _ in range(MOST_TRIES + 1):
        chunk = claim(evaluation)
        assert fail(chunk, counts=False), "its worker stops"
    chunk.refresh_from_db()
    assert (chunk.state, chunk.tries) == (ChunkState.WAITING, 0)
    for _ in range(MOST_TRIES + 1):
        chunk = claim(evaluation)
        store(chunk, 1)
        assert fail(chunk)
        make_due(evaluation)
    chunk.refresh_from_db()
    assert (chunk.state, chunk.tries) == (ChunkState.WAITING, 1)


def test_a_chunk_without_a_verdict_is_stuck_after_ten_planned_lengths(
    evaluation: Evaluation, settings: Settings
) -> None:
    settings.CHUNK_SECONDS = 60
    row = Chunk.objects.filter(pk=claim(evaluation).pk)
    row.update(claimed=timezone.now() - timedelta(seconds=570))
    assert not scheduling.stuck_chunks().exists()
    row.update(claimed=timezone.now() - timedelta(seconds=601))
    assert list(scheduling.stuck_chunks()) == [row.get()]
    row.update(judged=1)
    assert not scheduling.stuck_chunks().exists()


def test_a_chunk_is_abandoned_if_nobody_takes_it_back_after_its_lease(
    evaluation: Evaluation,
) -> None:
    row = Chunk.objects.filter(pk=claim(evaluation).pk)
    row.update(lease_until=timezone.now() - timedelta(seconds=30))
    assert not scheduling.abandoned_chunks().exists()
    row.update(lease_until=timezone.now() - timedelta(seconds=WORKER_SILENT_SECONDS + 1))
    assert list(scheduling.abandoned_chunks()) == [row.get()]
    scheduling.take_back_run_out()
    assert not scheduling.abandoned_chunks().exists()
    assert list(scheduling.returned_chunks()) == [row.get()]


def test_a_chunk_that_fails_again_and_again_is_lost_for_now_and_tried_anew(
    cast: Cast, evaluation: Evaluation
) -> None:
    assert not scheduling.retry_lost(evaluation=evaluation)
    chunk = claim(evaluation)
    store(chunk, 4)
    assert fail(chunk)
    make_due(evaluation)
    assert not scheduling.lost_and_due().exists()
    assert lose(evaluation, MOST_TRIES - 1).state == ChunkState.LOST
    assert [status for _, status in written(evaluation)] == ["passed"] * 4 + ["not_run"] * 6
    assert list(scheduling.lost_and_due()) == [evaluation]
    store_waiting(evaluation)
    cast.score(evaluation)
    score = evaluation.scores.get(metric="pass@1", slice="overall")
    assert (score.value, score.most) == (None, 1.0), "lost generations are scored as open"
    assert scheduling.retry_lost(evaluation=evaluation)
    evaluation.refresh_from_db()
    assert (evaluation.state, evaluation.finished) == (EvaluationState.JUDGING, None)
    again = claim(evaluation)
    assert (again.tries, len(open_units(again))) == (0, 6)
    store(again, 6)
    assert scheduling.finish_chunk(chunk=again)
    cast.score(evaluation)
    assert evaluation.scores.get(metric="pass@1", slice="overall").value == 1.0
    assert len(written(evaluation)) == 36


def test_what_is_being_scored_is_tried_anew_when_that_is_over(evaluation: Evaluation) -> None:
    lose(evaluation)
    evaluation.chunks.filter(state=ChunkState.WAITING).update(state=ChunkState.DONE)
    scoring = scheduling.claim_scoring(pk=evaluation.pk, owner="worker")
    assert scoring is not None
    assert not scheduling.retry_lost(evaluation=evaluation)
    assert scheduling.finish_scoring(evaluation=scoring)
    assert scheduling.retry_lost(evaluation=evaluation)
    assert claim(evaluation).number == 0


def test_a_cancelled_evaluation_keeps_its_verdicts_and_gets_no_more(evaluation: Evaluation) -> None:
    chunk = claim(evaluation)
    store(chunk, 4)
    evaluation.chunks.filter(number=3).update(state=ChunkState.LOST)
    assert scheduling.cancel(evaluation=evaluation)
    evaluation.refresh_from_db()
    assert evaluation.state == EvaluationState.CANCELLED
    assert evaluation.finished is not None
    assert not scheduling.renew_lease(chunk=chunk)
    with pytest.raises(ClaimLost):
        store(chunk)
    states = set(evaluation.chunks.values_list("state", flat=True))
    assert states == {ChunkState.CANCELLED}
    assert Verdict.objects.count() == 4
    assert not scheduling.to_be_scored().exists()
    assert not scheduling.retry_lost(evaluation=evaluation)


def test_what_is_over_cannot_be_cancelled_and_what_is_cancelled_not_claimed(
    cast: Cast, evaluation: Evaluation
) -> None:
    submission = cast.judged_submission(cast.entrant("Another"))
    assert not scheduling.cancel(evaluation=submission.evaluations.get())
    assert submission.evaluations.get().state == EvaluationState.DONE
    Evaluation.objects.update(state=EvaluationState.CANCELLED)
    chunk = evaluation.chunks.get(number=0)
    assert scheduling.claim_chunk(pk=chunk.pk, owner="worker", host="here") is None
