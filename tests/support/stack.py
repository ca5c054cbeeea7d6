"""A whole installation in separate processes: `manage.py up` over a directory of the test's.

It shares neither settings nor a database with this process; tests read what it stored by plain SQL.
"""

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from evaluation.valkey import socket_path
from tests.support.commands import ROOT, wait_for
from tests.support.postgres import ending_with_parent
from tests.support.predictions import ANSWERS, TASKS
from tests.support.proxy import free_port

READY_SECONDS, STOP_SECONDS = 300.0, 180.0
# Short, so that many chunks are judged and a test need not wait a minute for a lease.
LEASE_SECONDS = 4.0
QUICK = {
    "ASSAY_CHUNK_SECONDS": "1",
    "ASSAY_LEASE_SECONDS": str(LEASE_SECONDS),
    "ASSAY_RECONCILE_SECONDS": "0.5",
}
# The sample tasks, an entrant to submit for, and a time limit that soon ends the endless ones.
_PREPARE = f"""
from django.core.management import call_command
call_command("migrate", "-v0")
files = ["{TASKS}", "--answers", "{ANSWERS}"]
call_command("import_benchmark", "rucodeeval", *files, "--revision", "sample", "--list")
from leaderboard.accounts.models import *
from leaderboard.benchmarks.models import Benchmark
team = Team.objects.create(name="Northwood", slug="northwood")
Entrant.objects.create(team=team, name="Larch", slug="larch", organisation="Northwood")
Benchmark.objects.update(limits={{"cpu_seconds": 0.5}})
"""


_UP = [sys.executable, "manage.py", "up"]
_WORKER = [sys.executable, "manage.py", "worker", "--no-desk"]


class Fared(NamedTuple):
    """A stored verdict without the fields that may differ from run to run."""

    task_id: str
    sample: int
    status: str
    integrity: str
    tests_passed: int | None
    tests_total: int | None


class Process(NamedTuple):
    """A running process, with its parent and its command line."""

    pid: int
    parent: int
    words: list[str]


