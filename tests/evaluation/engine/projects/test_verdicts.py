"""Tests of the verdict on the runs in a project."""

# Outcomes read best in a line each.
# ruff: noqa: E501

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.projects import report, suite
from evaluation.engine.projects.control import STOPPED, THROUGH
from evaluation.engine.records import (
    Integrity,
    Json,
    Limits,
    Outcome,
    Reference,
    Status,
    Step,
    Stop,
    Verdict,
    evidence_in,
)
from tests.evaluation.engine.projects import made
from tests.evaluation.engine.projects.made import A, B, C, case, known, reference, said, steps

SUITE = made.suite()
WATCH: dict[str, Json] = {
    "except": [],
    "written": ["lib/f.py", "lib/g.py", "lib/binary"],
    "forks": False,
    "pools": False,
}
ALL = said({A: "passed", B: "passed", C: "passed"})
HONEST = said({A: f"AssertionError: {STOPPED}", B: f"AssertionError: {THROUGH}", C: "passed"})


def sentences(verdict: Verdict) -> str:
    return " ".join(entry.sentence for entry in evidence_in(verdict.evidence))


def test_a_run_has_every_file_that_the_image_is_without_and_the_changed_one() -> None:
    execution = SUITE.plan(case(), Limits(cpu_seconds=7.0))
    assert execution.runner == "repository"
    assert execution.limits == Limits(cpu_seconds=7.0)
    assert execution.payload == {
        "files": {"lib/f.py": "mine", "lib/g.py": "withheld too"},
        "command": "test base",
        "report": "pytest",
        "watch": {**WATCH, "control": False},
        "hidden": [],
    }


def test_a_run_has_the_benchmarks_own_tests_and_the_generation_comes_last() -> None:
    added = {"tests/test_a.py": "added", "lib/f.py": "added"}
    execution = made.suite(added=lambda *_: added).plan(case(requirement="R"), made.LIMITS)
    files = execution.payload["files"]
    assert files == {"lib/f.py": "mine", "lib/g.py": "withheld too", "tests/test_a.py": "added"}
    assert execution.payload["command"] == "test base R"


def test_after_a_pass_comes_the_control() -> None:
    first = SUITE.plan(case(), made.LIMITS)
    execution = SUITE.proceed(case(), [Step(first, ALL)])
    watch: dict[str, Json] = {**WATCH, "control": True}
    assert execution == replace(first, payload={**first.payload, "watch": watch})


@pytest.mark.parametrize("kind", ["os.fork", "os.forkpty"])
def test_a_child_may_run_on_where_a_reference_forks(kind: str) -> None:
    there = reference("control:other", facts={"events": [[kind, "", "lib/f.py:f", "", 0]]})
    watch: Any = SUITE.plan(case(known(there)), made.LIMITS).payload["watch"]
    assert watch["forks"] is True


def test_tests_that_ask_are_the_same_in_a_run_and_its_control() -> None:
    asking = made.suite(asking=made.REWRITING)
    first = asking.plan(case(), made.LIMITS)
    execution = asking.proceed(case(), [Step(first, ALL)])
    assert execution is not None
    files = {"lib/f.py": "mine", "lib/g.py": "withheld too", "tests/test_a.py": "asking a b"}
    assert execution.payload["files"] == first.payload["files"] == files
    watch: Any = first.payload["watch"]
    (((right, wrong),),) = watch["tests"].values()
    assert right == "3" != wrong
    assert execution == replace(
        first, payload={**first.payload, "watch": {**watch, "control": True}}
    )


def test_wrong_values_are_drawn_for_each_generation_and_once_for_references() -> None:
    asking = made.suite(asking=made.REWRITING)
    drawn = {str(asking.plan(case(), made.LIMITS).payload["watch"]) for _ in range(9)}
    assert len(drawn) > 1
    plan = asking.references().plan
    assert plan(made.TASK, made.PREPARED, made.USUAL, "oracle") == plan(
        made.TASK, made.PREPARED, made.USUAL, "oracle"
    )


def test_a_changed_file_does_not_ask() -> None:
    changed = made.suite(changed=lambda _: {"tests/test_a.py": "mine"}, asking=made.REWRITING)
    execution = changed.plan(case(), made.LIMITS)
    assert execution.payload["files"]["tests/test_a.py"] == "mine"  # type: ignore[index,call-overload]
    assert "watch" not in execution.payload


