"""The containers of compose.yaml, started one by one: queue, pages, workers, reconciler."""

import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import docker
from docker.models.containers import Container

from evaluation.engine.sandbox import docker as engine
from leaderboard.healthy import healthy
from tests.support.commands import wait_for
from tests.support.postgres import Cluster

NAME = "assay.example"
PORT = 8000
SOCKET = Path("/var/run/docker.sock")
START_SECONDS = 90.0
# The queue's server came into the image with the Python packages.
VALKEY = (
    "import os; from evaluation.valkey import find_server; server = str(find_server().path);"
    "os.execv(server, [server, '--requirepass', 'rung', '--save', '', '--protected-mode', 'no'])"
)
# Greets, and accepts nothing but the end.
MAIL = """
import socketserver
class Mail(socketserver.StreamRequestHandler):
    def handle(self):
        self.wfile.write(b"220 mail\\r\\n")
        while word := self.rfile.readline()[:4].upper():
            self.wfile.write(b"221 bye\\r\\n" if word == b"QUIT" else b"250 ok\\r\\n")
socketserver.TCPServer(("", 2525), Mail).serve_forever()
"""


class Stack:
    """An installation in containers on a network of its own, with a database of its own."""

    def __init__(self, client: docker.DockerClient, image: str, postgres: Cluster) -> None:
        self._client, self._image = client, image
        self.mark = f"assay-test-{secrets.token_hex(4)}"
        # Only its user and its group may enter the server's directory; the containers get the
        # group.
        self._database, self._group = postgres.folder, postgres.folder.stat().st_gid
        postgres.folder.chmod(0o750)
        self._environment = {
            "ASSAY_SECRET_KEY": secrets.token_urlsafe(50),
            "ASSAY_ALLOWED_HOSTS": NAME,
            "ASSAY_HTTPS": "1",
            "ASSAY_HSTS_PRELOAD": "1",
            "ASSAY_EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
            "ASSAY_EMAIL_HOST": f"{self.mark}-mail",
            "ASSAY_EMAIL_PORT": "2525",
            "ASSAY_VALKEY_URL": f"redis://:rung@{self.mark}-valkey:6379/0",
            "DATABASE_URL": postgres.create(self.mark.replace("-", "_")),
        }

    def run(self, name: str, *command: str, groups: tuple[int, ...] = (), **more: Any) -> Container:
        """Starts a container as compose.yaml would."""
        volumes = [
            f"{self._database}:{self._database}",
            f"{self.mark}-data:/var/lib/assay",
            *more.pop("volumes", ()),
        ]
        return self._client.containers.run(
            self._image,
            list(command),
            detach=True,
            name=f"{self.mark}-{name}",
            network=self.mark,
            environment=self._environment,
            volumes=volumes,
            group_add=[str(group) for group in (self._group, *groups)],
            cap_drop=["ALL"],
            security_opt=["no-new-privileges"],
            read_only=True,
            tmpfs={"/tmp": ""},
            mem_limit="2g",
            pids_limit=256,
            init=True,
            **more,
        )

    def work(self, name: str) -> Container:
        """A worker, which has Docker's socket and shares the slots with all others."""
        return self.run(
            name,
            *("worker", "--processes", "1"),
            groups=(SOCKET.stat().st_gid,),
            volumes=[
                f"{SOCKET}:{SOCKET}",
                f"{self.mark}-state:/var/lib/assay/state",
                f"{self.mark}-slots:/tmp/assay-slots-10001",
            ],
        )


@contextmanager
def started(stack: Stack, client: docker.DockerClient) -> Iterator[Container]:
    """Starts the queue, a migrated database, the pages and the reconciler. Yields the pages'
    container once they answer."""
    with ExitStack() as ends:
        ends.callback(_remove_volumes, client, stack.mark)
        network = client.networks.create(stack.mark, internal=True)
        ends.callback(network.remove)
        # Removes the containers started until then, however this block ends.
        ends.callback(_remove_containers, client, stack.mark)
        stack.run("valkey", "-c", VALKEY, entrypoint="python")
        stack.run("mail", "-c", MAIL, entrypoint="python")
        migrated = stack.run("migrate", "migrate")
        assert migrated.wait(timeout=120)["StatusCode"] == 0, migrated.logs().decode()
        web = stack.run("web", "web")
        stack.run("reconciler", "reconciler")
        try:
            wait_for(lambda: healthy(address(web), PORT, [NAME]), START_SECONDS, pause=0.5)
        except TimeoutError as error:
            raise TimeoutError(web.logs(tail=40).decode()) from error
        yield web


def address(container: Container) -> str:
    """The container's IP address in its network; empty if it has none."""
    container.reload()
    networks = container.attrs["NetworkSettings"]["Networks"]
    return str(next(iter(networks.values()))["IPAddress"])


def manage(web: Container, *words: str) -> str:
    """The output of a management command in the web container. Raises AssertionError if it
    fails."""
    done = web.exec_run(["python", "manage.py", *words])
    text = str(done.output.decode())
    assert done.exit_code == 0, text
    return text


def _remove_containers(client: docker.DockerClient, mark: str) -> None:
    for one in client.containers.list(all=True, filters={"name": f"^/{mark}-"}):
        one.remove(force=True, v=True)


def _remove_volumes(client: docker.DockerClient, mark: str) -> None:
    for one in client.volumes.list(filters={"name": mark}):
        one.remove(force=True)


def client() -> docker.DockerClient:
    return engine.client(600)


def why_not() -> str | None:
    """The reason why the containers cannot run here; None if they can."""
    if (
        os.environ.get("DOCKER_HOST", f"unix://{SOCKET}") != f"unix://{SOCKET}"
        or not SOCKET.exists()
    ):
        return f"a worker in a container is given {SOCKET}, and Docker answers elsewhere"
    return None
