"""A program to be supervised: notes in a folder what befalls it, and behaves as it is told.

`player.py FOLDER NAME [WAY ...]` with ways: horse (has a child in another session), stubborn
(does not hear SIGTERM), awaited (is ready when the folder holds `go`), fails (ends at once),
chatters (never stops talking), orphans (leaves children that end).
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

NAP = 0.01


def note(folder: Path, *words: object) -> None:
    line = " ".join(map(str, words)) + "\n"
    events = os.open(folder / "events", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(events, line.encode())
    os.close(events)


def leave_orphans(count: int) -> None:
    for _ in range(count):
        if os.fork() == 0:
            if os.fork() == 0:
                time.sleep(NAP)
            os._exit(0)
        os.wait()


def ride(folder: Path, name: str) -> None:
    """A child as a work horse of rq is one, and further away still."""
    if os.fork() == 0:
        os.setsid()
        note(folder, "horse", name, os.getpid())
        while True:
            time.sleep(60)


def play(folder: Path, name: str, ways: Sequence[str]) -> None:
    def leave(*_: object) -> None:
        note(folder, "stop", name, os.getpid())
        sys.exit(0)

    signal.signal(signal.SIGTERM, signal.SIG_IGN if "stubborn" in ways else leave)
    print(f"{name} speaks", flush=True)
    if "horse" in ways:
        ride(folder, name)
    if "orphans" in ways:
        leave_orphans(5)
    note(folder, "start", name, os.getpid(), time.monotonic())
    while "fails" not in ways:
        if "awaited" in ways and (folder / "go").exists():
            (folder / f"{name}.ready").touch()
        if "chatters" in ways:
            print("word\n" * 1000, flush=True)
        time.sleep(NAP)
    sys.exit(3)


if __name__ == "__main__":
    play(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