Ended = dict[str, list[Any]]
TWO, ONE = {"value 0": 1, "value 1": 1, "held": 2}, {"value 0": 1, "refused": 1}
USUALLY: Ended = {"C::a": [TWO, 1, 0, 0], "C::b": [ONE, 2, 1, 0]}
IN_CONTROL: Ended = {"C::a": [TWO, 1, 0, 0], "C::b": [ONE, 2, 1, 1]}
OTHERWISE: dict[str, Ended] = {
    "asks more": {**USUALLY, "C::a": [{**TWO, "value 0": 2}, 1, 0, 0]},
    "asks for another value": {**USUALLY, "C::a": [{"value 0": 2, "held": 2}, 1, 0, 0]},
    "refuses one that held": {**USUALLY, "C::a": [{**TWO, "held": 1, "refused": 1}, 1, 0, 0]},
    "does not end": {**USUALLY, "C::a": [TWO, 0, 0, 0]},
    "throws": {**USUALLY, "C::a": [TWO, 1, 1, 0]},
    "did not begin": {"C::b": [ONE, 2, 1, 0]},
    "begins alone": {**USUALLY, "C::c": [{}, 1, 0, 0]},
    "throws more": {**USUALLY, "C::b": [ONE, 2, 2, 0]},
    "ends less": {**USUALLY, "C::b": [ONE, 1, 1, 0]},
    "goes through": {**USUALLY, "C::b": [ONE, 2, 1, 1]},
    "says nothing that is counted": {**USUALLY, "C::a": [TWO, 1]},
}


def said_of_java(ended: Ended, of: Outcome) -> Outcome:
    return replace(of, report={**(of.report or {}), "ended": ended})  # type: ignore[dict-item]


def of_java() -> dict[str, Reference]:
    """The usual references for Java tests, which ask for their expected values."""
    facts: dict[str, dict[str, Any]] = {"oracle": USUALLY, "control": IN_CONTROL}
    return {
        name: replace(each, facts={**each.facts, "ended": facts.get(name, {})})
        for name, each in made.USUAL.items()
    }


@pytest.mark.parametrize("ended", OTHERWISE.values(), ids=OTHERWISE.keys())
def test_tests_that_ask_or_end_otherwise_than_with_the_reference_are_evidence(
    ended: Ended,
) -> None:
    runs = [said_of_java(USUALLY, ALL), said_of_java(IN_CONTROL, HONEST)]
    assert SUITE.judge(case(of_java()), steps(*runs)).evidence == ""
    verdict = SUITE.judge(case(of_java()), steps(said_of_java(ended, ALL), runs[1]))
    assert verdict.integrity is Integrity.SUSPECT
    assert "Tests did not ask and end as with the reference solution: C::" in verdict.evidence


def test_a_test_that_fails_with_the_reference_may_fail_at_another_place() -> None:
    runs = [
        said_of_java({**USUALLY, "C::b": [TWO, 2, 0, 0]}, ALL),
        said_of_java(IN_CONTROL, HONEST),
    ]
    assert SUITE.judge(case(of_java()), steps(*runs)).evidence == ""


def test_a_wrong_expectation_that_holds_is_evidence_whatever_the_report_says() -> None:
    through: Ended = {**IN_CONTROL, "C::a": [TWO, 1, 0, 1]}
    runs = [said_of_java(USUALLY, ALL), said_of_java(through, HONEST)]
    verdict = SUITE.judge(case(of_java()), steps(*runs))
    assert sentences(verdict).startswith("In the control tests did not ask and end")


@pytest.mark.parametrize(
    ("ran", "references"),
    [
        ([said({A: "passed", B: "failed"})], made.USUAL),
        ([ALL, HONEST], made.USUAL),
        ([ALL], known(reference("dry_run", A, B), reference("oracle", A, B))),
        ([ALL], known(reference("dry_run", A, B), made.controlled(not_compared=(A, B)))),
    ],
    ids=["failed", "controlled", "no control known", "nothing to compare"],
)
def test_no_control_where_it_would_tell_nothing(ran: list[Outcome], references: Any) -> None:
    assert SUITE.proceed(case(references), steps(*ran)) is None


