"""This machine's folder for locks and logs that outlive a process. Its contents may be deleted."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox import texts
from evaluation.engine.variables import Variables


def state_directory() -> Path:
    directory = Variables().path("ASSAY_STATE_DIR")
    if directory is None and os.geteuid() == 0:
        directory = Path("/var/lib/assay")
    elif directory is None:
        directory = (Variables().path("XDG_STATE_HOME") or Path.home() / ".local/state") / "assay"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SandboxError(
            texts.NO_STATE_DIRECTORY(directory=str(directory), error=str(error.strerror))
        ) from error
    return directory


@contextlib.contextmanager
def machine_lock(name: str, how: int = fcntl.LOCK_EX) -> Iterator[None]:
    """One process of this machine holds the lock at a time, or several with LOCK_SH; the end of the
    process releases it. With LOCK_NB, raises BlockingIOError if it is taken."""
    path = state_directory() / f"{name}.lock"
    path.parent.mkdir(exist_ok=True)
    with path.open("w") as lock:
        fcntl.flock(lock, how)
        yield
