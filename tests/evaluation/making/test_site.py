"""Tests of the reasons why a function makes a task or none."""

from dataclasses import replace

import pytest

from evaluation.engine.records import Reference, Status
from evaluation.making.site import (
    DOCTESTED,
    MISFIT,
    ORACLE_FAILS,
    STUB_PASSES,
    STUB_SAYS_NOTHING,
    UNSOUND,
    UNSTABLE,
    Reason,
    by_references,
    by_second_run,
)

TESTS = ("tests/a.py::test_f", "tests/a.py::test_g")


def reference(name: str, status: Status = Status.FAILED, **other: object) -> Reference:
    passed = TESTS if status is Status.PASSED else TESTS[:1]
    return replace(Reference(name, status, passed, tests=2), **other)  # type: ignore[arg-type]


GOOD = (
    reference("dry_run", Status.PASSED),
    reference("oracle", Status.PASSED),
    reference("control"),
    reference("stub_pass"),
    reference("stub_empty_str", Status.TIMEOUT, tests=0),
)


def why(*changed: Reference, without: str = "", compiled: bool = False) -> str:
    references = {each.name: each for each in (*GOOD, *changed) if each.name != without}
    return by_references(references, path="pkg/a.py", function="f", compiled=compiled).why


def test_a_function_whose_stubs_fail_makes_a_task() -> None:
    assert why() == ""


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        (reference("sources", unsound="no such file"), MISFIT),
        (reference("oracle", unsound="passes 1 of 2"), ORACLE_FAILS),
        (reference("oracle", Status.PASSED, unsound="odd"), UNSOUND),
        (reference("control", unsound="none is controlled"), UNSOUND),
        (reference("stub_pass", Status.PASSED), STUB_PASSES),
        (reference("stub_empty_str", Status.NOT_RUN), STUB_PASSES),
        (reference("oracle", Status.PASSED, passed=("pkg/a.py::pkg.a.f", *TESTS)), DOCTESTED),
        (reference("oracle", Status.PASSED, passed=("pkg/a.py::pkg.a.A.f", *TESTS)), DOCTESTED),
        (reference("oracle", Status.PASSED, passed=("pkg/a.py::pkg.a.g", *TESTS)), ""),
    ],
)
def test_each_reference_can_speak_against_it(changed: Reference, reason: str) -> None:
    assert why(changed) == reason


@pytest.mark.parametrize(
    ("stub", "reason"),
    [
        (reference("stub_pass", Status.COMPILE_ERROR), STUB_SAYS_NOTHING),
        (reference("stub_pass", Status.RUNTIME_ERROR, tests=0), STUB_SAYS_NOTHING),
        (reference("stub_pass", Status.RUNTIME_ERROR, tests=1), ""),
    ],
)
def test_a_stub_that_was_not_compiled_says_nothing(stub: Reference, reason: str) -> None:
    assert why(stub, without="stub_empty_str", compiled=True) == reason
    assert why(stub, without="stub_empty_str") == ""


def test_without_a_stub_nothing_is_known() -> None:
    references = {each.name: each for each in GOOD[:3]}
    found = by_references(references, path="a.py", function="f", compiled=False)
    assert found.why == STUB_PASSES


def test_the_oracle_s_two_runs_agree_test_by_test() -> None:
    first = reference("oracle", Status.PASSED)
    assert by_second_run(first, first) == Reason()
    second = replace(first, passed=TESTS[:1])
    assert by_second_run(first, second) == Reason(UNSTABLE, TESTS[1])
    assert by_second_run(first, replace(first, status=Status.TIMEOUT)).why == UNSTABLE
