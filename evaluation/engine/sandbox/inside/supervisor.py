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

REPORT_MOST, TREE_REPORT_MOST = 4 * 2**20, 16 * 2**20
EXCERPT = 4096
WORK, JUDGE = "/work", "/judge"
SHARED = ("/tmp", "/dev/shm", "/dev/mqueue")


class Unfit(Exception):
    """What the benchmark's tasks share cannot be used; in words for staff."""


class Irregular(Exception):
    """The container can't be trusted any further; the host must replace it."""


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
        frames.write(source_w, first["sources"])
        told = {"warm": first["warm"], "limits": first["limits"]}
        frames.write(source_w, frames.dump(told))
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
    """One child of a run: its pipes, and what came out of them."""

    def __init__(self, zygote: Zygote, request: "dict[str, Any]", channel: "int | None") -> None:
        program_r, self.program = os.pipe()
        self.report_fd, report_w = os.pipe()
        self.output_fd, output_w = os.pipe()
        fds = [program_r, report_w, output_w] + ([] if channel is None else [channel])
        answer = zygote.ask(request, fds)
        for fd in fds:
            os.close(fd)
        if "error" in answer:
            raise Irregular(answer["error"])
        self.pid: int = answer["pid"]
        self.pidfd = os.pidfd_open(self.pid)
        self.report, self.output = bytearray(), bytearray()
        self.written = 0
        for fd in (self.report_fd, self.output_fd, self.program):
            os.set_blocking(fd, False)

    def close(self) -> None:
        for fd in (self.report_fd, self.output_fd, self.program, self.pidfd):
            if fd >= 0:
                os.close(fd)


class Run:
    """One execution, from its first fork to its facts."""

    def __init__(
        self, owner: "Supervisor", header: "dict[str, Any]", programs: "list[bytes]"
    ) -> None:
        self._owner = owner
        self._limits = header["limits"]
        self._stop: str | None = None
        self._poll = select.poll()
        self._fds: dict[int, tuple[Part, str]] = {}
        self._cpu, self._began = owner.cpu(), time.monotonic()
        ends = owner.channels(len(programs))
        self._pending: dict[Part, memoryview] = {}
        self.parts = []
        for process, program, end in zip(header["processes"], programs, ends, strict=True):
            part = Part(owner.zygote, self._request(process), end)
            self.parts.append(part)
            self._watch(part, program)
        self.main = self.parts[-1]

    def _request(self, process: "dict[str, Any]") -> "dict[str, Any]":
        judging = process["judge"]
        return {
            "fork": process["runner"],
            "uid": self._owner.uids[judging],
            "quiet": judging,
            "ours": False,
            "cwd": JUDGE if judging else self._owner.work,
            # Of one process; the supervisor itself looks at what all of them use.
            "cpu": int(self._limits["cpu"]) + 2,
        }

    def _watch(self, part: Part, program: bytes) -> None:
        for fd, kind in (
            (part.report_fd, "report"),
            (part.output_fd, "output"),
            (part.pidfd, "end"),
        ):
            self._fds[fd] = (part, kind)
            self._poll.register(fd, select.POLLIN)
        self._pending[part] = memoryview(frames.PREFIX.pack(len(program)) + program)
        self._fds[part.program] = (part, "program")
        self._poll.register(part.program, select.POLLOUT)
        self._feed(part)

    def _drop(self, fd: int) -> None:
        self._poll.unregister(fd)
        del self._fds[fd]

    def _feed(self, part: Part) -> None:
        """Gives the child more of its program; one that does not want it gets none."""
        pending = self._pending[part]
        try:
            pending = pending[os.write(part.program, pending) :]
        except BlockingIOError:
            pass
        except BrokenPipeError:
            pending = pending[:0]
        self._pending[part] = pending
        if not pending:
            self._drop(part.program)
            os.close(part.program)
            part.program = -1

    def _take(self, part: Part, kind: str, fd: int) -> None:
        """Reads what is there; keeps a report whole and of the output an excerpt."""
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self._drop(fd)
        elif kind == "report":
            part.report += data
            if len(part.report) > self._owner.report_most:
                self._stop = self._stop or "output"
        else:
            part.written += len(data)
            if self._owner.tree is None:
                part.output += data[: EXCERPT - len(part.output)]
            else:  # what a build's tools have to say comes last
                part.output = (part.output + data)[-EXCERPT:]
            if part.written > self._limits["output"]:
                self._stop = self._stop or "output"

    def _over_time(self) -> float:
        """Seconds until the limits need another look; sets the stop where one is passed."""
        wall = time.monotonic() - self._began
        cpu = self._owner.cpu() - self._cpu
        if cpu >= self._limits["cpu"]:
            self._stop = "cpu"
        elif wall >= self._limits["wall"]:
            self._stop = "wall"
        left: float = (self._limits["cpu"] - cpu) / self._owner.cores
        return max(0.002, min(left, float(self._limits["wall"]) - wall))

    def wait(self) -> None:
        """Until the main child has ended or a limit stops the run."""
        while self._stop is None:
            ready = self._poll.poll(self._over_time() * 1000 + 1)
            ended = False
            for fd, _ in ready:
                part, kind = self._fds.get(fd, (self.main, ""))
                if kind == "end":
                    ended = ended or part is self.main
                    self._drop(fd)
                elif kind == "program":
                    self._feed(part)
                elif kind:
                    self._take(part, kind, fd)
            if ended:
                return

    def _drain(self) -> None:
        """What the ended processes left in the pipes, within the caps."""
        for fd, (part, kind) in list(self._fds.items()):
            while kind in ("report", "output") and fd in self._fds and self._stop != "output":
                before = len(part.report) + part.written
                self._take(part, kind, fd)
                if len(part.report) + part.written == before:
                    break

    def finish(self) -> "tuple[dict[str, Any], bytes]":
        """Ends what is left, cleans up; the facts, and the main child's report."""
        wall = time.monotonic() - self._began
        if self._stop is not None:
            # Everything is stopped at once: the main child must not look as if it had ended.
            for part in self.parts:
                os.kill(part.pid, signal.SIGKILL)
        facts = self._owner.clean(self.parts)
        self._drain()
        for part in self.parts:
            part.close()
        first = self.parts[0]
        facts.update(
            stop=self._stop,
            wall=wall,
            cpu=self._owner.cpu() - self._cpu,
            output=bytes(first.output).decode("utf-8", "replace"),
            cut=first.written > len(first.output),
        )
        return facts, bytes(self.main.report)


