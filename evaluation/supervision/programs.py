"""Programs, and one run of a program under its keeper, as the supervisor sees it."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from evaluation.supervision import keeper

FIRST_PAUSE, LONGEST_PAUSE, SETTLED = 0.2, 10.0, 60.0
# Seconds a keeper may take to kill its processes before it is killed itself.
KILL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Program:
    """A command that is kept running. Times are in seconds.

    With `ready`, later programs are started only after it returns True, and they end before this
    one is asked to stop. It must return quickly, since the supervisor does nothing else meanwhile;
    an exception in it ends the supervisor. Only the program gets SIGTERM; children that are left
    after `grace_seconds` are killed.
    """

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], bool] | None = None
    ready_seconds: float = 30.0
    grace_seconds: float = 10.0


class Living(NamedTuple):
    """A running program: seconds since its start, and the number of its starts."""

    name: str
    pid: int
    seconds: float
    starts: int


def pause_after(ran: float, before: float) -> float:
    """Seconds to wait before the next start: doubling, and short again after a long run. `before`
    is the last pause, 0 if there was none."""
    if before == 0 or ran >= SETTLED:
        return FIRST_PAUSE
    return min(2 * before, LONGEST_PAUSE)


class ProgramRun:
    """Starts the keeper, which starts the program. Raises OSError if the keeper cannot start. `pid`
    is the program's, None until it runs. `code` is its exit code, negative for a signal. `clean`
    says that the keeper left no process behind, which a killed keeper cannot guarantee."""

    def __init__(self, program: Program, log: Path | None, prefix: str) -> None:
        self.program = program
        self.began = time.monotonic()
        self.pid: int | None = None
        self.code: int | None = None
        self.failed: str | None = None
        self.words: list[str] = []
        self.clean = False
        self._unread = b""
        self._stop_by: float | None = None
        self._kill_by: float | None = None
        self._channel, theirs = socket.socketpair()
        self._channel.setblocking(False)
        with theirs:
            try:
                # Isolated and without site packages, it starts in a few hundredths of a second.
                words = [sys.executable, "-I", "-S", keeper.__file__, str(log or ""), prefix]
                self._keeper = subprocess.Popen(
                    [*words, *program.command],
                    stdin=theirs.fileno(),
                    env={**os.environ, **program.environment},
                    start_new_session=True,
                )
            except OSError:
                self._channel.close()
                raise

    def fileno(self) -> int:
        return self._channel.fileno()

    @property
    def keeper_pid(self) -> int:
        return self._keeper.pid

    def hear(self) -> bool:
        """Reads the keeper's messages. Returns False when it has ended and all is read."""
        try:
            while data := self._channel.recv(65536):
                *lines, self._unread = (self._unread + data).split(b"\n")
                for line in lines:
                    said = json.loads(line)
                    self.pid = said.get("pid", self.pid)
                    self.failed = said.get("failed")
                    self.code = said.get("ended")
                    self.words = said.get("words", [])
                    self.clean = "pid" not in said
        except BlockingIOError:
            return True
        except ConnectionResetError:  # killed with something unread
            pass
        return False

    def close(self) -> None:
        """Reaps the keeper, which must have ended."""
        self._keeper.wait()
        self._channel.close()

    def stop(self, now: float) -> None:
        """Takes the next step that is due; call it until the run has ended. The steps are to ask
        the program, to have the keeper kill everything, and to kill a keeper that hangs."""
        if self._kill_by is not None:
            if now >= self._kill_by:
                self._keeper.kill()
        elif self._stop_by is None:
            with suppress(OSError):  # the keeper ended just now
                self._channel.send(bytes([signal.SIGTERM]))
            self._stop_by = now + self.program.grace_seconds
        elif now >= self._stop_by:
            self.kill(now)

    def kill(self, now: float) -> None:
        if self._kill_by is None:
            self._kill_by = now + KILL_SECONDS
            with suppress(OSError):
                self._channel.shutdown(socket.SHUT_WR)

    @property
    def gave_up(self) -> bool:
        """Whether it ended by itself or never ran; False if a signal ended it."""
        return self.failed is not None or (self.code is not None and self.code >= 0)

    @property
    def how(self) -> str:
        """How the run ended, as the predicate of a sentence."""
        if self.failed is not None:
            return f"could not be run: {self.failed}"
        if self.code is None:
            return "was killed" if self.clean else "was killed with its keeper"
        if self.code < 0:
            return f"was ended by {signal.Signals(-self.code).name}"
        return f"ended with exit code {self.code}"
