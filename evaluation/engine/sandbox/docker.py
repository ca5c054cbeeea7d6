"""The one module that talks to Docker: creates judging containers and removes leftover ones.
Docker's errors become SandboxError here."""

import hashlib
import io
import os
import secrets
import socket
import struct
import tarfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import docker
import docker.errors
import requests

from evaluation.engine.errors import EngineAway, SandboxError
from evaluation.engine.sandbox import seccomp, texts
from evaluation.engine.texts import Message

LABEL = "org.assay.sandbox"
OWNER = "org.assay.owner"
_HEADER = struct.Struct(">BxxxL")
_MIB = 2**20
# Bytes for the supervisor, the zygote and kernel bookkeeping, in addition to the candidate's.
RESERVE = 96 * _MIB
TMPFS = {"/work": 64, "/judge": 16, "/tmp": 64, "/dev/shm": 16, "/dev/mqueue": 1}
LEAST_MEMORY = sum(TMPFS.values()) * _MIB + RESERVE
# The same in containers of projects, whose tests need more space. In _EXEC programs may be run.
_TREE_TMPFS = {"/work": 256, "/judge": 16, "/tmp": 1024, "/dev/shm": 64, "/dev/mqueue": 1}
_EXEC = ("/work", "/tmp")
_INODES, _TREE_INODES = 8192, 2**20
# Files that Docker writes only for containers whose network it sets up. Setting it up takes half
# the processor time of a sandbox's start and end (docs/decisions/0032), so a volume holds them.
_NETWORK_FILES = {
    "hosts": "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n",
    "hostname": "sandbox\n",
    "resolv.conf": "",
}
# How often a container's creation writes the volume again.
_REWRITES = 4
_NETWORK_VOLUME = "assay-network-" + hashlib.sha256(f"{_NETWORK_FILES}".encode()).hexdigest()[:12]
# Age in seconds from which a process that cannot see the owner may remove its ended sandbox.
FOREIGN_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class TreeMount:
    root: str
    size: int


@dataclass(frozen=True, slots=True)
class Confinement:
    """How a container is confined. Sizes in bytes. A project's container has a `place` for its
    tree."""

    image: str
    memory: int
    pids: int
    runtime: str | None = None
    place: TreeMount | None = None


@contextmanager
def engine_errors(doing: Message) -> Iterator[None]:
    try:
        yield
    except docker.errors.ImageNotFound as error:
        raise SandboxError(texts.IMAGE_MISSING(doing=doing)) from error
    except docker.errors.APIError as error:
        # A 5xx answer may succeed later, a 4xx answer never.
        kind = EngineAway if error.is_server_error() else SandboxError
        raise kind(
            texts.DOCKER_REFUSED(doing=doing, reason=f"{error.explanation or error}")
        ) from error
    except (docker.errors.DockerException, requests.RequestException, OSError) as error:
        reason = getattr(error, "explanation", None) or error
        raise EngineAway(texts.DOCKER_FAILED(doing=doing, reason=f"{reason}")) from error


@cache
def client(timeout: float = 60) -> docker.DockerClient:
    with engine_errors(texts.REACHING_DOCKER()):
        made = docker.from_env(timeout=int(timeout))
        # No proxy leads to a socket, and other threads may change the environment meanwhile.
        made.api.trust_env = not made.api.base_url.startswith("http+docker")
        return made


def owner_mark() -> str:
    """Names this process on this boot of this host; a recycled pid has another start time."""
    return f"{_view()}:{os.getpid()}:{_started(os.getpid())}"


def _view() -> str:
    """Names the set of visible pids: this boot and this pid namespace."""
    return f"{_boot()}:{Path('/proc/self/ns/pid').stat().st_ino}"


def _boot() -> str:
    return Path("/proc/sys/kernel/random/boot_id").read_text().strip()


