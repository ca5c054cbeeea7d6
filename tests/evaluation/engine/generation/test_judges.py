"""Turns are judged by whichever worker is free, and nobody waits for one that has gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.generation import judges
from evaluation.engine.generation.judges import Place, Pool, SandboxJudge
from evaluation.engine.instructions import DYNAMIC
from evaluation.engine.records import Case, Limits, Status, Task
from tests.evaluation.engine.generation.tasks import asking
from tests.evaluation.engine.scripted import FAMILY, LIMITS, World, case
from tests.support.commands import wait_for


@pytest.fixture(autouse=True)
def _threads_end() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before


def pool_of(world: World, workers: int = 2) -> Pool:
    canaries = FAMILY.canaries
    return Pool(FAMILY, world.open, world.slots, workers=workers, limits=LIMITS, canaries=canaries)


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_case_gets_its_own_verdict(workers: int) -> None:
    world = World()
    with pool_of(world, workers) as pool:
        cases = [case(f"{'bad' if n % 3 == 0 else 'right'} {n}", n) for n in range(200)]
        verdicts = [future.result(30) for future in pool.verdicts(cases)]
    assert [v.key.sample for v in verdicts] == list(range(200))
    assert all((v.status is Status.FAILED) == (v.key.sample % 3 == 0) for v in verdicts)
    assert world.left_open == []


def test_a_few_cases_are_one_batch_since_each_brings_its_canaries() -> None:
    world, count = World(), len(FAMILY.canaries) + 1
    with pool_of(world, 5) as pool:
        for future in pool.verdicts([case("right", n) for n in range(count)]):
            future.result(30)
    assert len(world.ran) == count + len(FAMILY.canaries)


def test_many_conversations_share_a_pool() -> None:
    world, tasks = World(), [Task(n, {}, {}) for n in range(30)]
    talks = asking().talks
    assert talks is not None

    async def rows() -> list[list[bool]]:
        with pool_of(world) as pool:
            places = {task.id: Place(pool, _by_set) for task in tasks}
            judge = SandboxJudge(talks(None), places)
            found = await asyncio.gather(*(judge(task, "x", (None, "A", "B")) for task in tasks))
            return [[verdict.passed for verdict in row.values()] for row in found]

    assert asyncio.run(rows()) == [[True, False, True]] * 30


def _by_set(found: Case) -> Case:
    """The scripted family judges texts: those of instruction A are bad."""
    assert found.setting == DYNAMIC
    kind = {"base": "right", "A": "bad", "B": "right"}[found.test_set]
    return replace(found, generation=replace(found.generation, text=kind))


def test_a_machinery_that_fails_is_told_to_who_waits() -> None:
    world = World(refusals=[SandboxError("no engine")])
    with pool_of(world, 1) as pool:
        (future,) = pool.verdicts([case("right")])
        with pytest.raises(SandboxError, match="no engine"):
            future.result(30)
    assert world.left_open == []


def test_a_worker_that_nobody_needs_gives_its_sandbox_back(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(judges, "IDLE_SECONDS", 0.05)
    world = World()
    with pool_of(world, 1) as pool:
        for count in (1, 2):
            (future,) = pool.verdicts([case("right")])
            assert future.result(30).passed
            assert len(world.opened) == count
            wait_for(lambda: not world.left_open)


def test_closing_ends_workers_that_have_nothing_to_do() -> None:
    with pool_of(World(), 3):
        pass


def test_turns_are_judged_under_limits_of_their_own() -> None:
    talks = asking().talks
    assert talks is not None
    assert talks(None).limits == Limits(cpu_seconds=10.0)
