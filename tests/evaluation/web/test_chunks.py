"""Tests of judging a chunk's generations in real sandboxes and storing the outcome unchanged."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django.fixtures import Settings

from evaluation import jobs
from evaluation.engine import pipeline, records
from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox import docker, slots
from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Verdict
from evaluation.state import scheduling
from evaluation.work import chunks
from evaluation.work.actions import open_evaluation
from evaluation.work.chunks import excerpt, store_verdicts
from leaderboard.benchmarks.records import task_records
from leaderboard.leases import ClaimLost, Pulse
from leaderboard.scores import scoring
from tests.evaluation.web.conftest import age, closing_connection
from tests.evaluation.web.test_scheduling import claim, fail, judged, store, written
from tests.support.cast import Cast
from tests.support.commands import wait_for
from tests.support.valkey import Queue

pytestmark = pytest.mark.any_database

ENDLESS = "    while True:\n        pass\n"


@pytest.fixture
def long_lease(settings: Settings) -> None:
    """A lease that is so long that the work is done before its first renewal."""
    settings.LEASE_SECONDS = 600


@pytest.fixture
def own_term() -> object:
    """A job replaces the handler of SIGTERM. Its work horse ends with the job, but this process
    does not, so the handler is restored."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


def test_a_verdict_is_kept_to_the_byte_and_its_tier_is_read_again(evaluation: Evaluation) -> None:
    chunk = claim(evaluation)
    verdicts, rows = judged(chunk, 2)
    said, tiers = "a\0b \ud800 \U0001f600", [records.Tier.OUTSIDE, records.Tier.SHARED]
    suspect = replace(
        verdicts[0],
        integrity=records.Integrity.SUSPECT,
        flags=("not \0 plain \ud800",),
        evidence=said,
        output=said,
    )
    both = [replace(v, tier=t) for v, t in zip((suspect, verdicts[1]), tiers, strict=True)]
    store_verdicts(chunk=chunk, verdicts=both, generations=rows)
    stored = Verdict.objects.get(integrity="suspect")
    assert (stored.excerpt.text, stored.evidence) == (said, said)
    assert stored.flags == ["not \N{REPLACEMENT CHARACTER} plain ?"]
    tasks = task_records(evaluation.submission.revision)
    assert [verdict.tier for verdict in scoring.judged(evaluation, tasks)] == tiers


def test_of_long_outputs_the_end_is_kept(settings: Settings) -> None:
    settings.OUTPUT_MOST_BYTES = 10
    assert excerpt("short") == "short"
    assert excerpt("begin" + "0123456789") == "0123456789"
    assert len(excerpt("\u044f" * 20).encode()) <= 10 + 2


def test_a_batch_is_stored_whole_or_not_at_all(evaluation: Evaluation) -> None:
    chunk = claim(evaluation)
    verdicts, rows = judged(chunk, 3)
    del rows[verdicts[2].key]
    with pytest.raises(KeyError):
        store_verdicts(chunk=chunk, verdicts=verdicts, generations=rows)
    chunk.refresh_from_db()
    assert (chunk.judged, written(evaluation)) == (0, [])


@pytest.mark.docker
def test_a_chunk_that_is_cancelled_is_left_within_seconds(
    shared_database: None, settings: Settings, cast: Cast, image: str
) -> None:
    settings.LEASE_SECONDS = 2
    made = open_evaluation(submission=cast.submission(cast.entrant(), text=ENDLESS))
    chunk = claim(made)
    cancelling = threading.Timer(1, scheduling.cancel, kwargs={"evaluation": made})
    cancelling.start()
    began = timezone.now()
    with pytest.raises((ClaimLost, SandboxError)):
        chunks.judge_chunk(chunk=chunk, stop=threading.Event())
    assert (timezone.now() - began).total_seconds() < 10
    chunk.refresh_from_db()
    assert (chunk.state, written(made)) == (ChunkState.CANCELLED, [])
    assert not own_sandboxes()


def own_sandboxes() -> list[object]:
    mark = f"{docker.OWNER}={docker.owner_mark()}"
    return list(docker.client().api.containers(all=True, filters={"label": mark}))


@pytest.mark.docker
def test_a_job_that_is_asked_to_end_gives_its_chunk_back(
    shared_database: None,
    settings: Settings,
    cast: Cast,
    image: str,
    valkey: Queue,
    own_term: object,
) -> None:
    made = open_evaluation(submission=cast.submission(cast.entrant(), text=ENDLESS))
    chunk = made.chunks.get()
    asking = threading.Timer(2, os.kill, (os.getpid(), signal.SIGTERM))
    asking.start()
    jobs.chunk(chunk.pk)
    chunk.refresh_from_db()
    assert (chunk.state, chunk.tries) == (ChunkState.WAITING, 0)
    assert chunk.cause == "Its worker was stopped."
    assert not own_sandboxes()


