"""Tests of runs from outside: what each side receives, and the verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evaluation.engine.families.aixbench_auto.judging import OUTSIDE, judge, plan
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Integrity,
    Json,
    Key,
    Limits,
    Outcome,
    Status,
    Step,
    Tier,
    Verdict,
)
from tests.evaluation.engine.families.aixbench_auto.cases import task

HIDDEN = {"fields": ["a.Bean"], "evaluation": "the evaluation's text", "kit": "its hash"}
CASE = Case(
    replace(task(), hidden={**task().hidden, **HIDDEN}),
    Generation(Key(5, 0), "static int f(int a) {\n    return a;\n}\n"),
    "base",
)


def planned() -> Any:
    execution = plan(CASE, Limits(cpu_seconds=10.0))
    assert isinstance(execution, Execution) and execution.runner == OUTSIDE
    return execution


def step(**run: Any) -> Step:
    told: dict[str, Json] = {"tests": [], "compiled": True}
    facts = {"counted": None, "threw": "", "denied": [], "unplain": "", **run}
    return Step(planned(), Outcome(exit_code=0, report={**told, "run": facts}))


def verdict(**run: Any) -> Verdict:
    return judge(CASE, [step(**run)])


def test_the_candidates_side_gets_nothing_of_the_evaluation() -> None:
    payload = planned().payload
    assert "the evaluation's text" not in str(payload["candidate"])
    assert "Evaluation5" not in str(payload["candidate"])
    assert list(payload["judge"]["tests"].values()) == ["the evaluation's text"]
    assert payload["candidate"]["run"]["class"] == payload["judge"]["run"]["class"]
    assert payload["candidate"]["run"]["fields"] == payload["judge"]["run"]["fields"] == ["a.Bean"]


def test_a_full_count_is_a_pass_out_of_the_classs_reach() -> None:
    passed = verdict(counted=[4, 4])
    assert passed.passed and passed.integrity is Integrity.CLEAN
    assert passed.tier is Tier.OUTSIDE


@pytest.mark.parametrize(
    ("run", "status", "said"),
    [
        ({"counted": [3, 4]}, Status.FAILED, ""),
        ({"threw": "java.lang.StackOverflowError"}, Status.RUNTIME_ERROR, "StackOverflowError"),
        ({"threw": "java.lang.OutOfMemoryError"}, Status.MEMORY_EXCEEDED, "OutOfMemoryError"),
        ({"unplain": "not plain: an object of X"}, Status.RUNTIME_ERROR, "an object of X"),
        ({}, Status.RUNTIME_ERROR, "ended before its evaluation"),
    ],
)
def test_nothing_else_is_a_pass(run: dict[str, Any], status: Status, said: str) -> None:
    found = verdict(**run)
    assert found.status is status and said in found.evidence


def test_a_malformed_report_is_no_pass() -> None:
    told: dict[str, Json] = {"tests": [], "compiled": True, "run": {"unplain": 1}}
    assert judge(CASE, [Step(planned(), Outcome(exit_code=0, report=told))]).passed is False
