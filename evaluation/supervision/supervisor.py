"""Keeps programs running, each under its keeper, and stops them together."""

import json
import logging
import math
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

from evaluation.supervision import keeper
from evaluation.supervision.keeper import Process, adopt_orphans, children, kill_trees

logger = logging.getLogger(__name__)

READY_PAUSE, LONGEST_WAIT = 0.05, 1.0
FIRST_PAUSE, LONGEST_PAUSE, SETTLED = 0.2, 10.0, 60.0
# Seconds a keeper may take to kill its processes before it is killed itself.
KILL_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Program:
    """A command that is kept running. Times are in seconds. With `ready`, later programs are
    started only after it returns True, and they end before this one is asked to stop. It must
    return quickly, since the supervisor does nothing else meanwhile; an exception in it ends the
    supervisor. Only the program gets SIGTERM; children that are left after `grace_seconds` are
    killed."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = field(default_factory=dict)
    ready: Callable[[], bool] | None = None
    ready_seconds: float = 30.0
    grace_seconds: float = 10.0


def pause_after(ran: float, before: float) -> float:
    """Seconds to wait before the next start: doubling, and short again after a long run. `before`
    is the last pause, 0 if there was none."""
    if before == 0 or ran >= SETTLED:
        return FIRST_PAUSE
    return min(2 * before, LONGEST_PAUSE)


class ProgramRun:
    """Starts the keeper, which starts the program. Raises OSError if the keeper cannot start. `pid`
    is the program's, None until it runs. `code` is its exit code, negative for a signal. `clean`
    says that the keeper left no process behind, which a killed keeper cannot guarantee."""

    def __init__(self, program: Program, log: Path | None, prefix: str) -> None:
        self.program = program
        self.began = time.monotonic()
        self.pid: int | None = None
        self.code: int | None = None
        self.failed: str | None = None
        self.words: list[str] = []
        self.clean = False
        self._unread = b""
        self._stop_by: float | None = None
        self._kill_by: float | None = None
        self._channel, theirs = socket.socketpair()
        self._channel.setblocking(False)
        with theirs:
            try:
                # Isolated and without site packages, it starts in a few hundredths of a second.
                words = [sys.executable, "-I", "-S", keeper.__file__, str(log or ""), prefix]
                self._keeper = subprocess.Popen(
                    [*words, *program.command],
                    stdin=theirs.fileno(),
                    start_new_session=True,
                    env={**os.environ, **program.environment},
                )
            except OSError:
                self._channel.close()
                raise

    def fileno(self) -> int:
        return self._channel.fileno()

    @property
    def keeper_pid(self) -> int:
        return self._keeper.pid

    def hear(self) -> bool:
        """Reads the keeper's messages. Returns False when it has ended and all is read."""
        try:
            while data := self._channel.recv(65536):
                *lines, self._unread = (self._unread + data).split(b"\n")
                for line in lines:
                    said = json.loads(line)
                    self.pid = said.get("pid", self.pid)
                    self.failed = said.get("failed")
                    self.code = said.get("ended")
                    self.words = said.get("words", [])
                    self.clean = "pid" not in said
        except BlockingIOError:
            return True
        except ConnectionResetError:  # killed with something unread
            pass
        return False

    def close(self) -> None:
        """Reaps the keeper, which must have ended."""
        self._keeper.wait()
        self._channel.close()

    def stop(self, now: float) -> None:
        """Takes the next step that is due; call it until the run has ended. The steps are to ask
        the program, to have the keeper kill everything, and to kill a keeper that hangs."""
        if self._kill_by is not None:
            if now >= self._kill_by:
                self._keeper.kill()
        elif self._stop_by is None:
            with suppress(OSError):  # the keeper ended just now
                self._channel.send(bytes([signal.SIGTERM]))
            self._stop_by = now + self.program.grace_seconds
        elif now >= self._stop_by:
            self.kill(now)

    def kill(self, now: float) -> None:
        if self._kill_by is None:
            self._kill_by = now + KILL_SECONDS
            with suppress(OSError):
                self._channel.shutdown(socket.SHUT_WR)

    @property
    def how(self) -> str:
        """How the run ended, as the predicate of a sentence."""
        if self.failed is not None:
            return f"could not be run: {self.failed}"
        if self.code is None:
            return "was killed" if self.clean else "was killed with its keeper"
        if self.code < 0:
            return f"was ended by {signal.Signals(-self.code).name}"
        return f"ended with exit code {self.code}"


