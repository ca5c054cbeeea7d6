"""Tests that a value that crosses between a candidate and its judge arrives unchanged or not at
all."""

from __future__ import annotations

import copy
import json
import math
from collections import Counter, OrderedDict, defaultdict, deque
from contextlib import suppress
from decimal import Decimal
from enum import IntEnum
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside import plain
from evaluation.engine.sandbox.inside.plain import Decoder, Encoder, NotPlain, decode, encode

TEXT = st.text(st.characters(), max_size=5)  # lone surrogates included
HASHABLE = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=2**200)
    | st.floats()
    | st.complex_numbers()
    | TEXT
    | st.binary(max_size=5)
    | st.builds(range, st.integers(), st.integers(), st.integers(1, 9))
    | st.decimals().filter(lambda number: not number.is_snan())  # an sNaN has no hash
    | st.fractions(),
    lambda inner: st.lists(inner, max_size=3).map(tuple) | st.frozensets(inner, max_size=3),
    max_leaves=6,
)
VALUES = st.recursive(
    HASHABLE | st.binary(max_size=4).map(bytearray) | st.sets(HASHABLE, max_size=3),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.dictionaries(HASHABLE, inner, max_size=3).map(OrderedDict)
        | st.dictionaries(HASHABLE, st.integers(), max_size=3).map(Counter)
    ),
    max_leaves=12,
)
TAGS = ["I", "F", "c", "b", "g", "t", "z", "l", "s", "d", "a", "C", "O", "D", "Q", "it", "r"]
TREES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-2, 3)
    | st.floats()
    | st.sampled_from([*TAGS, "nan", "inf", "00", "0x1", "1e5", "-", ""])
    | TEXT,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(TEXT, inner, max_size=2)
        | st.tuples(st.sampled_from(TAGS), inner, inner).map(list)
        | st.tuples(st.sampled_from(TAGS), st.lists(inner, max_size=3)).map(list)
        | st.tuples(st.sampled_from("lsdaCO"), st.integers(0, 2), st.lists(inner)).map(list)
    ),
    max_leaves=15,
)


def across(value: Any) -> Any:
    """The value as it arrives after it crossed as JSON, which the frames consist of."""
    return decode(json.loads(json.dumps(encode(value))))


def described(value: Any) -> Any:
    """A form that is equal for equal values of the same types; NaN and -0.0 are compared as
    texts."""
    if isinstance(value, (set, frozenset)):
        return type(value), sorted(repr(described(item)) for item in value)
    if isinstance(value, dict):
        return type(value), [(described(k), described(v)) for k, v in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value), [described(item) for item in value]
    return type(value), repr(value)


@given(VALUES)
def test_a_value_arrives_with_its_types(value: Any) -> None:
    assert described(across(value)) == described(value)


@pytest.mark.parametrize("value", [math.nan, -0.0, math.inf, -math.inf, 5e-324, 0.1 + 0.2])
def test_floats_arrive_to_the_bit(value: float) -> None:
    assert across(value).hex() == value.hex()


@pytest.mark.parametrize(
    "value",
    [2**63, -(2**63), 2**63 - 1, 10**6000, -(10**6000)],
    ids=lambda n: f"{n.bit_length()} bits",
)
def test_integers_of_any_size_arrive(value: int) -> None:
    assert across(value) == value


def test_aliases_stay_aliases() -> None:
    inner: list[int] = [1]
    first, (second, third) = across([inner, (inner, {"k": inner})])
    assert first is second is third["k"]


@pytest.mark.parametrize("kind", [list, dict, OrderedDict])
def test_cycles_close(kind: Any) -> None:
    value = kind()
    value.append(value) if kind is list else value.update(self=value)
    arrived = across(value)
    assert type(arrived) is kind
    assert (arrived[0] if kind is list else arrived["self"]) is arrived


class OwnInt(int):
    pass


class Own(IntEnum):
    ONE = 1


SUBCLASSES = [
    *(type(f"Own{kind.__name__}", (kind,), {})() for kind in (str, list, dict, set, float, tuple)),
    OwnInt(3),
    Own.ONE,
    defaultdict(list),
    deque([1]),
    object(),
    len,
    int,
    lambda: 0,
    memoryview(b""),
]


@pytest.mark.parametrize("value", SUBCLASSES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: [v], lambda v: {"k": (v,)}])
def test_a_subclass_or_an_object_is_not_plain(value: Any, wrap: Any) -> None:
    with pytest.raises(NotPlain):
        encode(wrap(value))


