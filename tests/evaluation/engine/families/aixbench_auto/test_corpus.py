"""The corpus in real containers: none passes that must not, and none disturbs the next."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from evaluation.engine.families.aixbench_auto import FAMILY
from evaluation.engine.family import ByExecution
from evaluation.engine.pipeline import Judge
from evaluation.engine.records import Case, Generation, Key, Task
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.session import opener
from evaluation.engine.sandbox.slots import Slots
from tests.evaluation.engine.families.aixbench_auto import corpus
from tests.evaluation.engine.families.aixbench_auto.cases import CHECKOUT

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

GOOD = next(case for case in corpus.all_cases() if case.name == "as_it_is_asked_for")


@pytest.fixture(scope="module")
def judge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Judge]:
    """Kept over the cases, as a worker keeps its sandbox."""
    judged = FAMILY.judged
    assert isinstance(judged, ByExecution) and FAMILY.kit is not None
    # So that the endless ones do not last, nor those that sleep.
    limits = replace(judged.limits, cpu_seconds=2.0, wall_factor=2.0)
    image = images.ensure(docker.client(), judged.image).reference
    open_sandbox = opener(judged, image, limits, kit=FAMILY.kit(CHECKOUT))
    slots = Slots(tmp_path_factory.mktemp("slots"))
    made = Judge(judged, open_sandbox, slots, limits=limits)
    yield made
    made.close()


def case(task: Task, sample: int, text: str) -> Case:
    return Case(task, Generation(Key(task.id, sample), text), "base")


@pytest.mark.parametrize("given", corpus.all_cases(), ids=lambda each: each.name)
def test_a_case_gets_its_verdict_and_the_next_generation_too(
    judge: Judge, given: corpus.Case
) -> None:
    verdict, after = judge.batch([case(given.task, 0, given.text), case(GOOD.task, 1, GOOD.text)])
    assert after.passed, after
    assert verdict.passed is given.passes, verdict


def test_there_are_many_hostile_ones() -> None:
    assert len([each for each in corpus.all_cases() if not each.passes]) >= 20
