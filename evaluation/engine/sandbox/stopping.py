"""Ends a run promptly when its caller stops."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PAUSE_SECONDS = 0.5


@contextmanager
def aborting(abort: Callable[[], None], stopped: Callable[[], bool]) -> Iterator[None]:
    """Calls `abort` from another thread within PAUSE_SECONDS after `stopped` is true."""
    over = threading.Event()

    def watch() -> None:
        while not over.wait(PAUSE_SECONDS):
            if stopped():
                abort()
                return

    watcher = threading.Thread(target=watch, name="stopping", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
