"""The container's main process: takes runs from the host, answers with their facts.

Speaks frames over its standard streams. Holds the nonce that every answer carries
and the reports of the runs; decides nothing about right or wrong. Runs are answered
in the order in which they came, each only after nothing of it is left.
"""

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
from .cgroup import Cgroup
from .children import Irregular, Part, Zygote
from .one_run import JUDGE, OneRun

REPORT_MOST, TREE_REPORT_MOST = 4 * 2**20, 16 * 2**20
WORK = "/work"
SHARED = ("/tmp", "/dev/shm", "/dev/mqueue")
# Bytes of memory that may remain after a run, and seconds in which the kernel frees the rest.
REMAINDER = 8 * 2**20
FREEING_SECONDS = 0.1


class Unfit(Exception):
    """The sources that the tasks share cannot be used; the message is for staff."""


def _tree(told: "dict[str, Any] | None", uids: "tuple[int, int]") -> Any:
    """A project's tree. Its module is sent only with a project."""
    if told is None:
        return None
    from . import trees

    return trees.Tree(told, uids)


def _workshop(packed: "bytes | None", zygote: Zygote, uids: "tuple[int, int]") -> Any:
    """Where classes are compiled for runs. Its module, too, is sent only if it is used."""
    if packed is None:
        return None
    from . import outside, workshop

    try:
        return outside.Workshop(packed, zygote, uids)
    except workshop.Unfit as error:
        raise Unfit(str(error)) from None


def _framed(report: "dict[str, Any]") -> bytes:
    body = frames.dump(report)
    return frames.PREFIX.pack(len(body)) + body


def _unframed(report: bytes) -> Any:
    """The runner's report; None if it is malformed."""
    try:
        return json.loads(report[frames.PREFIX.size :])
    except (ValueError, RecursionError):
        return None


_NOT_RUN = {
    "status": 0, "memory": 0, "stop": None, "wall": 0.0, "cpu": 0.0, "output": "", "errors": "",
    "oom_kills": 0,
}  # fmt: skip


