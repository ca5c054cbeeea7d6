"""At most one run per slot, exclusive runs are exclusive, and dead processes hold no slot."""

from __future__ import annotations

import multiprocessing
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.sandbox.slots import Slots, Stretch

SPAWNED = multiprocessing.get_context("spawn")


def hold(folder: Path, count: int, how: str, end: Connection) -> None:
    """The work of another process: takes what `how` says until it is released."""
    with getattr(Slots(folder, count), how)():
        end.send("held")
        end.recv()


@contextmanager
def held_elsewhere(folder: Path, count: int, how: str) -> Iterator[Callable[[], None]]:
    """Another process holds `how`; yields what kills it."""
    ours, theirs = SPAWNED.Pipe()
    process = SPAWNED.Process(target=hold, args=(folder, count, how, theirs))
    process.start()
    theirs.close()
    assert ours.recv() == "held"
    try:
        yield process.kill
    finally:
        with suppress(BrokenPipeError):
            ours.send("release")
        process.join()


def in_thread(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def taking(slots: Slots, how: str) -> threading.Thread:
    """A thread that takes it once and lets go."""

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


def test_as_many_as_there_are_slots_and_no_more(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 2)
    with held_elsewhere(tmp_path, 2, "one"):
        with slots.one():
            third = taking(slots, "one")
            assert waits(third)
        assert ends(third)


def test_alone_waits_until_others_have_ended(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 2)
    with held_elsewhere(tmp_path, 2, "one"):
        alone = taking(slots, "alone")
        assert waits(alone)
    assert ends(alone)


def test_alone_keeps_newcomers_out(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 2)
    with held_elsewhere(tmp_path, 2, "alone"):
        newcomer, second = taking(slots, "one"), taking(slots, "alone")
        assert waits(newcomer)
        assert waits(second)
    assert ends(newcomer)
    assert ends(second)


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


def test_who_asks_again_at_once_does_not_starve_who_waits(tmp_path: Path) -> None:
    stop, turns = threading.Event(), Counter[str]()

    def work(name: str, pause: float) -> None:
        slots = Slots(tmp_path, 1)
        while not stop.is_set():
            with slots.one():
                turns[name] += 1
                time.sleep(0.02)
            time.sleep(pause)

    # The second one waits as long as it takes a pause to end, each time.
    others = [in_thread(partial(work, name, pause)) for name, pause in (("a", 0), ("b", 0.001))]
    time.sleep(2)
    stop.set()
    assert all(ends(other) for other in others)
    assert turns["b"] > 0.6 * turns["a"]


@pytest.mark.parametrize(("held", "asked"), [("one", "one"), ("alone", "one"), ("one", "alone")])
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
    # What it held on to meanwhile is free again.
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


def test_a_stretch_keeps_its_slot_for_so_many_runs(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 1)
    stretch = Stretch(slots.one, 3, lambda: False)
    stretch.go_on()
    assert list(stretch.of(iter("ab"))) == ["a", "b"]
    stretch.rest()
    stretch.go_on()
    waiting = taking(slots, "alone")
    assert list(stretch.of(iter("cde"))) == ["c"]
    waiting.join(0.1)
    assert waiting.is_alive()
    stretch.rest()
    waiting.join(10)
    assert not waiting.is_alive()


def test_a_stretch_that_is_ended_begins_anew(tmp_path: Path) -> None:
    slots = Slots(tmp_path, 1)
    stretch = Stretch(slots.one, 2, lambda: False)
    for _ in range(2):
        stretch.go_on()
        assert list(stretch.of(iter("abc"))) == ["a", "b"]
        stretch.end()
        with slots.alone():
            pass
