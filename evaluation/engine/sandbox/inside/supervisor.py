"""The container's main process: takes runs from the host, answers with their facts.

Speaks frames over its standard streams. Holds the nonce that every answer carries and the reports
of the runs; decides nothing about right or wrong. Runs are answered in the order in which they
came, each only after nothing of it is left."""

import json
import os
import resource
import select
import signal
import sys
import time
from typing import Any

from . import cleanup, frames
from .cleanup import Irregular
from .container import Container, Part, Zygote
from .places import JUDGE, Answer, Place, Refused, Unfit

EXCERPT = 4096
# Bytes kept of a build's or a test tool's output, from its end: other output may follow its report
# of failures.
ENDING = 2**16
_STREAMS = ("report", "output", "errors")
_CONTINUING = bytes(range(0x80, 0xC0))
# The host accepts no larger answer.
_REPORT_BYTES = 32 * 2**20
# A run pauses while it uses less processor time than this. Between two looks at a run in a project
# lies at most LOOK_SECONDS; more means that this process did not run either, which is no pause.
STIR_SECONDS = 0.01
LOOK_SECONDS = 1.0
# Seconds between two looks at how long the run has waited for a processor. This time is no part of
# its wall time, up to a multiple of the limit; the host hears of it in steps of some seconds.
WAIT_LOOK_SECONDS, MOST_DELAY, DELAY_STEP = 0.25, 10.0, 5.0


