"""The container as its main process sees it: the users and processes of a run, their processor
time, the place where they run, and the control group, v1 or v2."""

import os
import resource
import select
import signal
import time
from typing import Any

from . import cleanup, frames
from .children import Irregular, Part, Zygote
from .places import Place

# Bytes of memory that may remain after a run, and seconds in which the kernel frees the rest.
REMAINDER = 8 * 2**20
FREEING_SECONDS = 0.1
_GROUP = "/sys/fs/cgroup"


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


class Cgroup:
    """The container's own control group. Keeps the files open, so that a reading takes one system
    call.

    cpu() is the processor time of everything in the container in seconds, oom_kills() the number of
    processes that the memory limit has killed, memory() the bytes of its processes and of the
    kernel for it, without files. If a runtime shows no control group, cpu() is None and the caller
    uses what it can sum itself.
    """

    def __init__(self, root: str = _GROUP) -> None:
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
        self._group = Cgroup()
        self._ours = {"1", str(os.getpid()), str(zygote.pid)}
        self._spent = 0.0
        self._free = place.free_space()
        self._memory = self._used_memory()

    def cpu(self) -> float:
        """Processor seconds of the container, except this process's own."""
        total = self._group.cpu()
        return self._spent if total is None else total - time.process_time()

    def oom_kills(self) -> int:
        return self._group.oom_kills()

    def waits(self) -> bool:
        """Whether all processes of the run wait, but not for the processor or a disk."""
        return not cleanup.any_at_work(self._ours)

    def note_delay(self, number: int, seconds: float) -> None:
        """Tells the host that the run may take longer."""
        frames.write(1, frames.dump({"nonce": self.nonce, "n": number, "delay": seconds}))

    @property
    def sees_cpu(self) -> bool:
        """Whether cpu() counts processes that still run."""
        return self._group.cpu() is not None

    def _used_memory(self) -> int:
        """Bytes of the container, except this process's own: it holds programs and reports."""
        with open("/proc/self/statm", "rb") as statm:
            _, resident, shared, *_ = map(int, statm.read().split())
        return self._group.memory() - (resident - shared) * resource.getpagesize()

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
                    raise cleanup.Unclean("a place that is not as empty as at the start")
                # The kernel frees sockets in flight and the like late.
                deadline = time.monotonic() + FREEING_SECONDS
                while not self.place.grows and self._used_memory() > self._memory + REMAINDER:
                    if time.monotonic() > deadline:
                        raise cleanup.Unclean("memory that is not freed")
                    time.sleep(0.002)
        except (cleanup.Unclean, OSError) as error:
            raise Irregular(str(error)) from None
        self._spent += sum(end["cpu"] for end in ends)
        memory = max(end["memory"] for end in ends)
        return {"status": ends[-1]["status"], "memory": memory}