def _started(pid: int) -> str:
    """The time of the process's start, in clock ticks after boot."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[19]


def _tmpfs(confinement: Confinement, uid: int) -> dict[str, str]:
    guardian, place = f"uid={uid + 1},gid={uid + 1}", confinement.place
    owners = {
        "/work": f"uid={uid},gid={uid},mode=700",
        "/judge": f"{guardian},mode={755 if place else 700}",
    }
    if place is None:
        return {path: _mount(size * _MIB, owners.get(path)) for path, size in TMPFS.items()}
    mounts = {
        path: _mount(size * _MIB, owners.get(path), _TREE_INODES, runs=path in _EXEC)
        for path, size in _TREE_TMPFS.items()
    }
    mounts[place.root] = _mount(place.size, f"{guardian},mode=1777", _TREE_INODES, runs=True)
    # Volumes of the image have no size limit; the mounts that replace them have.
    return {path: _mount(_MIB, "mode=755") for path in _volumes(confinement.image)} | mounts


def _mount(size: int, owner: str | None, inodes: int = _INODES, *, runs: bool = False) -> str:
    run = "exec" if runs else "noexec"
    return f"rw,nosuid,nodev,{run},nr_inodes={inodes},size={size},{owner or 'mode=1777'}"


@cache
def _volumes(image: str) -> tuple[str, ...]:
    with engine_errors(texts.LOOKING_AT_PREPARED()):
        try:
            config: dict[str, Any] = client().images.get(image).attrs["Config"]
        except docker.errors.ImageNotFound:
            raise SandboxError(texts.PREPARED_MISSING(image=image)) from None
    return tuple(config.get("Volumes") or ())


@cache
def _network_files(image: str) -> list[docker.types.Mount]:
    api = client().api
    try:
        place = api.inspect_volume(_NETWORK_VOLUME)["Mountpoint"]
    except docker.errors.NotFound:
        place = _write_network_files(image)
    return [
        docker.types.Mount(f"/etc/{name}", f"{place}/{name}", type="bind", read_only=True)
        for name in _NETWORK_FILES
    ]


def _write_network_files(image: str) -> str:
    """Returns the volume's directory on Docker's host. No container is started for it."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, text in _NETWORK_FILES.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(text)
            archive.addfile(entry, io.BytesIO(text.encode()))
    api = client().api
    place: str = api.create_volume(_NETWORK_VOLUME)["Mountpoint"]
    mounted = api.create_host_config(network_mode="none", binds=[f"{_NETWORK_VOLUME}:/files"])
    labels = {LABEL: "1", OWNER: owner_mark()}
    made = api.create_container(image, ["true"], entrypoint=[], host_config=mounted, labels=labels)
    try:
        api.put_archive(made["Id"], "/files", packed.getvalue())
    finally:
        api.remove_container(made["Id"], force=True)
    return place