class OneRun:
    """One execution, from its first fork to its facts."""

    def __init__(self, owner: Container, header: "dict[str, Any]", programs: "list[bytes]") -> None:
        self._owner = owner
        self._number, self._limits = header["n"], header["limits"]
        self._stop: str | None = None
        self._poll = select.poll()
        self._fds: dict[int, tuple[Part, str]] = {}
        self._oom_kills = owner.group.oom_kills()
        self._cpu, self._began = owner.cpu(), time.monotonic()
        self._watched = owner.place.for_one_run and owner.sees_cpu
        self._stirred, self._looked = self._cpu, self._began
        self._idle = self._pause = 0.0
        self._sampled, self._sampled_cpu = self._began, self._cpu
        # Not read here, because few runs are looked at again: so the first look counts what these
        # threads had waited before the run, at most for the time of that look.
        self._waits: dict[str, float] = {}
        self._delay = self._announced = self._room = 0.0
        ends = owner.place.channels(len(programs))
        self._pending: dict[Part, memoryview] = {}
        self.parts = []
        for process, program, end in zip(header["processes"], programs, ends, strict=True):
            judging = process["judge"]
            request = {
                "fork": process["runner"],
                "uid": owner.place.uids[judging],
                "quiet": judging,
                "ours": False,
                "cwd": JUDGE if judging else owner.place.work,
                # Limits one process; the supervisor itself watches the sum.
                "cpu": int(self._limits["cpu"]) + 2,
            }
            part = Part(owner.zygote, request, end, apart=not owner.place.for_one_run)
            self.parts.append(part)
            self._watch(part, program)
        self.main = self.parts[-1]

    def _watch(self, part: Part, program: bytes) -> None:
        for fd, kind in (
            (part.report_fd, "report"),
            (part.output_fd, "output"),
            (part.errors_fd, "errors"),
            (part.pidfd, "end"),
        ):
            if fd >= 0:
                self._fds[fd] = (part, kind)
                self._poll.register(fd, select.POLLIN)
        self._pending[part] = memoryview(frames.framed(program))
        self._fds[part.program] = (part, "program")
        self._poll.register(part.program, select.POLLOUT)
        self._feed(part)

    def _drop(self, fd: int) -> None:
        self._poll.unregister(fd)
        del self._fds[fd]

    def _feed(self, part: Part) -> None:
        """Gives the child more of its program, unless it has closed the pipe."""
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
        """Reads available bytes. Keeps the whole report, but only a part of the output."""
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return
        # Every alphabet has the same limits, so the bytes that continue a character do not count;
        # bytes alone, which are none, count a quarter each.
        size = max(len(data.translate(None, _CONTINUING)), -(-len(data) // 4))
        if not data:
            self._drop(fd)
        elif kind == "report":
            part.report += data
            part.reported += size
            if part.reported > self._owner.place.report_most or len(part.report) > _REPORT_BYTES:
                part.report.clear()
                self._stop = self._stop or "output"
        else:
            part.written += size
            if kind == "errors":
                part.errors += data[: EXCERPT - len(part.errors)]
            if not self._owner.place.for_one_run:
                part.output += data[: EXCERPT - len(part.output)]
            else:  # a build's tools print their results last
                part.output = (part.output + data)[-ENDING:]
            if part.written > self._limits["output"]:
                self._stop = self._stop or "output"

    def _over_time(self) -> float:
        """Seconds until the limits have to be checked again. Sets the stop if one is exceeded."""
        now, spent = time.monotonic(), self._owner.cpu()
        wall, cpu, idle = now - self._began, spent - self._cpu, self._limits["idle"]
        sees_cpu = self._owner.sees_cpu
        late = wall - self._delay >= self._limits["wall"]
        if sees_cpu and (late or now - self._sampled >= WAIT_LOOK_SECONDS):
            self._note_delay(now, spent)
        wall -= self._delay
        left = min(self._limits["cpu"] - cpu, self._limits["wall"] - wall)
        if sees_cpu:  # shorter than LOOK_SECONDS, which pauses need
            left = min(left, WAIT_LOOK_SECONDS)
        # A process that waits for the processor or a slow disk is not idle.
        if self._watched and spent - self._stirred >= STIR_SECONDS:
            self._stirred, self._idle, self._looked = spent, 0.0, now
        elif self._watched and now - self._looked >= LOOK_SECONDS / 2:
            if self._owner.waits():
                self._idle += min(now - self._looked, 2 * LOOK_SECONDS)
                self._pause = max(self._pause, self._idle)
            self._looked = now
        if cpu >= self._limits["cpu"]:
            self._stop = "cpu"
        elif wall >= self._limits["wall"]:
            self._stop = "wall"
        elif idle is not None and self._idle >= idle:
            self._stop = "idle"
        return max(0.002, float(left))

    def _note_delay(self, now: float, spent: float) -> None:
        """Adds the time for which the run, or what starts and watches it, waited for a processor
        that others used: at most the time in which the run did not run, so threads that compete
        with each other gain nothing. The kernel counts a wait when it ends, so the time before the
        last look may still be explained."""
        waits = cleanup.waits()
        waited = sum(max(0.0, total - self._waits.get(at, 0.0)) for at, total in waits.items())
        used = spent - self._sampled_cpu
        unused = max(0.0, now - self._sampled - used)
        delay = min(waited, self._room + unused)
        self._delay = min(self._delay + delay, MOST_DELAY * self._limits["wall"])
        self._room += unused - delay
        if used >= STIR_SECONDS or self._owner.waits():
            self._room = min(self._room, unused)
        self._sampled, self._sampled_cpu, self._waits = now, spent, waits
        if self._delay - self._announced >= DELAY_STEP:
            self._announced = self._delay
            # The host waits longer for the answer.
            said = {"nonce": self._owner.nonce, "n": self._number, "delay": self._delay}
            frames.write(1, frames.dump(said))

    def _wait(self) -> None:
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

    def finish(self) -> "tuple[dict[str, Any], bytes]":
        """Waits for the run's end, ends the remaining processes and cleans up. Returns the facts
        and the main child's report."""
        self._wait()
        wall = time.monotonic() - self._began
        if self._stop is not None:
            # The main child, which is the last part, goes first: between two kills it would report
            # that another part has ended.
            for part in reversed(self.parts):
                os.kill(part.pid, signal.SIGKILL)
        facts = self._owner.clean(self.parts)
        # What ended processes left in the pipes, up to the limits.
        for fd, (part, kind) in list(self._fds.items()):
            while kind in _STREAMS and fd in self._fds and self._stop != "output":
                before = part.reported + part.written
                self._take(part, kind, fd)
                if part.reported + part.written == before:
                    break
        for part in self.parts:
            part.close()
        first = self.parts[0]
        facts.update(
            stop=self._stop,
            wall=wall,
            pause=self._pause,
            delay=self._delay,
            cpu=self._owner.cpu() - self._cpu,
            oom_kills=self._owner.group.oom_kills() - self._oom_kills,
            output=bytes(first.output).decode("utf-8", "replace"),
            errors=bytes(first.errors).decode("utf-8", "replace"),
        )
        return facts, bytes(self.main.report)


def main(first: "dict[str, Any]") -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    zygote = Zygote(first)
    # Read only now, because the zygote must not hold it.
    config = json.loads(frames.read(0))
    nonce: str = config["nonce"]
    uids = config["uid"], config["uid"] + 1
    try:
        # The modules of a tree and of a workshop are sent only with one.
        if config["tree"] is not None:
            from .trees import Tree

            place: Place = Tree(config["tree"], uids)
        elif config["workshop"]:
            from .workshop import Workshop

            place = Workshop(frames.read(0), zygote, uids)
        else:
            place = Place(uids)
        container = Container(zygote, place, nonce)
    except Unfit as error:
        frames.write(1, frames.dump({"nonce": nonce, "unfit": str(error)}))
        return
    except Irregular:  # the host opens another container
        return
    frames.write(1, frames.dump({"nonce": nonce, "ready": sys.version.split()[0]}))

    def run(header: "dict[str, Any]", programs: "list[bytes]") -> Answer:
        return OneRun(container, header, programs).finish()

    while True:
        try:
            header = json.loads(frames.read(0))
            programs = [frames.read(0) for _ in header["processes"]]
            programs = container.place.receive(header, programs)
            facts, report = container.place.answer(run, header, programs)
        except EOFError:
            return
        except Refused as error:
            facts, report = {"refused": str(error)}, b""
        except Irregular as error:
            facts, report = {"irregular": str(error)}, b""
        frames.write(1, frames.dump({**facts, "nonce": nonce, "n": header["n"]}))
        frames.write(1, report)
        if "irregular" in facts or container.place.for_one_run:
            return