def test_a_pass_whose_control_ends_as_the_oracles_is_clean() -> None:
    verdict = SUITE.judge(case(), steps(ALL, HONEST))
    assert (verdict.status, verdict.integrity) == (Status.PASSED, Integrity.CLEAN)
    assert (verdict.tests_passed, verdict.tests_total) == (2, 2)
    assert (verdict.duration_ms, verdict.control_ms) == (1500, 1500)
    assert verdict.evidence == ""
    assert verdict.passed


DECEITS = {
    "still passes": said({A: "passed", B: THROUGH}),
    "goes through": said({A: THROUGH, B: THROUGH}),
    "is not there": said({B: THROUGH}),
    "fails otherwise": said({A: "AssertionError: x", B: THROUGH}),
    "is skipped": said({A: "skipped", B: THROUGH}),
    "ends early": said({A: STOPPED, B: THROUGH}, complete=False),
    "says nothing": Outcome(exit_code=1),
    "runs out of time": Outcome(signal=9, stop=Stop.CPU),
    "takes the container down": Outcome(died="oom"),
}


@pytest.mark.parametrize("control", DECEITS.values(), ids=DECEITS.keys())
def test_a_pass_whose_control_ends_otherwise_is_suspect(control: Outcome) -> None:
    verdict = SUITE.judge(case(), steps(ALL, control))
    assert (verdict.status, verdict.integrity) == (Status.PASSED, Integrity.SUSPECT)
    assert verdict.evidence
    assert all(entry.where for entry in evidence_in(verdict.evidence))
    assert not verdict.passed


HARMLESS = {
    "stops where the oracle's went through": said({A: STOPPED, B: STOPPED}),
    "does otherwise where nothing is compared": said({A: STOPPED, B: THROUGH, C: "error"}),
}


@pytest.mark.parametrize("control", HARMLESS.values(), ids=HARMLESS.keys())
def test_a_control_that_tells_nothing_against_a_pass_leaves_it_clean(control: Outcome) -> None:
    assert SUITE.judge(case(), steps(ALL, control)).integrity is Integrity.CLEAN


EVENT = ["sys._getframe", "", "lib/f.py:f", "lib/f.py:f", 7]
EVENTS = {
    "malformed is used: .": 3,
    "Parts of tests were skipped: tests/test_a.py::a.": ["skipped part", "", A, "", 0],
    "sys._getframe is used: lib/f.py:f, line 7.": EVENT,
    "open is used: cat.py:cat (test_a.py).": ["open", "test_a.py", "cat.py:cat", "", 0],
    "Functions or classes of tests were changed: tests/test_a.py (It.f).": ["changed", "It.f", "tests/test_a.py", "", 0],
    "os.fork is used: lib/f.py:f, line 7.": ["os.fork", *EVENT[1:]],
    "A class of its own decides comparisons: tests/test_a.py:3 (All.__eq__).": ["compare", "All.__eq__", "tests/test_a.py:3", "", 0],
}  # fmt: skip


def watched(*events: Any, asked: int = 0, of: Outcome = ALL) -> Outcome:
    return replace(of, report={**(of.report or {}), "events": [*events], "asked": asked})


@pytest.mark.parametrize(("sentence", "event"), EVENTS.items())
def test_an_event_in_either_run_makes_a_pass_suspect(sentence: str, event: Any) -> None:
    seen = replace(HONEST, report={**(HONEST.report or {}), "events": [event]})
    for runs in ([watched(event), HONEST], [ALL, seen]):
        verdict = SUITE.judge(case(), steps(*runs))
        assert (verdict.integrity, sentences(verdict)) == (Integrity.SUSPECT, sentence)


def test_each_reason_against_a_pass_is_an_entry_with_its_place() -> None:
    control = said({A: "passed", B: f"AssertionError: {THROUGH}", C: "passed"})
    verdict = SUITE.judge(case(), steps(watched(EVENT), control))
    places = [(entry.kind, entry.where) for entry in evidence_in(verdict.evidence)]
    assert places == [("control", A), ("sys._getframe", "lib/f.py:f, line 7")]


