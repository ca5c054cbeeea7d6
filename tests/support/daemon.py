"""A second Docker daemon in addition to the machine's, for tests that kill one.

It has its own socket, data and pid files, and runs in a network and a mount namespace that a
sleeping process holds, so that the machine's own Docker is not touched."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import docker
import docker.errors
import requests

from tests.support.commands import wait_for

NEEDS = ("dockerd", "containerd", "unshare", "nsenter")
# A fixed version, so that the client asks no daemon for it before one runs; Docker 19.03 and later
# support it.
API = "1.40"
# dockerd takes ten seconds for each container that was lost with it.
START_SECONDS, STOP_SECONDS = 300.0, 60.0


def why_not() -> str | None:
    """The reason why no second daemon can run here; None if one can."""
    if os.geteuid() != 0:
        return "a second Docker daemon takes root"
    if missing := [name for name in NEEDS if shutil.which(name) is None]:
        return f"a second Docker daemon takes {', '.join(missing)} on this machine"
    tried = subprocess.run(["unshare", "--net", "--mount", "true"], capture_output=True)
    return "namespaces may not be made here" if tried.returncode else None


class Daemon:
    """The daemon's process, which can be killed and started again."""

    def __init__(self, folder: Path, holder: int) -> None:
        self._folder = folder
        self._holder = holder
        self._process: subprocess.Popen[bytes] | None = None
        self.host = f"unix://{folder}/docker.sock"
        self.client = docker.DockerClient(base_url=self.host, version=API)

    def start(self) -> None:
        """Returns when it answers. Raises TimeoutError with the end of its log."""
        (self._folder / "daemon.json").write_text("{}")
        with (self._folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                ["nsenter", f"--target={self._holder}", "--net", "--mount", *self._words()],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            wait_for(self._answers, START_SECONDS, pause=0.1)
        except TimeoutError as error:
            raise TimeoutError(f"{error}\n{(self._folder / 'log').read_text()[-2000:]}") from None

    def _words(self) -> list[str]:
        folder = self._folder
        return [
            "dockerd", f"--host={self.host}", f"--data-root={folder}/data",
            f"--exec-root={folder}/exec", f"--pidfile={folder}/docker.pid",
            f"--config-file={folder}/daemon.json", "--bridge=none", "--iptables=false",
        ]  # fmt: skip

    def _answers(self) -> bool:
        if self._process is None or self._process.poll() is not None:
            raise TimeoutError("The second Docker daemon ended while it started.")
        with suppress(docker.errors.DockerException, requests.RequestException):
            return bool(self.client.ping())
        return False

    def kill(self) -> None:
        """Sends SIGKILL. Returns when containerd has ended too and the daemon can be started
        again."""
        assert self._process is not None
        self._end(signal.SIGKILL)
        wait_for(lambda: not _runs(self._containerd), STOP_SECONDS)
        for path in (self._folder / "docker.pid", self._containerd):
            path.unlink(missing_ok=True)

    @property
    def _containerd(self) -> Path:
        return self._folder / "exec" / "containerd" / "containerd.pid"

    def stop(self) -> None:
        """Ends the daemon in an orderly way, and what its containers left behind after a kill."""
        if self._process is not None and self._process.poll() is None:
            self._end(signal.SIGTERM)
        for pid in self._shims():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        assert self._process is not None
        self._process.send_signal(how)
        self._process.wait(STOP_SECONDS)

    def _shims(self) -> Iterator[int]:
        """The shim processes that name this daemon's folder, which no other process does."""
        mark = os.fsencode(self._folder / "exec")
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                line = (entry / "cmdline").read_bytes()
                if mark in line and b"containerd-shim" in line.partition(b"\0")[0]:
                    yield int(entry.name)

    def load(self, reference: str, source: docker.DockerClient) -> None:
        """Copies an image of another engine into this one, with its name."""
        with tempfile.TemporaryFile(dir=self._folder) as archive:
            archive.writelines(source.images.get(reference).save(named=reference))
            archive.seek(0)
            self.client.images.load(archive)


def _runs(pid_file: Path) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        stat = Path(f"/proc/{int(pid_file.read_text())}/stat").read_text()
    except (OSError, ValueError):
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"


@contextmanager
def _namespaces() -> Iterator[int]:
    """A process that sleeps in a network and a mount namespace of its own."""
    with subprocess.Popen(["unshare", "--net", "--mount", "sleep", "infinity"]) as holder:
        try:
            name = Path(f"/proc/{holder.pid}/comm")
            wait_for(lambda: name.read_text().strip() == "sleep")
            yield holder.pid
        finally:
            holder.kill()


@contextmanager
def second_daemon() -> Iterator[Daemon]:
    """A running daemon without images or containers; removed with its data afterwards."""
    # A short path: a Unix socket's path may have at most 107 characters.
    folder = Path(tempfile.mkdtemp(prefix="assay-dockerd-"))
    with _namespaces() as holder:
        daemon = Daemon(folder, holder)
        try:
            daemon.start()
            yield daemon
        finally:
            daemon.stop()
            daemon.client.close()
    shutil.rmtree(folder, ignore_errors=True)
