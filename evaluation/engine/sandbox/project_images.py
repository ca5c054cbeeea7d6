"""Docker operations for preparing projects: a container to build in, and the images."""

import contextlib
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import IO, Any

import docker as docker_py

from evaluation.engine.errors import EngineAway, SandboxError, give_up_if
from evaluation.engine.sandbox import docker, images, layout, texts
from evaluation.engine.sandbox.session import aborting
from evaluation.engine.texts import Message, Text

# Label on every image that is made here; its value is the project's key.
PROJECT = "org.assay.project"
NAME = "assay-project"
# A large layer takes Docker minutes to write.
PATIENCE_SECONDS = 3600
# The minimum that pip, apt and similar programs need as root.
CAPABILITIES = ("CHOWN", "DAC_OVERRIDE", "FOWNER", "FSETID", "SETGID", "SETUID")
PIDS = 4096
SAID = 16 * 2**10
# SIGKILL as an exit code of a shell or Docker.
KILLED = 137
_WAITS = "import signal\nwhile True: signal.pause()"


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. `said` is the end of its output; `late` means that it timed out."""

    exit_code: int
    said: str
    late: bool = False


class Workshop(contextlib.AbstractContextManager["Workshop"]):
    """A context manager: a container with network in which a project is built. Files below
    layout.WORKSPACE are in a separate volume and never in an image. `network` is a Docker network
    name ("bridge", "host"). Starting raises SandboxError."""

    def __init__(self, image: str, *, memory: int, network: str) -> None:
        self._api = docker.client(PATIENCE_SECONDS).api
        with docker.engine_errors(texts.STARTING_WORKSHOP()):
            self.id: str = self._api.create_container(
                image,
                [*layout.INTERPRETER, "-I", "-S", "-c", _WAITS],
                entrypoint=[],
                user="0:0",
                working_dir="/",
                labels={docker.LABEL: "1", docker.OWNER: docker.owner_mark()},
                host_config=self._api.create_host_config(
                    network_mode=network,
                    mounts=[docker_py.types.Mount(layout.WORKSPACE, None)],
                    cap_drop=["ALL"],
                    cap_add=list(CAPABILITIES),
                    security_opt=["no-new-privileges"],
                    mem_limit=memory,
                    memswap_limit=memory,
                    pids_limit=PIDS,
                    init=True,
                    log_config=docker_py.types.LogConfig(type="none"),
                ),
            )["Id"]
        try:
            with docker.engine_errors(texts.STARTING_WORKSHOP()):
                self._api.start(self.id)
        except BaseException:
            self.remove()
            raise

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        """If that fails, the sweeper removes the container later."""
        with contextlib.suppress(SandboxError), docker.engine_errors(texts.REMOVING_CONTAINER()):
            self._api.remove_container(self.id, force=True, v=True)

    def put(self, folder: str, tar: bytes | IO[bytes]) -> None:
        with docker.engine_errors(texts.COPYING()):
            self._api.put_archive(self.id, folder, tar)

    def run(
        self,
        command: Sequence[str],
        *,
        seconds: float,
        environment: Mapping[str, str] | None = None,
        folder: str = "/",
        keep: int = SAID,
        stopped: Callable[[], bool] = lambda: False,
    ) -> Ended:
        """Runs the command as root; returns the last `keep` bytes of its output. Its environment is
        in no image. On a timeout, or when `stopped` returns true, the container ends too. Raises
        SandboxError, also if stopped."""
        doing, late, deadline = texts.RUNNING_STEP(), threading.Event(), time.monotonic() + seconds

        def end() -> None:
            late.set()
            self.remove()

        over = aborting(end, lambda: stopped() or time.monotonic() >= deadline)
        with docker.engine_errors(doing), over:
            made = self._api.exec_create(
                self.id, list(command), environment=dict(environment or {}), workdir=folder
            )["Id"]
            output = bytearray()
            for part in self._api.exec_start(made, stream=True):
                output += part
                del output[: max(0, len(output) - keep)]
            said = output.decode("utf-8", "replace")
            code = self._exit_code(made, late)
        give_up_if(stopped)
        if late.is_set():
            return Ended(-1, said, late=True)
        if code is None:
            raise EngineAway(texts.ENDED_FROM_OUTSIDE(doing=doing))
        return Ended(code, said)

    def _exit_code(self, made: str, late: threading.Event) -> int | None:
        """Polls, since the streams may end before the command. None: the container ended first."""
        while not late.is_set():
            try:
                state: dict[str, Any] = self._api.exec_inspect(made)
            except docker_py.errors.NotFound:
                return None
            if state["Running"]:
                time.sleep(0.1)
                continue
            code = int(state["ExitCode"])
            if code == KILLED:
                # When a container ends, its first process is gone before the others are killed. So
                # another command distinguishes a killed command from an ended container.
                try:
                    idle = [*layout.INTERPRETER, "-I", "-S", "-c", ""]
                    again = self._api.exec_create(self.id, idle)["Id"]
                    self._api.exec_start(again)
                    return code if self._api.exec_inspect(again)["ExitCode"] == 0 else None
                except docker_py.errors.APIError:
                    return None
            return code
        return None

    def commit(self, reference: str, labels: Mapping[str, str]) -> str:
        name, _, tag = reference.partition(":")
        # Docker merges the container's labels in; a sweeper skips an image without an owner.
        config = {"Labels": {docker.OWNER: "", **labels}, "Cmd": ["/bin/sh"], "Entrypoint": []}
        with docker.engine_errors(texts.STORING_PROJECT()):
            made = self._api.commit(self.id, repository=name, tag=tag, conf=config)
        return str(made["Id"])


def digest(image: str) -> str | None:
    """Returns Docker's id of an image by name or id, or None if there is no such image."""
    with docker.engine_errors(texts.FINDING_PROJECT()):
        return images.digest(docker.client(), image) or None


