"""The container's own control group as seen from inside: v1 and v2 behind one face.

cpu() is the processor time of everything in the container in seconds, oom_kills()
the number of processes that the memory limit has killed, memory() the bytes of its
processes and of the kernel for it, without files. Where a runtime shows no control
group, cpu() is None and the caller falls back to what it can sum itself.
"""

import os

ROOT = "/sys/fs/cgroup"


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
    """Keeps the files open, so that a reading takes one system call."""

    def __init__(self, root: str = ROOT) -> None:
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
