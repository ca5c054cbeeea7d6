from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.rucodeeval.judging import judge, plan
from evaluation.engine.records import Case, Generation, Json, Key, Outcome, Status, Stop
from evaluation.engine.sandbox.inside.plain import decode
from tests.support.json_values import json_values

from .cases import KEY, LIMITS, case, loaded, step, task, unloaded

RIGHT = loaded(("value", "2"), ("value", "3"), ("value", "4"))
WRONG = loaded(("value", "2"), ("value", "0"), ("error", "KeyError"))
RAISES = loaded(("value", "2"), ("error", "KeyError"), ("none",))
NONE = loaded(("none",), ("value", "3"), ("value", "4"))
SHORT = loaded(("value", "2"))
JSON = json_values("loaded", "error", "results", "type", "text")
RESULT = st.sampled_from([["value", "2"], ["value", "3"], ["none"], ["error", "E"]]) | JSON
REPORT = st.dictionaries(st.text(max_size=3), JSON) | st.fixed_dictionaries(
    {
        "loaded": st.booleans() | JSON,
        "error": st.none() | JSON,
        "results": st.lists(RESULT, max_size=5) | JSON,
    }
)
STOPS = st.none() | st.sampled_from(Stop)


@pytest.mark.parametrize(
    ("outcome", "status", "passed", "flags"),
    [
        (Outcome(exit_code=0, report=RIGHT), Status.PASSED, 3, ()),
        (Outcome(exit_code=0, report=WRONG), Status.FAILED, 1, ()),
        (Outcome(exit_code=0, report=RAISES), Status.RUNTIME_ERROR, 1, ()),
        (Outcome(exit_code=0, report=NONE), Status.FAILED, 2, ()),
        (Outcome(exit_code=0, report=SHORT), Status.RUNTIME_ERROR, 1, ("ended_early",)),
        (Outcome(exit_code=0, report=loaded()), Status.RUNTIME_ERROR, 0, ("ended_early",)),
        (Outcome(exit_code=0), Status.RUNTIME_ERROR, 0, ("ended_early",)),
        (Outcome(report=unloaded("SyntaxError", place="3.11 1 1")), Status.COMPILE_ERROR, 0, ()),
        (Outcome(report=unloaded("SyntaxError")), Status.RUNTIME_ERROR, 0, ()),
        (Outcome(report=unloaded("not compiled")), Status.RUNTIME_ERROR, 0, ()),
        (Outcome(report=unloaded("NameError")), Status.RUNTIME_ERROR, 0, ()),
        (Outcome(report=unloaded("MemoryError")), Status.MEMORY_EXCEEDED, 0, ()),
        (Outcome(signal=9, stop=Stop.WALL, report=SHORT), Status.TIMEOUT, 1, ()),
        (Outcome(signal=9, stop=Stop.CPU, report=RIGHT), Status.TIMEOUT, 3, ()),
        (Outcome(signal=9, oom_kills=1), Status.MEMORY_EXCEEDED, 0, ("ended_early",)),
        (Outcome(exit_code=0, oom_kills=2, report=WRONG), Status.MEMORY_EXCEEDED, 1, ()),
        (Outcome(exit_code=0, oom_kills=2, report=RIGHT), Status.PASSED, 3, ()),
        (Outcome(died="silent", report=RIGHT), Status.RUNTIME_ERROR, 3, ()),
    ],
)
def test_the_status_follows_from_the_facts(
    outcome: Outcome, status: Status, passed: int, flags: tuple[str, ...]
) -> None:
    verdict = judge(case(), step(outcome))
    assert (verdict.status, verdict.tests_passed, verdict.tests_total) == (status, passed, 3)
    assert verdict.flags == flags


@pytest.mark.parametrize(
    "report",
    [
        {},
        {"loaded": True, "error": None, "results": "234"},
        RIGHT | {"loaded": 1},
        RIGHT | {"error": {"type": "E", "text": ""}},
        RIGHT | unloaded("E") | {"results": RIGHT["results"]},
        unloaded("E") | {"error": {"type": 5, "text": ""}},
        loaded(("value", "2"), ("value", "3"), ("value", "4"), ("value", "5")),
        loaded(("value", "2"), ("value", 3), ("value", "4")),
        loaded(("value", "2"), ("value", "3", "4"), ("value", "4")),
    ],
)
def test_a_malformed_report_is_a_failure_of_the_candidate(report: dict[str, Json]) -> None:
    verdict = judge(case(), step(Outcome(exit_code=0, report=report)))
    assert (verdict.status, verdict.flags) == (Status.RUNTIME_ERROR, ("bad_report",))
    assert verdict.tests_passed == 0


@given(REPORT, STOPS, st.integers(0, 2), st.none() | st.sampled_from(["oom", "exit 1"]))
def test_no_report_passes_but_one_that_says_exactly_what_is_expected(
    report: dict[str, Json], stop: Stop | None, oom_kills: int, died: str | None
) -> None:
    outcome = Outcome(stop=stop, died=died, oom_kills=oom_kills, report=report)
    verdict = judge(case(["2", "3"]), step(outcome))
    right = report.get("results") == [["value", "2"], ["value", "3"]]
    said_so = right and report.get("loaded") is True and report.get("error") is None
    assert verdict.passed == (said_so and stop is None and died is None)
    assert not verdict.open


def test_the_word_none_is_not_a_none() -> None:
    report = loaded(("none",))
    verdict = judge(case(["None"]), step(Outcome(report=report)))
    assert verdict.status is Status.FAILED


def test_a_task_without_expected_results_passes_nobody() -> None:
    verdict = judge(case([]), step(Outcome(report=loaded())))
    assert verdict.status is Status.RUNTIME_ERROR


def test_time_and_memory_are_those_of_the_run() -> None:
    outcome = Outcome(wall_seconds=1.2346, peak_memory_kib=9000, report=RIGHT)
    verdict = judge(case(), step(outcome))
    assert (verdict.duration_ms, verdict.peak_memory_kib) == (1235, 9000)
    assert verdict.key == KEY


def test_what_a_candidate_said_is_kept_short_and_printable() -> None:
    error: dict[str, Json] = {"type": "E\ud800", "text": "я" * 10_000}
    report: dict[str, Json] = {"loaded": False, "error": error, "results": []}
    outcome = Outcome(report=report, output="\udfff" + "я" * 10_000)
    verdict = judge(case(), step(outcome))
    assert len(verdict.evidence.encode()) <= 500
    assert len(verdict.output.encode()) <= 4096


def test_the_program_is_the_function_and_the_code_and_holds_no_expected_result() -> None:
    generation = Generation(Key(7, 0), "```python\n    return x + 1\n```")
    execution = plan(Case(task(["secret"]), generation, "base"), LIMITS)
    payload = execution.payload
    assert payload["program"] == "def f(x):\n\n    return x + 1\n"
    assert [decode(test) for test in cast(list[Json], payload["tests"])] == [{"x": 1}]
    assert "secret" not in str(payload)
