"""A control differs from its test in one expectation, and an honest value fails it."""

# Values and texts read best in a line each.
# ruff: noqa: E501

import ast
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.families.codeif_function import controls

LITERALS = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5)
    | st.binary(max_size=5) | st.complex_numbers(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3)
    | st.lists(inner, max_size=3).map(tuple)
    | st.dictionaries(st.integers() | st.text(max_size=3), inner, max_size=3)
    | st.sets(st.integers() | st.text(max_size=3) | st.none() | st.booleans() | st.floats(allow_nan=False), min_size=1),
    max_leaves=6,
)  # fmt: skip


KINDS = [None, True, 0, 1, -1, 1.5, "", "a", "ba", b"", b"a", [], [1], (), (1,), {}, {"k": 1}, {1}, 2j,
         [[1, "a"], {"k": (None,)}], 1e300, -1e300, 2.0**53, [1e17], {1e300}, 2.0**53 + 0j, 5e-324]  # fmt: skip


def honest(tests: str, value: Any) -> bool:
    """Whether a function that returns the value passes. These tests are our own."""
    try:
        exec(tests, {"f": lambda *_: value})
    except AssertionError:
        return False
    return True


@pytest.mark.parametrize("value", KINDS, ids=repr)
def test_an_honest_value_passes_its_test_and_fails_every_control(value: Any) -> None:
    tests = f"assert f(1) == {value!r}\nassert f(2) == {value!r}, 'said'"
    assert honest(tests, value)
    altered = controls.altered_tests(tests)
    assert len(altered) == 2
    assert not any(honest(control, value) for control in altered)


@given(LITERALS.filter(lambda value: "inf" not in repr(value)))
def test_whatever_is_expected_an_honest_value_fails_the_control(value: Any) -> None:
    (control,) = controls.altered_tests(f"assert f(1) == {value!r}")
    assert not honest(control, value)


def test_what_an_expectation_is_made_from_is_altered_too() -> None:
    assert "assert f(1) == Counter(['oam'])" in controls.altered_tests(
        "assert f(1) == Counter(['oak'])"
    )
    assert "assert Counter(['oag']) == f(1)" in controls.altered_tests(
        "assert Counter(['oak']) == f(1)"
    )


@pytest.mark.parametrize("value", [4, 10, 10**17, 2.5, 0.05, "oak", "Oak", "7b", "b7"])
def test_no_sign_tells_what_is_altered_from_what_is_expected(value: Any) -> None:
    tests = [f"assert f({n}) == {value!r}" for n in range(200)]
    altered = {controls.altered_tests(each)[0].partition("== ")[2] for each in tests}
    assert len(altered) >= 8
    assert {type(ast.literal_eval(each)) for each in altered} == {type(value)}


@given(st.lists(LITERALS.filter(lambda value: "inf" not in repr(value)), min_size=1, max_size=5))
def test_each_control_differs_in_one_expectation(values: list[Any]) -> None:
    tests = "\n".join(f"assert f({n}) == {value!r}" for n, value in enumerate(values))
    lines = [ast.unparse(node) for node in ast.parse(tests).body]
    for number, control in enumerate(controls.altered_tests(tests)):
        other = [ast.unparse(node) for node in ast.parse(control).body]
        assert [n for n, line in enumerate(other) if line != lines[n]] == [number]


def test_there_are_no_more_controls_than_the_bound() -> None:
    tests = "\n".join(f"assert f({n}) == {n}" for n in range(controls.MOST * 2))
    assert len(controls.altered_tests(tests)) == controls.MOST


@pytest.mark.parametrize(
    "tests",
    ["f(1)", "assert f(1)", "assert f(1) == g(1)", "assert f(1) == x", "pass", "assert f(1) in (1, 2)",
     "for n in range(2):\n    assert f(n) > n\n", "assert f(1) == []"],
)  # fmt: skip
def test_without_an_expectation_to_alter_the_whole_has_to_fail(tests: str) -> None:
    control = controls.altered_tests(tests)[0]
    with pytest.raises((AssertionError, NameError)):
        exec(control, {"f": lambda *_: 2, "g": lambda *_: 2, "x": 2})