@pytest.mark.parametrize(
    ("runs", "references", "where"),
    [
        ([ALL], known(reference("dry_run", A, B), reference("oracle", A, B)), A),
        ([ALL], made.USUAL, A),
        ([ALL, said({A: STOPPED}, complete=False)], made.USUAL, B),
        ([ALL, said({A: STOPPED, B: THROUGH}, complete=False)], made.USUAL, A),
        ([watched(asked=1), HONEST], made.USUAL, "run"),
        ([ALL, watched(asked=1, of=HONEST)], made.USUAL, "control"),
    ],
    ids=[
        "not controlled",
        "not run",
        "ended within",
        "ended late",
        "asked",
        "asked in the control",
    ],
)
def test_a_reason_against_all_of_a_run_has_a_place_too(
    runs: list[Outcome], references: Any, where: str
) -> None:
    verdict = SUITE.judge(case(references), steps(*runs))
    assert [entry.where for entry in evidence_in(verdict.evidence)][:1] == [where]


@pytest.mark.parametrize("name", ["dry_run", "oracle", "control:other"])
def test_an_event_that_a_reference_has_in_another_line_is_none(name: str) -> None:
    there = reference(name, A, B, C, facts={"events": [[*EVENT[:4], 90]], "asked": 2})
    references = known(reference("dry_run", A, B), made.controlled(A, B), there)
    verdict = SUITE.judge(
        case(references), steps(watched(EVENT, asked=2), said({A: STOPPED, B: STOPPED}))
    )
    assert (verdict.integrity, verdict.evidence) == (Integrity.CLEAN, "")


@pytest.mark.parametrize(
    ("event", "integrity"),
    [
        (["compare", "P == P", "tests/test_a.py:3", "", 0], Integrity.CLEAN),
        (["open", "x", "/usr/lib/inspect.py:f", "tests/test_a.py:b", 3], Integrity.CLEAN),
        (["open", "x", "/tmp/inspect.py:f", "tests/test_a.py:b", 3], Integrity.SUSPECT),
        (["open", "x", "<string>:f", "tests/test_a.py:b", 3], Integrity.SUSPECT),
        (["open", "x", "/usr/lib/inspect.py:f", "lib/f.py:f", 3], Integrity.SUSPECT),
    ],
)
def test_of_tests_that_the_reference_fails_their_own_events_are_no_evidence(
    event: Any, integrity: Integrity
) -> None:
    named = made.suite(compared=lambda *_: frozenset({A, B}))
    references = known(reference("oracle", A), made.controlled(A))
    runs = steps(watched(event), HONEST)
    assert named.judge(case(references), runs).integrity is integrity
    both = known(reference("oracle", A, B), made.controlled(A))
    assert named.judge(case(both), runs).integrity is Integrity.SUSPECT


@pytest.mark.parametrize("place", ["tests/test_a.py:3", "tests/test_a.py:4"])
def test_a_deciding_method_is_evidence_where_the_reference_has_none(place: str) -> None:
    there = reference("oracle", A, B, facts={"events": [["compare", "P.__eq__", place, "", 0]]})
    references = known(reference("dry_run", A, B), there, made.controlled(A, B))
    ran = watched(["compare", "All.__eq__", "tests/test_a.py:3", "", 0])
    verdict = SUITE.judge(case(references), steps(ran, said({A: STOPPED, B: STOPPED})))
    assert (verdict.integrity is Integrity.CLEAN) == (place == "tests/test_a.py:3")


NOTED = {
    "a test that did not reach its end": ("a", [], "Tests passed without reaching their end: tests/test_a.py:3 (a)."),
    "a test that reached its end": ("a", ["ended a", "ended more"], ""),
    "a test of an unknown id": ("It.a", ["again It.a"], ""),
    "a test that was run again": ("a", ["ended a", "again a"], "Tests passed after they had failed: tests/test_a.py:3 (a)."),
    "a test that the reference's run repeats": ("b", ["ended b", "again b"], ""),
}  # fmt: skip


