"""The container as its main process sees it: the users and processes of a run, their processor
time, and the place where they run."""

import os
import resource
import select
import signal
import time
from typing import Any

from . import cleanup, frames
from .cgroup import Cgroup
from .children import Irregular, Part, Zygote
from .places import Place

# Bytes of memory that may remain after a run, and seconds in which the kernel frees the rest.
REMAINDER = 8 * 2**20
FREEING_SECONDS = 0.1


class Container:
    def __init__(self, zygote: Zygote, place: Place, cores: float, nonce: str) -> None:
        self.zygote, self.place, self.cores, self.nonce = zygote, place, cores, nonce
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