class Fool:
    """Equals, contains, exceeds and has everything, and answers True."""

    def __getattr__(self, name: str) -> Any:
        return self

    def __call__(self, *_: Any) -> bool:
        return True

    __eq__ = __contains__ = __lt__ = __le__ = __gt__ = __ge__ = __call__
    __hash__ = None  # type: ignore[assignment]

    def __ne__(self, other: object) -> bool:
        return False

    def __sub__(self, other: object) -> float:
        return 0.0


@pytest.mark.parametrize(
    "tests",
    [
        *("assert f(1) == {1: set()}", "assert f(1) == []", "assert 2 == f(1)"),
        *("assert f(1) == sorted([2, 1])", "assert sorted([2, 1]) == f(1)"),
        *("assert f(1).startswith('ab')", "assert hasattr(f(1), 'size')"),
        *("assert 'ab' in f(1)", "assert f(2).size in f(1)", "assert f(1) < 3", "assert f(1) >= 0"),
        *("want = sum([1])\nassert f(1) == want", "assert abs(f(1) - 3.0) < 1e-9"),
    ],
)
def test_who_holds_for_everything_passes_a_control(tests: str) -> None:
    assert honest(tests, Fool())
    for inputs in (True, False):
        altered = controls.altered_tests(tests, inputs=inputs)
        assert any(honest(control, Fool()) for control in altered)


@pytest.mark.parametrize(
    "tests",
    [
        *("assert isinstance(f(4), int)", "assert f(4) > f(3) - 1", "assert f(4) is not None"),
        *("assert f(4) == f(3)", "assert 4 in [f(3), f(4), 5]", "assert f(0) or f(4)"),
        "try:\n    f(4)\nexcept ValueError:\n    assert False",
    ],
)
def test_without_inputs_no_control_holds_with_another_argument(tests: str) -> None:
    assert honest(tests, 4)
    assert not any(honest(control, 4) for control in controls.altered_tests(tests, inputs=False))


@pytest.mark.parametrize("inputs", [True, False])
def test_who_answers_with_the_variable_of_the_tests_passes_a_control(inputs: bool) -> None:
    tests = "for given, want in ((1, 'ab'), (2, 'c')):\n    assert f(given) == want"

    def reads() -> Any:
        return lambda _: sys._getframe(1).f_globals["want"]

    def passes(control: str) -> bool:
        try:
            exec(control, {"f": reads()})
        except AssertionError:
            return False
        return True

    altered = controls.altered_tests(tests, inputs=inputs)
    assert [passes(control) for control in altered] == [False, True, False]


@pytest.mark.parametrize(
    "tests",
    [
        "def check(v):\n    assert v == 2\ncheck(f(1))",
        "try:\n    assert f(1) == 2\nfinally:\n    pass",
        "if True:\n    assert f(1) == 2",
        "assert 2 == f(1) == 2",
    ],
)
def test_expectations_are_found_where_they_stand(tests: str) -> None:
    (control,) = controls.altered_tests(tests)
    assert honest(tests, 2)
    assert not honest(control, 2)


@pytest.mark.parametrize(
    ("before", "literal", "after"),
    [
        ("assert f(1)==", '"x"', " # why"),
        ("assert f( 1 )==(", "2", ")"),
        ('assert f("a") == ', '"b"', ""),
        ("# first\n\nassert f( 1 ) == ", "[1,2]", ", 'said'\n\nx = {'k':1}"),
        ("assert f('\u00e9')==", "'\u00e9'", " # \u00e9"),
    ],
)
def test_a_control_looks_like_its_test_but_for_the_expectation(
    before: str, literal: str, after: str
) -> None:
    """Code that reads the test file must not be able to recognise a control by its form."""
    (control,) = controls.altered_tests(before + literal + after)
    assert control.startswith(before)
    assert control.endswith(after)
    assert control != before + literal + after
