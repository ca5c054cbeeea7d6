"""Plain values, and others that a right answer does not equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside.pytest_plugin import values

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


POOL = ["seen", "a", 7, 2.5, b"x", [1], None]


@given(LITERALS, st.booleans())
def test_another_value_differs_and_has_its_type(value: Any, far: bool) -> None:
    made = values.other(value, POOL, far)
    assert made != value
    assert value is None or type(made) is type(value)


@given(st.floats(allow_nan=False, allow_infinity=False, max_value=1e200, min_value=-1e200))
def test_another_number_is_out_of_reach_of_usual_tolerances(value: float) -> None:
    assert abs(values.other(value) - value) >= 1 + abs(value)
    whole = int(value)
    assert abs(values.other(whole, (), True) - whole) >= 1 + abs(whole)


def test_what_is_drawn_cannot_be_predicted() -> None:
    drawn = [values.other("text", POOL) for _ in range(200)]
    assert len(set(drawn)) > 50
    assert {"seen", "a"} < set(drawn)
    assert len({len(each) for each in drawn}) >= 4
    assert any(each.endswith("t") for each in drawn)
    assert len({values.other(5) for _ in range(200)}) > 10


@dataclass
class Point:
    x: int
    y: str


def test_a_data_class_has_another_field() -> None:
    point = Point(1, "a")
    assert {(values.other(point).x == 1, values.other(point).y == "a") for _ in range(60)} >= {
        (True, False),
        (False, True),
    }
    assert point == Point(1, "a")


@pytest.mark.parametrize(
    "value", [object(), Point, len, slice(1)], ids=lambda value: type(value).__name__
)
def test_of_some_values_there_is_no_other(value: Any) -> None:
    with pytest.raises(values.NoOther):
        values.other(value)


class Whole(int):
    pass


@pytest.mark.parametrize(
    "value", [Whole(1), [Whole(1)], {1: Whole(1)}, {Whole(1): 1}, Point(1, "")]
)
def test_a_value_with_a_class_of_its_own_is_not_plain(value: Any) -> None:
    assert values.plain(1)
    assert not values.plain(value)


def test_a_value_that_contains_itself_is_not_plain() -> None:
    value: list[Any] = []
    value.append(value)
    assert not values.plain(value)
