"""A value that met an expectation cannot meet the wrong expectation."""

from __future__ import annotations

import ast
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.projects.python_expectations import other_literal

LITERALS = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.binary(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.integers() | st.text(max_size=3), inner, max_size=3)
        | st.sets(st.integers(), min_size=1, max_size=3)
    ),
    max_leaves=6,
)


def other(value: Any) -> Any:
    made = other_literal(ast.parse(repr(value), mode="eval").body)
    assert made is not None
    return ast.literal_eval(ast.unparse(ast.fix_missing_locations(made)))


@given(LITERALS)
def test_another_literal_is_another_value_of_its_type(value: Any) -> None:
    assert other(value) != value
    assert type(other(value)) is (int if value is None else type(value))


@given(st.integers() | st.floats(allow_nan=False, allow_infinity=False))
def test_another_number_is_out_of_reach_of_usual_tolerances(value: float) -> None:
    assert abs(other(value) - value) >= 1


@pytest.mark.parametrize(
    "text", ["x", "f(3)", "[x]", "{'a': x}", "approx(3, abs=1)", "approx(x)", "'a' + 'b'", "..."]
)
def test_what_is_no_literal_has_no_other(text: str) -> None:
    assert other_literal(ast.parse(text, mode="eval").body) is None


def test_of_a_collection_the_last_literal_is_another() -> None:
    made = other_literal(ast.parse("[1, (2, x), {'a': 3, 'b': y}, z]", mode="eval").body)
    assert made is not None
    assert ast.unparse(made) == "[1, (2, x), {'a': 0, 'b': y}, z]"