def processes(mark: Path) -> list[Process]:
    """Returns the processes, in order of their pids, that were started with this path in their
    arguments or environment. Leaves out keepers and zombies."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            line = (entry / "cmdline").read_bytes()
            stat = (entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            marked = os.fsencode(mark) in line + (entry / "environ").read_bytes()
            if marked and stat[0] != "Z" and b"keeper.py" not in line:
                words = line.decode(errors="replace").split("\0")
                found.append(Process(int(entry.name), int(stat[1]), words))
    return sorted(found)


class Claim(NamedTuple):
    """A chunk, and the attempt under which it was claimed."""

    chunk: int
    attempt: int


class Stack:
    """An installation that a test can start, disturb, inspect and stop."""

    processes = 2

    def __init__(self, folder: Path, **environment: str) -> None:
        self.folder = folder
        self.port = free_port()
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "DATABASE_URL"},
            **QUICK,
            "ASSAY_DATA_DIR": str(folder),
            **environment,
        }
        self._up: subprocess.Popen[bytes] | None = None

    # Running it

    def prepare(self, more: str = "", migrated: Path | None = None) -> str:
        """Imports the sample tasks and makes an entrant, in a copy of a migrated database if there
        is one; then runs the Python code `more`. Returns what was printed."""
        if migrated:
            shutil.copyfile(migrated, self.folder / "assay.sqlite3")
        return self.script(_PREPARE + more)

    def start(self) -> None:
        """Returns when the pages answer. Raises RuntimeError with the site's output if it ends
        first."""
        self.begin()
        wait_for(self._ready, READY_SECONDS, pause=0.1)

    def begin(self) -> None:
        """Starts it without waiting. It ends with the thread that calls this."""
        words = [*_UP, "--port", str(self.port), "--processes", str(self.processes)]
        self._up = _begun(words, self.environment, self.folder / "up.log")

    def _ready(self) -> bool:
        assert self._up is not None
        if self._up.poll() is not None:
            raise RuntimeError((self.folder / "up.log").read_text()[-2000:])
        return self.answers("/health/")

    def stop(self) -> None:
        """Ends it in an orderly way. Asserts that none of its processes is left."""
        if self._up is not None and self._up.poll() is None:
            self._up.terminate()
            self._up.wait(STOP_SECONDS)
        assert not self.running()

    def kill(self) -> None:
        """Sends SIGKILL to `up` itself. Returns when all its processes have ended too."""
        assert self._up is not None
        self._up.kill()
        self._up.wait()
        wait_for(lambda: not self.running())

    def manage(self, *words: str | Path, seconds: float = 300) -> str:
        """A management command's standard output. Raises RuntimeError if the command fails."""
        command = self.managing(*words)
        out, err = command.communicate(timeout=seconds)
        if command.returncode:
            raise RuntimeError(f"{words}: {out}\n{err}")
        return out

    def script(self, lines: str) -> str:
        """Runs Python in the site: one process instead of one for each management command."""
        return self.manage("shell", "-v0", "-c", lines)

    def managing(self, *words: str | Path) -> subprocess.Popen[str]:
        """A management command that is still running."""
        return subprocess.Popen(
            [sys.executable, "manage.py", *map(str, words)],
            cwd=ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=ending_with_parent(signal.SIGKILL),
        )

    def submit(self, predictions: Path) -> None:
        """Submits the file. Returns when it is stored and its chunks are queued."""
        self.manage(*_submit(predictions))

    def submitting(self, predictions: Path) -> subprocess.Popen[str]:
        """The command that submits the file, still running."""
        return self.managing(*_submit(predictions))

    # Its processes

    def running(self, *words: str) -> list[Process]:
        """Its processes with these words in their command lines; without keepers."""
        return [one for one in processes(self.folder) if set(words) <= set(one.words)]

    def pids(self) -> set[int]:
        return {one.pid for one in self.running()}

    def worker(self, name: str = "worker-1") -> int | None:
        """The pid of the worker of that name, None while there is none."""
        return self._first("queue_worker", name)

    def horse(self, name: str = "worker-1") -> int | None:
        """The pid of that worker's work horse, None while it waits for work."""
        parent = self.worker(name)
        forked = (one.pid for one in self.running("queue_worker", name) if one.parent == parent)
        return next(forked, None)

    def web(self) -> int | None:
        """The pid of the web server's first process."""
        return self._first("gunicorn")

    def valkey(self) -> int | None:
        """The pid of the embedded queue, which sets its own process title."""
        found = (one.pid for one in self.running() if "valkey-server" in one.words[0])
        return next(found, None)

    def _first(self, *words: str) -> int | None:
        """The pid of the process with these words that forked the others."""
        found = self.running(*words)
        pids = {one.pid for one in found}
        return next((one.pid for one in found if one.parent not in pids), None)

    # Its pages and its database

    def answers(self, path: str = "/", seconds: float = 5) -> bool:
        """Whether the page answers with status 200 in time."""
        address = f"http://127.0.0.1:{self.port}{path}"
        with suppress(OSError), closing(urllib.request.urlopen(address, timeout=seconds)) as page:
            return bool(page.status == 200)
        return False

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """The result of a query without parameters in the stack's database."""
        url = self.environment.get("DATABASE_URL")
        if url:
            import psycopg

            with psycopg.connect(url) as server:
                return server.execute(query).fetchall()
        file = f"file:{self.folder}/assay.sqlite3?mode=ro"
        with closing(sqlite3.connect(file, uri=True, timeout=30)) as database:
            return database.execute(query).fetchall()

    def number(self, query: str) -> Any:
        """The first value of the first row."""
        return self.rows(query)[0][0]

    def judged(self) -> int:
        return int(self.number("SELECT count(*) FROM evaluation_verdict"))

    def verdicts(self) -> list[Fared]:
        """Every verdict in order; a missing, double or different one shows."""
        found = self.rows(
            "SELECT t.external_id, g.sample, v.status, v.integrity, v.tests_passed, v.tests_total"
            " FROM evaluation_verdict v"
            " JOIN submissions_generation g ON g.id = v.generation_id"
            " JOIN benchmarks_task t ON t.id = g.task_id"
            " ORDER BY t.external_id, g.sample"
        )
        return [Fared(*row) for row in found]

    def scores(self) -> list[tuple[Any, ...]]:
        """Every score with its interval, independent of row ids."""
        return self.rows(
            "SELECT metric, slice, slice_value, value, low, high, n, tasks FROM scores_score"
            " ORDER BY metric, slice, slice_value"
        )

    def results(self) -> list[tuple[Any, ...]]:
        """Every result of a task, independent of row ids."""
        return self.rows(
            "SELECT t.external_id, r.metric, r.n, r.c, r.open FROM scores_taskresult r"
            " JOIN benchmarks_task t ON t.id = r.task_id ORDER BY t.external_id, r.metric"
        )

    def claim_of(self, pid: int) -> Claim | None:
        """The claim under which that work horse judges a chunk now."""
        found = self.rows(
            "SELECT id, attempt FROM evaluation_chunk"
            f" WHERE state = 'running' AND owner LIKE '%:{pid}'"
        )
        return Claim(*found[0]) if found else None

    def holds(self, claim: Claim) -> bool:
        """Whether the chunk is still being judged under this claim."""
        chunk = f"id = {claim.chunk} AND attempt = {claim.attempt} AND state = 'running'"
        return bool(self.rows(f"SELECT 1 FROM evaluation_chunk WHERE {chunk}"))

    def claimed_again(self, claim: Claim) -> bool:
        chunk = f"id = {claim.chunk} AND attempt > {claim.attempt}"
        return bool(self.rows(f"SELECT 1 FROM evaluation_chunk WHERE {chunk}"))

    def claims(self) -> int:
        """How often chunks have been claimed."""
        return int(self.number("SELECT sum(attempt) FROM evaluation_chunk"))

    def over(self) -> bool:
        return self.states() == ["done"]

    def states(self) -> list[str]:
        """The states of the evaluations."""
        return [row[0] for row in self.rows("SELECT state FROM evaluation_evaluation")]


