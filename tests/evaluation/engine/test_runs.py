"""Many workers: every case once, an error ends all, nothing is left behind."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.records import Case, Outcome, Status
from evaluation.engine.runs import Run

from .scripted import FAMILY, World, case, truthful


@pytest.fixture(autouse=True)
def _threads_end() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before


def run_of(world: World, workers: int = 2) -> Run:
    return Run(FAMILY, world.open, world.slots, workers=workers, patience=0.2)


def cases(count: int) -> list[Case]:
    return [case(f"{'bad' if n % 4 == 0 else 'right'} {n}", n) for n in range(count)]


@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 100, 701])
def test_every_case_gets_one_verdict(count: int, workers: int) -> None:
    world, done = World(), Counter[str]()
    lock = threading.Lock()

    def count_one() -> None:
        with lock:
            done["done"] += 1

    verdicts = [
        v for batch in run_of(world, workers).verdicts(cases(count), count_one) for v in batch
    ]
    assert sorted(v.key.sample for v in verdicts) == list(range(count))
    assert all((v.status is Status.FAILED) == (v.key.sample % 4 == 0) for v in verdicts)
    assert done["done"] == count
    assert world.left_open == []


def test_the_work_is_shared() -> None:
    def script(number: int, text: str) -> Outcome:
        time.sleep(0.001)
        return truthful(number, text)

    world = World(script)
    list(run_of(world, 3).verdicts(cases(300)))
    assert all(sum(n == number for n, *_ in world.ran) > 30 for number in range(3))


def test_an_error_of_one_worker_ends_all() -> None:
    def script(number: int, text: str) -> Outcome | Exception:
        time.sleep(0.001)
        return ValueError("a bug") if text == "right 99" else truthful(number, text)

    world = World(script)
    with pytest.raises(ValueError, match="a bug"):
        list(run_of(world).verdicts(cases(2000)))
    assert world.left_open == []
    assert world.slots.holders == 0
    assert len(world.ran) < 2000


def test_sandboxes_that_cannot_be_had_are_an_error() -> None:
    world = World(refusals=[SandboxError("none to be had")] * 1000)
    with pytest.raises(SandboxError, match="none to be had"):
        list(run_of(world).verdicts(cases(50)))


def test_who_stops_iterating_leaves_nothing() -> None:
    def script(number: int, text: str) -> Outcome:
        time.sleep(0.002)
        return truthful(number, text)

    world = World(script)
    verdicts = run_of(world).verdicts(cases(3000))
    next(verdicts)
    verdicts.close()  # type: ignore[attr-defined]
    assert world.left_open == []
    assert len(world.ran) < 3000


def test_who_is_interrupted_leaves_nothing() -> None:
    world = World()
    with pytest.raises(KeyboardInterrupt):
        for _ in run_of(world).verdicts(cases(3000)):
            raise KeyboardInterrupt
    deadline = time.monotonic() + 5
    while world.left_open and time.monotonic() < deadline:
        time.sleep(0.01)
    assert world.left_open == []


def test_what_counts_progress_may_fail_and_ends_the_run() -> None:
    world = World()

    def broken() -> None:
        raise RuntimeError("the terminal is gone")

    with pytest.raises(RuntimeError, match="terminal"):
        list(run_of(world).verdicts(cases(100), broken))
    assert world.left_open == []