class Supervisor:
    def __init__(
        self, config: "dict[str, Any]", zygote: Zygote, packed: "bytes | None" = None
    ) -> None:
        self.zygote = zygote
        self.uids: tuple[int, int] = (config["uid"], config["uid"] + 1)
        self.cores: float = config["cores"]
        self._nonce: str = config["nonce"]
        self._group = Cgroup()
        self._ours = {"1", str(os.getpid()), str(zygote.pid)}
        self._spent = 0.0
        self.tree = _tree(config["tree"], self.uids)
        self.workshop = _workshop(packed, zygote, self.uids)
        self.work: str = WORK if self.tree is None else self.tree.root
        self.report_most = REPORT_MOST if self.tree is None else TREE_REPORT_MOST
        self._free = self._free_space()
        self._memory = self._used_memory()

    def cpu(self) -> float:
        """Processor seconds of the container, except this process's own."""
        total = self._group.cpu()
        return self._spent if total is None else total - time.process_time()

    def waits(self) -> bool:
        """Whether all processes of the run wait, but not for the processor or a disk."""
        return not cleanup.any_at_work(self._ours)

    def processor_waits(self) -> "dict[str, float]":
        return cleanup.waits(self._ours)

    @property
    def sees_cpu(self) -> bool:
        """Whether cpu() counts processes that still run."""
        return self._group.cpu() is not None

    @staticmethod
    def _free_space() -> "list[tuple[int, int]]":
        """Free blocks and inodes in each directory that a run may write to."""
        return [(found.f_bfree, found.f_ffree) for found in map(os.statvfs, (WORK, JUDGE, *SHARED))]

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
            # A tree's container ends after its run, with everything in it.
            if self.tree is None:
                self._end_and_remove(parts)
        except (cleanup.Unclean, OSError) as error:
            raise Irregular(str(error)) from None
        self._spent += sum(end["cpu"] for end in ends)
        return {
            "status": ends[-1]["status"],
            "memory": max(end["memory"] for end in ends),
        }

    def _end_and_remove(self, parts: "list[Part]") -> None:
        cleanup.end_processes(self.uids[: len(parts)], self._ours)
        cleanup.remove_files(self.uids[0], (WORK, *SHARED))
        if self.workshop is not None:
            # The judging process of a run writes nothing, so the shared classes stay.
            self.workshop.clear()
        elif len(parts) == 2:
            cleanup.remove_files(self.uids[1], (JUDGE, *SHARED))
        if self._free_space() != self._free:
            # No process here could have left it: this run may have failed because the space was
            # used up.
            raise cleanup.Unclean("a place that is not as empty as at the start")
        # The kernel frees sockets in flight and the like late. A workshop's own processes grow.
        deadline = time.monotonic() + FREEING_SECONDS
        while self.workshop is None and self._used_memory() > self._memory + REMAINDER:
            if time.monotonic() > deadline:
                raise cleanup.Unclean("memory that is not freed")
            time.sleep(0.002)

    def channels(self, processes: int) -> "list[list[int]]":
        """Descriptors of each process of a run, in addition to its pipes."""
        if processes == 2:
            ends = [[end.detach()] for end in socket.socketpair()]
            if self.workshop is not None:
                ends[1].append(self.workshop.judge())
            return ends
        return [[] if self.tree is None else self.tree.channels()]

    def note_delay(self, number: int, seconds: float) -> None:
        """Tells the host that the run may take longer."""
        frames.write(1, frames.dump({"nonce": self._nonce, "n": number, "delay": seconds}))

    def one(
        self, header: "dict[str, Any]", programs: "list[bytes]"
    ) -> "tuple[dict[str, Any], bytes]":
        before = self._group.oom_kills()
        run = OneRun(self, header, programs)
        run.wait()
        facts, report = run.finish()
        facts["oom_kills"] = self._group.oom_kills() - before
        return facts, report

    def _answer(
        self, header: "dict[str, Any]", programs: "list[bytes]"
    ) -> "tuple[dict[str, Any], bytes]":
        if self.tree is not None:
            refused = self.tree.write(json.loads(frames.read(0)))
            if refused:
                return {"refused": refused}, b""
            if header["hidden"]:
                texts = self.tree.hide(header["hidden"])
                programs = [frames.dump({**json.loads(programs[0]), "sources": texts})]
        try:
            if self.workshop is not None:
                return self._made(header, programs)
            return self.one(header, programs)
        except Irregular as error:
            return {"irregular": str(error)}, b""

    def _made(
        self, header: "dict[str, Any]", programs: "list[bytes]"
    ) -> "tuple[dict[str, Any], bytes]":
        """Compiles, then runs. Our part of the report has the compiler's messages."""
        try:
            told, runnable = self.workshop.prepare(programs)
            if runnable is None:
                self.workshop.clear()
                return dict(_NOT_RUN), _framed(told)
        except OSError as error:
            raise Irregular(f"classes cannot be written: {error.strerror}") from None
        except self.workshop.starved:
            raise Irregular("a JVM of ours that gets no processor time") from None
        facts, report = self.one(header, runnable)
        run = _unframed(report)
        if len(programs) == 2:
            self.workshop.settle(run)
        return facts, _framed({**told, "run": run})

    def serve(self) -> None:
        while True:
            try:
                header = json.loads(frames.read(0))
                programs = [frames.read(0) for _ in header["processes"]]
                facts, report = self._answer(header, programs)
            except EOFError:
                return
            facts.update(nonce=self._nonce, n=header["n"])
            frames.write(1, frames.dump(facts))
            frames.write(1, report)
            # A tree is for one run, and is not cleaned.
            if "irregular" in facts or self.tree is not None:
                return


def main(first: "dict[str, Any]") -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    zygote = Zygote(first)
    # Read only now, because the zygote must not hold it.
    config = json.loads(frames.read(0))
    packed = frames.read(0) if config["workshop"] else None
    try:
        supervisor = Supervisor(config, zygote, packed)
    except Unfit as error:
        frames.write(1, frames.dump({"nonce": config["nonce"], "unfit": str(error)}))
        return
    frames.write(1, frames.dump({"nonce": config["nonce"], "ready": sys.version.split()[0]}))
    supervisor.serve()
