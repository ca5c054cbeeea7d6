"""A Valkey of a test's own, to be started empty, killed, and started empty again."""

from __future__ import annotations

import signal
import subprocess
from pathlib import Path

from evaluation.valkey import EmbeddedValkey, answers
from tests.support.commands import wait_for
from tests.support.postgres import ending_with_parent


class Queue:
    """Away until it is started. The folder's path must be short."""

    def __init__(self, folder: Path) -> None:
        self._embedded = EmbeddedValkey(folder)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self._embedded.socket}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Returns when it answers."""
        self._embedded.prepare()
        self._process = subprocess.Popen(
            self._embedded.command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"LC_ALL": "C"},
            preexec_fn=ending_with_parent(signal.SIGKILL),
        )
        wait_for(lambda: answers(self._embedded.socket))

    def kill(self) -> None:
        """Its content is lost: it saves nothing when it is killed."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
