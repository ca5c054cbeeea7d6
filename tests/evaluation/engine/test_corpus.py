"""The corpus in real containers: no cheat passes, nothing honest is hurt."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.engine import registry
from evaluation.engine.family import ByExecution
from evaluation.engine.pipeline import Judge
from evaluation.engine.records import Case, Generation, Key, Limits, Task, Verdict
from evaluation.engine.sandbox import selfcheck
from evaluation.engine.sandbox.session import Session
from evaluation.engine.sandbox.slots import Slots
from tests.evaluation.engine import corpus

pytestmark = pytest.mark.docker

CASES = corpus.all_cases()


class Bench:
    """One judge per family, kept over the cases, as a worker keeps its sandbox."""

    def __init__(self, image: str, folder: Path) -> None:
        self._image = image
        self._slots = Slots(folder / "slots")
        self._judges: dict[tuple[str, bool], Judge] = {}
        self._tasks = {family: _tasks(family, folder) for family in corpus.TASKS}

    def judge(self, case: corpus.Case) -> tuple[Verdict, Verdict]:
        """The verdict of a case, and of a good generation judged after it."""
        honest = case.expect == "passed"
        cases = [self._case(case, case.text, case.requirement)] * case.runs
        good = self._case(case, corpus.good_text(case.family, case.task), None)
        *verdicts, after = self._judge(case.family, quick=not honest).batch([*cases, good])
        # Of several runs of a cheat the best for it, of an honest one the worst.
        verdicts.sort(key=lambda verdict: verdict.passed is honest)
        return verdicts[0], after

    def _case(self, case: corpus.Case, text: str, requirement: str | None) -> Case:
        task = self._tasks[case.family][case.task]
        setting = "base" if requirement is None else "single_round"
        return Case(task, Generation(Key(task.id, 0, requirement), text), setting)

    def _judge(self, family: str, *, quick: bool) -> Judge:
        if (family, quick) not in self._judges:
            judged = registry.family(family).judged
            assert isinstance(judged, ByExecution)
            # Cheats get less time, so that those that burn or sleep without end do not last.
            limits = (
                replace(judged.limits, cpu_seconds=2.0, wall_factor=1.5) if quick else judged.limits
            )
            self._judges[family, quick] = self._new(judged, limits)
        return self._judges[family, quick]

    def _new(self, judged: ByExecution, limits: Limits) -> Judge:
        def open_sandbox() -> Session:
            return Session(self._image, limits, runners=judged.runners, warm=judged.warm)

        return Judge(judged, open_sandbox, self._slots, limits=limits)

    def close(self) -> None:
        for judge in self._judges.values():
            judge.close()


def _tasks(family: str, folder: Path) -> dict[str, Task]:
    named = corpus.TASKS[family]
    path = folder / f"{family}.jsonl"
    path.write_text("\n".join(map(json.dumps, named.values())), "utf-8")
    tasks = registry.family(family).load_tasks(path, None)
    return dict(zip(named, tasks, strict=True))


@pytest.fixture(scope="module")
def bench(image: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    failed = [check for check in selfcheck.run(image) if not check.held]
    if failed:
        pytest.fail(f"the conformance list does not hold, so no hostile program runs: {failed}")
    bench = Bench(image, tmp_path_factory.mktemp("corpus"))
    yield bench
    bench.close()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_gets_its_verdict_and_the_next_generation_too(
    bench: Bench, case: corpus.Case
) -> None:
    verdict, after = bench.judge(case)
    assert after.passed, after
    if case.expect == "passed":
        assert verdict.passed, verdict
    elif case.expect == "not passed":
        assert not verdict.passed, verdict
        assert not case.statuses or verdict.status.value in case.statuses, verdict
