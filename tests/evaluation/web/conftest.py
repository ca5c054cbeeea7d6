"""Fixtures for the tests of the queue's parts: an evaluation in chunks, and a Valkey to notify."""

import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import django_rq
import pytest
from django.db import connection
from django.utils import timezone
from pytest_django.fixtures import Settings

from evaluation import jobs
from evaluation.models import Evaluation
from evaluation.work.actions import open_evaluation
from leaderboard.leases import Leased
from tests.support.cast import Cast
from tests.support.site import cast, quick
from tests.support.valkey import Queue

__all__ = ["cast", "quick"]

T = TypeVar("T")


@pytest.fixture(autouse=True)
def as_a_test(quick: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps every test quick: a new board draws no charts here. test_board_charts.py tests
    them."""
    monkeypatch.setattr(jobs, "show_board", lambda _board: None)


@pytest.fixture
def evaluation(cast: Cast, settings: Settings) -> Evaluation:
    """36 generations of 12 tasks in 4 chunks of 10, 10, 10 and 6, all waiting."""
    settings.CHUNK_SECONDS = 4
    return open_evaluation(submission=cast.submission(cast.entrant()))


@pytest.fixture
def uploads(settings: Settings, tmp_path: Path) -> Path:
    """The folder of this test's uploads."""
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return tmp_path / "uploads"


def age(row: Leased, seconds: float = 1) -> None:
    """Sets the end of the row's lease to the given time ago."""
    past = timezone.now() - timedelta(seconds=seconds)
    type(row)._default_manager.filter(pk=row.pk).update(lease_until=past)


def closing_connection(call: Callable[[], T]) -> Callable[[], T]:
    """The call for a thread; it closes the thread's own connection at the end."""

    def run() -> T:
        try:
            return call()
        finally:
            connection.close()

    return run


def at_once(*calls: Callable[[], T]) -> list[T]:
    """The return values of the calls, all started at the same time by threads with their own
    connections."""
    ready = threading.Barrier(len(calls))

    def run(call: Callable[[], T]) -> T:
        ready.wait(10)
        return closing_connection(call)()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


@pytest.fixture
def shared_database(transactional_db: None, tmp_path: Path) -> Iterator[None]:
    """A database that threads can share: SQLite's tests run in memory, where locking differs
    from a file, so a file replaces it."""
    if connection.vendor != "sqlite":
        yield
        return
    connection.ensure_connection()
    memory, name = connection.connection, connection.settings_dict["NAME"]
    connection.connection, connection.settings_dict["NAME"] = None, tmp_path / "shared.sqlite3"
    connection.connect()
    memory.backup(connection.connection)
    yield
    connection.close()
    connection.connection, connection.settings_dict["NAME"] = memory, name


@pytest.fixture
def valkey(settings: Settings) -> Iterator[Queue]:
    """A queue that is not started, so it is away until `start` is called."""
    with tempfile.TemporaryDirectory(prefix="assay-queue-") as folder:
        queue = Queue(Path(folder))
        settings.RQ_QUEUES = {
            name: {**config, "URL": f"{queue.url}?socket_connect_timeout=2"}
            for name, config in settings.RQ_QUEUES.items()
        }
        yield queue
        queue.kill()


def ids(queue: str = "python") -> list[str]:
    """The ids of the jobs that wait in the queue."""
    return list(django_rq.get_queue(queue).get_job_ids())


@pytest.fixture
def running_valkey(valkey: Queue) -> Queue:
    valkey.start()
    return valkey
