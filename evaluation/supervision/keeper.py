"""Keeps one program: runs it, forwards its output, and leaves no process of it behind.

A process between the supervisor and each program, run by its path with the standard library only.
Each byte on its standard input is a signal for the program; the end of that stream means that
everything is to be killed. It sends lines of JSON: `{"pid": n}` or `{"failed": why}`, and at the
end `{"ended": exit code, "words": the last lines}`.

A program's children may leave its process group or session. Therefore the keeper is their
subreaper: a process that loses its parent becomes the keeper's child. If the keeper itself is
killed, the kernel kills the program, and the supervisor, a subreaper too, gets the others."""

import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
PAUSE_SECONDS, FLUSH_SECONDS = 0.01, 1.0
LINES_KEPT, LINE_BYTES = 20, 64 * 1024
# A writable pipe accepts this many bytes in one write, so lines of several keepers do not mix.
WRITE_BYTES = 4096
LOG_BYTES = 10 * 1024 * 1024


class Process(NamedTuple):
    parent: int
    session: int


def prctl(option: int, value: int) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    words = [ctypes.c_ulong(word) for word in (value, 0, 0, 0)]
    if libc.prctl(ctypes.c_int(option), *words) != 0:
        raise OSError(ctypes.get_errno(), "The kernel refused prctl")


def adopt_orphans() -> None:
    prctl(PR_SET_CHILD_SUBREAPER, 1)


def processes() -> dict[int, Process]:
    """All processes by pid, including those not reaped yet."""
    table = {}
    for name in filter(str.isdigit, os.listdir("/proc")):  # noqa: PTH208 - a hundred Paths a look
        with suppress(OSError):  # it ended meanwhile
            stat = Path(f"/proc/{name}/stat").read_text(errors="replace")
            _, parent, _, session, *_ = stat.rpartition(")")[2].split()
            table[int(name)] = Process(int(parent), int(session))
    return table


def children(pid: int, table: Mapping[int, Process]) -> list[int]:
    return [child for child, process in table.items() if process.parent == pid]


def tree(root: int, table: Mapping[int, Process]) -> list[int]:
    pids = [root]
    for pid in pids:
        pids.extend(children(pid, table))
    return pids


def kill_trees(
    roots: Callable[[Mapping[int, Process]], Sequence[int]], seconds: float | None = None
) -> bool:
    """Kills the children that `roots` selects, with all descendants. Returns whether none is left.
    Repeats until `roots` selects none, since processes fork while they are killed, or until
    `seconds` have passed: a process that hangs in the kernel may never end."""
    deadline = None if seconds is None else time.monotonic() + seconds
    while selected := roots(table := processes()):
        for pid in [pid for root in selected for pid in tree(root, table)]:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if deadline is not None and time.monotonic() > deadline:
            return False
        time.sleep(PAUSE_SECONDS)
        for pid in selected:
            with suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
    return True


