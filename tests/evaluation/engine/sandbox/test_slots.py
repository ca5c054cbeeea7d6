"""At most one run per slot, exclusive runs are exclusive, and dead processes hold no slot."""

import fcntl
import multiprocessing
import os
import resource
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox.slots import Look, Slots, Stretch, Use

SPAWNED = multiprocessing.get_context("spawn")


def hold(folder: Path, count: int, how: str, kind: str, share: str, end: Connection) -> None:
    """The work of another process: holds a slot by the method `how` until it is told to release
    it."""
    with getattr(Slots(folder, count, kind=kind, share=share), how)():
        end.send("held")
        end.recv()


@contextmanager
def held_elsewhere(
    folder: Path, count: int, how: str, kind: str = "", share: str = ""
) -> Iterator[Callable[[], None]]:
    """Another process holds a slot by the method `how`; yields a function that kills it."""
    ours, theirs = SPAWNED.Pipe()
    process = SPAWNED.Process(target=hold, args=(folder, count, how, kind, share, theirs))
    process.start()
    theirs.close()
    assert ours.recv() == "held"
    try:
        yield process.kill
    finally:
        with suppress(BrokenPipeError):
            ours.send("release")
        process.join()


@contextmanager
def waiting_elsewhere(folder: Path) -> Iterator[SpawnProcess]:
    """Another process waits for the only slot."""
    ours, theirs = SPAWNED.Pipe()
    process = SPAWNED.Process(target=hold, args=(folder, 1, "one", "", "", theirs))
    process.start()
    assert until(lambda: any((folder / "waiting").iterdir()))
    try:
        yield process
    finally:
        process.kill()
        process.join()
        ours.close()


