"""Tests of a generation that is judged by several sets of tests: each set is a separate case."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from evaluation.engine.pipeline import Judge
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Integrity,
    Key,
    Limits,
    Outcome,
    Status,
    Step,
    Unit,
    Verdict,
)

from . import scripted
from .scripted import FAMILY, RIGHT, TASK, WRONG, World, gone

SETS = ("", "base", "instruction")
KEY = Key("t", 0)


def _plan(case: Case, limits: Limits) -> Execution | Verdict:
    return Execution("scripted", {"text": f"{case.generation.text}/{case.test_set}"}, limits)


def _judge(case: Case, steps: Sequence[Step]) -> Verdict:
    return replace(scripted.judge(case, steps), test_set=case.test_set)


JUDGED = replace(
    FAMILY,
    plan=_plan,
    judge=_judge,
    test_sets=lambda _task, _key, setting: SETS if setting == "talk" else ("",),
    limits_by={"talk": Limits(cpu_seconds=3.0)},
)


def verdicts(world: World) -> dict[Unit, Verdict]:
    cases = JUDGED.cases_of(TASK, Generation(KEY, "text"), "talk")
    limits = JUDGED.limits_in("talk")
    found = Judge(JUDGED, world.open, world.slots, limits=limits).batch(cases)
    assert [verdict.unit for verdict in found] == [case.unit for case in cases]
    return {verdict.unit: verdict for verdict in found}


def test_an_end_and_a_repeat_alone_are_those_of_one_set() -> None:
    times: list[str] = []

    def script(_: int, text: str) -> Outcome | Exception:
        times.append(text)
        if text == "text/base":
            return gone("oom")
        if text == "text/instruction" and times.count(text) == 1:
            return replace(RIGHT, cpu_seconds=2.9)
        return WRONG if text == "bad canary/" else RIGHT

    world = World(script)
    found = verdicts(world)
    assert {unit.test_set: verdict.status for unit, verdict in found.items()} == {
        "": Status.PASSED, "base": Status.MEMORY_EXCEEDED, "instruction": Status.PASSED,
    }  # fmt: skip
    assert set(world.texts(alone=True)) == {"good canary/", "text/base", "text/instruction"}
    assert "text/" not in world.texts(alone=True)


def test_without_sets_there_is_one_case_and_the_usual_limits() -> None:
    (case,) = FAMILY.cases_of(TASK, Generation(KEY, "text"), "talk")
    assert (case.unit, case.test_set) == (Unit(KEY), "")
    assert FAMILY.limits_in("talk") == FAMILY.limits
    assert JUDGED.limits_in("talk") != JUDGED.limits_in("base") == FAMILY.limits


def test_a_family_that_suspects_a_pass_has_to_say_why() -> None:
    def judge(case: Case, steps: Sequence[Step]) -> Verdict:
        return replace(_judge(case, steps), integrity=Integrity.SUSPECT)

    silent = replace(JUDGED, judge=judge)
    world = World(lambda _, text: WRONG if text == "bad canary/" else RIGHT)
    with pytest.raises(ValueError, match="without evidence"):
        Judge(silent, world.open, world.slots).batch([Case(TASK, Generation(KEY, "text"), "")])
