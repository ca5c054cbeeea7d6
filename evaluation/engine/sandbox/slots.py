"""Host slots: over all processes of a host, one run per processor works at a time, and one more of
a kind of work that has no slot. A free slot goes to the share that used the least slot time.

Advisory file locks, so that a process that dies releases its slot and its ticket: a file's content
counts only while the file is locked. Only the shares' slot time outlives a process. A caller polls,
because it cannot wait for the first free lock of several."""

import fcntl
import json
import math
import os
import secrets
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import NamedTuple, TypeVar

from evaluation.engine.errors import give_up_if
from evaluation.engine.family import ByExecution
from evaluation.engine.sandbox import texts
from evaluation.engine.texts import Message

PAUSE_SECONDS, MUTEX_PAUSE_SECONDS = 0.002, 0.0005
# A waiting caller looks at each release, and after this time, because a holder may have died.
LOOK_SECONDS = 0.05
# Seconds in which a share that gave a slot back may ask again before another share gets the slot,
# as between batches.
RETURN_SECONDS = 0.05
# Seconds after which a ticket whose process did not look, such as a suspended one, holds nobody up.
SILENT_SECONDS = 1.0
# Seconds after which no further run of a function starts in a slot, and after which an exclusive
# run closes the gate.
STRETCH_SECONDS = 2.0
# Seconds after which a wait is reported, and after which a command reports one again.
LONG_WAIT_SECONDS = 3.0
SAID_AGAIN_SECONDS = 60.0
# The kind of work whose single runs may take minutes.
PROJECTS = "projects"
Stopped = Callable[[], bool]
_Run = TypeVar("_Run")


def default_folder() -> Path:
    return Path(tempfile.gettempdir()) / f"assay-slots-{os.getuid()}"


def kind_of(judged: ByExecution) -> str:
    return judged.image if judged.projects is None else PROJECTS


@dataclass(frozen=True, slots=True)
class Use:
    """A slot that is held, asked for or was just given back, since a time.monotonic().

    alone: asks for all slots. closing: keeps other callers from starting.
    """

    kind: str
    share: str
    since: float
    alone: bool = False
    closing: bool = False
    name: str = ""


@dataclass(frozen=True, slots=True)
class Look:
    """The slots at one moment. Slots below number `processors` are for any work; slot `processors`
    is for a kind of work that holds none. `used` is the slot time of the shares in seconds."""

    now: float
    processors: int
    held: Mapping[int, Use]
    asked: Sequence[Use]
    left: Sequence[Use] = ()
    used: Mapping[str, float] = field(default_factory=dict)

    def slot_time(self, share: str) -> float:
        running = (self.now - use.since for use in self.held.values() if use.share == share)
        return self.used.get(share, 0.0) + sum(running)

    @property
    def holders(self) -> tuple[str, ...]:
        return tuple(sorted({use.share for use in self.held.values() if use.share}))

    def granted(self, mine: Use) -> Sequence[int]:
        """The slots that this caller may take now."""
        if mine.alone:
            return () if self.held or not self._is_first(mine) else range(self.processors + 1)
        free = [number for number in range(self.processors) if number not in self.held]
        kinds = {use.kind for use in self.held.values()}
        spare = self.processors not in self.held
        left = (use for use in self.left if use.share != mine.share)
        rivals = [use for use in (*self.asked, *left) if not use.alone]
        if any(use.closing for use in self.asked):
            # While a long run goes on, a closing exclusive run lets short work start: otherwise the
            # whole host would wait for the long run.
            rivals = [use for use in rivals if PROJECTS in kinds and use.kind != PROJECTS]
        for use in sorted(rivals, key=self._turn):
            if free:
                number = free.pop(0)
            elif spare and use.kind not in kinds:
                number, spare = self.processors, False
            else:
                continue
            if use is mine:
                return (number,)
            kinds.add(use.kind)
        return ()

    def may_close(self, mine: Use) -> bool:
        """Whether an exclusive run has waited for one stretch, and its share is next."""
        waited = self.now - mine.since >= STRETCH_SECONDS
        return mine.alone and not mine.closing and waited and self._is_first(mine)

    def _is_first(self, mine: Use) -> bool:
        closing = [use for use in self.asked if use.closing]
        return min(closing or self.asked, key=self._turn) is mine

    def _turn(self, use: Use) -> tuple[float, float]:
        return self.slot_time(use.share), use.since


class Wait(NamedTuple):
    """`shares` are those that hold slots."""

    seconds: float
    message: Message
    shares: tuple[str, ...]