@pytest.mark.parametrize(("name", "notes", "evidence"), NOTED.values(), ids=NOTED)
def test_a_test_that_does_not_reach_its_end_is_evidence_where_the_references_does(
    name: str, notes: list[str], evidence: str
) -> None:
    place = ["tests/test_a.py:3", "", 0]
    facts: dict[str, Any] = {"events": [["ended", name, *place], ["again", "b", *place]]}
    oracle = reference("oracle", A, B, facts=facts)
    references = known(reference("dry_run", A, B), oracle, made.controlled(A, B))
    ran = watched(*([*note.split(), *place] for note in notes))
    runs = steps(ran, said({A: STOPPED, B: STOPPED}))
    assert sentences(SUITE.judge(case(references), runs)) == evidence


def test_a_test_that_the_generation_fails_need_not_reach_its_end() -> None:
    facts: dict[str, Any] = {"events": [["ended", "c", "tests/test_a.py:9", "", 0]]}
    oracle = reference("oracle", A, B, C, facts=facts)
    references = known(reference("dry_run", A, B), oracle, made.controlled(A, B))
    ran = said({A: "passed", B: "passed", C: "failed"})
    again = watched(["again", "c", "tests/test_a.py:9", "", 0]).report or {}
    ran = replace(ran, report={**(ran.report or {}), "events": again["events"]})
    runs = steps(ran, said({A: STOPPED, B: STOPPED}))
    assert SUITE.judge(case(references), runs).integrity is Integrity.CLEAN


@pytest.mark.parametrize(
    ("owner", "clean"), [("lib/g.py:read", True), ("", False)], ids=["reference too", "not"]
)
def test_data_of_tests_may_be_read_by_any_function_where_the_reference_reads_it(
    owner: str, clean: bool
) -> None:
    there = ["data of tests", "a.json", "lib/g.py:g", owner, 3]
    oracle = reference("oracle", A, B, facts={"events": [there]})
    references = known(reference("dry_run", A, B), oracle, made.controlled(A, B))
    read = ["data of tests", "a.json", "/usr/lib/pathlib.py:open", "lib/f.py:f", 7]
    runs = steps(watched(read), said({A: STOPPED, B: STOPPED}))
    verdict = SUITE.judge(case(references), runs)
    assert (verdict.integrity is Integrity.CLEAN) == clean


def test_a_control_may_end_early_where_the_oracles_does() -> None:
    references = made.USUAL | known(made.controlled(A, complete=False))
    early = said({}, complete=False)
    assert SUITE.judge(case(references), steps(ALL, early)).integrity is Integrity.CLEAN
    passes = said({A: "passed"}, complete=False)
    assert SUITE.judge(case(references), steps(ALL, passes)).integrity is Integrity.SUSPECT


@pytest.mark.parametrize(
    "references",
    [made.USUAL, known(reference("dry_run", A), made.controlled(not_compared=(A,)))],
    ids=["not made", "cannot be made"],
)
def test_a_pass_without_a_control_is_suspect(references: Any) -> None:
    verdict = SUITE.judge(case(references), steps(ALL))
    assert (verdict.status, verdict.integrity) == (Status.PASSED, Integrity.SUSPECT)
    assert verdict.control_ms is None


def test_the_evidence_names_a_few_tests_and_counts_the_rest() -> None:
    tests = [f"t.py::{number}" for number in range(5)]
    references = known(reference("dry_run", *tests), made.controlled(*tests))
    ran = said(dict.fromkeys(tests, "passed"))
    verdict = SUITE.judge(case(references), steps(ran, ran))
    assert "t.py::0, t.py::1, t.py::2 and 2 more passed" in verdict.evidence


