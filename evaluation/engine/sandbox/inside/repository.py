"""Runner `repository`: runs a command in a project's tree and reports how its tests ended.

The command's processes have three descriptors: an empty input, and the same pipe to this process
twice, which forwards their output. Results of pytest arrive on the tree's channel. Those of Java
tests are in Surefire's reports, which are read after all processes of the candidate have ended;
Java tests also request their expected values, and report how they end."""

import json
import os
import re
import select
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from . import cleanup, expectations, frames, loading, surefire, trees

# The candidate's own directory, outside of the tree: its home during the run.
HOME = "/work/home"
REPORT_MOST = 12 * 2**20
# Maximum events of a run, more than the plugin sends, and characters of each of their parts.
EVENTS_MOST, EVENT_MOST = 12_000, 200
PATIENCE_SECONDS = 10.0
OUTCOMES = frozenset(("passed", "failed", "error", "skipped", "xfailed", "xpassed"))
# Messages of Surefire about a JVM that ended before its tests.
_CRASHED = re.compile(
    rb"The forked VM terminated|There was an error in the forked process|Crashed tests:"
)
_DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
_QUICK = "-XX:+IgnoreUnrecognizedVMOptions -XX:TieredStopAtLevel=1"
# Python ignores these; other programs do not.
_SIGNALS = (signal.SIGPIPE, signal.SIGXFSZ)


def environment(image: "dict[str, str]", report: str) -> "dict[str, str]":
    """The image's variables, and those that make runs equal."""
    variables = {
        "PATH": _DEFAULT_PATH,
        **image,
        "PYTHONPATH": ".",
        "HOME": HOME,
        "USER": "assay",
        "LOGNAME": "assay",
        "TMPDIR": "/tmp",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "TZ": "UTC",
    }
    if report == "pytest":
        variables["PYTHONPATH"] += f":{trees.PLACE}"
        options = f"{image.get('PYTEST_ADDOPTS', '')} -p {trees.PLUGIN}"
        variables["PYTEST_ADDOPTS"] = options.strip()
    else:
        # Java looks for its home in the list of users, which lacks this one. These options are for
        # Maven's own JVM, which is too short-lived for the second compiler; the JVMs that run tests
        # use both. A control continues after failures, and so do all runs, because a program can
        # read these options.
        go_on = "-Dmaven.test.failure.ignore=true"
        defaults = f"{_QUICK} {go_on} -Duser.home={HOME} -Duser.name=assay"
        options = f"{defaults} {image.get('MAVEN_OPTS', '')}"
        variables["MAVEN_OPTS"] = options.strip()
    return variables


class Sessions:
    """Messages of the channel: sessions of pytest that began, and reports of finished ones."""

    def __init__(self, answer: "Callable[[str | None], None]" = lambda _: None) -> None:
        """`answer` is called for each session that begins, for each worker that asks, and with each
        path whose text they ask for."""
        self._answer = answer
        self._received = bytearray()
        self._open, self._finished = 0, 0
        self._good = True
        self._events: dict[tuple[str, ...], int] = {}
        self.asked = 0
        self.tests: dict[str, list[str]] = {}

    @property
    def complete(self) -> bool:
        """Whether there was a session, and each that began ran its tests to the end."""
        whole = not self._received and not self._open
        return self._good and whole and self._finished > 0

    @property
    def begun(self) -> int:
        """The sessions and workers that have begun."""
        return self._open + self._finished + self.asked

    def take(self, data: bytes) -> None:
        head = frames.PREFIX.size
        if self._good:
            self._received += data
        while self._good and len(self._received) >= head:
            (size,) = frames.PREFIX.unpack_from(self._received)
            if size > REPORT_MOST:
                self._good = False
                return
            if len(self._received) < head + size:
                return
            body = bytes(self._received[head : head + size])
            del self._received[: head + size]
            try:
                self._count(json.loads(body))
            except (ValueError, RecursionError, KeyError, TypeError, AttributeError):
                self._good = False

    @property
    def events(self) -> "list[list[str | int]]":
        """Each audit event once: [kind, detail, asker, owner, line]."""
        return [[*event, line] for event, line in self._events.items()]

    def _count(self, value: Any) -> None:
        if "event" in value:
            kind, detail, asker, owner, line = value["event"]
            event = (kind, detail, asker, owner)
            if type(line) is not int or any(type(part) is not str for part in event):
                raise ValueError(event)
            printable = tuple(re.sub("[^ -~]", "?", part[:EVENT_MOST]) for part in event)
            full = len(self._events) >= EVENTS_MOST
            self._events.setdefault(("unseen", "events", "", "") if full else printable, line)
        elif "source" in value:
            self._answer(str(value["source"]))
        elif "asks" in value:
            self.asked += 1
            self._answer(None)
        elif not value["finished"]:
            self._open += 1
            self._answer(None)
        else:
            self._open -= 1
            self._finished += 1
            self._good = self._good and self._open == 0 and value["complete"] is True
            for name, (outcome, message) in value["tests"].items():
                if outcome not in OUTCOMES or type(message) is not str:
                    raise ValueError(outcome)
                # If several sessions report a test, a result other than a pass wins.
                if self.tests.get(name, ["passed"])[0] == "passed":
                    self.tests[name] = [outcome, message[: surefire.MESSAGE]]