def until(true: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while not true() and time.monotonic() < deadline:
        time.sleep(0.01)
    return true()


def in_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def taking(slots: Slots, how: str) -> threading.Thread:
    """A thread that takes a slot by the method `how` once and gives it back."""

    def take() -> None:
        with getattr(slots, how)():
            pass

    return in_thread(take)


def waits(thread: threading.Thread) -> bool:
    thread.join(0.3)
    return thread.is_alive()


def ends(thread: threading.Thread) -> bool:
    thread.join(10)
    return not thread.is_alive()


def test_as_many_as_there_are_slots_and_no_more_and_alone_waits_for_all(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 2)
    with held_elsewhere(tmp_path, 2, "one"):
        with slots.one():
            third = taking(slots, "one")
            assert waits(third)
        assert ends(third)
        alone = taking(slots, "alone")
        assert waits(alone)
    assert ends(alone)


def test_a_killed_holder_gives_its_slot_back(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 1)
    for how in ("one", "alone"):
        with held_elsewhere(tmp_path, 1, how) as kill:
            waiting = taking(slots, "one")
            assert waits(waiting)
            kill()
            assert ends(waiting)


def test_alone_is_not_starved_by_a_stream_of_others(tmp_path: Path) -> None:
    stop = threading.Event()

    def busy() -> None:
        slots = Slots(tmp_path, 2)
        while not stop.is_set():
            with slots.one():
                time.sleep(0.01)

    others = [in_thread(busy) for _ in range(6)]
    try:
        assert all(ends(taking(Slots(tmp_path, 2), "alone")) for _ in range(5))
    finally:
        stop.set()
        assert all(ends(other) for other in others)


@pytest.mark.parametrize("held", ["one", "alone"])
@pytest.mark.parametrize("asked", ["one", "alone"])
def test_who_is_stopped_waits_no_longer(tmp_path: Path, held: str, asked: str) -> None:
    stop, told = threading.Event(), list[str]()

    def take() -> None:
        try:
            with getattr(Slots(tmp_path, 1), asked)(stop.is_set):
                told.append("taken")
        except SandboxError as error:
            told.append(str(error))

    with held_elsewhere(tmp_path, 1, held):
        waiting = in_thread(take)
        assert waits(waiting)
        stop.set()
        assert ends(waiting)
        assert told == ["Stopped."]
    # What the thread held while it waited is free again.
    assert ends(taking(Slots(tmp_path, 1), "alone"))


def test_one_at_a_time_among_threads_with_a_single_slot(tmp_path: Path) -> None:
    slots, inside, most = Slots(tmp_path, 1), [0], [0]

    def work() -> None:
        for how in ("one", "alone", "one"):
            with getattr(slots, how)():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                time.sleep(0.005)
                inside[0] -= 1

    assert all(ends(thread) for thread in [in_thread(work) for _ in range(5)])
    assert most == [1]


def test_an_error_inside_gives_the_slot_back(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 1)
    for how in ("one", "alone"):
        try:
            with getattr(slots, how)():
                raise RuntimeError(how)
        except RuntimeError:
            assert ends(taking(slots, "alone"))


def test_the_folder_is_the_users_own(tmp_path: Path) -> None:
    Slots(tmp_path / "a" / "b", 1)
    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_a_stretch_keeps_its_slot_for_the_runs_that_start_in_time(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 1)
    stretch = Stretch(slots.one, 0.2, lambda: False)
    stretch.go_on()
    runs = stretch.of(iter("abc"))
    assert [next(runs), next(runs)] == ["a", "b"]
    stretch.rest()
    waiting = taking(slots, "one")
    time.sleep(0.25)
    assert list(runs) == []
    assert waiting.is_alive()
    stretch.rest()
    assert ends(waiting)


@pytest.mark.parametrize(("seconds", "how", "runs"), [(0.0, "rest", "a"), (10.0, "end", "ab")])
def test_a_stretch_has_at_least_one_run_and_begins_anew(
    tmp_path: Path, seconds: float, how: str, runs: str
) -> None:
    slots = Slots(tmp_path, 1)
    stretch = Stretch(slots.one, seconds, lambda: False)
    for _ in range(2):
        stretch.go_on()
        assert list(stretch.of(iter("ab"))) == [*runs]
        getattr(stretch, how)()
        with slots.alone():
            pass


def use(kind: str, share: str = "", since: float = 0.0, **how: bool) -> Use:
    return Use(kind, share, since, name=f"{kind} {share} {since}", **how)


# Two processors; the time is 5 seconds, and each use began at 0 unless `since` says otherwise.
@pytest.mark.parametrize(
    ("held", "asked", "numbers"),
    [
        ({}, [use("python")], [0]),
        ({0: use("python")}, [use("python")], [1]),
        ({0: use("python"), 1: use("python")}, [use("python")], []),
        ({0: use("python"), 1: use("python")}, [use("projects")], [2]),
        ({0: use("python"), 1: use("java")}, [use("projects")], [2]),
        ({0: use("python"), 1: use("projects")}, [use("projects")], []),
        # A slot is kept for the first caller that may take it.
        ({0: use("python")}, [use("python", since=1), use("java")], []),
        ({0: use("python")}, [use("python", since=1), use("java", since=2)], [1]),
        ({0: use("python"), 1: use("python")}, [use("projects"), use("python")], [2]),
        ({0: use("python"), 1: use("python")}, [use("projects", since=2), use("java")], []),
    ],
)
def test_the_spare_slot_is_for_a_kind_that_has_none(
    held: dict[int, Use], asked: list[Use], numbers: list[int]
) -> None:
    mine = asked[0]
    assert list(Look(5.0, 2, held, asked).granted(mine)) == numbers


def test_a_free_slot_is_for_the_share_with_the_least_slot_time() -> None:
    early, late = use("python", "a", 1), use("python", "b", 2)
    used = {"a": 10.0, "b": 9.0}
    look = Look(5.0, 1, {}, [early, late], used=used)
    assert (look.granted(early), look.granted(late)) == ((), (0,))
    # A slot that is still held counts too.
    look = Look(5.0, 2, {1: use("python", "b", 3)}, [early, late], used=used)
    assert (look.granted(early), look.granted(late)) == ((0,), ())


def test_a_slot_that_was_given_back_is_kept_for_a_share_with_less_slot_time() -> None:
    mine, used = use("python", "a", 1), {"a": 10.0, "b": 9.0}
    left = [use("python", "b", 4.9)]
    assert Look(5.0, 1, {}, [mine], left, used).granted(mine) == ()
    assert Look(5.0, 1, {}, [mine], left, {"a": 8.0, "b": 9.0}).granted(mine) == (0,)
    assert Look(5.0, 2, {}, [mine], left, used).granted(mine) == (1,)


def test_an_exclusive_run_closes_the_gate_after_one_stretch_and_in_its_turn() -> None:
    mine, other = use("python", "a", 1.0, alone=True), use("python", "b", 2.0)
    held = {0: use("python", "b", 0.0)}

    def may_close(now: float, a: float, b: float = 0.0) -> bool:
        return Look(now, 2, held, [mine, other], used={"a": a, "b": b}).may_close(mine)

    assert not may_close(2.9, a=0.0)
    assert may_close(3.0, a=0.0)
    assert not may_close(3.0, a=5.0)
    assert may_close(6.0, a=5.0)


def test_a_closed_gate_lets_short_work_start_while_a_long_run_goes_on() -> None:
    closing = use("python", "a", 0.0, alone=True, closing=True)
    short, long = use("java", "b", 1.0), use("projects", "c", 1.0)
    asked = [closing, short, long]
    for held, starts in (({0: long}, (1,)), ({0: use("python")}, ())):
        look = Look(5.0, 2, held, asked)
        assert (look.granted(short), look.granted(long)) == (starts, ())
    assert list(Look(5.0, 2, {}, asked).granted(closing)) == [0, 1, 2]


def test_the_spare_slot_serves_another_kind_in_another_process(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path, 1, "one", "python"):
        assert waits(taking(Slots(tmp_path, 1, kind="python"), "one"))
        with held_elsewhere(tmp_path, 1, "one", "projects"):
            java = taking(Slots(tmp_path, 1, kind="java"), "one")
            assert waits(java)
        assert ends(java)


def test_shares_get_equal_slot_time_however_long_their_runs_take(tmp_path: Path) -> None:
    stop, spent = threading.Event(), defaultdict[str, float](float)

    def work(share: str, seconds: float) -> None:
        slots = Slots(tmp_path, 1, kind="python", share=share)
        while not stop.is_set():
            with slots.one():
                began = time.monotonic()
                time.sleep(seconds)
                spent[share] += time.monotonic() - began

    workers = [("slow", 0.4), ("slow", 0.4), ("slow", 0.4), ("quick", 0.02)]
    threads = [in_thread(partial(work, *worker)) for worker in workers]
    time.sleep(6)
    stop.set()
    assert all(ends(thread) for thread in threads)
    # Each pause of the machine between two short runs lets the other share begin a long run.
    assert spent["quick"] > 0.4 * spent["slow"]


@pytest.mark.parametrize("sent", [signal.SIGKILL, signal.SIGSTOP])
def test_a_killed_or_suspended_process_that_waits_holds_nobody_up(
    tmp_path: Path, sent: signal.Signals
) -> None:
    with held_elsewhere(tmp_path, 1, "one") as kill_holder, waiting_elsewhere(tmp_path) as first:
        second = taking(Slots(tmp_path, 1), "one")
        assert waits(second)
        assert first.pid is not None
        os.kill(first.pid, sent)
        kill_holder()
        assert ends(second)
    assert sent is signal.SIGSTOP or [*(tmp_path / "waiting").iterdir()] == []


def test_a_process_that_is_suspended_at_any_point_holds_nobody_up(tmp_path: Path) -> None:
    Slots(tmp_path, 1)
    with (tmp_path / "mutex").open("w") as suspended:
        fcntl.flock(suspended, fcntl.LOCK_EX)
        for how in ("one", "alone", "one"):
            assert ends(taking(Slots(tmp_path, 1), how))


@pytest.mark.parametrize("content", ["", "{}", '{"used"', '{"used": {}, "left": [{}]}'])
def test_a_damaged_record_of_shares_is_forgotten(tmp_path: Path, content: str) -> None:
    slots = Slots(tmp_path, 1)
    (tmp_path / "shares.json").write_text(content)
    for _ in range(2):
        with slots.one():
            pass


def test_a_full_disk_keeps_no_slot(tmp_path: Path) -> None:
    folder = tmp_path / "slots"
    Slots(folder, 1)
    for name in ("mutex", "slot-0", "slot-1"):
        (folder / name).touch()
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
        slots = Slots(folder, 1)
        for how in ("one", "alone", "one"):
            assert ends(taking(slots, how))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


def test_what_is_waited_for_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    mine = Slots(tmp_path, 1, kind="python", share="mine", say=said.append)
    sentence = "Waiting for a free slot on this host: 2 of 2 in use."
    with (
        held_elsewhere(tmp_path, 1, "one", "python", "theirs"),
        held_elsewhere(tmp_path, 1, "one", "java", "others"),
    ):
        waiting = taking(mine, "one")
        assert waits(waiting)
        assert said == []
        assert until(lambda: bool(said))
        assert waits(waiting)
        assert said == [sentence]
        assert (wait := mine.wait) is not None
        assert (wait.message, wait.shares) == (sentence, ("others", "theirs"))
        monkeypatch.setattr("evaluation.engine.sandbox.slots.SAID_AGAIN_SECONDS", 0.1)
        assert until(lambda: len(said) > 2)
        assert {*said} == {sentence}
    assert ends(waiting)
    assert mine.wait is None


def test_the_slots_of_a_host_are_told_with_their_holders(tmp_path: Path) -> None:
    with held_elsewhere(tmp_path, 2, "one", share="submission 7"):
        assert Slots(tmp_path, 2).in_use() == (3, 1, ("submission 7",))
    assert Slots(tmp_path, 2).in_use() == (3, 0, ())
