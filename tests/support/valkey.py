"""A separate Valkey for a test, which starts it empty, kills it, and starts it empty again."""

import signal
import subprocess
from pathlib import Path

from evaluation.valkey import answers, embedded_valkey, socket_path
from tests.support.commands import wait_for
from tests.support.postgres import ending_with_parent


class Queue:
    """Unreachable until it is started. The folder's path must be short."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{socket_path(self._folder)}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def start(self) -> None:
        """Returns when it answers."""
        self._process = subprocess.Popen(
            embedded_valkey(self._folder).command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"LC_ALL": "C"},
            preexec_fn=ending_with_parent(signal.SIGKILL),
        )
        wait_for(lambda: answers(socket_path(self._folder)))

    def kill(self) -> None:
        """Kills it. Its content is lost, because it saves nothing."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
