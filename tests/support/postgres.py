"""A PostgreSQL for tests: starts in two seconds, ends with its maker, and is removed afterwards.

    python -m tests.support.postgres -- COMMAND...

runs a command with DATABASE_URL set to it. It listens only on a Unix socket, in a directory that
only its own user and root may enter; every connection there is trusted."""

import ctypes
import fcntl
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
from psycopg import sql

from evaluation.engine.sandbox.state import machine_lock
from scripts.tools_for_tests import POSTGRES, postgres_programs

USER, DATABASE = "assay", "assay"
# Not TMPDIR: a socket's path may have at most 107 characters, and a URL's host no capital letters.
PLACE, PREFIX = Path("/tmp"), "assay-postgres-"
START_SECONDS, STOP_SECONDS = 60.0, 30.0
# The fast settings lose data if the machine crashes, which does not matter here. The port is only
# part of the socket's name, and is given so that the environment's PGPORT has no effect.
SETTINGS = {
    "listen_addresses": "",
    "port": "5432",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    # No query here is worth compiling.
    "jit": "off",
}
PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


@dataclass(frozen=True, slots=True)
class Cluster:
    """A server that runs; `folder` holds its socket, data and log."""

    folder: Path
    pid: int

    @property
    def url(self) -> str:
        """The value of DATABASE_URL for the database that exists from the beginning."""
        return self.url_of(DATABASE)

    def url_of(self, database: str) -> str:
        return f"postgresql://{USER}@{quote(str(self.folder), safe='')}:5432/{database}"

    def create(self, database: str) -> str:
        """Makes an empty database. Returns its URL."""
        with psycopg.connect(self.url_of("postgres"), autocommit=True) as connection:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
        return self.url_of(database)


@contextmanager
def cluster() -> Iterator[Cluster]:
    """A server that answers. It ends with this block, or with the thread that entered it."""
    programs = postgres_programs()
    if programs is None:
        raise FileNotFoundError(POSTGRES.remedy)
    with _folder() as folder:
        _make_data(programs, folder)
        server = _start(programs, folder)
        try:
            _wait_until_ready(server, folder)
            made = Cluster(folder, server.pid)
            made.create(DATABASE)
            yield made
        finally:
            server.send_signal(signal.SIGQUIT)  # at once, without writing anything out
            server.wait(STOP_SECONDS)


@contextmanager
def _folder() -> Iterator[Path]:
    """A private directory of the server's user, locked while it is in use."""
    with machine_lock("throw-away-postgres"):
        _remove_abandoned()
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=PLACE))
        held = (folder / "held").open("w")
        fcntl.flock(held, fcntl.LOCK_EX)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        held.close()


def _remove_abandoned() -> None:
    """Removes the directories of killed sessions, whose locks nobody holds; not other users'
    directories."""
    for path in PLACE.glob(f"{PREFIX}*/held"):
        with suppress(OSError), path.open() as held:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(path.parent, ignore_errors=True)


def _make_data(programs: Path, folder: Path) -> None:
    if os.geteuid() == 0:
        account = _account()
        os.chown(folder, account.pw_uid, account.pw_gid)
    words: list[str | Path] = [
        programs / "initdb", f"--pgdata={folder / 'data'}", f"--username={USER}",
        "--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync",
    ]  # fmt: skip
    done = subprocess.run(
        words, **_as_its_user(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode != 0:
        raise RuntimeError(f"initdb failed:\n{done.stdout}")


def _start(programs: Path, folder: Path) -> subprocess.Popen[bytes]:
    settings = {**SETTINGS, "unix_socket_directories": str(folder)}
    words: list[str | Path] = [programs / "postgres", "-D", folder / "data"]
    words += [f"--{name}={value}" for name, value in settings.items()]
    with (folder / "log").open("ab") as log:
        server: subprocess.Popen[bytes] = subprocess.Popen(
            words,
            **_as_its_user(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            # Ctrl-C is for the tests, which may still need the database to end in order.
            start_new_session=True,
            preexec_fn=ending_with_parent(signal.SIGQUIT),
        )
    return server


def _as_its_user() -> dict[str, Any]:
    """The arguments with which `subprocess` runs the server: not as root, which the server refuses,
    and with a small environment."""
    given: dict[str, Any] = {"cwd": "/", "env": {"PATH": os.defpath, "LC_ALL": "C"}}
    if os.geteuid() == 0:
        account = _account()
        given |= {"user": account.pw_uid, "group": account.pw_gid, "extra_groups": []}
    return given


def _account() -> pwd.struct_passwd:
    """The user that root switches to: the one that Debian's package makes, or else nobody."""
    with suppress(KeyError):
        return pwd.getpwnam("postgres")
    return pwd.getpwnam("nobody")


def ending_with_parent(how: signal.Signals) -> Callable[[], None]:
    """A `preexec_fn`: the new process gets this signal when the thread that starts it ends.

    A killed test session therefore leaves no process running."""
    parent = os.getpid()

    def bind() -> None:
        _LIBC.prctl(PR_SET_PDEATHSIG, int(how))
        if os.getppid() != parent:  # The parent ended before the call.
            os._exit(1)

    return bind


def _wait_until_ready(server: subprocess.Popen[bytes], folder: Path) -> None:
    """Returns when it answers. Raises RuntimeError with the end of its log."""
    deadline = time.monotonic() + START_SECONDS
    url = Cluster(folder, server.pid).url_of("postgres")
    while server.poll() is None and time.monotonic() < deadline:
        with suppress(psycopg.OperationalError), psycopg.connect(url):
            return
        time.sleep(0.05)
    raise RuntimeError(f"PostgreSQL does not start:\n{(folder / 'log').read_text()[-2000:]}")


def run_with_cluster(words: Sequence[str]) -> int:
    """Runs a command with DATABASE_URL naming a separate cluster. Returns its exit status."""
    with cluster() as server:
        # Ctrl-C reaches the command too, which ends in its own time; then this ends as well.
        signal.signal(signal.SIGINT, lambda *_: None)
        environment = {**os.environ, "DATABASE_URL": server.url}
        bound = ending_with_parent(signal.SIGTERM)
        with subprocess.Popen(words, env=environment, preexec_fn=bound) as command:
            status = command.wait()
    return status if status >= 0 else 128 - status


def main() -> int:
    match sys.argv[1:]:
        case ["--", _, *_] as given:
            return run_with_cluster(given[1:])
    print("usage: python -m tests.support.postgres -- COMMAND...", file=sys.stderr)
    return 2


if __name__ == "__main__":
    raise SystemExit(main())