@pytest.mark.parametrize("kind", [list, tuple])
def test_depth_is_bounded_and_all_within_the_bound_arrives(kind: type) -> None:
    def nested(depth: int) -> Any:
        value: Any = 7
        for _ in range(depth):
            value = kind([value])
        return value

    assert described(across(nested(plain.DEPTH))) == described(nested(plain.DEPTH))
    with pytest.raises(NotPlain):
        encode(nested(plain.DEPTH + 2))


def test_the_number_of_nodes_is_bounded() -> None:
    with pytest.raises(NotPlain):
        encode([0] * (plain.NODES + 1))


@pytest.mark.parametrize("item", [None, "", True])
def test_the_number_of_texts_and_constants_is_bounded_too(item: Any) -> None:
    with pytest.raises(NotPlain):
        encode([item] * (plain.NODES + 1))


@given(TREES)
def test_any_json_is_a_value_or_a_value_error(tree: Any) -> None:
    try:
        value = decode(tree)
    except ValueError:
        return
    assert type(value).__module__ in ("builtins", "collections", "decimal", "fractions")
    assert not callable(value)


@given(TREES)
def test_any_json_about_known_containers_is_a_value_or_a_value_error(tree: Any) -> None:
    known: list[Any] = [[], {}]
    with suppress(ValueError):
        Decoder(dict(enumerate(known))).decode(tree)
    assert list(map(type, known)) == [list, dict]


def test_json_as_deep_as_it_likes_is_a_value_error() -> None:
    tree: Any = 1
    for _ in range(400):
        tree = ["t", [tree]]
    with pytest.raises(ValueError, match="not an encoded value"):
        decode(tree)


def filled(arguments: Any, change: Any) -> Any:
    """The result of a call across the boundary: `change` receives copies, and our own arguments are
    refilled with its changes."""
    here = Encoder()
    sent = json.loads(json.dumps(here.encode(arguments)))
    there = Decoder()
    value = change(*there.decode(sent))
    back = Encoder(there.objects).encode([list(there.objects.values()), value])
    return Decoder(here.objects).decode(json.loads(json.dumps(back)))[1]


def test_arguments_changed_in_place_change_here_too() -> None:
    rows: list[Any] = [[3, 1], {"k": {1}}, bytearray(b"x")]
    inner = rows[0]

    def change(rows: list[Any]) -> None:
        rows[0].sort()
        rows[1]["k"].add(2)
        rows[2].extend(b"y")
        rows.append(rows[0])

    filled([rows], change)
    assert rows == [[1, 3], {"k": {1, 2}}, bytearray(b"xy"), [1, 3]]
    assert rows[0] is inner is rows[3]


def test_a_result_that_is_an_argument_is_the_same_object() -> None:
    values = [2, 1]
    assert filled([values], lambda given: given.sort() or given) is values
    assert values == [1, 2]


def test_a_result_that_holds_parts_of_arguments_shares_them() -> None:
    row = [1]
    result = filled([[row, row]], lambda rows: {"first": rows[0], "new": [rows]})
    assert result["first"] is row
    assert result["new"][0][1] is row


def test_an_item_removed_from_its_container_keeps_its_contents() -> None:
    inner = [1]
    outer = [inner]
    filled([outer], lambda given: given.pop().append(2))
    assert (outer, inner) == ([], [1, 2])


@given(st.lists(VALUES, max_size=3), st.integers(0, 3))
def test_a_call_that_changes_nothing_changes_nothing(values: list[Any], turn: int) -> None:
    before = copy.deepcopy(values)
    result = filled([values], lambda given: given[turn:])
    assert described(values) == described(before)
    assert described(result) == described(before[turn:])


def test_a_container_is_not_filled_twice_nor_as_another_kind() -> None:
    for tree in (["t", [["l", 0, [1]], ["l", 0, [2]]]], ["d", 0, []], ["l", True, []], ["r", 5]):
        with pytest.raises(ValueError, match="container|encoded"):
            Decoder({0: []}).decode(tree)


def test_an_iterator_crosses_as_a_number_and_only_where_it_may() -> None:
    iterators: list[Any] = []
    source = iter([1])
    assert Encoder(iterators=iterators).encode([source])[2] == [["it", 0]]
    assert iterators == [source]
    with pytest.raises(NotPlain):
        encode(source)
    with pytest.raises(ValueError, match="encoded"):
        decode(["it", 0])
    assert Decoder(iterator=lambda number: f"iterator {number}").decode(["it", 3]) == "iterator 3"


@pytest.mark.parametrize("value", [Decimal("1.10"), Decimal("-Infinity"), Fraction(-3, 7)])
def test_decimals_and_fractions_arrive(value: Any) -> None:
    assert described(across(value)) == described(value)
