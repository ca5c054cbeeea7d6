"""Whether the site on this machine answers: `python -m leaderboard.healthy [PORT]` exits with 0.

Imports only our own packages, since supervisors run it every few seconds."""

import http.client
import socket
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from evaluation.engine.variables import Variables

ANSWER_SECONDS = 5.0
PORT = 8000


def healthy(host: str, port: int, names: Sequence[str]) -> bool:
    """Whether /health/ answers 200. `names` are the site's host names (ALLOWED_HOSTS)."""
    # Like the proxy in front of a public site: with the site's name, and for a client on HTTPS.
    name = names[0].strip().lstrip("*.") if names else ""
    headers = {"Host": name or "localhost", "X-Forwarded-Proto": "https"}
    client = http.client.HTTPConnection(host, port, timeout=ANSWER_SECONDS)
    try:
        client.request("GET", "/health/", headers=headers)
        return client.getresponse().status == http.client.OK
    except (OSError, http.client.HTTPException):
        return False
    finally:
        client.close()


def port_is_free(bind: str, port: int) -> bool:
    family = socket.AF_INET6 if ":" in bind else socket.AF_INET
    with socket.socket(family) as trial:
        # Like gunicorn: a port that was just released is free.
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            trial.bind((bind, port))
        except OSError:
            return False
    return True


def storage_is_writable(directory: Path) -> bool:
    """Whether a file of 64 KiB can be written to the directory, which is made if it is missing."""
    try:
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory, buffering=0) as trial:
            return trial.write(bytes(2**16)) == 2**16
    except OSError:
        return False


def main() -> int:
    port = int(sys.argv[1]) if len(sys.argv) > 1 else PORT
    names = Variables().text("ASSAY_ALLOWED_HOSTS").split(",")
    return 0 if healthy("127.0.0.1", port, names) else 1


if __name__ == "__main__":
    raise SystemExit(main())
