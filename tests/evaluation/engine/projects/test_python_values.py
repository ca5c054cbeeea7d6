"""Tests of plain values, and of other values that a right answer does not equal."""

from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass
from types import SimpleNamespace
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


@given(LITERALS)
def test_another_value_differs_and_has_its_type(value: Any) -> None:
    made = values.other(value)
    assert made != value
    assert value is None or type(made) is type(value)


@given(st.floats(allow_nan=False, allow_infinity=False, max_value=1e200, min_value=-1e200))
def test_another_number_is_out_of_reach_of_usual_tolerances(value: float) -> None:
    assert abs(values.other(value) - value) >= 1 + abs(value)
    whole = int(value)
    assert abs(values.other(whole) - whole) >= 1 + abs(whole)


def test_what_is_drawn_cannot_be_predicted() -> None:
    drawn = [values.other("text") for _ in range(200)]
    assert len(set(drawn)) > 50
    assert len({len(each) for each in drawn}) >= 3
    assert len({values.other(5) for _ in range(200)}) > 10
    assert len({str(values.other([1, "a"])) for _ in range(200)}) > 50


def test_another_item_has_the_type_of_the_one_that_it_replaces() -> None:
    for _ in range(50):
        items = values.other([1, "a", 2.5])
        assert len(items) == 4 or [*map(type, items)] == [int, str, float]
        pairs = values.other({"k": 3, 2: "l"})
        assert len(pairs) == 3 or {k: type(v) for k, v in pairs.items()} == {"k": int, 2: str}


@pytest.mark.parametrize("how", ["==", "in"])
def test_nothing_tells_a_control_from_the_test_before_it_has_compared(how: str) -> None:
    """A value that equals everything until it has seen an unknown class must have equalled."""
    sides = (object(), "a") if how == "==" else ("a", object())
    assert any(map(values.plain, values.wrong_pairs(sides[0], how, sides[1])[0]))


class Whole(int):
    pass


@dataclass
class Point:
    x: int
    y: str


class Slotted:
    __slots__ = ("point", "unset")

    def __init__(self) -> None:
        self.point = Point(1, "a")


class Listed(list[int]):
    def __iter__(self) -> Any:
        raise AssertionError


@pytest.mark.parametrize(
    ("value", "attributes", "elements"),
    [
        (Point(1, "a"), [1, "a"], []),
        (Slotted(), [Point(1, "a")], []),
        (SimpleNamespace(a=1), [1], []),
        (Listed([3, 4]), [], [3, 4]),
        (OrderedDict(a=1), [], ["a", 1]),
        (defaultdict(int, a=1), [], ["a", 1]),
        (deque([Whole(1), 3]), [], [1, 3]),
        ("ab", [], []),
    ],
    ids=lambda value: type(value).__name__,
)
def test_an_object_is_read_without_code_of_its_class(
    value: Any, attributes: list[Any], elements: list[Any]
) -> None:
    assert (values.attributes_of(value), values.elements_of(value)) == (attributes, elements)


@pytest.mark.parametrize(
    "value", [object(), Point, len, slice(1)], ids=lambda value: type(value).__name__
)
def test_of_some_values_there_is_no_other(value: Any) -> None:
    with pytest.raises(values.NoOther):
        values.other(value)


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