class Container:
    def __init__(
        self, confinement: Confinement, command: list[str], labels: Mapping[str, str]
    ) -> None:
        # Disjoint per container: 2**26 ranges of 16 from the upper half of the ids.
        self.uid = 2**30 + secrets.randbelow(2**26) * 16
        self.errors = b""
        api = client().api
        with engine_errors(texts.STARTING()):
            for tries_left in reversed(range(_REWRITES + 1)):
                try:
                    self.id = self._created(confinement, command, labels)
                    break
                except docker.errors.APIError as error:
                    # The volume was deleted, or others write it now: Docker does not distinguish
                    # these. After any other error the files stay, since no sandbox starts while
                    # they are replaced.
                    if _NETWORK_VOLUME not in str(error.explanation) or not tries_left:
                        raise
                    _network_files.cache_clear()
                    _write_network_files(confinement.image)
        try:
            with engine_errors(texts.STARTING()):
                stream = api.attach_socket(
                    self.id, params={"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1}
                )
                self._stream = stream
                self._socket: socket.socket = getattr(stream, "_sock", stream)
                api.start(self.id)
        except BaseException:
            self.remove()
            raise
        self._socket.settimeout(None)
        self.ended = False
        self._buffer = bytearray()
        self._left = 0
        self._kind = 1

    def _created(
        self, confinement: Confinement, command: list[str], labels: Mapping[str, str]
    ) -> str:
        # All writable mounts are held in memory.
        place, least = confinement.place, LEAST_MEMORY
        if place is not None:
            least = place.size + sum(_TREE_TMPFS.values()) * _MIB + RESERVE
        if confinement.memory < least:
            raise SandboxError(texts.MEMORY_LIMIT(number=least // _MIB))
        filtered = seccomp.profile(loopback=place is not None)
        api = client().api
        host_config = api.create_host_config(
            network_mode="none",
            read_only=True,
            tmpfs=_tmpfs(confinement, self.uid),
            mounts=_network_files(confinement.image),
            cap_drop=["ALL"],
            cap_add=["SETUID", "SETGID", "KILL"],
            security_opt=["no-new-privileges", f"seccomp={filtered}"],
            mem_limit=confinement.memory,
            memswap_limit=confinement.memory,
            pids_limit=confinement.pids + 8,
            # One processor.
            nano_cpus=10**9,
            ulimits=[
                docker.types.Ulimit(name="core", soft=0, hard=0),
                docker.types.Ulimit(name="nofile", soft=16384, hard=16384),
            ],
            init=True,
            ipc_mode="private",
            log_config=docker.types.LogConfig(type="none"),
            runtime=confinement.runtime,
        )
        made: str = api.create_container(
            confinement.image,
            command,
            # A project's image may define an entry point and a health check.
            entrypoint=[],
            healthcheck={"test": ["NONE"]},
            stdin_open=True,
            environment={},
            user="0:0",
            working_dir="/",
            # The kernel still gives it its own network, with only a loopback.
            network_disabled=True,
            host_config=host_config,
            labels={LABEL: "1", OWNER: owner_mark(), **labels},
        )["Id"]
        return made

    def fileno(self) -> int:
        return int(self._socket.fileno())

    def send(self, data: bytearray) -> int:
        """Sends some of the bytes without blocking; returns how many."""
        return self._socket.send(memoryview(data)[: 1 << 17], socket.MSG_DONTWAIT)

    def receive(self) -> bytes:
        """Standard output received so far, perhaps empty; sets `ended` at the stream's end."""
        data = self._socket.recv(1 << 18)
        self.ended = not data
        self._buffer += data
        out = bytearray()
        while self._buffer:
            if not self._left:
                if len(self._buffer) < _HEADER.size:
                    break
                self._kind, self._left = _HEADER.unpack_from(self._buffer)
                del self._buffer[: _HEADER.size]
            part = bytes(self._buffer[: self._left])
            del self._buffer[: len(part)]
            self._left -= len(part)
            if self._kind == 1:
                out += part
            elif len(self.errors) < 4096:
                self.errors += part
        return bytes(out)

    def how_it_ended(self) -> str:
        """Returns "oom", "exit <code>", or "docker" if Docker lost the container or is away."""
        deadline = time.monotonic() + 5
        try:
            with engine_errors(texts.ASKING_THE_END()):
                while True:
                    state: dict[str, Any] = client().api.inspect_container(self.id)["State"]
                    if not state["Running"]:
                        break
                    if time.monotonic() > deadline:
                        return "silent"
                    time.sleep(0.05)
        except SandboxError:
            return "docker"
        # The init process passes on the supervisor's exit code: 137 is SIGKILL, and in the
        # container only the kernel's memory limit may send that to the supervisor.
        if state["ExitCode"] == 137:
            return "oom" if state["OOMKilled"] else "exit 137"
        return f"exit {state['ExitCode']}"

    def remove(self) -> None:
        for end in (getattr(self, "_socket", None), getattr(self, "_stream", None)):
            with suppress(OSError):
                if end is not None:
                    end.close()
        self.kill()

    def kill(self) -> None:
        """Removes the container, but leaves its streams open to their reader."""
        with suppress(docker.errors.DockerException, requests.RequestException, OSError):
            client().api.remove_container(self.id, force=True, v=True)


def sweep(*, own: bool = False) -> int:
    """Removes sandboxes whose owner on this host is dead, and with `own` those of this process,
    none of which may be in use. Returns how many."""
    removed = 0
    with engine_errors(texts.SWEEPING()):
        listed = client().api.containers(all=True, filters={"label": LABEL})
    for entry in listed:
        if _left_over(entry) or (own and entry["Labels"].get(OWNER) == owner_mark()):
            with suppress(docker.errors.DockerException, requests.RequestException):
                client().api.remove_container(entry["Id"], force=True, v=True)
                removed += 1
    return removed


def _left_over(entry: Mapping[str, Any]) -> bool:
    """Whether the sandbox's owner has died. An owner in another container cannot be looked up by
    its pid, but its sandboxes end with it: an ended one may be removed once it is so old that a
    living owner must have seen its end."""
    mark = entry["Labels"].get(OWNER, "")
    if mark.startswith(f"{_view()}:"):
        pid, started = mark.removeprefix(f"{_view()}:").split(":")
        try:
            return bool(_started(int(pid)) != started)
        except (FileNotFoundError, ProcessLookupError):
            return True
    over = entry["State"] != "running" and time.time() - entry["Created"] > FOREIGN_SECONDS
    return bool(over and mark.startswith(f"{_boot()}:"))
