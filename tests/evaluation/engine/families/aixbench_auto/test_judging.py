"""The runs for a generation, and the verdict on their outcomes."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.aixbench_auto.judging import (
    CONTROLS,
    OUTSIDE,
    judge,
    plan,
    proceed,
    read_report,
)
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
    Stop,
    Tier,
    Verdict,
    evidence_in,
)
from tests.evaluation.engine.families.aixbench_auto.cases import task
from tests.support.json_values import json_values

LIMITS = Limits(cpu_seconds=10.0)
CODE = "static int f(int a) {\n    return a;\n}\n"
UNIT = "com/aixcode/autoTest/generate/submitted/GeneratedAnswer.java"
JSON = json_values()


def case(text: str = CODE) -> Case:
    return Case(task(), Generation(Key(5, 0), text), "base")


def report(counted: list[int] | None = None, **changed: Any) -> dict[str, Any]:
    run = {"exit": 0, "counted": counted, "threw": "", "denied": []}
    return {"tests": [], "compiled": True, "diagnostics": [], "run": run, **changed}


def step(told: dict[str, Any] | None = None, **facts: Any) -> Step:
    planned = plan(case(), LIMITS)
    assert isinstance(planned, Execution)
    return Step(planned, Outcome(exit_code=0, report=told, **facts))


def payload(execution: Execution) -> Any:
    return execution.payload


def verdict(told: dict[str, Any]) -> Verdict:
    return judge(case(), [step(told)])


def test_a_run_has_the_class_its_evaluation_and_nobody_elses() -> None:
    told = payload(step().execution)
    assert told["run"] == {
        "evaluation": "com.aixcode.autoTest.evaluation.Evaluation5",
        "package": "com.aixcode.autoTest.generate.submitted",
        "prefix": "Generated",
        "permitted": [],
    }
    assert told["copied"] == {"method": "f", "parameters": 1}
    assert list(told["tests"]) == ["com/aixcode/autoTest/evaluation/Evaluation5.java"]
    assert list(told["units"]) == [UNIT, UNIT.replace("Answer", "5")]


@pytest.mark.parametrize("text", ["", "  \n", "// nothing", "```java\n```"])
def test_a_text_without_code_is_never_compiled(text: str) -> None:
    planned = plan(case(text), LIMITS)
    assert isinstance(planned, Verdict)
    assert planned.status is Status.COMPILE_ERROR


def test_a_full_count_is_a_pass_and_a_part_is_none() -> None:
    full, part = verdict(report([4, 4])), verdict(report([3, 4]))
    assert (full.passed, full.tests_passed, full.tests_total) == (True, 4, 4)
    assert (part.status, part.tests_passed, part.tests_total) == (Status.FAILED, 3, 4)
    assert {verdict(report(each)).status for each in ([0, 0], [7, 4])} == {Status.FAILED}


def test_additions_are_flags() -> None:
    found = verdict(report([4, 4], imports_added=True))
    assert found.flags == ("delegate_added", "class_added", "imports_added")


def test_what_was_denied_is_a_flag() -> None:
    run = {**report([4, 4])["run"], "denied": ["process", "file"]}
    found = verdict(report(run=run))
    assert (found.passed, found.flags[-2:]) == (True, ("denied_file", "denied_process"))


def test_a_pass_with_a_result_that_decides_what_it_equals_is_suspect() -> None:
    run = {**report([4, 4])["run"], "deciding": "Generated5$Any"}
    suspect = verdict(report(run=run))
    assert suspect.integrity is Integrity.SUSPECT
    (entry,) = evidence_in(suspect.evidence)
    assert (entry.kind, entry.where) == ("comparison", "f")
    assert "Generated5$Any" in entry.sentence
    failed = verdict(report(run={**run, "counted": [3, 4]}))
    assert (failed.status, failed.integrity) == (Status.FAILED, Integrity.CLEAN)


def test_a_class_that_changes_an_argument_runs_with_the_evaluations_objects_too() -> None:
    same, changed = report([4, 4]), report(run={**report([4, 4])["run"], "changed": True})
    assert proceed(case(), [step(same)]) is None
    other = proceed(case(), [step(changed)])
    assert other is not None and payload(other) == {**payload(step().execution), "copied": {}}
    assert proceed(case(), [step(changed), step(report([3, 4]))]) is None
    failed = judge(case(), [step(changed), step(report([3, 4]))])
    assert (failed.status, failed.tests_passed) == (Status.FAILED, 3)
    assert judge(case(), [step(changed), step(report([4, 4]))]).integrity is Integrity.CLEAN


def test_a_pass_only_with_the_evaluations_objects_is_suspect() -> None:
    wrong = step(report(run={**report([3, 4])["run"], "changed": True}))
    steps, right = [wrong, step(report([4, 4]), wall_seconds=0.2)], step(report([4, 4]))
    assert proceed(case(), steps) == wrong.execution
    assert proceed(case(), [*steps, right]) is None
    assert judge(case(), [*steps, right]).integrity is Integrity.CLEAN
    tried = [*steps, *[wrong] * (CONTROLS - 1)]
    assert proceed(case(), tried) is None
    suspect = judge(case(), tried)
    assert (suspect.status, suspect.integrity) == (Status.PASSED, Integrity.SUSPECT)
    assert (suspect.duration_ms, suspect.tests_passed) == (200, 4)
    (entry,) = evidence_in(suspect.evidence)
    assert (entry.kind, entry.where) == ("control", "f")


def test_only_what_ran_in_one_jvm_is_decided_in_its_reach() -> None:
    broken = report(None, compiled=False, diagnostics=[])
    tiers = [verdict(report([4, 4])).tier, verdict(broken).tier]
    assert tiers == [Tier.SHARED, Tier.OUTSIDE]
    assert judge(case(), [step(None, died="oom")]).tier is Tier.SHARED


def test_compile_errors_have_lines_of_the_submitters_text() -> None:
    unit = str(payload(step().execution)["units"][UNIT])
    line = unit.splitlines().index("    return a;") + 1
    told = report(None, compiled=False, diagnostics=[[UNIT, line, 12, "cannot find symbol"]])
    found = verdict(told)
    assert (found.status, found.evidence) == (
        Status.COMPILE_ERROR,
        "line 2, column 12: cannot find symbol",
    )


@pytest.mark.parametrize(
    ("text", "line", "word", "words"),
    [
        ("Code: ```java\u00a0static int f(int a) { return b; }```", 3, "b;", "line 1, column 44: "),
        ("static int f(int a) { return\u200b a; }\r\n", 3, "\u200b", "line 1, column 29: "),
    ],
    ids=["after a fence", "zero width"],
)
def test_places_are_those_of_the_upload_and_unseen_characters_are_named(
    text: str, line: int, word: str, words: str
) -> None:
    made = plan(case(text), LIMITS)
    assert isinstance(made, Execution)
    unit = str(payload(made)["units"][UNIT]).split("\n")[line - 1]
    told = report(None, compiled=False, diagnostics=[[UNIT, line, unit.index(word) + 1, "no"]])
    found = judge(case(text), [Step(made, Outcome(exit_code=0, report=told))]).evidence
    named = {"\u00a0": "U+00A0 NO-BREAK SPACE", "\u200b": "U+200B ZERO WIDTH SPACE"}
    notes = [f"\nLine 1 contains {name}." for char, name in named.items() if char in text]
    assert found == f"{words}no{''.join(notes)}"


def test_a_method_that_cannot_be_called_is_named_unless_the_answer_itself_is_wrong() -> None:
    delegate = UNIT.replace("Answer", "5")
    own, calling = [UNIT, 4, 0, "cannot find symbol"], [delegate, 2, 3, "ambiguous"]
    found = verdict(report(None, compiled=False, diagnostics=[calling]))
    assert found.evidence == "the task's method is missing, ambiguous or of other types: ambiguous"
    found = verdict(report(None, compiled=False, diagnostics=[own, calling]))
    assert found.evidence == "line 2: cannot find symbol"


def test_an_evaluation_that_does_not_compile_is_not_the_submitters_fault() -> None:
    found = verdict(report(None, compiled=False, tests=[["a", 1, 1, "no such class"]]))
    assert (found.status, found.flags[-1]) == (Status.NOT_RUN, "evaluation_does_not_compile")


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        ({"stop": Stop.CPU}, Status.TIMEOUT),
        ({"oom_kills": 1}, Status.MEMORY_EXCEEDED),
        ({"died": "oom"}, Status.MEMORY_EXCEEDED),
        ({}, Status.RUNTIME_ERROR),
    ],
)
def test_who_does_not_come_to_the_end_has_no_counts(facts: dict[str, Any], status: Status) -> None:
    found = judge(case(), [step(report(None), **facts)])
    assert (found.status, found.tests_passed, found.tests_total) == (status, None, None)


def test_a_stopped_run_is_no_pass_whatever_it_counted() -> None:
    assert judge(case(), [step(report([4, 4]), stop=Stop.WALL)]).status is Status.TIMEOUT


def from_outside(**run: Any) -> tuple[Case, Step]:
    """A task that is judged from outside, and a run of it."""
    hidden = {"fields": ["a.Bean"], "evaluation": "the evaluation's text", "kit": "its hash"}
    given = replace(case(), task=replace(task(), hidden={**task().hidden, **hidden}))
    execution = plan(given, LIMITS)
    assert isinstance(execution, Execution) and execution.runner == OUTSIDE
    facts = {"counted": None, "threw": "", "denied": [], "unplain": "", **run}
    told: dict[str, Any] = {"tests": [], "compiled": True, "run": facts}
    return given, Step(execution, Outcome(exit_code=0, report=told))


def test_from_outside_the_candidates_side_gets_nothing_of_the_evaluation() -> None:
    told = payload(from_outside()[1].execution)
    candidate, judging = told["candidate"], told["judge"]
    assert "the evaluation's text" not in str(candidate)
    assert "Evaluation5" not in str(candidate)
    assert list(judging["tests"].values()) == ["the evaluation's text"]
    assert told["kit"] == judging["kit"] == "its hash"
    assert candidate["run"]["class"] == judging["run"]["class"]
    assert candidate["run"]["fields"] == judging["run"]["fields"] == ["a.Bean"]


@pytest.mark.parametrize(
    ("run", "status", "said"),
    [
        ({"counted": [4, 4]}, Status.PASSED, ""),
        ({"counted": [3, 4]}, Status.FAILED, ""),
        ({"threw": "java.lang.StackOverflowError"}, Status.RUNTIME_ERROR, "StackOverflowError"),
        ({"threw": "java.lang.OutOfMemoryError"}, Status.MEMORY_EXCEEDED, "OutOfMemoryError"),
        ({"unplain": "not plain: an object of X"}, Status.RUNTIME_ERROR, "an object of X"),
        ({}, Status.RUNTIME_ERROR, "ended before its evaluation"),
        ({"counted": [4, 4, 4]}, Status.RUNTIME_ERROR, ""),
    ],
)
def test_a_verdict_from_outside_is_out_of_the_classs_reach(
    run: dict[str, Any], status: Status, said: str
) -> None:
    given, step = from_outside(**run)
    found = judge(given, [step])
    assert (found.status, found.tier, found.integrity) == (status, Tier.OUTSIDE, Integrity.CLEAN)
    assert said in found.evidence


@given(raw=JSON)
def test_any_report_is_read_or_refused(raw: Any) -> None:
    found = read_report(raw)
    assert found is None or not found.compiled or found.counted is None


@given(told=st.fixed_dictionaries(dict.fromkeys(report(), JSON)))
def test_any_report_has_a_verdict_that_is_no_pass(told: dict[str, Any]) -> None:
    assert not judge(case(), [replace(step(), outcome=Outcome(exit_code=0, report=told))]).passed
