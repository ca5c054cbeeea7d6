"""Only one worker at a time works on a row, and none after its lease has expired; heartbeats."""

import socket
import tempfile
import threading
from datetime import timedelta
from functools import partial
from pathlib import Path

import pytest
from django.db import connection
from django.utils import timezone

from evaluation.engine.sandbox.slots import Slots
from evaluation.models import Chunk, Evaluation, Worker
from evaluation.state.scheduling import claim_chunk, running
from evaluation.work.installation import too_few_connections
from evaluation.work.workers import note_living
from leaderboard.leases import Pulse
from tests.evaluation.web.conftest import at_once


def test_of_many_at_once_one_gets_the_chunk(shared_database: None, evaluation: Evaluation) -> None:
    for chunk in evaluation.chunks.all():
        claims = at_once(
            *(partial(claim_chunk, pk=chunk.pk, owner=name, host="here") for name in "abcd")
        )
        winners = [claim for claim in claims if claim is not None]
        assert [(one.attempt, running(one).count()) for one in winners] == [(1, 1)]


def test_between_renewals_a_lease_holds_no_connection(
    shared_database: None, evaluation: Evaluation
) -> None:
    found: list[bool] = []

    def renew() -> bool:
        found.append(connection.connection is None)
        return Chunk.objects.exists()

    with Pulse(renew, threading.Event(), every=0.02) as pulse:
        while len(found) < 3:
            pulse.join(0.02)
    assert all(found)


@pytest.mark.postgresql
@pytest.mark.django_db
def test_workers_that_need_more_connections_than_there_are_are_warned_of() -> None:
    now = timezone.now()
    assert too_few_connections(3) == ""
    Worker.objects.bulk_create(
        Worker(name=f"w{n}", host=f"h{n // 8}", queues=["python"], started=now, seen=now)
        for n in range(160)
    )
    assert too_few_connections(8).startswith(
        "PostgreSQL allows 97 connections, and the workers of 21 hosts with the pages may need 374."
    )
    Worker.objects.update(seen=now - timedelta(hours=1))
    assert too_few_connections(8) == ""


LIVING = ["worker-1", "web"]


# The heartbeat closes old connections, which a test's own transaction would not survive.
@pytest.mark.any_database
@pytest.mark.django_db(transaction=True)
def test_a_heartbeat_tells_the_workers_and_the_slots_of_its_host(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    with Slots(share="submission 7").one():
        note_living(LIVING, {"worker-1": ["python"]})
    worker = Worker.objects.get()
    assert (worker.host, worker.queues) == (socket.gethostname(), ["python"])
    assert (worker.slots["used"], worker.slots["shares"]) == (1, ["submission 7"])
    note_living(LIVING, {"worker-1": ["java"]})
    worker.refresh_from_db()
    assert (worker.queues, worker.slots["used"]) == (["java"], 0)


@pytest.mark.any_database
@pytest.mark.django_db(transaction=True)
def test_a_host_without_room_for_locks_tells_no_slots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    (tmp_path / "gone").write_text("a file")
    note_living(LIVING, {"worker-1": ["python"]})
    assert Worker.objects.get().slots is None