@pytest.mark.docker
def test_jobs_carry_an_evaluation_from_where_it_was_left_to_its_scores(
    shared_database: None,
    long_lease: None,
    evaluation: Evaluation,
    image: str,
    running_valkey: Queue,
    own_term: object,
) -> None:
    evaluation.submission.generations.update(text="\n    return object\n")
    left = claim(evaluation)
    store(left, 4)
    assert fail(left, counts=False)
    for chunk in evaluation.chunks.all():
        jobs.chunk(chunk.pk)
    jobs.score(evaluation.pk)
    jobs.score(evaluation.pk)
    evaluation.refresh_from_db()
    left.refresh_from_db()
    assert (left.state, left.judged) == (ChunkState.DONE, 10)
    assert (evaluation.image, left.image_digest[:7]) == (image, "sha256:")
    assert (evaluation.state, evaluation.attempt) == (EvaluationState.DONE, 1)
    statuses = [status for _, status in written(evaluation)]
    assert statuses == ["passed"] * 4 + ["failed"] * 32
    value = evaluation.scores.get(metric="pass@1", slice="overall").value
    assert value == pytest.approx((3 / 3 + 1 / 3) / 12)


def test_a_docker_that_is_away_says_nothing_against_the_chunk(
    shared_database: None,
    evaluation: Evaluation,
    valkey: Queue,
    own_term: object,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("DOCKER_HOST", "unix:///nowhere/docker.sock")
    monkeypatch.setattr(jobs, "AWAY_SECONDS", 0.1)
    docker.client.cache_clear()
    chunk = evaluation.chunks.get(number=0)
    began = timezone.now()
    try:
        for _ in range(scheduling.MOST_TRIES + 1):
            jobs.chunk(chunk.pk)
    finally:
        docker.client.cache_clear()
    chunk.refresh_from_db()
    assert (chunk.state, chunk.tries) == (ChunkState.WAITING, 0)
    assert "Docker" in chunk.cause
    assert chunk.attempt == scheduling.MOST_TRIES + 1
    assert not [thread for thread in threading.enumerate() if isinstance(thread, Pulse)]
    # After each attempt it leaves the queue to others for a moment.
    assert (timezone.now() - began).total_seconds() >= 0.1 * chunk.attempt


@pytest.mark.docker
def test_a_long_chunk_lets_other_evaluations_take_its_worker(
    cast: Cast, evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch, long_lease: None
) -> None:
    monkeypatch.setattr(chunks, "TURN", 0.0)
    monkeypatch.setattr(pipeline, "BATCH_CASES", 5)
    # No other evaluation waits.
    first = claim(evaluation)
    chunks.judge_chunk(chunk=first, stop=threading.Event())
    first.refresh_from_db()
    assert (first.state, first.judged) == (ChunkState.DONE, first.size)
    open_evaluation(submission=cast.submission(cast.entrant(name="another")))
    states = []
    for turn in (1, 2):
        chunk = claim(evaluation)
        chunks.judge_chunk(chunk=chunk, stop=threading.Event())
        chunk.refresh_from_db()
        states.append((chunk.number, chunk.state, chunk.judged))
        assert (chunk.attempt, chunk.given_back, chunk.tries, chunk.rung) == (turn, None, 0, None)
    assert states == [(1, ChunkState.WAITING, 5), (1, ChunkState.DONE, 10)]


@pytest.mark.docker
def test_a_chunk_tells_what_it_waits_for(
    shared_database: None,
    settings: Settings,
    evaluation: Evaluation,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    settings.LEASE_SECONDS = 4
    monkeypatch.setattr(slots, "default_folder", lambda: tmp_path)
    chunk = claim(evaluation)
    row = Chunk.objects.filter(pk=chunk.pk)
    judge = partial(chunks.judge_chunk, chunk=chunk, stop=threading.Event())
    with ThreadPoolExecutor(1) as pool:
        with slots.Slots(tmp_path, share="submission 7").alone():
            judging = pool.submit(closing_connection(judge))
            wait_for(lambda: row.get().wait is not None, 60, pause=0.1)
            wait = row.get().wait
        judging.result(60)
    assert wait["shares"] == ["submission 7"]
    assert wait["said"].text.code == "sandbox.waits_for_slot"


def test_the_pulse_renews_the_lease_and_stops_the_work_when_it_is_lost(
    shared_database: None, settings: Settings, evaluation: Evaluation
) -> None:
    settings.LEASE_SECONDS = 1
    chunk, stop = claim(evaluation), threading.Event()
    with Pulse(partial(scheduling.renew_lease, chunk=chunk), stop):
        assert not stop.wait(1.5)
        assert scheduling.running(chunk).exists()
        age(chunk)
        assert stop.wait(2)