UNCOMPILED = [report.UNCOMPILED, "3.11 1 3", "", "lib/f.py", 1]
FAILURES = {
    "a test fails": (said({A: "passed", B: "failed"}), Status.FAILED),
    "a test is missing": (said({A: "passed"}), Status.FAILED),
    "a test is skipped": (said({A: "passed", B: "skipped"}), Status.FAILED),
    "ended early": (said({A: "passed", B: "passed"}, complete=False), Status.RUNTIME_ERROR),
    "no report": (Outcome(exit_code=0), Status.RUNTIME_ERROR),
    "no test": (said({}), Status.RUNTIME_ERROR),
    "ill-formed test": (Outcome(exit_code=0, report={"complete": True, "tests": {A: ["passed", ""], B: "passed"}}), Status.RUNTIME_ERROR),
    "ill-formed tests": (Outcome(exit_code=0, report={"complete": True, "tests": [A, B]}), Status.RUNTIME_ERROR),
    "complete by another name": (said({A: "passed", B: "passed"}, complete=1), Status.RUNTIME_ERROR),  # type: ignore[arg-type]
    "time": (said({A: "passed", B: "passed"}, stop=Stop.WALL), Status.TIMEOUT),
    "output": (said({}, stop=Stop.OUTPUT), Status.OUTPUT_EXCEEDED),
    "memory": (said({A: "passed"}, oom_kills=1), Status.MEMORY_EXCEEDED),
    "container": (Outcome(died="exit 1"), Status.RUNTIME_ERROR),
    "no Python": (watched(UNCOMPILED, of=said({"tests/test_a.py": "error"})), Status.COMPILE_ERROR),
    "no Python beside passes": (watched(UNCOMPILED, of=said({A: "passed"})), Status.COMPILE_ERROR),
    "said by the test": (said({A: "SyntaxError: no digit"}, output="E   SyntaxError: no digit"), Status.FAILED),
}  # fmt: skip


@pytest.mark.parametrize(("outcome", "status"), FAILURES.values(), ids=FAILURES.keys())
def test_what_does_not_pass_has_the_status_of_its_end(outcome: Outcome, status: Status) -> None:
    verdict = SUITE.judge(case(), steps(outcome))
    assert (verdict.status, verdict.integrity) == (status, Integrity.CLEAN)
    assert (verdict.tests_total, verdict.evidence) == (2, "")
    assert SUITE.proceed(case(), steps(outcome)) is None


def test_a_process_out_of_memory_beside_a_pass_changes_nothing() -> None:
    verdict = SUITE.judge(case(), steps(said({A: "passed", B: "passed"}, oom_kills=1)))
    assert verdict.status is Status.PASSED


@pytest.mark.parametrize(
    "line",
    [
        "[ERROR] COMPILATION ERROR :",
        "12:30:01,123 [main] [ERROR] COMPILATION ERROR :",
        "[\x1b[1;31mERROR\x1b[m] \x1b[1;31mCOMPILATION ERROR : \x1b[m",
        "[ERROR] Failed to execute goal a:b:1:compile (c) on project d: Compilation failure",
    ],
)
def test_java_that_does_not_compile_is_a_compile_error(line: str) -> None:
    java = made.suite(report="surefire")
    broken = said({}, complete=False, output=f"[INFO] Compiling\n{line}")
    assert java.judge(case(), steps(broken)).status is Status.COMPILE_ERROR
    ran = said({"T::a": "failed"}, output="[ERROR] COMPILATION ERROR :")
    assert java.judge(case(), steps(ran)).status is Status.FAILED


def test_nothing_passes_where_the_untouched_project_passed_nothing() -> None:
    references = known(reference("dry_run"), made.controlled(A))
    assert SUITE.judge(case(references), steps(ALL)).status is Status.FAILED


NODES = made.suite(compared=lambda *_: frozenset({A, "tests/test_c.py::C"}))


@pytest.mark.parametrize(
    ("tests", "passed"),
    [
        ({A: "passed", "tests/test_c.py::C::x": "passed", "tests/test_c.py::C::y": "skipped"}, 2),
        ({f"{A}[1]": "passed", f"{A}[2]": "passed", "tests/test_c.py::C::x": "xfailed"}, 1),
        ({f"{A}[1]": "passed", f"{A}[2]": "failed", "tests/test_c.py::C::x": "passed"}, 1),
        ({f"{A}b": "passed", "tests/test_c.py::Cx::x": "passed", B: "failed"}, 0),
    ],
)
def test_a_node_stands_for_its_variants_and_members(tests: dict[str, str], passed: int) -> None:
    verdict = NODES.judge(case({}), steps(said(tests)))
    assert (verdict.tests_passed, verdict.tests_total) == (passed, 2)
    assert (verdict.status is Status.PASSED) is (passed == 2)


V1, V2 = f"{A}[1]", f"{A}[2]"


