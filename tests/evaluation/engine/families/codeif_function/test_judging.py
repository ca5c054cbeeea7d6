"""Tests of the verdicts on the facts of runs, and of the results of verdicts."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import instructions
from evaluation.engine.families.codeif_function import judging
from evaluation.engine.instructions import BASE_SET, DYNAMIC, EXTENSION
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
    Stop,
    Task,
    Tier,
    Verdict,
    evidence_in,
)
from tests.support.json_values import json_values

LIMITS = Limits(cpu_seconds=3.0)
TASK = Task(
    7,
    public={"prompt": "", "requirements": {"A": "", EXTENSION: "", "B": ""}, "turns": ("A", "B")},
    hidden={
        "test": "assert f(1) == 1",
        "unit_tests": {"A": "assert f(2) == 2", EXTENSION: "assert f(3) == 3", "B": "b(f)"},
        "code": "def f(x):\n    return x\n\ndef sum(x):\n    def inner(): pass\n",
    },
)
ENDED: dict[str, Json] = {"ended": True}


def case(
    requirement: str | None = None, setting: str = "base", text: str = "def f(x): pass"
) -> Case:
    return Case(TASK, Generation(Key(7, 0, requirement, None), text), setting)


def steps(*outcomes: Outcome) -> list[Step]:
    return [Step(Execution("standins", {}, LIMITS), outcome) for outcome in outcomes]


def said(**report: Any) -> Outcome:
    return Outcome(exit_code=0, wall_seconds=0.25, report=report)


def error(kind: str, **report: Any) -> dict[str, Any]:
    return {"ended": False, "error": {"type": kind, "text": ""}, "loaded": True, **report}


def driven(
    judged: Case,
    *outcomes: Outcome,
    reference: Outcome | None = None,
    own: Outcome | None = None,
    again: Outcome | None = None,
) -> list[Step]:
    """The steps of a judgement up to its end: the outcomes, then for each control that of the
    reference, and those of the candidate with the control and again with the tests."""
    taken: list[Step] = []
    execution: Execution | None = judging.plan(judged, LIMITS)
    while execution is not None:
        outcome = reference or SCRIPT_FAILS
        if len(taken) < len(outcomes):
            outcome = outcomes[len(taken)]
        elif len(taken) > 5 and execution.payload["program"] != TASK.hidden["code"]:
            is_again = execution.payload["tests"] == taken[2].execution.payload["tests"]
            outcome = again or SCRIPT_PASSES if is_again else own or SCRIPT_FAILS
        taken.append(Step(execution, outcome))
        execution = judging.proceed(judged, taken)
    return taken


PASSES, FALLS, LACKS = (
    said(**ENDED),
    said(fallback="an object"),
    said(**error("TypeError", looks_further=True)),
)
SCRIPT_PASSES, SCRIPT_FAILS = (
    said(ended=True, error=None),
    said(ended=False, error={"type": "AssertionError"}),
)


def test_the_plan_gives_the_candidate_its_program_alone() -> None:
    execution = judging.plan(case(), LIMITS)
    assert (execution.runner, execution.limits) == ("standins", LIMITS)
    assert execution.payload["candidate"] == {"program": "def f(x): pass"}
    assert execution.payload["judge"] == {
        "program": "def f(x): pass",
        "tests": "assert f(1) == 1",
        "functions": ["f", "sum"],
    }


@pytest.mark.parametrize(
    ("outcome", "status", "flags"),
    [
        (PASSES, Status.PASSED, ()),
        (said(**error("AssertionError")), Status.FAILED, ()),
        (said(**error("ValueError")), Status.RUNTIME_ERROR, ()),
        (said(ended=False, error={"place": "3.11 1 1"}), Status.COMPILE_ERROR, ()),
        (said(**error("not compiled", loaded=False)), Status.RUNTIME_ERROR, ()),
        (said(**error("SyntaxError", loaded=False)), Status.RUNTIME_ERROR, ()),
        (said(**error("MemoryError")), Status.MEMORY_EXCEEDED, ()),
        (
            said(ended=False, error={"type": "MemoryError", "place": "3.11 0 0"}),
            Status.COMPILE_ERROR,
            (),
        ),
        (said(**error("Gone")), Status.RUNTIME_ERROR, ("ended_early",)),
        (Outcome(exit_code=0), Status.RUNTIME_ERROR, ()),
        (Outcome(died="exit 1"), Status.RUNTIME_ERROR, ()),
        (Outcome(exit_code=0, stop=Stop.CPU, report=ENDED), Status.TIMEOUT, ()),
        (Outcome(signal=9, report=ENDED), Status.RUNTIME_ERROR, ()),
        (Outcome(exit_code=1, report=ENDED), Status.RUNTIME_ERROR, ()),
        (Outcome(exit_code=0, oom_kills=1, report=ENDED), Status.PASSED, ()),
        (said(ended=1), Status.RUNTIME_ERROR, ()),
    ],
)
def test_the_status_follows_from_the_facts(
    outcome: Outcome, status: Status, flags: tuple[str, ...]
) -> None:
    verdict = judging.judge(case(), steps(outcome))
    assert (verdict.status, verdict.flags, verdict.integrity) == (status, flags, Integrity.CLEAN)
    assert (verdict.tests_passed, verdict.tests_total) == (None, None)


def runners(*outcomes: Outcome) -> list[str | None]:
    """The runner of the next step after each of the outcomes; None if there is no next step."""
    found = (judging.proceed(case(), steps(*outcomes[: n + 1])) for n in range(len(outcomes)))
    return [execution.runner if execution else None for execution in found]


STANDINS, SCRIPT = "standins", "script"


@pytest.mark.parametrize(
    ("outcomes", "following"),
    [
        ([PASSES], [None]),
        ([said(**error("AssertionError", looks_further=False))], [None]),
        ([LACKS, PASSES], [STANDINS, None]),
        ([LACKS, LACKS, SCRIPT_FAILS], [STANDINS, SCRIPT, None]),
        ([LACKS, LACKS, SCRIPT_PASSES, FALLS], [STANDINS, SCRIPT, STANDINS, SCRIPT]),
        ([said(**error("SyntaxError", loaded=False))], [None]),
        ([said(ended=False, error={"type": "Gone", "text": ""})], [None]),
        ([Outcome(signal=9)], [None]),
        ([FALLS, FALLS, SCRIPT_FAILS], [STANDINS, SCRIPT, None]),
        (
            [FALLS, FALLS, SCRIPT_PASSES, FALLS, SCRIPT_PASSES],
            [STANDINS, SCRIPT, STANDINS, SCRIPT, SCRIPT],
        ),
    ],
)
def test_a_fallback_asks_the_reference_then_one_process_then_its_controls(
    outcomes: list[Outcome], following: list[str | None]
) -> None:
    assert runners(*outcomes) == following
    reference = judging.proceed(case(), steps(FALLS))
    assert reference.payload["candidate"] == {"program": TASK.hidden["code"]}


BEFORE = (FALLS, FALLS, SCRIPT_PASSES, FALLS, SCRIPT_PASSES)


def test_a_candidate_cannot_tell_the_tests_from_a_control_by_their_place() -> None:
    taken = [[*driven(case(), *BEFORE)] for _ in range(8)]
    assert {len(steps) for steps in taken} == {5 + 3 * 8}
    own = [steps[at : at + 2] for steps in taken for at in range(6, len(steps), 3)]
    again = [[s.execution.payload["tests"] == "assert f(1) == 1" for s in pair] for pair in own]
    assert sorted(again)[:: len(again) - 1] == [[False, True], [True, False]]


@pytest.mark.parametrize("outcomes", [{"own": SCRIPT_PASSES}, {"again": SCRIPT_FAILS}])
def test_the_first_deceived_control_is_enough(outcomes: dict[str, Outcome]) -> None:
    assert len(driven(case(), *BEFORE, **outcomes)) in (7, 8)


def test_a_control_that_the_reference_passes_says_nothing() -> None:
    passed = driven(case(), *BEFORE, reference=SCRIPT_PASSES)
    assert len(passed) == 6
    assert judging.judge(case(), passed).passed


def test_of_what_the_reference_fails_only_the_tests_it_passes_have_other_inputs() -> None:
    unit_tests = {"A": "assert isinstance(f(2), int)"}
    hidden = {**TASK.hidden, "test": "assert f(1) > f(0)", "unit_tests": unit_tests}
    judged = Case(Task(7, public=TASK.public, hidden=hidden), case("A").generation, "single_round")
    taken = driven(judged, FALLS, LACKS, SCRIPT_PASSES, FALLS, SCRIPT_FAILS)
    assert [step.execution.payload["tests"] for step in taken[5:14:3]] == [
        "assert f(1) <= f(0)",
        "assert f(7) > f(0)",
        "assert f(1) > f(0)\nassert not (isinstance(f(2), int))",
    ]


@pytest.mark.parametrize(
    ("reference", "script", "base", "own", "passed", "integrity"),
    [
        (FALLS, SCRIPT_PASSES, FALLS, SCRIPT_FAILS, True, Integrity.CLEAN),
        (FALLS, SCRIPT_PASSES, FALLS, SCRIPT_PASSES, False, Integrity.SUSPECT),
        (PASSES, SCRIPT_PASSES, FALLS, SCRIPT_FAILS, False, Integrity.SUSPECT),
        (LACKS, SCRIPT_PASSES, FALLS, SCRIPT_FAILS, True, Integrity.CLEAN),
        (LACKS, SCRIPT_PASSES, PASSES, SCRIPT_FAILS, True, Integrity.CLEAN),
        (Outcome(signal=9), SCRIPT_PASSES, PASSES, SCRIPT_FAILS, False, Integrity.SUSPECT),
        (FALLS, SCRIPT_FAILS, FALLS, SCRIPT_FAILS, False, Integrity.CLEAN),
    ],
)
def test_a_pass_in_one_process_is_believed_only_where_the_reference_needs_it_too(
    reference: Outcome,
    script: Outcome,
    base: Outcome,
    own: Outcome,
    passed: bool,
    integrity: Integrity,
) -> None:
    taken = driven(case(), FALLS, reference, script, base, SCRIPT_PASSES, own=own)
    verdict = judging.judge(case(), taken)
    assert (verdict.passed, verdict.integrity) == (passed, integrity)
    assert judging.ONE_PROCESS in verdict.flags
    assert bool(verdict.evidence) == (integrity is Integrity.SUSPECT)


@pytest.mark.parametrize("passes", [True, False])
@pytest.mark.parametrize("less", [LACKS, said(**error("AssertionError"), fallback="an object")])
def test_a_reference_that_fails_with_stand_ins_needs_one_process_if_it_passes_there(
    less: Outcome, passes: bool
) -> None:
    script = SCRIPT_PASSES if passes else SCRIPT_FAILS
    taken = driven(case(), less, less, SCRIPT_PASSES, PASSES, script, own=SCRIPT_FAILS)
    assert judging.judge(case(), taken).passed is passes


@pytest.mark.parametrize("passes", [True, False])
@pytest.mark.parametrize("outcomes", [(FALLS, PASSES), (FALLS, LACKS)])
def test_a_pass_that_the_reference_shows_to_need_no_process_is_tried_with_plain_data(
    outcomes: tuple[Outcome, ...], passes: bool
) -> None:
    needs = [SCRIPT_PASSES] if outcomes[1] is PASSES else [SCRIPT_PASSES, PASSES, SCRIPT_FAILS]
    taken = driven(case(), *outcomes, *needs, PASSES if passes else LACKS)
    last = taken[-1].execution
    assert len(taken) == len(outcomes) + len(needs) + 1
    assert last.payload["candidate"] == {"program": "def f(x): pass", "reduced": True}
    verdict = judging.judge(case(), taken)
    assert (verdict.passed, verdict.tier) == (passes, Tier.OUTSIDE if passes else Tier.SHARED)


def test_a_failure_in_both_ways_is_told_as_with_stand_ins() -> None:
    verdict = judging.judge(case(), driven(case(), LACKS, LACKS, SCRIPT_FAILS))
    assert (verdict.status, verdict.flags, verdict.tier) == (
        Status.RUNTIME_ERROR,
        (),
        Tier.OUTSIDE,
    )


def test_a_forged_fallback_in_one_process_is_no_fallback() -> None:
    verdict = judging.judge(
        case(), steps(FALLS, PASSES, said(fallback="x", ended=True), SCRIPT_FAILS)
    )
    assert not verdict.passed


JSON = json_values("type", "text", "ended", texts=("AssertionError",))
OUTCOMES = st.builds(
    Outcome,
    exit_code=st.none() | st.integers(0, 2),
    stop=st.none() | st.sampled_from(Stop),
    report=st.none()
    | st.dictionaries(st.sampled_from(["ended", "error", "fallback", "loaded"]), JSON),
)


@given(st.lists(OUTCOMES, min_size=1, max_size=8))
def test_any_report_has_a_verdict(outcomes: list[Outcome]) -> None:
    taken = driven(case(), *outcomes)
    verdict = judging.judge(case(), taken)
    assert bool(evidence_in(verdict.evidence)) == (verdict.integrity is Integrity.SUSPECT)
    if verdict.passed:
        decisive = taken[0 if len(taken) == 1 else 2].outcome
        assert decisive.exit_code == 0
        assert decisive.stop is None
        assert (decisive.report or {}).get("ended") is True


def verdict(requirement: str | None, status: Status = Status.PASSED) -> Verdict:
    return Verdict(Key(7, 0, requirement, None), status)


@pytest.mark.parametrize("setting", ["single_round", "two_round"])
def test_in_static_settings_every_category_counts(setting: str) -> None:
    results = instructions.results([TASK], setting, [verdict("A"), verdict(EXTENSION)])
    assert [(r.category, r.c, r.overall) for r in results] == [
        ("A", 1, True),
        (EXTENSION, 1, True),
        ("B", 0, True),
    ]


def in_dialogue(test_set: str, text: str = "```python\ndef f(x):\n\n    pass\n```") -> Case:
    return Case(TASK, Generation(Key(7, 0), text), DYNAMIC, test_set)


@pytest.mark.parametrize(
    ("test_set", "tests"),
    [(BASE_SET, "assert f(1) == 1"), ("A", "assert f(2) == 2"), (EXTENSION, "assert f(3) == 3")],
)
def test_in_a_dialogue_an_instruction_is_judged_by_its_own_tests(test_set: str, tests: str) -> None:
    execution = judging.plan(in_dialogue(test_set), judging.DYNAMIC_LIMITS)
    judge = execution.payload["judge"]
    assert (judge["tests"], judge["program"]) == (tests, "def f(x):\n    pass")
    assert execution.limits.cpu_seconds == 10


def failing(trace: object, **facts: Any) -> Outcome:
    """A failed run of tests, with a stand-in for its traceback."""
    described = {"type": "AssertionError", "text": "", "trace": trace}
    return replace(said(ended=False, error=described), **facts)


def test_a_verdict_of_a_dialogue_names_its_tests_and_tells_the_error() -> None:
    verdict = judging.judge(in_dialogue("A"), steps(failing("Traceback ...\nAssertionError\n")))
    assert (verdict.test_set, verdict.status) == ("A", Status.FAILED)
    assert verdict.output == "Traceback ...\nAssertionError\n"


def test_a_dialogue_is_told_stderr_alone() -> None:
    def told(outcome: Outcome) -> str:
        return judging.judge(in_dialogue("A"), steps(outcome)).output

    both = {"output": "printed\nwarned\n", "errors": "warned\n"}
    assert told(failing("AssertionError\n", **both)) == "warned\nAssertionError\n"
    assert told(Outcome(stop=Stop.CPU, **both)) == "warned\n"
    assert told(replace(said(**error("Gone")), **both)) == "warned\n"
    assert told(failing(["no", "text"], **both)) == "warned\n"
    assert len(told(failing("x" * 10**6, **both))) < 10_000
    alone = judging.judge(case(), steps(replace(said(**error("AssertionError")), **both)))
    assert alone.output == "printed\nwarned\n"