class Log:
    """Writes whole lines, each with a prefix. A log file of 10 MiB is renamed to `<name>.1`."""

    def __init__(self, path: str | None, prefix: str) -> None:
        self._path, self._prefix = path, prefix.encode()
        self._target = 1 if path is None else self._opened(path)
        self._started = b""
        self.backlog = b""
        self.words: deque[bytes] = deque(maxlen=LINES_KEPT)

    @staticmethod
    def _opened(path: str) -> int:
        return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)

    def fileno(self) -> int:
        return self._target

    def add(self, data: bytes) -> None:
        *lines, self._started = (self._started + data).split(b"\n")
        if len(self._started) > LINE_BYTES:
            lines, self._started = [*lines, self._started], b""
        self.words.extend(lines)
        self.backlog += b"".join(self._prefix + line + b"\n" for line in lines)

    def add_rest(self) -> None:
        if self._started:
            self.add(b"\n")

    def write(self) -> None:
        """Writes an amount that cannot block if the descriptor is writable."""
        piece = self.backlog[:WRITE_BYTES]
        piece = piece[: piece.rfind(b"\n") + 1] or piece
        try:
            written = os.write(self._target, piece)
        except OSError:  # no reader or a full disk must not stop the program
            written = len(piece)
        self.backlog = self.backlog[written:]
        if self._path is not None and os.fstat(self._target).st_size > LOG_BYTES:
            with suppress(OSError):
                Path(self._path).replace(f"{self._path}.1")
                fresh = self._opened(self._path)
                os.close(self._target)
                self._target = fresh

    def flush(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while self.backlog and (left := deadline - time.monotonic()) > 0:
            if select.select([], [self], [], left)[1]:
                self.write()


class Keeper:
    def __init__(self, channel: socket.socket, path: str | None, prefix: str) -> None:
        self._channel, self._path, self._prefix = channel, path, prefix
        self._wake, self._ringing = socket.socketpair()
        self._wake.setblocking(False)
        self._ringing.setblocking(False)
        # The wake-up descriptor is written only for signals that have a handler, even an empty one.
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._ringing.fileno(), warn_on_full_buffer=False)

    def keep(self, command: Sequence[str]) -> None:
        """Returns when no process of the program is left and the supervisor was notified."""
        try:
            self._log = Log(self._path, self._prefix)
            program = _started(command)
        except (OSError, subprocess.SubprocessError) as error:
            self._tell(failed=str(error))
            return
        self._tell(pid=program.pid)
        assert program.stdout is not None
        self._output: int | None = program.stdout.fileno()
        while program.returncode is None and self._turn(program):
            pass
        kill_trees(lambda table: children(os.getpid(), table))
        if self._output is not None:
            os.set_blocking(self._output, False)
        with suppress(BlockingIOError):
            while self._output is not None:
                self._read()
                self._log.flush(FLUSH_SECONDS)
        self._log.add_rest()
        self._log.flush(FLUSH_SECONDS)
        words = [line.decode(errors="replace")[:1000] for line in self._log.words]
        self._tell(ended=program.returncode, words=words)

    def _turn(self, program: subprocess.Popen[bytes]) -> bool:
        reading: list[int | socket.socket] = [self._channel, self._wake]
        if self._output is not None and not self._log.backlog:
            reading.append(self._output)
        writing = [self._log] if self._log.backlog else []
        readable, writable, _ = select.select(reading, writing, [])
        if writable:
            self._log.write()
        if self._output in readable:
            self._read()
        if self._wake in readable:
            self._wake.recv(1024)
            with suppress(ChildProcessError):  # every child that ended, the adopted ones too
                while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                    pid, status = ended
                    if pid == program.pid:
                        program.returncode = os.waitstatus_to_exitcode(status)
        if self._channel not in readable:
            return True
        try:
            signals = self._channel.recv(64)
        except OSError:
            return False
        if program.returncode is None:  # not reaped yet, so its pid is not reused
            for number in signals:
                os.kill(program.pid, number)
        return bool(signals)

    def _read(self) -> None:
        assert self._output is not None
        data = os.read(self._output, 65536)
        self._log.add(data)
        if not data:  # the program closed its output and may run on
            self._output = None

    def _tell(self, **what: object) -> None:
        with suppress(OSError):  # the supervisor was killed
            self._channel.sendall(json.dumps(what).encode() + b"\n")


def _started(command: Sequence[str]) -> subprocess.Popen[bytes]:
    keeper = os.getpid()

    def die_with_keeper() -> None:
        # The kernel ties this to the parent's thread; the keeper has only one.
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != keeper:
            os._exit(1)

    return subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        bufsize=0,
        start_new_session=True,
        preexec_fn=die_with_keeper,
    )


def main(path: str, prefix: str, *command: str) -> None:
    adopt_orphans()
    with socket.socket(fileno=os.dup(0)) as channel:
        Keeper(channel, path or None, prefix).keep(command)


if __name__ == "__main__":
    main(*sys.argv[1:])
