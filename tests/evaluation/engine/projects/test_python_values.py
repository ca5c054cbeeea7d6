"""Tests of plain values, and of other values that a right answer does not equal."""

from __future__ import annotations

from collections import Counter, OrderedDict, defaultdict, deque
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside.pytest_plugin import raw, values

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


class Whole(int):
    pass


class Colour(Enum):
    RED = 1


class Slotted:
    __slots__ = ("point", "unset")

    def __init__(self) -> None:
        self.point = Pair(Point(1, "a"), [2.5])


class Pair(NamedTuple):
    one: Point
    two: list[float]


@pytest.mark.parametrize(
    ("value", "paths"),
    [
        (Point(1, "a"), [".x", ".y"]),
        (Slotted(), [".point[0].x", ".point[0].y", ".point[1]"]),
        ([{"a": Point(1, "b")}, 3], ["[][].x", "[][].y", "[]"]),
        (deque([Whole(1), 3]), ["[]"]),
    ],
    ids=["data class", "slots", "list", "deque"],
)
def test_an_objects_parts_are_altered_in_copies(value: Any, paths: list[str]) -> None:
    made = {path: draw() for path, draw in values.altered(value)}
    assert sorted(made) == sorted(paths)
    assert all(type(each) is type(value) and each != value for each in made.values())


@pytest.mark.parametrize(
    ("value", "count"),
    [
        ([1, 2], 6),
        ((1,), 6),
        ({1, 2}, 6),
        (frozenset(), 2),
        ({"a": 1, "b": 2}, 6),
        (deque([1]), 6),
        (defaultdict(int, a=1), 6),
        ("ab", 0),
    ],
    ids=["list", "tuple", "set", "empty", "dictionary", "queue", "default", "text"],
)
def test_a_container_is_altered_at_either_end(value: Any, count: int) -> None:
    made = []
    # Some of these draws of a new item are in the set already.
    for alter in values.AT_AN_END * 50:
        with suppress(values.NoOther):
            made.append(alter(value, ()))
    assert len(made) == count * 50
    assert all(type(each) is type(value) and each != value for each in made)


def test_what_copies_as_itself_is_not_altered() -> None:
    for _, draw in values.altered([Colour.RED]):
        with pytest.raises(values.NoOther):
            draw()
    assert (Colour.RED.value, Colour.RED.name) == (1, "RED")


class Moved(OrderedDict[str, int]):
    name = "class"

    def __copy__(self) -> Moved:
        raise AssertionError


class Named(str):
    name = "class"


def named(text: str) -> Named:
    made = Named(text)
    made.name = text
    return made


@pytest.mark.parametrize(
    ("value", "look"),
    [
        (OrderedDict.fromkeys("ab"), list),
        (defaultdict(int, a=1), lambda value: value.default_factory),
        (deque([1, 2], 3), lambda value: value.maxlen),
        (Counter("aab"), dict),
        (named("a"), lambda value: value.name),
        (Pair(Point(1, "a"), [2.5]), tuple),
        (SimpleNamespace(a=1), vars),
        (Fraction(1, 2), lambda value: value.denominator),
        (partial(max, 1), lambda value: value.args),
        (Whole(3), int),
        (Slotted(), lambda value: value.point),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_copy_has_all_that_the_object_has(value: Any, look: Any) -> None:
    made = raw.copied(value)
    assert type(made) is type(value) and made is not value
    assert look(made) == look(value)


def test_a_copy_keeps_the_order_of_a_map() -> None:
    moved = Moved(a=1, b=2)
    moved.move_to_end("a")
    moved.name = "moved"
    made = raw.copied(moved)
    assert (list(made), made.name) == (["b", "a"], "moved")
    exact = OrderedDict(moved)
    assert list(values.snapshot(exact)) == list(exact) == ["b", "a"]


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


@dataclass
class Price:
    currency: Any
    amount: int

    def __eq__(self, other: object) -> bool:
        assert isinstance(other, Price)
        return bool(self.amount == other.amount and self.currency.real == other.currency.real)


def test_another_value_is_drawn_also_if_some_draws_break_its_comparison() -> None:
    price = Price(None, 3)
    with pytest.raises(AttributeError):
        _ = price == Price(None, 3)
    assert all(values.other(price).amount != 3 for _ in range(50))
