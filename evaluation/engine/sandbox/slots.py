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
from contextlib import ExitStack, contextmanager
from pathlib import Path

from evaluation.engine.errors import give_up_if

PAUSE_SECONDS = 0.002
Stopped = Callable[[], bool]


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
