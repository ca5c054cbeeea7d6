"""A client that is killed, whose connections break and whose site ends and starts again makes one
submission."""

import json
import os
import random
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests.client.conftest import Client
from tests.support.predictions import write, write_quick
from tests.support.stack import Stack

pytestmark = [pytest.mark.docker, pytest.mark.timeout(1800)]


@contextmanager
def cutting(port: int, seconds: float) -> Iterator[int]:
    """The port of a way to the site that breaks each connection at a random moment within the
    seconds."""
    entrance = socket.create_server(("127.0.0.1", 0))

    def forward(source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while part := source.recv(4096):
                target.sendall(part)
        with suppress(OSError):
            target.shutdown(socket.SHUT_WR)

    def carry(client: socket.socket) -> None:
        with client, suppress(OSError), socket.create_connection(("127.0.0.1", port)) as site:
            for pair in ((client, site), (site, client)):
                threading.Thread(target=forward, args=pair, daemon=True).start()
            time.sleep(random.uniform(0, seconds))
            for end in (client, site):
                with suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)

    def accept() -> None:
        with suppress(OSError):
            while True:
                client, _address = entrance.accept()
                threading.Thread(target=carry, args=(client,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    with entrance:
        yield entrance.getsockname()[1]


def submitted(stack: Stack) -> int:
    return int(stack.number("SELECT count(*) FROM submissions_submission"))


def disturbed(client: Client, stack: Stack, file: Path, kills: int, *, whole: bool) -> None:
    """Submits the file for the entrant larch. The client is killed at random moments, and the
    `whole` site once while the client runs, or the pages alone."""
    before, words = submitted(stack), ("submit", file, "-b", "rucodeeval", "-e", "larch")
    with cutting(stack.port, 3) as port:
        site = f"http://127.0.0.1:{port}"
        for _ in range(kills):
            command = client.begun(*words, ASSAY_SITE=site)
            with suppress(subprocess.TimeoutExpired):
                command.communicate(timeout=random.uniform(0.2, 4))
            command.kill()
            command.communicate()
        command = client.begun(*words, "--wait", "--json", ASSAY_SITE=site)
        with suppress(subprocess.TimeoutExpired):
            command.communicate(timeout=random.uniform(0, 4))
        if whole:
            stack.kill()
            stack.start()
        else:
            os.kill(stack.web(), signal.SIGKILL)
        out, err = command.communicate(timeout=900)
    assert command.returncode == 0, err
    assert json.loads(out)["state"] == "done"
    assert submitted(stack) == before + 1


def test_a_client_that_was_killed_goes_on(client: Client, stack: Stack, tmp_path: Path) -> None:
    write_quick(tmp_path / "mixed.jsonl", 14, "killed")
    disturbed(client, stack, tmp_path / "mixed.jsonl", kills=3, whole=False)


@pytest.mark.acceptance
@pytest.mark.parametrize("number", range(30))
def test_a_killed_client_and_a_restarted_site_make_one_submission(
    client: Client, stack: Stack, tmp_path: Path, number: int
) -> None:
    write(tmp_path / "mixed.jsonl", 20 + number)
    disturbed(client, stack, tmp_path / "mixed.jsonl", kills=1, whole=True)
