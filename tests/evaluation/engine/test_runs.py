"""Tests of judging with many workers: each case is judged once, an error ends all, nothing is
left."""

import threading
import time
from collections import Counter
from collections.abc import Iterator

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.records import Case, Outcome, Status, Verdict
from evaluation.engine.runs import judge_cases
from tests.support.commands import wait_for

from .scripted import World, case, gone, truthful


@pytest.fixture(autouse=True)
def _threads_end() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before


def settled(world: World, count: int, workers: int = 2) -> list[Verdict]:
    found: list[Verdict] = []
    judge_cases(world.workplace(workers), cases(count), found.extend)
    return found


def cases(count: int) -> list[Case]:
    return [case(f"{'bad' if n % 4 == 0 else 'right'} {n}", n) for n in range(count)]


def unhurried(number: int, text: str) -> Outcome:
    time.sleep(0.001)
    return truthful(number, text)


@pytest.mark.parametrize("workers", [1, 5])
@pytest.mark.parametrize("count", [0, 1, 8, 9, 701])
def test_every_case_gets_one_verdict(count: int, workers: int) -> None:
    world, done = World(), Counter[str]()
    lock = threading.Lock()

    def count_one() -> None:
        with lock:
            done["done"] += 1

    verdicts: list[Verdict] = []
    judge_cases(world.workplace(workers), cases(count), verdicts.extend, count_one)
    assert sorted(v.key.sample for v in verdicts) == list(range(count))
    assert all((v.status is Status.FAILED) == (v.key.sample % 4 == 0) for v in verdicts)
    assert done["done"] == count
    assert world.left_open == []


def test_the_work_is_shared() -> None:
    world = World(unhurried)
    settled(world, 300, 3)
    assert all(sum(n == number for n, *_ in world.ran) > 30 for number in range(3))


def test_an_error_of_one_worker_ends_all() -> None:
    def script(number: int, text: str) -> Outcome | Exception:
        time.sleep(0.001)
        return ValueError("a bug") if text == "right 99" else truthful(number, text)

    world = World(script)
    with pytest.raises(ValueError, match="a bug"):
        settled(world, 2000)
    assert world.left_open == []
    assert world.slots.holders == 0
    assert len(world.ran) < 2000


def test_sandboxes_that_cannot_be_had_are_an_error() -> None:
    world = World(refusals=[SandboxError("none to be had")] * 1000)
    with pytest.raises(SandboxError, match="none to be had"):
        settled(world, 50)


def test_a_stop_ends_what_runs() -> None:
    stop, world, found = threading.Event(), World(unhurried), list[Verdict]()

    def store(verdicts: list[Verdict]) -> None:
        found.extend(verdicts)
        stop.set()

    with pytest.raises(SandboxError, match="Stopped"):
        judge_cases(world.workplace(stopped=stop.is_set), cases(3000), store)
    assert world.left_open == []
    assert 0 < len(found) < len(world.ran) < 3000


def test_a_stop_ends_a_run_that_takes_long() -> None:
    stop = threading.Event()

    def script(number: int, text: str) -> Outcome | Exception:
        if text == "right 1":
            stop.set()
            wait_for(lambda: world.opened[number].aborted)
            return gone("docker")
        return truthful(number, text)

    world = World(script)
    with pytest.raises(SandboxError, match="Stopped"):
        judge_cases(world.workplace(1, stop.is_set), cases(10), lambda _: None)
    assert world.left_open == []


def test_one_worker_keeps_to_the_order() -> None:
    assert [verdict.key.sample for verdict in settled(World(), 150, 1)] == list(range(150))


@pytest.mark.parametrize("place", ["verdicts", "progress"])
def test_what_takes_verdicts_or_counts_progress_may_fail_and_leaves_nothing(place: str) -> None:
    def broken(*_: object) -> None:
        raise KeyboardInterrupt

    world = World(unhurried)
    takes = [broken] if place == "verdicts" else [lambda _: None, broken]
    with pytest.raises(KeyboardInterrupt):
        judge_cases(world.workplace(), cases(3000), *takes)
    assert world.left_open == []
    assert len(world.ran) < 3000
