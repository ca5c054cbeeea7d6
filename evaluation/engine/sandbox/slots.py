"""Host slots: no more runs at work than processors, over all processes of a host.

Advisory locks on files, so that whoever dies gives its slot back. `one` is held while
a container works; `alone` waits until nobody else works and keeps newcomers out.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

PAUSE_SECONDS = 0.002


def default_folder() -> Path:
    """One folder for all processes of this user on this host."""
    return Path(tempfile.gettempdir()) / f"assay-slots-{os.getuid()}"


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    # A descriptor of its own each time: locks of one process do not exclude each other
    # on a shared one.
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield
    finally:
        os.close(fd)


class Slots:
    """`count` slots, by default as many as processors that this process may use."""

    def __init__(self, folder: Path | None = None, count: int | None = None) -> None:
        self._folder = folder or default_folder()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._gate = self._folder / "gate"
        number = count or len(os.sched_getaffinity(0))
        self._slots = [self._folder / f"slot-{n}" for n in range(number)]

    @contextmanager
    def one(self) -> Iterator[None]:
        """Waits for a slot. Who wants to be alone stands at the gate, so it is not starved."""
        with _locked(self._gate):
            pass
        fd = self._free_slot()
        try:
            yield
        finally:
            os.close(fd)

    def _free_slot(self) -> int:
        """A descriptor that holds the lock of whichever slot is free first."""
        while True:
            for path in self._slots:
                fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
                try:
                    fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return fd
                except BlockingIOError:
                    os.close(fd)
            # There is no waiting for any of several locks.
            time.sleep(PAUSE_SECONDS)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Waits until no slot is taken and holds them all."""
        with ExitStack() as stack:
            stack.enter_context(_locked(self._gate))
            for path in self._slots:
                stack.enter_context(_locked(path))
            yield