class _Folder:
    """The files. Every method holds the mutex for about a millisecond.

    slot-<number>, waiting/<name>: each is locked by a process and holds its Use.
    shares.json: slot time by share, and the slots that were just given back.
    """

    def __init__(self, path: Path, processors: int) -> None:
        self._path, self._processors = path, processors
        self._waiting, self._shares = path / "waiting", path / "shares.json"
        for folder in (path, self._waiting):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    @contextmanager
    def _mutex(self) -> Iterator[None]:
        """Takes the mutex from a holder that is suspended. Two holders at a time can only be
        unfair: each slot has its own lock."""
        path, deadline = self._path / "mutex", time.monotonic() + SILENT_SECONDS
        while (fd := _locked(path)) is None:
            if time.monotonic() > deadline:
                path.unlink(missing_ok=True)
                deadline += SILENT_SECONDS
            time.sleep(MUTEX_PAUSE_SECONDS)
        try:
            yield
        finally:
            os.close(fd)

    @property
    def last_change(self) -> tuple[int, int] | None:
        """Differs after each release."""
        try:
            status = self._shares.stat()
        except FileNotFoundError:
            return None
        return status.st_ino, status.st_mtime_ns

    def look(self) -> Look:
        with self._mutex():
            return self._look(time.monotonic())

    def ask(self, mine: Use) -> int:
        """Returns the descriptor of the caller's ticket."""
        with self._mutex():
            look = self._look(time.monotonic())
            active = {use.share for use in (*look.held.values(), *look.asked, *look.left)}
            used, left = dict(look.used), [*look.left]
            if mine.share in active:
                returned = next((use for use in left if use.share == mine.share), None)
                if returned is not None:
                    left.remove(returned)
            else:
                # A newcomer has no credit for the time in which it did not ask.
                least = min(map(look.slot_time, active), default=0.0)
                used = {s: t for s, t in used.items() if active and (s in active or t > least)}
                used[mine.share] = max(used.get(mine.share, 0.0), least)
            self._keep(used, left)
            fd = _opened(self._waiting / mine.name)
            fcntl.flock(fd, fcntl.LOCK_EX)
            _write(fd, mine)
            return fd

    def take(self, ticket: int, mine: Use) -> tuple[Look, Use, dict[int, int]]:
        """Returns the slots' state, the renewed request, and the descriptors of the slots, if any,
        by number. The ticket is gone then."""
        with self._mutex():
            os.utime(ticket)
            look = self._look(time.monotonic(), mine)
            if look.may_close(mine):
                mine = replace(mine, closing=True)
                _write(ticket, mine)
            taken: dict[int, int] = {}
            for number in look.granted(mine):
                taken[number] = fd = _opened(self._path / f"slot-{number}")
                fcntl.flock(fd, fcntl.LOCK_EX)
                _write(fd, replace(mine, since=look.now))
            if taken:
                (self._waiting / mine.name).unlink(missing_ok=True)
            return look, mine, taken

    def give_up(self, ticket: int, mine: Use) -> None:
        with self._mutex():
            (self._waiting / mine.name).unlink(missing_ok=True)
            os.close(ticket)

    def give_back(self, mine: Use, fds: Iterable[int], seconds: float) -> None:
        with self._mutex():
            now = time.monotonic()
            used, left = self._recorded(now)
            used[mine.share] = used.get(mine.share, 0.0) + seconds
            if not mine.alone:
                left.append(replace(mine, since=now))
            self._keep(used, left)
            for fd in fds:
                os.close(fd)

    def _look(self, now: float, *mine: Use) -> Look:
        used, left = self._recorded(now)
        held = {
            number: use
            for number in range(self._processors + 1)
            if (use := _use_of(self._path / f"slot-{number}", now)) is not None
        }
        requests = [*mine]
        for path in self._waiting.iterdir():
            use = _use_of(path, now)
            if use is None:
                path.unlink(missing_ok=True)
            elif use.name not in {request.name for request in mine}:
                with suppress(FileNotFoundError):
                    if time.time() - path.stat().st_mtime < SILENT_SECONDS:
                        requests.append(use)
        return Look(now, self._processors, held, requests, left, used)

    def _recorded(self, now: float) -> tuple[dict[str, float], list[Use]]:
        try:
            stored = json.loads(self._shares.read_bytes())
            used, left = dict(stored["used"]), [Use(**entry) for entry in stored["left"]]
        except (FileNotFoundError, ValueError, TypeError, KeyError):
            return {}, []
        # A time in the future is from an earlier boot.
        return used, [use for use in left if 0 <= now - use.since < RETURN_SECONDS]

    def _keep(self, used: Mapping[str, float], left: Sequence[Use]) -> None:
        """Does nothing on a full disk: slots are given back nonetheless, but shares are less
        fair."""
        new = self._shares.with_suffix(".new")
        with suppress(OSError):
            new.write_text(json.dumps({"used": used, "left": [asdict(use) for use in left]}))
            new.replace(self._shares)


def _opened(path: Path) -> int:
    # A new descriptor each time: locks on a shared descriptor do not exclude each other.
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)


def _locked(path: Path) -> int | None:
    """Returns None if another descriptor holds the lock."""
    fd = _opened(path)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(fd)
        return None
    return fd


def _write(fd: int, use: Use) -> None:
    """Writes nothing on a full disk: then only the lock counts."""
    with suppress(OSError):
        os.ftruncate(fd, 0)
        os.pwrite(fd, json.dumps(asdict(use)).encode(), 0)


