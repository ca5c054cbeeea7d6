"""Tests of the corpus in real containers: no cheat passes, and no honest generation fails."""

import json
import os
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.engine import registry
from evaluation.engine.family import ByExecution
from evaluation.engine.pipeline import Judge
from evaluation.engine.records import Case, Generation, Key, Limits, Task, Verdict
from evaluation.engine.sandbox import selfcheck
from evaluation.engine.sandbox.session import opener
from evaluation.engine.sandbox.slots import Slots
from tests.evaluation.engine import corpus
from tests.evaluation.engine.corpus.defences import DEFENCES, without
from tests.support.overload import overload

pytestmark = pytest.mark.docker

CASES = corpus.all_cases()
# Cheats get less time than the family allows; those that only a limit ends get the least. Even
# beside other containers, such a program reaches its processor limit before the wall limit.
CHEATS = {"cpu_seconds": 2.0}
ENDLESS = {"cpu_seconds": 0.25, "wall_factor": 10.0}
# The number of cases that share a batch, and so its canaries.
BATCH = 12
# Programs that compute for two seconds, half the limit of their family, and then answer.
COMPUTES = """    import time
    while time.process_time() < 2:
        pass
    return sum(numbers)
"""
SLEEPS = "    import time\n    time.sleep(3600)\n"
DEADLOCKS = "    import queue\n    queue.Queue().get()\n"


class Bench:
    """One judge per family and limits, kept over the cases, as a worker keeps its sandbox."""

    def __init__(self, image: str, folder: Path, cases: Sequence[corpus.Case] = CASES) -> None:
        self._image, self._cases = image, cases
        self._slots = Slots(folder / "slots")
        self._judges: dict[tuple[str, Limits], Judge] = {}
        self._found: dict[str, tuple[Verdict, Verdict]] = {}
        self._tasks = {family: _tasks(family, folder) for family in corpus.TASKS}

    def judge(self, case: corpus.Case) -> tuple[Verdict, Verdict]:
        """The verdict of a case, and of the honest generation judged after it: the next case if
        this one is honest, so that the next has to pass, else a good one."""
        if case.name not in self._found:
            alike = [each for each in self._cases if _conditions(each) == _conditions(case)]
            first = alike.index(case)
            self._judge_batch(alike[first : first + BATCH])
        return self._found[case.name]

    def _judge_batch(self, cases: Sequence[corpus.Case]) -> None:
        judged: list[Case] = []
        for case in cases:
            judged += [self._case(case, case.text, case.requirement)] * case.runs
            if case.expect != "passed" or case is cases[-1]:
                judged.append(self._case(case, corpus.good_text(case.family, case.task), None))
        verdicts = deque(self._judge(*_conditions(cases[0])).batch(judged))
        for case in cases:
            # Of several runs, take the best one for a cheat and the worst one for an honest case.
            honest = case.expect == "passed"
            runs = [verdicts.popleft() for _ in range(case.runs)]
            runs.sort(key=lambda each: each.passed is honest)
            after = verdicts[0] if honest and case is not cases[-1] else verdicts.popleft()
            self._found[case.name] = runs[0], after

    def _case(self, case: corpus.Case, text: str, requirement: str | None) -> Case:
        task = self._tasks[case.family][case.task]
        setting = "base" if requirement is None else "single_round"
        return Case(task, Generation(Key(task.id, 0, requirement), text), setting)

    def _judge(self, family: str, limits: Limits) -> Judge:
        if (family, limits) not in self._judges:
            judged = _judged(family)
            open_sandbox = opener(judged, self._image, limits)
            self._judges[family, limits] = Judge(judged, open_sandbox, self._slots, limits=limits)
        return self._judges[family, limits]

    def close(self) -> None:
        for judge in self._judges.values():
            judge.close()


def _judged(family: str) -> ByExecution:
    judged = registry.family(family).judged
    assert isinstance(judged, ByExecution)
    return judged


def _conditions(case: corpus.Case) -> tuple[str, Limits]:
    """Cases with the same family and limits share a sandbox."""
    limits = _judged(case.family).limits
    if case.expect == "passed":
        return case.family, limits
    return case.family, replace(limits, **(ENDLESS if "timeout" in case.statuses else CHEATS))


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


@pytest.mark.parametrize("defence", DEFENCES)
def test_without_its_defence_each_of_its_cases_would_pass(
    image: str, tmp_path: Path, defence: str
) -> None:
    named = [case for case in CASES if case.defence == defence]
    assert named, "a defence without a case"
    with without(defence):
        bench = Bench(image, tmp_path, named)
        try:
            found = {case.name: bench.judge(case)[0] for case in named}
        finally:
            bench.close()
    assert [(name, each) for name, each in found.items() if not each.passed] == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_case_gets_its_verdict_and_the_next_generation_too(
    bench: Bench, case: corpus.Case
) -> None:
    verdict, after = bench.judge(case)
    assert after.passed, after
    assert not case.tier or verdict.tier.value == case.tier, verdict
    if case.expect == "passed":
        assert verdict.passed, verdict
    elif case.expect == "not passed":
        assert not verdict.passed, verdict
        assert not case.statuses or verdict.status.value in case.statuses, verdict


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_beside_ten_times_overload_honest_programs_pass_and_waiting_ones_are_timed_out(
    image: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = next(case for case in CASES if case.kind == "odd_but_right" and case.task == "add_all")
    honest = [case for case in CASES if case.kind == "odd_but_right"]
    honest += [replace(good, path=Path(f"computes_{n}.py"), text=COMPUTES) for n in range(4)]
    waiting = [
        replace(good, path=Path(f"waits_{n}.py"), text=text)
        for n, text in enumerate([SLEEPS, DEADLOCKS])
    ]
    with overload(10), closing(Bench(image, tmp_path, [*honest, *waiting])) as bench:
        verdicts = {case.name: bench.judge(case)[0] for case in [*honest, *waiting]}
        load = os.getloadavg()[0]
    with capsys.disabled():
        print(
            f"\n  {len(honest)} honest programs and {len(waiting)} waiting ones at load {load:.0f}"
        )
    ended = {name: verdict.status.value for name, verdict in verdicts.items()}
    timeouts = {case.name for case in waiting}
    assert {name for name, status in ended.items() if status == "timeout"} == timeouts, ended
    assert all(verdicts[case.name].passed for case in honest), ended
