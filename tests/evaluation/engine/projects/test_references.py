"""The references that run before any generation, and their facts about the task."""

from collections.abc import Mapping

import pytest

from evaluation.engine.projects.control import STOPPED, THROUGH
from evaluation.engine.projects.suite import Suite, control_of
from evaluation.engine.records import Execution, Outcome, Reference, Status, Stop, Task
from tests.evaluation.engine.projects import made
from tests.evaluation.engine.projects.made import PREPARED, TASK, A, B, C, known, reference, said

SUITE = made.suite()
DRY_RUN = reference("dry_run", A, B)


def plan(name: str, known: Mapping[str, Reference], suite: Suite = SUITE) -> Execution | None:
    return suite.references().plan(TASK, PREPARED, known, name)


def judge(
    name: str, outcome: Outcome, known: Mapping[str, Reference], suite: Suite = SUITE
) -> Reference:
    return suite.references().judge(TASK, PREPARED, known, name, outcome)


def test_their_order_is_dry_run_oracle_control_stubs() -> None:
    assert SUITE.references().names == ("dry_run", "oracle", "control", "stub_pass", "stub_none")


def test_each_set_of_tests_has_an_oracle_and_a_control() -> None:
    suite = made.suite(dry_run_limits=None, test_sets=("", "R"), stubs=())
    assert suite.references().names == ("oracle", "control", "oracle:R", "control:R")
    oracle = plan("oracle:R", {}, suite)
    assert oracle is not None
    assert oracle.payload["command"] == "test  R"


def test_the_dry_run_is_of_the_originals_under_its_own_limits() -> None:
    execution = plan("dry_run", {})
    assert execution is not None
    assert execution.payload["files"] == {"lib/f.py": "original", "lib/g.py": "withheld too"}
    assert execution.limits == made.DRY


@pytest.mark.parametrize("name", ["oracle", "stub_pass"])
def test_a_reference_is_run_like_a_generation(name: str) -> None:
    execution = plan(name, known(DRY_RUN))
    assert execution is not None
    assert execution.payload["files"] == {"lib/f.py": name, "lib/g.py": "withheld too"}
    assert (execution.payload["command"], execution.limits) == ("test", made.LIMITS)


def test_the_control_is_the_oracle_under_tests_that_ask() -> None:
    before = known(DRY_RUN, reference("oracle", A, B, C))
    oracle, execution = (
        plan(name, before, made.suite(asking=made.REWRITING)) for name in ("oracle", "control")
    )
    assert oracle is not None and execution is not None
    assert execution.payload["files"] == {
        "lib/f.py": "oracle",
        "lib/g.py": "withheld too",
        "tests/test_a.py": "asking a b",
    }
    assert execution == control_of(oracle) != oracle
    assert execution.limits == made.LIMITS


def test_the_untouched_projects_tests_do_not_ask() -> None:
    execution = plan("dry_run", {}, made.suite(asking=made.REWRITING))
    assert execution is not None
    assert "watch" not in execution.payload


def test_what_the_task_lacks_is_not_run() -> None:
    assert plan("stub_none", known(DRY_RUN)) is None
    none_of_set = made.suite(compared=lambda _task, _setting, name: frozenset({A} - {name}))
    assert plan("oracle", {}, none_of_set) is not None
    assert plan(f"oracle:{A}", {}, none_of_set) is None


def test_nothing_is_run_for_a_task_that_cannot_be_judged() -> None:
    unsound = known(reference("dry_run", unsound="why"))
    assert [plan(name, unsound) for name in ("oracle", "control", "stub_pass")] == [None] * 3
    assert plan("control", known(DRY_RUN, reference("oracle", status=Status.FAILED))) is None
    assert plan("control", known(DRY_RUN)) is None


def test_a_dry_run_that_passes_something_is_sound() -> None:
    found = judge("dry_run", said({B: "failed", A: "passed"}), {})
    assert (found.status, found.passed, found.tests) == (Status.PASSED, (A,), 2)
    assert (found.unsound, found.cpu_seconds, found.duration_ms) == ("", 1.0, 1500)