def _begun(words: list[str], environment: dict[str, str], log: Path) -> subprocess.Popen[bytes]:
    with log.open("ab") as said:
        return subprocess.Popen(
            words,
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=said,
            stderr=said,
            start_new_session=True,
            # A test session that is killed leaves nothing running.
            preexec_fn=ending_with_parent(signal.SIGTERM),
        )


def _submit(predictions: Path) -> list[str | Path]:
    return ["submit", "rucodeeval", predictions, "--entrant", "larch"]


@contextmanager
def running_stack(stack: Stack) -> Iterator[Stack]:
    """The installation while it answers; stopped afterwards, with nothing left running."""
    try:
        stack.start()
        yield stack
    finally:
        stack.stop()


@contextmanager
def further_host(stack: Stack, name: str, docker_host: str, workers: int) -> Iterator[None]:
    """Workers under another host name, which share only the database and the queue with the
    stack."""
    folder = stack.folder / name
    folder.mkdir()
    own = {"ASSAY_DATA_DIR": str(folder), "TMPDIR": str(folder), "DOCKER_HOST": docker_host}
    queue = {"ASSAY_VALKEY_URL": f"unix://{socket_path(stack.folder / 'valkey')}"}
    named = ["unshare", "--uts", "sh", "-c", 'hostname "$0" && exec "$@"', name]
    words = [*named, *_WORKER, "--processes", str(workers)]
    host = _begun(words, stack.environment | own | queue, folder / "worker.log")
    try:
        yield
    finally:
        host.terminate()
        host.wait(STOP_SECONDS)


def seconds_until(what: Callable[[], bool], most: float = 120) -> float:
    """The seconds until `what` is true. Raises TimeoutError after `most`."""
    began = time.monotonic()
    wait_for(what, most, pause=0.05)
    return time.monotonic() - began
