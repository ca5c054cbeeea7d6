"""Host slots: at most one run per processor works at a time, over all processes of a host. Advisory
file locks, so that a process that dies releases its slot. A caller polls: the system reports no
first free lock among several."""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import TypeVar

from evaluation.engine.errors import give_up_if

PAUSE_SECONDS = 0.002
Stopped = Callable[[], bool]
_Run = TypeVar("_Run")


def default_folder() -> Path:
    return Path(tempfile.gettempdir()) / f"assay-slots-{os.getuid()}"


def _never() -> bool:
    return False


@contextmanager
def _held(paths: Sequence[Path], stopped: Stopped) -> Iterator[None]:
    """Holds the lock that is free first. Raises SandboxError if stopped before that."""
    fd = _lock(paths)
    while fd is None:
        give_up_if(stopped)
        time.sleep(PAUSE_SECONDS)
        fd = _lock(paths)
    try:
        yield
    finally:
        os.close(fd)


def _lock(paths: Sequence[Path]) -> int | None:
    for path in paths:
        # A new descriptor each time: locks on a shared descriptor do not exclude each other.
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
        except BlockingIOError:
            os.close(fd)
    return None


class Slots:
    """`count` defaults to one per processor that this process may use."""

    def __init__(self, folder: Path | None = None, count: int | None = None) -> None:
        self._folder = folder or default_folder()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._gate, self._line = self._folder / "gate", self._folder / "line"
        number = count or len(os.sched_getaffinity(0))
        self._slots = [self._folder / f"slot-{n}" for n in range(number)]

    @contextmanager
    def one(self, stopped: Stopped = _never) -> Iterator[None]:
        """Raises SandboxError if stopped before a slot is free. Only the head of the line looks for
        a slot: otherwise a caller that releases one and asks again would always get it. `alone`
        waits at the gate, so the line does not starve it."""
        with ExitStack() as slot:
            with _held([self._line], stopped):
                with _held([self._gate], stopped):
                    pass
                slot.enter_context(_held(self._slots, stopped))
            yield

    @contextmanager
    def alone(self, stopped: Stopped = _never) -> Iterator[None]:
        """Waits until no slot is taken, then holds all. Raises SandboxError if stopped before."""
        with ExitStack() as stack:
            for path in (self._gate, *self._slots):
                stack.enter_context(_held([path], stopped))
            yield


class Stretch:
    """A slot kept for up to `most` runs, so that a small batch waits once, not for every run."""

    def __init__(
        self, one: Callable[[Stopped], AbstractContextManager[None]], most: int, stopped: Stopped
    ) -> None:
        self._one, self._most, self._stopped = one, most, stopped
        self._held = ExitStack()
        self._left = 0

    def go_on(self) -> None:
        """Waits for a slot if none is held. Raises SandboxError if stopped before one is free."""
        if not self._left:
            self._held.enter_context(self._one(self._stopped))
            self._left = self._most

    def of(self, runs: Iterator[_Run]) -> Iterator[_Run]:
        while self._left and (run := next(runs, None)) is not None:
            self._left -= 1
            yield run

    def rest(self) -> None:
        if not self._left:
            self.end()

    def end(self) -> None:
        self._left = 0
        self._held.close()
