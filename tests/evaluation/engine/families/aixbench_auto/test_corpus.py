"""The corpus in real containers: none passes that must not, and none disturbs the next."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import chain

import pytest

from evaluation.engine.families.aixbench_auto import FAMILY
from evaluation.engine.family import ByExecution
from evaluation.engine.pipeline import Judge
from evaluation.engine.records import Case, Generation, Key, Task, Verdict
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.session import opener
from evaluation.engine.sandbox.slots import Slots
from tests.evaluation.engine.families.aixbench_auto import corpus
from tests.evaluation.engine.families.aixbench_auto.cases import CHECKOUT

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]

CASES = corpus.all_cases()
GOOD = next(case for case in CASES if case.name == "as_it_is_asked_for")
# The number of cases that share a batch, and so its canaries.
BATCH = 12


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


def judged_alike(judge: Judge, cases: Sequence[corpus.Case]) -> dict[str, tuple[Verdict, Verdict]]:
    """The verdict on each case, and on the good generation after it."""
    pairs = [(case(each.task, 0, each.text), case(GOOD.task, 1, GOOD.text)) for each in cases]
    verdicts = judge.batch(chain(*pairs))
    both = zip(verdicts[::2], verdicts[1::2], strict=True)
    return dict(zip([each.name for each in cases], both, strict=True))


@pytest.fixture(scope="module")
def verdicts_of(judge: Judge) -> Callable[[corpus.Case], tuple[Verdict, Verdict]]:
    found: dict[str, tuple[Verdict, Verdict]] = {}

    def judged(given: corpus.Case) -> tuple[Verdict, Verdict]:
        if given.name not in found:
            first = CASES.index(given)
            found.update(judged_alike(judge, CASES[first : first + BATCH]))
        return found[given.name]

    return judged


@pytest.mark.parametrize("given", CASES, ids=lambda each: each.name)
def test_a_case_gets_its_verdict_and_the_next_generation_too(
    verdicts_of: Callable[[corpus.Case], tuple[Verdict, Verdict]], given: corpus.Case
) -> None:
    verdict, after = verdicts_of(given)
    assert after.passed, after
    assert verdict.passed is given.passes, verdict


def test_there_are_many_hostile_ones() -> None:
    assert len([each for each in CASES if not each.passes]) >= 20