@pytest.mark.parametrize(
    ("outcome", "status", "why"),
    [
        (said({A: "failed"}), Status.FAILED, "passes no test"),
        (said({}), Status.RUNTIME_ERROR, "passes no test"),
        (said({A: "passed"}, complete=False), Status.RUNTIME_ERROR, "runtime_error"),
        (said({A: "passed"}, stop=Stop.CPU), Status.TIMEOUT, "timeout"),
    ],
)
def test_a_dry_run_that_passes_nothing_or_does_not_end_is_unsound(
    outcome: Outcome, status: Status, why: str
) -> None:
    found = judge("dry_run", outcome, {})
    assert found.status is status
    assert why in found.unsound


def test_an_oracle_has_to_pass_all_that_the_dry_run_passed() -> None:
    passes = judge("oracle", said({A: "passed", B: "passed", C: "failed"}), known(DRY_RUN))
    assert (passes.status, passes.unsound) == (Status.PASSED, "")
    ends = {A: "passed", B: "failed", C: "error", "d": "skipped", "e": "xfailed", "f": "xpassed"}
    fails = judge("oracle", said(ends), known(DRY_RUN))
    assert fails.status is Status.FAILED
    assert "1 of the 2 tests" in fails.unsound
    assert fails.facts["failed"] == [B, C]


def test_a_reference_may_skip_what_another_set_of_tests_decides() -> None:
    node = made.suite(compared=lambda *_: frozenset({A}), test_sets=("", "R"))
    before = known(reference("oracle", f"{A}[1]", f"{A}[2]"))
    outcome = said({f"{A}[1]": "passed", f"{A}[2]": "skipped"})
    judged = node.references().judge(made.TASK, made.PREPARED, before, "oracle:R", outcome)
    assert judged.status is Status.PASSED


@pytest.mark.parametrize("end", ["passed", "failed"])
def test_a_stub_is_no_reason_against_the_task(end: str) -> None:
    found = judge("stub_pass", said({A: end, B: end}), known(DRY_RUN))
    assert (found.status.value, found.unsound) == (end, "")


def test_the_control_keeps_how_each_test_ended() -> None:
    before = known(DRY_RUN, reference("oracle", A, B, C))
    outcome = said({A: STOPPED, B: f"AssertionError: {THROUGH}", C: "passed", "new": "failed"})
    found = judge("control", outcome, before)
    assert found.facts == {
        "stopped": [A],
        "went_through": [B],
        "not_compared": [C],
        "complete": True,
        "events": [],
        "asked": 0,
    }
    assert (found.passed, found.unsound) == ((C,), "")


def test_a_task_without_a_test_that_can_be_controlled_is_unsound() -> None:
    before = known(DRY_RUN, reference("oracle", A, B))
    found = judge("control", said({A: "passed", B: "error"}), before)
    assert "controlled" in found.unsound


def generation(_task: Task, name: str) -> str | None:
    return None if name == "stub_none" else f"like {name}"


def test_the_canaries_are_the_oracle_and_the_quickest_stub_that_fails() -> None:
    suite = made.suite(stubs=("stub_pass", "stub_other", "stub_slow"))
    before = known(
        reference("stub_pass", status=Status.PASSED),
        reference("stub_slow", status=Status.TIMEOUT, duration_ms=300),
        reference("stub_other", status=Status.FAILED, duration_ms=20),
    )
    found = suite.canaries(generation, "base", TASK, PREPARED, before)
    told = [(each.case.generation.text, each.passes) for each in found]
    assert told == [("like oracle", True), ("like stub_other", False)]
    assert {each.case.setting for each in found} == {"base"}
    assert all(each.case.prepared is PREPARED and each.case.references is before for each in found)


def test_without_a_stub_that_fails_or_a_text_for_it_there_is_one_canary_less() -> None:
    passes = known(reference("stub_pass"), reference("stub_none", status=Status.FAILED))
    found = SUITE.canaries(generation, "base", TASK, PREPARED, passes)
    assert [each.passes for each in found] == [True]