def _tree(told: "dict[str, Any] | None", uids: "tuple[int, int]") -> Any:
    """A project's tree, whose module is sent only where there is one."""
    if told is None:
        return None
    from . import trees

    return trees.Tree(told, uids)


def _workshop(packed: "bytes | None", zygote: Zygote, uids: "tuple[int, int]") -> Any:
    """Where classes are compiled for runs, likewise."""
    if packed is None:
        return None
    from . import workshop

    try:
        return workshop.Workshop(packed, zygote, uids)
    except workshop.Unfit as error:
        raise Unfit(str(error)) from None


def _framed(report: "dict[str, Any]") -> bytes:
    body = frames.dump(report)
    return frames.PREFIX.pack(len(body)) + body


def _unframed(report: bytes) -> Any:
    """What a runner told; None where that is nothing well-formed."""
    try:
        return json.loads(report[frames.PREFIX.size :])
    except (ValueError, RecursionError):
        return None


_NOT_RUN = {
    "status": 0, "memory": 0, "stop": None, "wall": 0.0, "cpu": 0.0, "output": "", "cut": False,
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

    def cpu(self) -> float:
        """Processor seconds of the container, this process's own not counted."""
        total = self._group.cpu()
        return self._spent if total is None else total - time.process_time()

    @staticmethod
    def _free_space() -> "list[tuple[int, int]]":
        """Blocks and inodes that are free in each place that a run may write to."""
        return [(found.f_bfree, found.f_ffree) for found in map(os.statvfs, (WORK, JUDGE, *SHARED))]

    def clean(self, parts: "list[Part]") -> "dict[str, Any]":
        """Ends every process of the run and removes its files. Raises Irregular."""
        ends = []
        try:
            # A child that still runs is ended here; the zygote can then reap without waiting.
            for part in parts:
                if not select.select([part.pidfd], [], [], 0)[0]:
                    os.kill(part.pid, signal.SIGKILL)
                ends.append(self.zygote.ask({"reap": part.pid}))
            # A tree's container ends after its run, and all that is in it.
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
        if len(parts) == 2:
            cleanup.remove_files(self.uids[1], (JUDGE, *SHARED))
        if self.workshop is not None:
            self.workshop.clear()
        if self._free_space() != self._free:
            # Nobody in here could have left it: this run may have failed for want of room.
            raise cleanup.Unclean("a place that is not as empty as at the start")

    def channels(self, processes: int) -> "list[int | None]":
        """What each process of a run gets besides its pipes."""
        if processes == 2:
            return [end.detach() for end in socket.socketpair()]
        return [None if self.tree is None else self.tree.channel()]

    def one(
        self, header: "dict[str, Any]", programs: "list[bytes]"
    ) -> "tuple[dict[str, Any], bytes]":
        before = self._group.oom_kills()
        run = Run(self, header, programs)
        run.wait()
        facts, report = run.finish()
        facts["oom_kills"] = self._group.oom_kills() - before
        return facts, report

    def _answer(
        self, header: "dict[str, Any]", programs: "list[bytes]"
    ) -> "tuple[dict[str, Any], bytes]":
        refused = "" if self.tree is None else self.tree.write(json.loads(frames.read(0)))
        if refused:
            return {"refused": refused}, b""
        try:
            if self.workshop is not None:
                return self._made(header, programs[0])
            return self.one(header, programs)
        except Irregular as error:
            return {"irregular": str(error)}, b""

    def _made(self, header: "dict[str, Any]", program: bytes) -> "tuple[dict[str, Any], bytes]":
        """A run of what is compiled first. What the compiler said is in the report as ours."""
        try:
            told, runnable = self.workshop.make(program)
            if runnable is None:
                self.workshop.clear()
                return dict(_NOT_RUN), _framed(told)
        except OSError as error:
            raise Irregular(f"classes cannot be written: {error.strerror}") from None
        except self.workshop.starved:
            raise Irregular("a compiler that gets no processor time") from None
        facts, report = self.one(header, [runnable])
        return facts, _framed({**told, "run": _unframed(report)})

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
            # A tree is for one run: nothing cleans it.
            if "irregular" in facts or self.tree is not None:
                return


def main(first: "dict[str, Any]") -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    zygote = Zygote(first)
    # Only now comes what the zygote must not hold.
    config = json.loads(frames.read(0))
    packed = frames.read(0) if config["workshop"] else None
    try:
        supervisor = Supervisor(config, zygote, packed)
    except Unfit as error:
        frames.write(1, frames.dump({"nonce": config["nonce"], "unfit": str(error)}))
        return
    frames.write(1, frames.dump({"nonce": config["nonce"], "ready": sys.version.split()[0]}))
    supervisor.serve()
