"""`make demo` after set-up: a running installation with judged sample predictions.

Starts `manage.py up` unless one runs in the same data directory. Ctrl-C stops it again.
"""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from evaluation.engine.errors import SettingError
from evaluation.engine.variables import Variables
from leaderboard.healthy import healthy, port_is_free
from scripts.environment import ROOT

HOST = "127.0.0.1"
# Seconds of work per chunk. Long, because in projects each chunk runs its own canaries.
CHUNK_SECONDS = "180"
START_SECONDS, JOIN_SECONDS, STOP_SECONDS, PAUSE_SECONDS = 180.0, 15.0, 45.0, 0.2
MANAGE = (sys.executable, str(ROOT / "manage.py"))


class Stopped(Exception):
    """Ctrl-C or a signal ended the demo."""


def main() -> int:
    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(which, _stop)
    try:
        port = _port()
        if _runs_already():
            return _show_running(port)
        with _installation(port) as up:
            _seed(port)
            _show(port)
            say("stop with Ctrl-C")
            return up.wait()
    except Stopped:
        say("stopped")
        return 0


def say(line: str) -> None:
    print(f"demo: {line}", flush=True)


def fail(sentence: str) -> NoReturn:
    print(f"demo: {sentence}", file=sys.stderr, flush=True)
    raise SystemExit(1)


def _stop(_signal: int, _frame: FrameType | None) -> None:
    # Further signals must not interrupt the orderly stop: terminals may send several.
    for which in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(which, signal.SIG_IGN)
    raise Stopped


def _port() -> int:
    try:
        return Variables().whole("ASSAY_PORT", 8000, least=1, most=65535)
    except SettingError as error:
        fail(str(error))


def _data_directory() -> Path:
    return (Variables().path("ASSAY_DATA_DIR") or ROOT / "var").resolve()


def _runs_already() -> bool:
    with suppress(FileNotFoundError), (_data_directory() / "up.lock").open("r+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def _show_running(port: int) -> int:
    deadline = time.monotonic() + JOIN_SECONDS  # it may be starting just now
    while not _answers(port) and time.monotonic() < deadline:
        time.sleep(PAUSE_SECONDS)
    if not _answers(port):
        fail(
            f"An installation runs in {_data_directory()}, but does not answer at port {port}. "
            "Name its port in ASSAY_PORT, or stop it first."
        )
    say("an installation already runs; it is used")
    _seed(port)
    _show(port)
    return 0


@contextmanager
def _installation(port: int) -> Iterator[subprocess.Popen[bytes]]:
    """`manage.py up` while the block runs; ends all its processes afterwards."""
    if not port_is_free(HOST, port):
        fail(
            f"Another program listens on port {port}. Stop it, or choose another port: "
            f"`make demo ASSAY_PORT={port + 1 if port < 65535 else 8000}`."
        )
    # In its own session: only this process gets Ctrl-C, and it stops the other one.
    up = subprocess.Popen(
        [*MANAGE, "up", "--port", str(port)],
        cwd=ROOT,
        env={"ASSAY_CHUNK_SECONDS": CHUNK_SECONDS, **os.environ},
        stdin=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        _wait_until_it_answers(up, port)
        yield up
    finally:
        _end(up)


def _wait_until_it_answers(up: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not _answers(port):
        if up.poll() is not None:
            fail("The installation did not start; see the lines above for the reason.")
        if time.monotonic() > deadline:
            fail(
                f"The installation does not answer after {START_SECONDS:.0f} seconds. Its logs in "
                f"{_data_directory() / 'logs'} have the reason."
            )
        time.sleep(PAUSE_SECONDS)


def _answers(port: int) -> bool:
    return healthy(HOST, port, ("localhost",))


def _end(up: subprocess.Popen[bytes]) -> None:
    if up.poll() is None:
        say("stopping")
        up.send_signal(signal.SIGTERM)
        try:
            up.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            # Its child processes end with it.
            up.kill()
            up.wait()


def _seed(port: int) -> None:
    """Judges the samples that are not judged yet; names each board as soon as it is ready."""
    command = [*MANAGE, "seed_demo", "--site", _site(port)]
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True
    ) as seeding:
        try:
            code = seeding.wait()
        except Stopped:
            seeding.terminate()
            raise
    if code:
        fail(
            "The sample predictions are not judged; the lines above say why, and the logs in "
            f"{_data_directory() / 'logs'} may say more. Run `make demo` again to continue."
        )


def _show(port: int) -> None:
    site = _site(port)
    say("")
    say(f"a board worth looking at: {site}{_first_board()}")
    say(f"all benchmarks:           {site}/")
    say(f"behind the scenes:        {site}/admin/ as operator, whose password is in")
    say(f"                          {_data_directory() / 'operator-password'}")
    say("")


def _site(port: int) -> str:
    return f"http://{HOST}:{port}"


def _first_board() -> str:
    """The address of the board with the most rows."""
    program = (
        "from django.db.models import Count;"
        "from leaderboard.scores.models import Board;"
        "board = Board.objects.annotate(rows=Count('standings')).order_by('-rows', 'pk').first();"
        "print(board.revision.benchmark.get_absolute_url() if board else '/')"
    )
    command = [*MANAGE, "shell", "--no-imports", "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() or "/"


if __name__ == "__main__":
    raise SystemExit(main())