class Command:
    """A started command, its output and its reports."""

    def __init__(self, payload: "dict[str, Any]", channel: int, answers: int) -> None:
        watch = payload.get("watch")
        self._sources: dict[str, str] = payload.get("sources", {})
        if watch is not None:
            hidden = [*self._sources]
            watch |= {"root": os.getcwd(), "of_tests": trees.OF_TESTS, "hidden": hidden}
        self._watch, self._texts = watch, Counter[str]()
        self._answers, self._unsent = answers, memoryview(b"")
        os.set_blocking(answers, False)
        self.sessions = Sessions(self._offer)
        asks = "tests" in (watch or {})
        self.served = expectations.Served(payload["watch"]) if asks else None
        self._listener = expectations.listener() if asks else None
        self.crashed = False
        self._tail = b""
        self._channel = channel
        self._output, output_w = os.pipe()
        self._pid = os.posix_spawn(
            "/bin/sh",
            ["sh", "-c", payload["command"]],
            environment(payload["environment"], payload["report"]),
            file_actions=[(os.POSIX_SPAWN_DUP2, output_w, fd) for fd in (1, 2)],
            setsigdef=_SIGNALS,
        )
        os.close(output_w)
        self._takers: dict[int, Callable[[bytes], None]] = {
            self._output: self._print,
            channel: self.sessions.take,
        }
        for fd in self._takers:
            os.set_blocking(fd, False)

    def wait(self) -> int:
        """Returns the exit code, or the negative number of the signal. The command may close its
        output earlier; processes that it started may hold it open."""
        end = os.pidfd_open(self._pid)
        poll = select.poll()
        for fd in (*self._takers, end):
            poll.register(fd, select.POLLIN)
        asking = -1
        if self._listener is not None:
            asking = self._listener.fileno()
            poll.register(asking, select.POLLIN)
        while True:
            if self._unsent:
                poll.register(self._answers, select.POLLOUT)
            ready = [fd for fd, _ in poll.poll()]
            for fd in ready:
                if fd == self._answers:
                    self._unsent = self._unsent[os.write(fd, self._unsent) :]
                    poll.unregister(fd)
                elif fd == asking:
                    assert self.served is not None and self._listener is not None
                    connection = self.served.accepted(self._listener)
                    if connection is not None:
                        self._takers[connection.fileno()] = connection.take
                        poll.register(connection.fileno(), select.POLLIN)
                elif fd != end and self._move(fd) == 0:
                    poll.unregister(fd)
            if end in ready:
                # Before the command is reaped: its other processes could wait for that.
                os.kill(-1, signal.SIGKILL)
                _, status = os.waitpid(self._pid, 0)
                return os.waitstatus_to_exitcode(status)

    def _offer(self, path: "str | None") -> None:
        """Answers a session or worker that begins, or its question for a file's text; each gets a
        text once. Does nothing if nobody has read the last answer."""
        answer = self._watch
        if path is not None:
            self._texts[path] += 1
            first = self._texts[path] <= self.sessions.begun
            answer = self._sources.get(path) if first else None
        self._unsent = self._unsent or memoryview(frames.framed(frames.dump(answer)))

    def drain(self) -> None:
        """Reads what is left after all writers have ended."""
        for fd in self._takers:
            while self._move(fd) > 0:
                pass

    def _move(self, fd: int) -> int:
        """The number of bytes read; 0 at the end of the stream, -1 if none are there yet."""
        try:
            data = os.read(fd, 1 << 16)
        except BlockingIOError:
            return -1
        except ConnectionResetError:
            return 0
        self._takers[fd](data)
        return len(data)

    def _print(self, data: bytes) -> None:
        joined = self._tail + data
        self.crashed = self.crashed or _CRASHED.search(joined) is not None
        self._tail = joined[-64:]
        view = memoryview(data)
        while view:
            view = view[os.write(1, view) :]


def end_others() -> bool:
    """Kills every other process of this user. Returns False if some remain after
    PATIENCE_SECONDS."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        # Raises no error, since processes of other users exist, which Linux leaves out without one.
        os.kill(-1, signal.SIGKILL)
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if not cleanup.any_left((os.getuid(),), {str(os.getpid())}):
            return True
        time.sleep(0.001)
    return False


def main(payload: "dict[str, Any]", report_fd: int, channel_fd: int) -> None:
    os.umask(0o022)
    # A home with the content of the builder's. Folders are made anew down to two levels, so that
    # they can be written to; their content is linked.
    os.mkdir(HOME)
    with suppress(FileNotFoundError), os.scandir(payload["home"]) as entries:
        for entry in entries:
            place = f"{HOME}/{entry.name}"
            if not entry.is_dir(follow_symlinks=False):
                os.symlink(entry.path, place)
                continue
            os.mkdir(place)
            with suppress(PermissionError):
                for name in os.listdir(entry.path):
                    os.symlink(f"{entry.path}/{name}", f"{place}/{name}")
    command = Command(payload, channel_fd, channel_fd + 1)
    exit_code = command.wait()
    # Ends what the command has left behind, and reads what is left after all writers have ended.
    gone = end_others()
    command.drain()
    report: dict[str, Any] = {"exit": exit_code}
    if payload["report"] == "pytest":
        sessions = command.sessions
        complete = sessions.complete
        report |= {"tests": sessions.tests, "events": sessions.events, "asked": sessions.asked}
    else:
        results = surefire.read(os.getcwd())
        ended_well = not command.crashed and exit_code in (0, 1)
        complete = results.sound and results.reports > 0 and ended_well
        report["tests"] = results.tests
        if command.served is not None:
            complete = complete and command.served.sound
            report["ended"] = command.served.ended
    loading.leave(report_fd, {**report, "complete": complete and gone})
