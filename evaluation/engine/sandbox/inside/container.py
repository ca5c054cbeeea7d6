"""The container as its main process sees it: the zygote and the processes of a run with their
pipes, their processor time, the place where they run, and the control group, v1 or v2."""

import json
import os
import resource
import select
import signal
import socket
import sys
import time
from typing import Any

from . import cleanup, frames
from .cleanup import Irregular
from .places import Place

# Bytes of memory that may remain after a run, and seconds in which the kernel frees the rest.
REMAINDER = 8 * 2**20
FREEING_SECONDS = 0.1


def _open(path: str) -> "int | None":
    try:
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None


def _field(text: bytes, name: bytes) -> int:
    for line in text.splitlines():
        key, _, value = line.partition(b" ")
        if key == name:
            return int(value)
    return 0


class Zygote:
    def __init__(self, first: "dict[str, Any]") -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        source_r, source_w = os.pipe()
        environment = {
            "PATH": "/usr/local/bin:/usr/bin:/bin",
            "LANG": "C.UTF-8",
            "HOME": "/nonexistent",
            "PYTHONHASHSEED": "0",
            "PYTHONSAFEPATH": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }
        interpreter = first["interpreter"] or [sys.executable, "-s"]
        self.pid = os.posix_spawn(
            interpreter[0],
            [*interpreter, "-c", first["bootstrap"], "zygote", "3"],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), 0),
                (os.POSIX_SPAWN_DUP2, source_r, 3),
                (os.POSIX_SPAWN_DUP2, 2, 1),
            ],
        )
        theirs.close()
        os.close(source_r)
        frames.write(source_w, frames.dump(first["sources"]))
        settings = {"warm": first["warm"], "limits": first["limits"]}
        frames.write(source_w, frames.dump(settings))
        os.close(source_w)
        self._socket = ours
        self._answer()

    def _answer(self) -> "dict[str, Any]":
        message = self._socket.recv(65536)
        if not message:
            raise Irregular("the zygote has ended")
        answer: dict[str, Any] = json.loads(message)
        return answer

    def ask(self, request: "dict[str, Any]", fds: "list[int] | None" = None) -> "dict[str, Any]":
        socket.send_fds(self._socket, [frames.dump(request)], fds or [])
        return self._answer()


class Part:
    """One child of a run: its pipes and what it wrote to them."""

    def __init__(
        self, zygote: Zygote, request: "dict[str, Any]", channels: "list[int]", apart: bool
    ) -> None:
        """`apart`: stderr has its own pipe and is also stored separately."""
        program_r, self.program = os.pipe()
        self.report_fd, report_w = os.pipe()
        self.output_fd, output_w = os.pipe()
        self.errors_fd, errors_w = os.pipe() if apart else (-1, output_w)
        fds = [program_r, report_w, output_w, errors_w, *channels]
        answer = zygote.ask(request, fds)
        for fd in set(fds):
            os.close(fd)
        if "error" in answer:
            raise Irregular(answer["error"])
        self.pid: int = answer["pid"]
        self.pidfd = os.pidfd_open(self.pid)
        self.report, self.output, self.errors = bytearray(), bytearray(), bytearray()
        # Characters, see `_take`.
        self.reported = self.written = 0
        for fd in self._pipes():
            os.set_blocking(fd, False)

    def _pipes(self) -> "list[int]":
        ours = (self.report_fd, self.output_fd, self.errors_fd, self.program)
        return [fd for fd in ours if fd >= 0]

    def close(self) -> None:
        for fd in (*self._pipes(), self.pidfd):
            os.close(fd)


class Cgroup:
    """The container's own control group. Keeps the files open, so that a reading takes one system
    call.

    cpu() is the processor time of everything in the container in seconds, oom_kills() the number of
    processes that the memory limit has killed, memory() the bytes of its processes and of the
    kernel for it, without files. If a runtime shows no control group, cpu() is None and the caller
    uses what it can sum itself.
    """

    def __init__(self, root: str = "/sys/fs/cgroup") -> None:
        self._v2 = os.path.exists(f"{root}/cgroup.controllers")
        names = ("cpu.stat", "memory.events", "memory.stat", "memory.stat")
        if not self._v2:
            names = (
                *("cpuacct/cpuacct.usage", "memory/memory.oom_control"),
                *("memory/memory.stat", "memory/memory.kmem.usage_in_bytes"),
            )
        opened = (_open(f"{root}/{name}") for name in names)
        self._cpu, self._kills, self._memory, self._kernel = opened

    def cpu(self) -> "float | None":
        if self._cpu is None:
            return None
        text = os.pread(self._cpu, 4096, 0)
        return _field(text, b"usage_usec") / 1e6 if self._v2 else int(text) / 1e9

    def oom_kills(self) -> int:
        return 0 if self._kills is None else _field(os.pread(self._kills, 4096, 0), b"oom_kill")

    def memory(self) -> int:
        if self._memory is None or self._kernel is None:
            return 0
        text = os.pread(self._memory, 8192, 0)
        if self._v2:
            return sum(_field(text, name) for name in (b"anon", b"sock", b"slab"))
        return _field(text, b"rss") + int(os.pread(self._kernel, 64, 0))


class Container:
    def __init__(self, zygote: Zygote, place: Place, nonce: str) -> None:
        self.zygote, self.place, self.nonce = zygote, place, nonce
        self.group = Cgroup()
        self._ours = {"1", str(os.getpid()), str(zygote.pid)}
        self._spent = 0.0
        self._free = place.free_space()
        self._statm = os.open("/proc/self/statm", os.O_RDONLY | os.O_CLOEXEC)
        self._memory = self._used_memory()

    def cpu(self) -> float:
        """Processor seconds of the container, except this process's own."""
        total = self.group.cpu()
        return self._spent if total is None else total - time.process_time()

    def waits(self) -> bool:
        """Whether all processes of the run wait, but not for the processor or a disk."""
        return not cleanup.any_at_work(self._ours)

    @property
    def sees_cpu(self) -> bool:
        """Whether cpu() counts processes that still run."""
        return self.group.cpu() is not None

    def _used_memory(self) -> int:
        """Bytes of the container, except this process's own: it holds programs and reports."""
        _, resident, shared, *_ = map(int, os.pread(self._statm, 256, 0).split())
        return self.group.memory() - (resident - shared) * resource.getpagesize()

    def clean(self, parts: "list[Part]") -> "dict[str, Any]":
        """Ends every process of the run and removes its files. Raises Irregular."""
        ends = []
        try:
            # A child that still runs is ended here; the zygote can then reap without waiting.
            for part in parts:
                if not select.select([part.pidfd], [], [], 0)[0]:
                    os.kill(part.pid, signal.SIGKILL)
                ends.append(self.zygote.ask({"reap": part.pid}))
            if not self.place.for_one_run:
                cleanup.end_processes(self.place.uids[: len(parts)], self._ours)
                self.place.empty(len(parts))
                if self.place.free_space() != self._free:
                    # No process here could have left it: this run may have failed because the
                    # space was used up.
                    raise Irregular("a place that is not as empty as at the start")
                # The kernel frees sockets in flight and the like late.
                deadline = time.monotonic() + FREEING_SECONDS
                while not self.place.grows and self._used_memory() > self._memory + REMAINDER:
                    if time.monotonic() > deadline:
                        raise Irregular("memory that is not freed")
                    time.sleep(0.002)
        except OSError as error:
            raise Irregular(str(error)) from None
        self._spent += sum(end["cpu"] for end in ends)
        memory = max(end["memory"] for end in ends)
        return {"status": ends[-1]["status"], "memory": memory}