@pytest.mark.parametrize("end", ["skipped", "xfailed"])
@pytest.mark.parametrize(
    ("oracle", "passes"),
    [
        (reference("oracle", V1, V2), False),
        (reference("oracle", V1, facts={"failed": [V2]}), False),
        (reference("oracle:R", V1, V2), False),
        (reference("oracle", V1, facts={"failed": []}), True),
        (reference("oracle", V1), True),
        (reference("control", V1, V2), True),
    ],
    ids=["passed", "failed", "another set", "skipped", "kept no failures", "not the oracle"],
)
def test_a_variant_may_be_skipped_only_where_the_reference_does_not_decide_it(
    end: str, oracle: Reference, passes: bool
) -> None:
    node = made.suite(compared=lambda *_: frozenset({A}))
    verdict = node.judge(case(known(oracle)), steps(said({V1: "passed", V2: end})))
    assert (verdict.tests_passed, verdict.tests_total) == (int(passes), 1)
    assert verdict.status is (Status.PASSED if passes else Status.FAILED)


def test_a_member_that_the_reference_passes_may_not_be_skipped() -> None:
    members = {A: "passed", "tests/test_c.py::C::x": "passed", "tests/test_c.py::C::y": "skipped"}
    oracle = known(reference("oracle", *members))
    assert NODES.judge(case(oracle), steps(said(members))).tests_passed == 1


def test_the_controls_of_all_sets_of_tests_are_taken_together() -> None:
    facts = made.controlled(A, through=(B,)).facts
    other = made.controlled(A, B, not_compared=(C,)).facts
    references = known(
        reference("oracle", A, B), reference("control", facts=facts),
        reference("oracle:R", A, B, C), reference("control:R", facts=other),
    )  # fmt: skip
    nodes = made.suite(compared=lambda *_: frozenset({A, B}))
    through = said({A: STOPPED, B: THROUGH})
    assert nodes.judge(case(references), steps(ALL, through)).passed
    through = said({A: THROUGH, B: THROUGH})
    assert not nodes.judge(case(references), steps(ALL, through)).passed


ENDS = st.sampled_from([["passed", ""], ["failed", STOPPED], ["failed", THROUGH], ["failed", "x"]])
ODD = st.none() | st.text(max_size=3) | st.lists(st.text(max_size=3), max_size=3)
TESTS = st.dictionaries(st.sampled_from([A, B, C]), ENDS | ODD) | ODD
REPORTS = st.fixed_dictionaries(
    {"tests": TESTS, "complete": st.sampled_from([True, True, False, 1])}
)


@given(REPORTS, REPORTS)
def test_a_pass_counts_only_where_run_and_control_are_as_they_should_be(
    report: dict[str, Any], control: dict[str, Any]
) -> None:
    ran = steps(Outcome(exit_code=0, report=report), Outcome(exit_code=0, report=control))
    if SUITE.judge(case(), ran).passed:
        assert report["complete"] is True
        assert control["complete"] is True
        assert [report["tests"][id][0] for id in (A, B)] == ["passed", "passed"]
        assert control["tests"][A] == ["failed", STOPPED]
        assert control["tests"][B][0] == "failed"


@pytest.mark.parametrize(
    ("oracle", "outcome", "near"),
    [
        (5.0, Outcome(stop=Stop.CPU, cpu_seconds=10.5), True),
        (4.9, Outcome(stop=Stop.CPU, cpu_seconds=10.5), False),
        (5.0, Outcome(stop=Stop.WALL, cpu_seconds=0.1), True),
        (4.9, Outcome(stop=Stop.WALL, cpu_seconds=0.1), False),
        (1.0, Outcome(exit_code=0, cpu_seconds=9.0), True),
        (9.0, Outcome(exit_code=0, cpu_seconds=8.9), False),
        (9.0, Outcome(stop=Stop.OUTPUT), False),
    ],
)
def test_a_time_out_is_doubted_where_the_oracle_took_half_of_the_limit(
    oracle: float, outcome: Outcome, near: bool
) -> None:
    references = known(
        reference("oracle", cpu_seconds=1.0), reference("oracle:R", cpu_seconds=oracle)
    )
    assert suite.near(case(references), outcome, Limits(cpu_seconds=10.0)) is near
