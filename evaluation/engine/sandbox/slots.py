"""Host slots: no more runs at work than processors, over all processes of a host.

Advisory locks on files, so that whoever dies gives its slot back. `one` is held while
a container works; `alone` waits until nobody else works and keeps newcomers out. Who
waits looks now and then whether to go on: nothing tells of the first of several locks.
"""

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
    """One folder for all processes of this user on this host."""
    return Path(tempfile.gettempdir()) / f"assay-slots-{os.getuid()}"


def _never() -> bool:
    return False


@contextmanager
def _held(paths: Sequence[Path], stopped: Stopped) -> Iterator[None]:
    """The lock of whichever is free first. Raises SandboxError where stopped before."""
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
    """A descriptor that holds one of the locks; None where all are taken."""
    for path in paths:
        # A descriptor of its own each time: locks of one process do not exclude each other
        # on a shared one.
        fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return fd
        except BlockingIOError:
            os.close(fd)
    return None


class Slots:
    """`count` slots, by default as many as processors that this process may use."""

    def __init__(self, folder: Path | None = None, count: int | None = None) -> None:
        self._folder = folder or default_folder()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._gate, self._line = self._folder / "gate", self._folder / "line"
        number = count or len(os.sched_getaffinity(0))
        self._slots = [self._folder / f"slot-{n}" for n in range(number)]

    @contextmanager
    def one(self, stopped: Stopped = _never) -> Iterator[None]:
        """Waits for a slot. Raises SandboxError where stopped before there is one.

        Only who is at the head of the line looks for a free one: otherwise who gives a slot
        back and asks again at once would always be the first to see it free. Who wants to be
        alone stands at the gate, so it is not starved.
        """
        with ExitStack() as slot:
            with _held([self._line], stopped):
                with _held([self._gate], stopped):
                    pass
                slot.enter_context(_held(self._slots, stopped))
            yield

    @contextmanager
    def alone(self, stopped: Stopped = _never) -> Iterator[None]:
        """Waits until no slot is taken and holds them all. Raises SandboxError where stopped
        before."""
        with ExitStack() as stack:
            for path in (self._gate, *self._slots):
                stack.enter_context(_held([path], stopped))
            yield


class Stretch:
    """A slot that is kept from run to run, for `most` of them: the few runs of a small batch
    wait for one slot, not each kind of them for one of its own."""

    def __init__(
        self, one: Callable[[Stopped], AbstractContextManager[None]], most: int, stopped: Stopped
    ) -> None:
        self._one, self._most, self._stopped = one, most, stopped
        self._held = ExitStack()
        self._left = 0

    def go_on(self) -> None:
        """Waits for a slot where none is held. Raises SandboxError where stopped before there
        is one."""
        if not self._left:
            self._held.enter_context(self._one(self._stopped))
            self._left = self._most

    def of(self, runs: Iterator[_Run]) -> Iterator[_Run]:
        """As many of the runs as are left of the stretch."""
        while self._left and (run := next(runs, None)) is not None:
            self._left -= 1
            yield run

    def rest(self) -> None:
        """Gives the slot back where the stretch is over."""
        if not self._left:
            self.end()

    def end(self) -> None:
        """Gives the slot back."""
        self._left = 0
        self._held.close()
