"""Turns are judged by any free worker, and a worker that is gone is not waited for."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.generation import turns
from evaluation.engine.generation.turns import CaseQueue, sandbox_judge
from evaluation.engine.records import Case, Execution, Limits, Outcome, Status, Task, Verdict
from tests.evaluation.engine.generation.tasks import asking
from tests.evaluation.engine.scripted import FAMILY, World, case, plan, truthful
from tests.support.commands import wait_for


@pytest.fixture(autouse=True)
def _threads_end() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    assert set(threading.enumerate()) == before


@contextmanager
def queue_of(world: World, workers: int = 2) -> Iterator[CaseQueue]:
    queue = CaseQueue(world.workplace(workers))
    with queue.judged():
        yield queue


@pytest.mark.parametrize("workers", [1, 2, 5])
def test_every_case_gets_its_own_verdict(workers: int) -> None:
    world = World()
    with queue_of(world, workers) as queue:
        cases = [case(f"{'bad' if n % 3 == 0 else 'right'} {n}", n) for n in range(200)]
        verdicts = [future.result(30) for future in queue.verdicts(cases)]
    assert [v.key.sample for v in verdicts] == list(range(200))
    assert all((v.status is Status.FAILED) == (v.key.sample % 3 == 0) for v in verdicts)
    assert world.left_open == []


def test_a_few_cases_are_one_batch_since_each_brings_its_canaries() -> None:
    world, count = World(), len(FAMILY.canaries) + 1
    with queue_of(world, 5) as queue:
        for future in queue.verdicts([case("right", n) for n in range(count)]):
            future.result(30)
    assert len(world.ran) == count + len(FAMILY.canaries)


@pytest.fixture
def rows() -> Callable[..., list[dict[str | None, Verdict]]]:
    """A function that returns the verdicts on 30 tasks' turns for the prompt, A and B; those for A
    fail."""
    talks = asking().talks
    assert talks is not None

    def plan_by_set(found: Case, limits: Limits) -> Execution | Verdict:
        kind = {"": found.generation.text, "base": "right", "A": "bad", "B": "right"}
        text = f"{kind[found.test_set]} {found.task.hidden.get('word', '')}"
        return plan(replace(found, generation=replace(found.generation, text=text)), limits)

    def rows(world: World, **more: bool) -> list[dict[str | None, Verdict]]:
        whole = {n: Task(n, {}, {"word": "veiled"}) for n in range(30)}
        family = replace(FAMILY, plan=plan_by_set)
        queue = CaseQueue(replace(world.workplace(), judged=family, tasks=whole))
        judge = sandbox_judge(talks(None), dict.fromkeys(whole, queue), **more)

        async def asked() -> list[dict[str | None, Verdict]]:
            told = (judge(Task(n, {}, {}), "x", (None, "A", "B")) for n in whole)
            return [dict(row) for row in await asyncio.gather(*told)]

        with queue.judged():
            return asyncio.run(asked())

    return rows


def test_many_conversations_share_a_queue(rows: Callable[..., Any]) -> None:
    world = World()
    found = rows(world)
    assert [[one.passed for one in row.values()] for row in found] == [[True, False, True]] * 30
    assert "bad veiled" in world.texts(), "judged by a task's hidden part"


def test_errors_are_told_on_where_they_may_be(rows: Callable[..., Any]) -> None:
    def script(_: int, text: str) -> Outcome:
        return replace(truthful(0, text), output="AssertionError")

    def outputs(**more: bool) -> set[str]:
        found = rows(World(script), **more)
        return {verdict.output for row in found for verdict in row.values()}

    assert (outputs(), outputs(errors=False)) == ({"AssertionError"}, {""})


def test_a_machinery_that_fails_is_told_to_who_waits() -> None:
    world = World(refusals=[SandboxError("no engine")])
    with queue_of(world, 1) as queue:
        (future,) = queue.verdicts([case("right")])
        with pytest.raises(SandboxError, match="no engine"):
            future.result(30)
    assert world.left_open == []


def test_a_worker_that_nobody_needs_gives_its_sandbox_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "IDLE_SECONDS", 0.05)
    world = World()
    with queue_of(world, 1) as queue:
        for count in (1, 2):
            (future,) = queue.verdicts([case("right")])
            assert future.result(30).passed
            assert len(world.opened) == count
            wait_for(lambda: not world.left_open)


def test_turns_are_judged_under_limits_of_their_own() -> None:
    talks = asking().talks
    assert talks is not None
    assert talks(None).limits == Limits(cpu_seconds=10.0)
