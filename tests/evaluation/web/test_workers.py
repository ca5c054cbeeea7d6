"""The heartbeats of workers."""

from __future__ import annotations

import socket
import tempfile
from pathlib import Path

import pytest

from evaluation.engine.sandbox.slots import Slots
from evaluation.models import Worker
from evaluation.supervision import Living
from evaluation.work.workers import note_living

pytestmark = pytest.mark.any_database

LIVING = [Living("worker-1", 12, 60.0, 1), Living("web", 13, 60.0, 1)]


@pytest.mark.django_db
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


@pytest.mark.django_db
def test_a_host_without_room_for_locks_tells_no_slots(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    (tmp_path / "gone").write_text("a file")
    note_living(LIVING, {"worker-1": ["python"]})
    assert Worker.objects.get().slots is None
