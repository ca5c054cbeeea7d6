"""The effects that a job in the queue can have on a worker, whoever wrote the job."""

from __future__ import annotations

import inspect

import pytest
from django.conf import settings
from django_rq import get_queue
from rq import SimpleWorker
from rq.job import Callback
from rq.serializers import JSONSerializer

from evaluation import jobs
from evaluation.work.queue_job import JOBS, ForeignJob, SiteJob
from evaluation.work.workers import HorseWorker
from tests.support.valkey import Queue


def test_the_names_are_those_of_the_jobs() -> None:
    for name in JOBS:
        function = getattr(jobs, name.rpartition(".")[2])
        assert list(inspect.signature(function).parameters) == ["key"]


def test_another_function_is_not_called(running_valkey: Queue) -> None:
    rung = get_queue("intake").enqueue_call("os.getcwd", timeout=-1)
    assert isinstance(rung, SiteJob)
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


def test_the_queues_of_a_worker_take_turns(
    running_valkey: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    order = list[int]()
    monkeypatch.setattr(jobs, "chunk", order.append)
    queues = [get_queue("python"), get_queue("repository")]
    for key in (1, 2, 3):
        queues[0].enqueue_call("evaluation.jobs.chunk", args=(key,), timeout=-1)
    queues[1].enqueue_call("evaluation.jobs.chunk", args=(10,), timeout=-1)
    worker = InProcess(
        queues,
        connection=queues[0].connection,
        job_class=SiteJob,
        serializer=JSONSerializer,
    )
    worker.work(burst=True)
    assert order == [1, 10, 2, 3]


def test_a_worker_reads_jobs_as_ours(running_valkey: Queue) -> None:
    found = get_queue("intake")
    worker = SimpleWorker([found], connection=found.connection, job_class=found.job_class)
    assert worker.job_class is SiteJob
    assert settings.RQ["JOB_CLASS"] == "evaluation.work.queue_job.SiteJob"
