"""The container as its main process sees it: the users and processes of a run, their processor
time, and the place where they run."""

import os
import select
import signal
import time
from typing import Any

from . import cleanup
from .cgroup import Cgroup
from .children import Irregular, Part, Zygote
from .places import Place


class Container:
    def __init__(self, zygote: Zygote, place: Place, cores: float) -> None:
        self.zygote, self.place, self.cores = zygote, place, cores
        self._group = Cgroup()
        self._ours = {"1", str(os.getpid()), str(zygote.pid)}
        self._spent = 0.0
        self._free = place.free_space()

    def cpu(self) -> float:
        """Processor seconds of the container, except this process's own."""
        total = self._group.cpu()
        return self._spent if total is None else total - time.process_time()

    def oom_kills(self) -> int:
        return self._group.oom_kills()

    def waits(self) -> bool:
        """Whether all processes of the run wait, but not for the processor or a disk."""
        return not cleanup.any_at_work(self._ours)

    @property
    def sees_cpu(self) -> bool:
        """Whether cpu() counts processes that still run."""
        return self._group.cpu() is not None

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
        except (cleanup.Unclean, OSError) as error:
            raise Irregular(str(error)) from None
        self._spent += sum(end["cpu"] for end in ends)
        return {
            "status": ends[-1]["status"],
            "memory": max(end["memory"] for end in ends),
        }
