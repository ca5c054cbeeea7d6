"""Tests that nothing is lost when an installation loses one part after the other during a
submission.

Each round also reports the time until judging resumed: `pytest -s`."""

import os
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import docker
import psycopg
import pytest

from evaluation.engine.sandbox import images
from evaluation.work.installation import CONNECTIONS_PER_WORKER, SITE_CONNECTIONS
from tests.faults.web.conftest import MakeStack, Sent, Undisturbed, nothing_lost, sandboxes
from tests.support import daemon
from tests.support.commands import wait_for
from tests.support.daemon import Daemon
from tests.support.postgres import Cluster
from tests.support.stack import (
    LEASE_SECONDS,
    Claim,
    Stack,
    further_host,
    running_stack,
    seconds_until,
)
from tests.support.valkey import Queue

pytestmark = [pytest.mark.docker, pytest.mark.acceptance, pytest.mark.timeout(900)]

Record = Callable[[str, object], None]
GoesOn = Callable[[str, Callable[[], bool]], None]
_OPEN = """
SELECT count(*) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
# The number of verdicts before the first disturbance: judging is in full swing.
UNDER_WAY = 150


def _under_way(stack: Stack, sent: Sent, verdicts: int = UNDER_WAY) -> None:
    stack.submit(sent.predictions)
    wait_for(lambda: stack.judged() >= verdicts, 200, pause=0.05)


class _Work(NamedTuple):
    """A worker, its work horse, and the claim under which the horse judges a chunk."""

    name: str
    horse: int
    chunk: Claim


def _work(stack: Stack) -> list[_Work]:
    horses = {name: stack.horse(name) for name in ("worker-1", "worker-2")}
    return [
        _Work(name, pid, claim)
        for name, pid in horses.items()
        if pid is not None and (claim := stack.claim_of(pid))
    ]


def _fresh_work(stack: Stack) -> _Work:
    """Work that a worker has just begun, so that it does not end before it is disturbed."""
    before = _work(stack)
    begun: list[_Work] = []

    def look() -> bool:
        begun.extend(one for one in _work(stack) if one not in before)
        return bool(begun)

    wait_for(look, 90)
    return begun[0]


@pytest.fixture
def goes_on(record_property: Record) -> GoesOn:
    """Waits until something holds; reports the seconds that it takes."""

    def wait(what: str, holds: Callable[[], bool]) -> None:
        seconds = seconds_until(holds, 60)
        record_property(what, round(seconds, 1))
        print(f"{what}: {seconds:.1f} s")

    return wait


@pytest.fixture
def judging(
    stack: Stack, sent_thousand: Undisturbed, engine: docker.DockerClient
) -> Iterator[Stack]:
    """An installation in full swing; whatever the test does to it, nothing may be lost."""
    _under_way(stack, sent_thousand)
    yield stack
    nothing_lost(stack, sent_thousand, engine)


def test_a_worker_is_killed(judging: Stack, goes_on: GoesOn) -> None:
    name, horse, chunk = _fresh_work(judging)
    worker = judging.worker(name)
    assert worker is not None
    os.kill(worker, signal.SIGKILL)
    goes_on("the work horse is gone", lambda: horse not in judging.pids())
    goes_on("another worker is there", lambda: judging.worker(name) not in (None, worker))
    goes_on("its chunk is claimed again", lambda: judging.claimed_again(chunk))


def test_a_work_horse_is_killed(judging: Stack, goes_on: GoesOn) -> None:
    _, horse, chunk = _fresh_work(judging)
    os.kill(horse, signal.SIGKILL)
    goes_on("its chunk is claimed again", lambda: judging.claimed_again(chunk))


def test_the_queue_is_killed_and_starts_empty(judging: Stack, goes_on: GoesOn) -> None:
    valkey = judging.valkey()
    assert valkey is not None
    for saved in judging.folder.glob("valkey/*.rdb"):
        saved.unlink()
    os.kill(valkey, signal.SIGKILL)
    goes_on("the queue is back", lambda: judging.valkey() not in (None, valkey))
    # Chunks claimed earlier may still be judged to their end; a further claim needs the queue.
    claims = judging.claims()
    goes_on("a further chunk is claimed", lambda: judging.claims() > claims)


def test_the_queue_is_away_while_an_upload_is_committed(
    make_stack: MakeStack, sent_thousand: Undisturbed, engine: docker.DockerClient, goes_on: GoesOn
) -> None:
    with tempfile.TemporaryDirectory(prefix="assay-queue-") as folder:
        queue = Queue(Path(folder))
        queue.start()
        with running_stack(make_stack(ASSAY_VALKEY_URL=queue.url)) as stack:
            queue.kill()
            sending = stack.submitting(sent_thousand.predictions)
            wait_for(lambda: stack.rows("SELECT state FROM submissions_upload") == [("received",)])
            assert stack.answers("/")
            time.sleep(3)
            assert stack.rows("SELECT state, attempt FROM submissions_upload") == [("received", 0)]
            queue.start()
            checked = "SELECT 1 FROM submissions_upload WHERE attempt > 0"
            goes_on("the upload is taken", lambda: bool(stack.rows(checked)))
            goes_on("the first verdicts are there", lambda: stack.judged() > 0)
            assert sending.wait(60) == 0
            nothing_lost(stack, sent_thousand, engine)
        queue.kill()


def test_docker_is_killed_and_comes_back(
    make_stack: MakeStack, sent_thousand: Undisturbed, second_daemon: Daemon, goes_on: GoesOn
) -> None:
    with running_stack(make_stack(DOCKER_HOST=second_daemon.host)) as stack:
        _under_way(stack, sent_thousand)
        second_daemon.kill()
        time.sleep(8)
        before = stack.judged()
        second_daemon.start()
        goes_on("the next verdicts are there", lambda: stack.judged() > before)
        nothing_lost(stack, sent_thousand, second_daemon.client)


def test_the_web_server_is_killed(judging: Stack, goes_on: GoesOn) -> None:
    web, before = judging.web(), judging.judged()
    assert web is not None
    os.kill(web, signal.SIGKILL)
    goes_on("the server is gone", lambda: judging.web() != web)
    goes_on("the pages answer", lambda: judging.answers("/health/", 1))
    assert judging.judged() > before


def test_a_lease_runs_out_while_its_worker_still_works(judging: Stack, goes_on: GoesOn) -> None:
    _, horse, chunk = _fresh_work(judging)
    os.kill(horse, signal.SIGSTOP)
    try:
        goes_on("its chunk is taken back", lambda: not judging.holds(chunk))
        time.sleep(LEASE_SECONDS)
    finally:
        # The worker resumes with verdicts that are no longer accepted.
        os.kill(horse, signal.SIGCONT)
    goes_on("the late one is gone", lambda: horse not in judging.pids())


def test_it_is_stopped_in_peace_and_started_again(
    stack: Stack, sent_few: Sent, engine: docker.DockerClient
) -> None:
    _under_way(stack, sent_few, 20)
    _fresh_work(stack)
    stack.stop()
    # The running chunks were given back; nothing waits for their leases to expire.
    running = "SELECT count(*) FROM evaluation_chunk WHERE state = 'running'"
    assert stack.rows(running) == [(0,)]
    assert stack.number("SELECT sum(tries) FROM evaluation_chunk") == 0
    assert not sandboxes(stack, engine)
    stack.start()
    nothing_lost(stack, sent_few, engine)


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_all_of_it_is_killed_and_started_again(
    request: pytest.FixtureRequest,
    make_stack: MakeStack,
    sent_thousand: Undisturbed,
    engine: docker.DockerClient,
    goes_on: GoesOn,
    database: str,
) -> None:
    made = make_stack()
    if database == "postgresql":
        cluster: Cluster = request.getfixturevalue("postgres")
        made = make_stack(DATABASE_URL=cluster.create("killed"))
        made.prepare()
    with running_stack(made) as stack:
        _under_way(stack, sent_thousand)
        stack.kill()
        before = stack.judged()
        stack.begin()
        goes_on("the next verdicts are there", lambda: stack.judged() > before)
        nothing_lost(stack, sent_thousand, engine)


@pytest.mark.timeout(2400)
def test_twenty_workers_on_two_hosts_outlive_the_docker_of_either(
    postgres: Cluster,
    make_stack: MakeStack,
    sent_thousands: Undisturbed,
    second_daemon: Daemon,
    engine: docker.DockerClient,
    record_property: Record,
    goes_on: GoesOn,
) -> None:
    made = make_stack(DATABASE_URL=postgres.create("hosts"))
    made.processes = 0
    made.prepare()
    with daemon.second_daemon() as third, running_stack(made) as stack, ExitStack() as running:
        third.load(images.ensure(engine).reference, engine)
        hosts = {"north": second_daemon, "south": third}
        connections = running.enter_context(_connections(stack))
        for host, own in hosts.items():
            running.enter_context(further_host(stack, host, own.host, workers=10))
        # Twenty workers, the desk and the scorer.
        wait_for(lambda: stack.number("SELECT count(*) FROM evaluation_worker") == 22, 300)
        _under_way(stack, sent_thousands, 50)
        for host, lost in hosts.items():
            wait_for(lambda host=host: host in _judging(stack), 90)
            lost.kill()
            time.sleep(8)
            before = stack.judged()
            goes_on("the other goes on", lambda n=before: stack.judged() > n)
            lost.start()
            goes_on("it judges again", lambda host=host: host in _judging(stack))
        nothing_lost(stack, sent_thousands, second_daemon.client)
        assert not third.client.containers.list(all=True)
        record_property("connections", connections)
        print(f"connections: at most {max(connections)}")
        # The documented maximum, and the usual number: docs/operators/hosts.md.
        assert max(connections) <= SITE_CONNECTIONS + 3 + 22 * CONNECTIONS_PER_WORKER
        assert statistics.median(connections) <= SITE_CONNECTIONS + 3 + 22


def _judging(stack: Stack) -> set[str]:
    """The hosts that have stored verdicts of a chunk that they judge now."""
    running = "SELECT DISTINCT host FROM evaluation_chunk WHERE state = 'running' AND judged > 0"
    return {host for (host,) in stack.rows(running)}


@contextmanager
def _connections(stack: Stack) -> Iterator[list[int]]:
    """Counts the other connections to the stack's database, ten times a second."""
    found: list[int] = []
    over = threading.Event()

    def look() -> None:
        with psycopg.connect(stack.environment["DATABASE_URL"], autocommit=True) as own:
            while not over.wait(0.1):
                (row,) = own.execute(_OPEN)
                found.append(row[0])

    watcher = threading.Thread(target=look)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()
