"""/ready/ names each part that fails, and no more."""

import os
import signal
import tempfile
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import cache
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import Settings

from evaluation.models import Worker
from evaluation.state.expected_end import living_workers
from leaderboard import readiness
from tests.support.valkey import Queue


@pytest.fixture
def queue(settings: Settings) -> Iterator[Queue]:
    with tempfile.TemporaryDirectory(prefix="q-", dir="/tmp") as folder:
        server = Queue(Path(folder))
        server.start()
        settings.RQ_QUEUES = {"intake": {"URL": server.url}}
        yield server
        server.kill()


@pytest.fixture
def whole(db: None, queue: Queue, settings: Settings, tmp_path: Path) -> None:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    now = timezone.now()
    Worker.objects.create(name="w", host="h", queues=["python"], started=now, seen=now)


def answer() -> tuple[int, str]:
    cache.clear()
    page = Client().get("/ready/")
    assert "no-store" in page["Cache-Control"]
    return page.status_code, page.text


def test_each_part_that_fails_is_named(whole: None, queue: Queue, settings: Settings) -> None:
    Worker.objects.update(seen=timezone.now() - timedelta(seconds=61))
    queue.kill()
    settings.MEDIA_ROOT = "/proc/uploads"
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM django_migrations WHERE app = 'mail'")
    status, text = answer()
    assert status == 503
    parts = ("queue", "migrations", "storage", "worker")
    assert text == "".join(f"{part}: failed\n" for part in parts)


def test_the_pages_and_the_probe_count_the_same_workers(whole: None) -> None:
    for seconds, living in ((55, True), (65, False)):
        Worker.objects.update(seen=timezone.now() - timedelta(seconds=seconds))
        assert (answer()[0] == 200, bool(living_workers("python"))) == (living, living)


def test_without_a_database_the_other_parts_are_still_named(
    whole: None, settings: Settings
) -> None:
    settings.CACHED_PAGES = 10  # the cache of pages asks the database first

    def away(*_: object) -> None:
        raise OperationalError("could not connect to db.example.org")

    with connection.execute_wrapper(away):
        expected = "database: failed\nmigrations: failed\nworker: failed\n"
        assert answer() == (503, expected)


@pytest.mark.any_database
def test_a_queue_that_hangs_is_not_waited_for(whole: None, queue: Queue) -> None:
    os.kill(queue.pid, signal.SIGSTOP)
    try:
        assert answer() == (503, "queue: failed\n")
    finally:
        os.kill(queue.pid, signal.SIGCONT)


@pytest.mark.any_database
def test_many_who_ask_cost_one_check(whole: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer()[0] == 200
    monkeypatch.setattr(readiness, "storage_is_writable", lambda _: False)
    assert Client().get("/ready/").status_code == 200
    assert answer() == (503, "storage: failed\n")