def size(image: str) -> int:
    """Bytes with all layers. Raises SandboxError if the image is missing."""
    with docker.engine_errors(texts.MEASURING_PROJECT()):
        return int(docker.client().images.get(image).attrs["Size"])


def tag(image: str, reference: str) -> None:
    """Gives the image the name, and takes it from any other image."""
    name, _, word = reference.rpartition(":")
    with docker.engine_errors(texts.NAMING_PROJECT()):
        docker.client().api.tag(image, name, word, force=True)


def push(image: str, name: str, stopped: Callable[[], bool]) -> str:
    """Returns the image's digest in the registry that the name begins with. The name exists only
    there. Raises SandboxError, also if stopped."""
    repository, _, word = name.rpartition(":")
    api = docker.client(PATIENCE_SECONDS).api
    tag(image, name)
    try:
        with _registry_errors(texts.PUSHING_PROJECT(), texts.PROJECT_NOT_PUSHED):
            lines = _followed(api.push(repository, word, stream=True, decode=True), stopped)
            return next(str(line["aux"]["Digest"]) for line in lines if "aux" in line)
    finally:
        remove(name)


def pull(repository: str, shared: str, name: str, stopped: Callable[[], bool]) -> str:
    """Pulls an image by its digest in the registry and gives it the name here. Returns Docker's
    id of it. Raises SandboxError, also if stopped."""
    api = docker.client(PATIENCE_SECONDS).api
    pulled = f"{repository}@{shared}"
    with _registry_errors(texts.PULLING_PROJECT(), texts.PROJECT_NOT_PULLED):
        for _ in _followed(api.pull(repository, shared, stream=True, decode=True), stopped):
            pass
        tag(pulled, name)
        # With another name the image would outlive its eviction.
        remove(pulled)
        return str(docker.client().images.get(name).id)


@contextlib.contextmanager
def _registry_errors(doing: Message, failed: Text) -> Iterator[None]:
    with docker.engine_errors(doing):
        try:
            yield
        except docker_py.errors.APIError as error:
            raise SandboxError(failed(reason=str(error.explanation or error))) from error


def _followed(
    lines: Iterable[dict[str, Any]], stopped: Callable[[], bool]
) -> Iterator[dict[str, Any]]:
    """Docker reports an error of a registry as a line of its answer."""
    for line in lines:
        give_up_if(stopped)
        if "error" in line:
            raise docker_py.errors.APIError(line["error"], explanation=line["error"])
        yield line


def remove(image: str) -> bool:
    """Removes the name, or the image by its id. Returns False if a container still uses it."""
    with docker.engine_errors(texts.REMOVING_PROJECT()):
        try:
            docker.client(PATIENCE_SECONDS).api.remove_image(image)
        except docker_py.errors.NotFound:
            return True
        except docker_py.errors.APIError as error:
            if error.status_code == HTTPStatus.CONFLICT:
                return False
            raise
    return True


@dataclass(frozen=True, slots=True)
class Made:
    """An image that was made here: Docker's id, its names and the key of its project."""

    digest: str
    names: tuple[str, ...]
    key: str


def made() -> list[Made]:
    with docker.engine_errors(texts.LISTING_PROJECTS()):
        listed = docker.client().api.images(filters={"label": PROJECT})
    return [
        Made(
            str(image["Id"]),
            tuple(name for name in image["RepoTags"] or () if name != "<none>:<none>"),
            str(image["Labels"][PROJECT]),
        )
        for image in listed
    ]
