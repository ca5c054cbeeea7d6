"""External disturbances of a sandbox while it judges. They raise an error if they cannot take
place."""

import os
import signal
from contextlib import suppress
from pathlib import Path

import docker
import docker.errors
import docker.models.containers
import requests

from tests.support.commands import sandboxes

# Writes until nothing fits any more; the file stays and fills the whole file system.
_FILL = """
import os, sys
fd = os.open(sys.argv[1] + "/full", os.O_WRONLY | os.O_CREAT)
try:
    while True:
        os.write(fd, bytes(1 << 20))
except OSError:
    pass
try:
    while True:
        os.write(fd, bytes(512))
except OSError:
    pass
"""


def kill_container(container: docker.models.containers.Container) -> None:
    container.kill()


def kill_supervisor(container: docker.models.containers.Container) -> None:
    """Sends SIGKILL from the host to the one process that init watches."""
    init = int(container.attrs["State"]["Pid"])
    for child in Path(f"/proc/{init}/task/{init}/children").read_text().split():
        if b"supervisor" in Path(f"/proc/{child}/cmdline").read_bytes():
            os.kill(int(child), signal.SIGKILL)
            return
    raise ProcessLookupError("The container has no supervisor.")


def fill_disk(container: docker.models.containers.Container) -> None:
    """Fills /work as the candidate's user, then /tmp as root, because no run may remove root's
    file."""
    _, user = _inside(container, ["stat", "-c", "%u", "/work"], user="0")
    # The file in /work is removed with the run that it disturbs, because the candidate's user owns
    # it.
    _inside(container, ["python3", "-c", _FILL, "/work"], user=user)
    code, said = _inside(container, ["python3", "-c", _FILL, "/tmp"], user="0")
    # 137: killed, because the container was replaced. The disturbance took place. A second one
    # would meet the same generation when it is repeated, and the same end twice counts as the
    # generation's own fault.
    if code not in (0, 137):
        raise ProcessLookupError(said)


def _inside(
    container: docker.models.containers.Container, words: list[str], user: str
) -> tuple[int | None, str]:
    """Exit code and output of a program in the container."""
    done = container.exec_run(words, user=user)
    assert isinstance(done.output, bytes)
    return done.exit_code, done.output.decode("utf-8", "replace").strip()


DISTURBANCES = {
    "container killed": kill_container,
    "supervisor killed": kill_supervisor,
    "disk filled": fill_disk,
}


def disturb(client: docker.DockerClient, pid: int, what: str) -> bool:
    """Disturbs one of the command's containers; returns False if none was found."""
    gone = (docker.errors.APIError, requests.RequestException, OSError, ValueError)
    with suppress(*gone):
        for container in sandboxes(client, pid):
            if container.status == "running":
                DISTURBANCES[what](container)
                return True
    return False