class _Kept:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.run: ProgramRun | None = None
        self.last: ProgramRun | None = None
        self.due = 0.0
        self.pause = 0.0
        # It stays True across restarts: later programs do not wait for it again.
        self.was_ready = False
        self.unready_at = math.inf


class Supervisor:
    """Runs programs in order and restarts those that end. With `logs`, each program's output goes
    to `<logs>/<name>.log`, else to our own output. `tick` is called about every `tick_seconds` with
    the names of the running programs; its exceptions are only logged. The calling process becomes a
    subreaper and treats its own children in other sessions as leftovers of a program."""

    def __init__(
        self,
        programs: Sequence[Program],
        *,
        logs: Path | None = None,
        tick: Callable[[Sequence[str]], None] | None = None,
        tick_seconds: float = 5.0,
    ) -> None:
        self._kept = [_Kept(program) for program in programs]
        self._logs = logs
        self._tick, self._tick_seconds, self._tick_due = tick, tick_seconds, 0.0
        self._width = max((len(program.name) for program in programs), default=0)
        self._asked, self._at_once = False, False
        self._unstarted: tuple[_Kept, str] | None = None
        self._selector = selectors.DefaultSelector()

    def wait(self) -> int:
        """Starts the programs and returns when they have been stopped, or one cannot start. Call it
        in the main thread. Returns 0 after SIGTERM, SIGINT or SIGHUP, and 1 if the first start of a
        program failed; the log then has its last lines. A SIGINT after the first signal kills all
        programs that still run."""
        adopt_orphans()
        if self._logs is not None:
            self._logs.mkdir(parents=True, exist_ok=True)
        with self._signals():
            try:
                while not self._stopping or self._runs():
                    now = time.monotonic()
                    self._start_or_stop(now)
                    if self._tick is not None and now >= self._tick_due:
                        self._tick_due = now + self._tick_seconds
                        try:
                            self._tick([run.program.name for run in self._runs() if run.pid])
                        except Exception:  # a failing heartbeat must not end the programs
                            logger.exception("The periodic work of the supervisor failed.")
                    self._listen()
            finally:
                # Cleans up after an exception of our own; after a stop nothing is left to kill.
                self._asked = self._at_once = True
                while self._runs():
                    self._start_or_stop(time.monotonic())
                    self._listen()
        self._selector.close()
        if self._unstarted is None:
            return 0
        kept, how = self._unstarted
        said = "".join(f"\n  {line}" for line in (kept.last.words if kept.last else []))
        logger.error("%s %s.%s", kept.program.name, how, said and f" Its last output:{said}")
        return 1

    @property
    def _stopping(self) -> bool:
        return self._asked or self._unstarted is not None

    def _start_or_stop(self, now: float) -> None:
        """Stops in reverse order; a program with `ready` waits until the later ones have ended."""
        running = self._runs()
        if self._at_once:
            for run in running:
                run.kill(now)
        if not self._stopping:
            for kept in self._kept:
                if kept.run is None and kept.due <= now:
                    self._start(kept, now)
                if not kept.was_ready and kept.run is not None and kept.run.pid is not None:
                    kept.was_ready = kept.program.ready is None or kept.program.ready()
                if not kept.was_ready:
                    if now >= kept.unready_at:
                        self._fail(kept, f"was not ready within {kept.program.ready_seconds:g} s")
                    return
            return
        for run in reversed(running):
            if run.program.ready is not None and run is not running[-1]:
                return
            run.stop(now)

    def _runs(self) -> list[ProgramRun]:
        return [kept.run for kept in self._kept if kept.run is not None]

    def _start(self, kept: _Kept, now: float) -> None:
        program = kept.program
        log = self._logs / f"{program.name}.log" if self._logs else None
        prefix = "" if log else f"{program.name:{self._width}} | "
        kept.unready_at = min(kept.unready_at, now + program.ready_seconds)
        try:
            kept.run = kept.last = ProgramRun(program, log, prefix)
        except OSError as error:  # no memory or no free process now
            self._plan(kept, 0, f"could not be run: {error}")
        else:
            self._selector.register(kept.run, selectors.EVENT_READ, kept)

    def _fail(self, kept: _Kept, how: str) -> None:
        if not self._stopping:
            self._unstarted = kept, how

    def _plan(self, kept: _Kept, ran: float, how: str) -> None:
        if self._stopping:
            return
        kept.pause = pause_after(ran, kept.pause)
        kept.due = time.monotonic() + kept.pause
        name = kept.program.name
        logger.warning("%s %s and is started again in %.1f s.", name, how, kept.pause)

    def _listen(self) -> None:
        now = time.monotonic()
        dues = [self._tick_due if self._tick else math.inf, now + LONGEST_WAIT]
        if self._stopping:
            dues += [now + READY_PAUSE]
        else:
            dues += [kept.due for kept in self._kept if kept.run is None and kept.due]
            if any(kept.run and not kept.was_ready for kept in self._kept):
                dues.append(now + READY_PAUSE)
        for key, _ in self._selector.select(max(0.0, min(dues) - now)):
            if isinstance(key.data, _Kept):
                self._hear(key.data)
            else:
                key.data.recv(1024)

    def _hear(self, kept: _Kept) -> None:
        """Reads what the keeper says, and goes on from the end of the run."""

        def adopted(table: Mapping[int, Process]) -> list[int]:
            """Children adopted from a killed keeper: not our keepers, and not in our session."""
            keepers, ours = {run.keeper_pid for run in self._runs()}, os.getsid(0)
            mine = children(os.getpid(), table)
            return [pid for pid in mine if pid not in keepers and table[pid].session != ours]

        if kept.run is None or kept.run.hear():
            return
        self._selector.unregister(kept.run)
        run, kept.run = kept.run, None
        # A program without `ready` counts as ready once it has run.
        if kept.program.ready is None and run.pid is not None:
            kept.was_ready = True
        run.close()
        if not run.clean and not kill_trees(adopted, KILL_SECONDS):
            logger.error("Processes of %s cannot be killed.", kept.program.name)
        # No signal ended it: it ended by itself or never ran.
        gave_up = run.failed is not None or (run.code is not None and run.code >= 0)
        if gave_up and not kept.was_ready:
            self._fail(kept, run.how)
        else:
            self._plan(kept, time.monotonic() - run.began, run.how)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        heard, ringing = socket.socketpair()
        with heard, ringing:
            heard.setblocking(False)
            ringing.setblocking(False)
            self._selector.register(heard, selectors.EVENT_READ, heard)
            awake = signal.set_wakeup_fd(ringing.fileno(), warn_on_full_buffer=False)
            asks = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]
            before = {which: signal.getsignal(which) for which in asks}
            if before[signal.SIGHUP] == signal.SIG_IGN:  # nohup
                del before[signal.SIGHUP]

            def note(which: int, _frame: FrameType | None) -> None:
                self._at_once = self._at_once or (self._asked and which == signal.SIGINT)
                self._asked = True

            for which in before:
                signal.signal(which, note)
            try:
                yield
            finally:
                for which, what in before.items():
                    signal.signal(which, what)
                signal.set_wakeup_fd(awake)
                self._selector.unregister(heard)
