"""The queue is notified of waiting work once, as plain JSON; without a queue nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import time
import zlib
from datetime import timedelta
from functools import partial
from pathlib import Path

import django_rq
import pytest
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone
from pytest_django.fixtures import DjangoCaptureOnCommitCallbacks, Settings

from evaluation.models import Chunk, ChunkState, Evaluation
from evaluation.state.scheduling import claim_chunk
from evaluation.work import actions, bells
from evaluation.work.actions import open_evaluation
from evaluation.work.bells import (
    AHEAD,
    UNHEARD_SECONDS,
    bell_of,
    queued_ids,
    ring,
    ring_next_chunks,
)
from leaderboard.submissions.models import Upload, UploadState
from tests.evaluation.web.conftest import at_once
from tests.support.cast import Cast, predictions
from tests.support.valkey import Queue


def ids(name: str = "python") -> list[str]:
    return list(django_rq.get_queue(name).get_job_ids())


def first(evaluation: Evaluation) -> Chunk:
    return evaluation.chunks.get(number=0)


@pytest.fixture
def many(cast: Cast, settings: Settings) -> Evaluation:
    """36 generations, each a chunk of its own."""
    settings.CHUNK_SECONDS = 0.4
    return open_evaluation(submission=cast.submission(cast.entrant()))


def submitted(cast: Cast) -> Upload:
    revision = cast.rucodeeval.current
    assert revision is not None
    content = ContentFile(predictions(cast.rucodeeval), name="predictions.jsonl")
    return actions.submit_file(
        user=cast.alice, entrant=cast.entrant(), revision=revision, setting="base", file=content
    )


def test_a_jobs_id_names_the_row_and_the_attempt_to_come(
    running_valkey: Queue, evaluation: Evaluation
) -> None:
    chunk = first(evaluation)
    assert ring([chunk])
    assert ids() == [f"chunk-{chunk.pk}-1"] == sorted(queued_ids("python"))
    chunk.refresh_from_db()
    assert chunk.rung is not None
    claimed = claim_chunk(pk=chunk.pk, owner="worker", host="here")
    assert claimed is not None
    assert bell_of(claimed).job_id == f"chunk-{chunk.pk}-2"


def test_what_lies_in_the_queue_is_json(running_valkey: Queue, evaluation: Evaluation) -> None:
    chunk = first(evaluation)
    assert ring([chunk])
    key = f"rq:job:{bell_of(chunk).job_id}"
    packed = django_rq.get_connection("python").hget(key, "data")
    assert isinstance(packed, bytes)
    assert json.loads(zlib.decompress(packed)) == ["evaluation.jobs.chunk", None, [chunk.pk], {}]
    job = django_rq.get_queue("python").fetch_job(bell_of(chunk).job_id)
    # With its own limit, rq would kill a work horse while it works.
    assert job is not None
    assert job.timeout == -1


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


def test_a_chunk_that_is_to_wait_is_not_rung_for(
    running_valkey: Queue, evaluation: Evaluation
) -> None:
    evaluation.chunks.exclude(number=3).update(not_before=timezone.now() + timedelta(hours=1))
    assert ring_next_chunks(evaluation.pk)
    assert ids() == [f"chunk-{evaluation.chunks.get(number=3).pk}-1"]


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


@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_one_rings(
    shared_database: None, running_valkey: Queue, many: Evaluation
) -> None:
    at_once(*(partial(ring_next_chunks, many.pk) for _ in range(4)))
    assert len(ids()) == len(set(ids())) == AHEAD


def test_a_queue_that_is_away_hurts_nobody(valkey: Queue, evaluation: Evaluation) -> None:
    chunk = first(evaluation)
    assert not ring([chunk])
    assert not ring_next_chunks(evaluation.pk)
    assert set(evaluation.chunks.values_list("rung", flat=True)) == {None}


@pytest.mark.timeout(60)
def test_a_queue_that_hangs_holds_nobody_up_for_long(
    running_valkey: Queue, evaluation: Evaluation
) -> None:
    chunk = first(evaluation)
    os.kill(running_valkey.pid, signal.SIGSTOP)
    began = time.monotonic()
    assert not ring([chunk])
    assert time.monotonic() - began < 10
    chunk.refresh_from_db()
    assert chunk.rung is None


def test_an_upload_is_kept_while_the_queue_is_away(
    valkey: Queue,
    cast: Cast,
    settings: Settings,
    tmp_path: Path,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    with django_capture_on_commit_callbacks(execute=True) as told:
        upload = submitted(cast)
    upload.refresh_from_db()
    assert (len(told), upload.state, upload.rung) == (1, UploadState.RECEIVED, None)


def test_bells_ring_after_the_commit_alone(
    running_valkey: Queue,
    cast: Cast,
    settings: Settings,
    tmp_path: Path,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    settings.MEDIA_ROOT = tmp_path
    with django_capture_on_commit_callbacks(execute=True):
        upload = submitted(cast)
        assert ids("intake") == []
    assert ids("intake") == [f"check_upload-{upload.pk}-1"]


@pytest.mark.django_db(transaction=True)
def test_what_is_rolled_back_rings_for_nothing(
    running_valkey: Queue, evaluation: Evaluation
) -> None:
    chunk = first(evaluation)
    with transaction.atomic():
        bells.ring_after_commit(chunk)
        transaction.set_rollback(True)
    assert ids() == []