def _use_of(path: Path, now: float) -> Use | None:
    """Returns None if no living process has locked the file."""
    fd = _locked(path)
    if fd is not None:
        os.close(fd)
        return None
    try:
        return Use(**json.loads(path.read_bytes()))
    except (OSError, ValueError, TypeError):  # a full disk
        return Use("", "", now)


class Slots:
    """The slots as one share uses them for one kind of work. Thread-safe.

    count: the number of slots for any work, by default one per processor that this process may use.
    kind: functions of a language, or PROJECTS. share: the submission, run or command, as staff see
    it; its slot time is compared with that of others. say: gets a sentence about a long wait, now
    and then.
    """

    def __init__(
        self,
        folder: Path | None = None,
        count: int | None = None,
        *,
        kind: str = "",
        share: str = "",
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._number = count or len(os.sched_getaffinity(0))
        self._folder = _Folder(folder or default_folder(), self._number)
        self._kind, self._share, self._say = kind, share, say
        self._said = -math.inf
        self._waits: dict[str, Wait] = {}
        self._holding = 0
        self._guard = threading.Lock()

    @property
    def wait(self) -> Wait | None:
        """The longest wait, if it is long and no thread of the caller has a slot."""
        with self._guard:
            longest = None if self._holding else max(self._waits.values(), default=None)
        return None if longest is None or longest.seconds < LONG_WAIT_SECONDS else longest

    def in_use(self) -> tuple[int, int, tuple[str, ...]]:
        """The host's number of slots, the number that is held, and the shares that hold them."""
        look = self._folder.look()
        return look.processors + 1, len(look.held), look.holders

    def _tell(self, look: Look, mine: Use) -> None:
        if mine.alone:
            text = texts.WAITS_FOR_ALL
        elif any(use.closing for use in look.asked):
            text = texts.WAITS_FOR_EXCLUSIVE
        elif len(look.held) > look.processors:
            text = texts.WAITS_FOR_SLOT
        else:
            text = texts.WAITS_FOR_SHARE
        message = text(used=len(look.held), slots=look.processors + 1)
        with self._guard:
            self._waits[mine.name] = Wait(look.now - mine.since, message, look.holders)
        now, longest = time.monotonic(), self.wait
        if longest is not None and now - self._said >= SAID_AGAIN_SECONDS:
            self._said = now
            self._say(longest.message)

    def one(self, stopped: Stopped = lambda: False) -> AbstractContextManager[None]:
        """Raises SandboxError if stopped before a slot is free."""
        return self._held(stopped, alone=False)

    def alone(self, stopped: Stopped = lambda: False) -> AbstractContextManager[None]:
        """Waits until no slot is taken, then holds all. Raises SandboxError if stopped before."""
        return self._held(stopped, alone=True)

    @contextmanager
    def _held(self, stopped: Stopped, *, alone: bool) -> Iterator[None]:
        name = f"{os.getpid()}-{secrets.token_hex(8)}"
        mine = Use(self._kind, self._share, time.monotonic(), alone=alone, name=name)
        ticket = self._folder.ask(mine)
        try:
            while True:
                change, looked = self._folder.last_change, time.monotonic()
                look, mine, taken = self._folder.take(ticket, mine)
                if taken:
                    with self._guard:
                        self._holding += 1
                    break
                give_up_if(stopped)
                self._tell(look, mine)
                while time.monotonic() - looked < LOOK_SECONDS:
                    time.sleep(PAUSE_SECONDS)
                    if self._folder.last_change != change:
                        break
        finally:
            with self._guard:
                self._waits.pop(mine.name, None)
            self._folder.give_up(ticket, mine)
        began = time.monotonic()
        try:
            yield
        finally:
            with self._guard:
                self._holding -= 1
            seconds = (time.monotonic() - began) * (self._number if alone else 1)
            self._folder.give_back(mine, taken.values(), seconds)


class Stretch:
    """Keeps a slot for the runs that start within `seconds`, at least one, so that not each of them
    waits for a slot."""

    def __init__(
        self,
        one: Callable[[Stopped], AbstractContextManager[None]],
        seconds: float,
        stopped: Stopped,
    ) -> None:
        self._one, self._seconds, self._stopped = one, seconds, stopped
        self._held = ExitStack()
        self._until: float | None = None
        self._used = False

    def go_on(self) -> None:
        """Waits for a slot if none is held. Raises SandboxError if stopped before one is free."""
        if self._until is None:
            self._held.enter_context(self._one(self._stopped))
            self._until, self._used = time.monotonic() + self._seconds, False

    def _lasts(self) -> bool:
        return self._until is not None and (not self._used or time.monotonic() < self._until)

    def of(self, runs: Iterator[_Run]) -> Iterator[_Run]:
        while self._lasts() and (run := next(runs, None)) is not None:
            self._used = True
            yield run

    def rest(self) -> None:
        if not self._lasts():
            self.end()

    def end(self) -> None:
        self._until = None
        self._held.close()
