"""The queue is notified of waiting work once, as plain JSON, and runs only the site's jobs, whoever
wrote them; without a queue nothing is lost."""

import json
import logging
import os
import signal
import zlib
from datetime import timedelta
from functools import partial

import django_rq
import pytest
from django.db import transaction
from django.http import HttpResponse
from django.test import RequestFactory
from django.utils import timezone
from django_rq import get_queue
from django_rq.queues import DjangoRQ
from pytest_django.fixtures import Settings
from rq import SimpleWorker
from rq.job import Callback
from rq.serializers import JSONSerializer

from evaluation import jobs
from evaluation.models import Chunk, ChunkState, Evaluation
from evaluation.state.scheduling import claim_chunk
from evaluation.work import bells
from evaluation.work.actions import open_evaluation
from evaluation.work.bells import AHEAD, UNHEARD_SECONDS, bell_of, ring, ring_next_chunks
from evaluation.work.workers import ForeignJob, HorseWorker, SiteJob
from leaderboard.logs import Lines, Requests, forget_request, request_id
from tests.evaluation.web.conftest import at_once, ids
from tests.support.cast import Cast
from tests.support.valkey import Queue


def first(evaluation: Evaluation) -> Chunk:
    return evaluation.chunks.get(number=0)


@pytest.fixture
def many(cast: Cast, settings: Settings) -> Evaluation:
    """36 generations, each a chunk of its own."""
    settings.CHUNK_SECONDS = 0.4
    return open_evaluation(submission=cast.submission(cast.entrant()))


def test_a_job_is_json_and_its_id_names_the_row_and_the_attempt_to_come(
    running_valkey: Queue, evaluation: Evaluation
) -> None:
    chunk = first(evaluation)
    assert ring([chunk])
    assert ids() == [f"chunk-{chunk.pk}-1"]
    packed = django_rq.get_connection("python").hget(f"rq:job:chunk-{chunk.pk}-1", "data")
    assert isinstance(packed, bytes)
    assert json.loads(zlib.decompress(packed)) == ["evaluation.jobs.chunk", None, [chunk.pk], {}]
    job = django_rq.get_queue("python").fetch_job(f"chunk-{chunk.pk}-1")
    # With its own limit, rq would kill a work horse while it works.
    assert job is not None and job.timeout == -1
    chunk.refresh_from_db()
    assert chunk.rung is not None
    claimed = claim_chunk(pk=chunk.pk, owner="worker", host="here")
    assert claimed is not None
    assert bell_of(claimed).job_id == f"chunk-{chunk.pk}-2"


def test_an_evaluation_takes_its_turn_with_few_chunks_at_a_time(
    running_valkey: Queue, many: Evaluation
) -> None:
    assert ring_next_chunks(many.pk)
    assert ring_next_chunks(many.pk)
    assert len(ids()) == AHEAD
    assert claim_chunk(pk=first(many).pk, owner="worker", host="here")
    assert ring_next_chunks(many.pk)
    assert len(ids()) == AHEAD + 1
    assert many.chunks.filter(state=ChunkState.WAITING, rung__isnull=False).count() == AHEAD


def test_a_bell_that_was_rung_just_now_is_not_rung_again(
    running_valkey: Queue, evaluation: Evaluation
) -> None:
    chunk = first(evaluation)
    bell = bell_of(chunk)
    assert ring([chunk, chunk])
    assert ids() == [bell.job_id]
    past = timezone.now() - timedelta(seconds=UNHEARD_SECONDS + 1)
    Chunk.objects.filter(pk=chunk.pk).update(rung=past)
    assert ring([chunk])
    assert ids() == [bell.job_id, bell.job_id]


def test_of_many_at_once_one_rings(
    shared_database: None, running_valkey: Queue, many: Evaluation
) -> None:
    at_once(*(partial(ring_next_chunks, many.pk) for _ in range(4)))
    assert len(ids()) == len(set(ids())) == AHEAD


@pytest.mark.any_database
@pytest.mark.timeout(60)
def test_a_queue_that_is_away_or_hangs_hurts_nobody(valkey: Queue, evaluation: Evaluation) -> None:
    chunk = first(evaluation)
    assert not ring([chunk])
    assert not ring_next_chunks(evaluation.pk)
    valkey.start()
    os.kill(valkey.pid, signal.SIGSTOP)
    assert not ring([chunk])
    assert set(evaluation.chunks.values_list("rung", flat=True)) == {None}


@pytest.mark.django_db(transaction=True)
def test_bells_ring_after_the_commit_alone(running_valkey: Queue, evaluation: Evaluation) -> None:
    chunk = first(evaluation)
    for rolled_back in (True, False):
        with transaction.atomic():
            bells.ring_after_commit(chunk)
            assert ids() == []
            transaction.set_rollback(rolled_back)
        assert ids() == ([] if rolled_back else [bell_of(chunk).job_id])


def test_another_function_is_not_called(running_valkey: Queue) -> None:
    rung = get_queue("intake").enqueue_call("os.getcwd", timeout=-1)
    with pytest.raises(ForeignJob):
        rung.perform()


def test_callbacks_and_webhooks_of_a_job_are_dropped(running_valkey: Queue) -> None:
    rung = get_queue("intake").enqueue_call(
        "evaluation.jobs.board", args=(1,), on_success=Callback("os.getcwd"), timeout=-1
    )
    read = SiteJob.fetch(rung.id, connection=rung.connection, serializer=JSONSerializer)
    assert (read.success_callback, read.failure_callback, read.webhooks) == (None, None, [])


class InProcess(HorseWorker):
    """Runs its jobs in this process."""

    execute_job = SimpleWorker.execute_job


def burst(queues: list[DjangoRQ]) -> None:
    worker = InProcess(
        queues, connection=queues[0].connection, job_class=SiteJob, serializer=JSONSerializer
    )
    worker.work(burst=True)


def test_the_queues_of_a_worker_take_turns(
    running_valkey: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = list[int]()
    monkeypatch.setattr(jobs, "chunk", order.append)
    queues = [get_queue("python"), get_queue("repository")]
    for key in (1, 2, 3):
        queues[0].enqueue_call("evaluation.jobs.chunk", args=(key,), timeout=-1)
    queues[1].enqueue_call("evaluation.jobs.chunk", args=(10,), timeout=-1)
    burst(queues)
    assert order == [1, 10, 2, 3]


def test_a_jobs_lines_have_the_id_of_the_request_that_led_to_it(
    running_valkey: Queue, evaluation: Evaluation, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of the threads of the job, and of jobs for which the job rings."""
    lines, log = list[str](), logging.getLogger("evaluation.jobs")

    def judge(_key: int) -> None:
        record = log.makeRecord(log.name, logging.WARNING, "", 0, "judged", (), None)
        at_once(lambda: lines.append(Lines(as_json=False).format(record)))
        lines.append(request_id())

    monkeypatch.setattr(jobs, "chunk", judge)
    monkeypatch.setattr(Lines, "of_job", "")
    page = Requests(lambda _request: HttpResponse(str(ring([first(evaluation)]))))
    page(RequestFactory().get("/", headers={"X-Request-ID": "from-the-proxy"}))
    forget_request()
    burst([get_queue("python")])
    assert lines[0].endswith("WARNING evaluation.jobs from-the-proxy judged")
    assert lines[1] == "from-the-proxy"
