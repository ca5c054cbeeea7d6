"""Keeps programs running, and stops them together."""

from __future__ import annotations

import logging
import math
import os
import selectors
import signal
import socket
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from evaluation.supervision.keeper import Entry, adopt_orphans, children, kill_trees
from evaluation.supervision.programs import KILL_SECONDS, Living, Program, ProgramRun, pause_after

logger = logging.getLogger(__name__)

READY_PAUSE, LONGEST_WAIT = 0.05, 1.0


class _Kept:
    def __init__(self, program: Program) -> None:
        self.program = program
        self.run: ProgramRun | None = None
        self.last: ProgramRun | None = None
        self.starts = 0
        self.due = 0.0
        self.pause = 0.0
        # It stays True across restarts: later programs do not wait for it again.
        self.was_ready = False
        self.unready_at = math.inf

    @property
    def living(self) -> Living | None:
        if self.run is None or self.run.pid is None:
            return None
        ran = time.monotonic() - self.run.began
        return Living(self.program.name, self.run.pid, ran, self.starts)

    def look_ready(self) -> bool:
        if not self.was_ready and self.run is not None and self.run.pid is not None:
            self.was_ready = self.program.ready is None or self.program.ready()
        return self.was_ready


class Supervisor:
    """Runs programs in order and restarts those that end. With `logs`, each program's output goes
    to `<logs>/<name>.log`, else to our own output. `tick` is called about every `tick_seconds`; its
    exceptions are only logged. The calling process becomes a subreaper and treats its own children
    in other sessions as leftovers of a program."""

    def __init__(
        self,
        programs: Sequence[Program],
        *,
        logs: Path | None = None,
        tick: Callable[[Sequence[Living]], None] | None = None,
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
                            self._tick([living for kept in self._kept if (living := kept.living)])
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
                if not kept.look_ready():
                    if now >= kept.unready_at:
                        seconds = kept.program.ready_seconds
                        self._fail(kept, f"was not ready within {seconds:g} s")
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
        kept.starts += 1
        if kept.starts == 1:
            kept.unready_at = now + program.ready_seconds
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
            dues += [kept.due for kept in self._kept if kept.run is None and kept.starts]
            if any(kept.run and not kept.was_ready for kept in self._kept):
                dues.append(now + READY_PAUSE)
        for key, _ in self._selector.select(max(0.0, min(dues) - now)):
            if isinstance(key.data, _Kept):
                self._hear(key.data)
            else:
                key.data.recv(1024)

    def _hear(self, kept: _Kept) -> None:
        """Reads what the keeper says, and goes on from the end of the run."""

        def adopted(table: Mapping[int, Entry]) -> list[int]:
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
        if run.gave_up and not kept.was_ready:
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
