"""Tests that a value that crosses between a candidate and its judge arrives unchanged or not at
all."""

import json
import re
import sys
from array import array
from collections import (
    ChainMap,
    Counter,
    OrderedDict,
    UserDict,
    UserList,
    defaultdict,
    deque,
    namedtuple,
)
from collections.abc import ItemsView, KeysView, ValuesView
from contextlib import suppress
from datetime import UTC, timedelta, timezone
from enum import Enum, IntEnum, StrEnum, auto
from http import HTTPStatus
from io import BytesIO
from pathlib import PosixPath, PurePosixPath, PureWindowsPath
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside import classes, plain
from evaluation.engine.sandbox.inside.plain import Decoder, Encoder, NotPlain, decode, encode


class Colour(Enum):
    RED = 1
    CRIMSON = 1  # noqa: PIE796 (an alias)
    BLUE = "blue"


class Size(IntEnum):
    SMALL = 2


class Kind(StrEnum):
    ODD = auto()


class Level(str, Enum):  # noqa: UP042 (as it was written before Python 3.11)
    HIGH = "high"


class Place(namedtuple("Place", "row column")):
    """A named tuple that adds nothing."""

    __slots__ = ()


class Point(NamedTuple):
    """A named tuple that can be made again."""

    x: Any
    y: Any = 0


def views(values: dict[Any, Any]) -> Any:
    return st.sampled_from([values.keys(), values.values(), OrderedDict(values).items()])


def wrapped(values: dict[str, int]) -> Any:
    return st.sampled_from(
        [
            *(MappingProxyType(values), UserDict(values), ChainMap(values, OrderedDict(values))),
            *(UserList(values), SimpleNamespace(**values)),
        ]
    )


DAY = timedelta(hours=23)
TEXT = st.text(st.characters(), max_size=5)  # lone surrogates included
ZONES = st.none() | st.just(UTC) | st.builds(timezone, st.timedeltas(-DAY, DAY), TEXT)
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
    | st.fractions()
    | st.dates()
    | st.times(timezones=ZONES)
    | st.datetimes(timezones=ZONES)
    | st.timedeltas()
    | ZONES
    | st.uuids()
    | TEXT.map(PurePosixPath)
    | TEXT.map(PosixPath)
    | TEXT.map(PureWindowsPath)
    | st.sampled_from(
        [
            *HTTPStatus,
            re.I | re.M,
            Colour.RED,
            Size.SMALL,
            Kind.ODD,
            Level.HIGH,
            Place(1, 2),
            Colour,
            Point,
        ]
    ),
    lambda inner: (
        st.lists(inner, max_size=3).map(tuple)
        | st.frozensets(inner, max_size=3)
        # A class in a field is refused: tests could call it like a method.
        | st.builds(Point, inner, inner).filter(lambda point: not any(map(callable, point)))
    ),
    max_leaves=6,
)
VALUES = st.recursive(
    HASHABLE
    | st.binary(max_size=4).map(bytearray)
    | st.sets(HASHABLE, max_size=3)
    | st.dictionaries(TEXT, st.integers(), max_size=3).flatmap(wrapped)
    | st.lists(st.integers(-9, 9), max_size=3).map(lambda items: array("i", items))
    | st.lists(st.floats(), max_size=3).map(lambda items: array("d", items)),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(HASHABLE, inner, max_size=3)
        | st.dictionaries(HASHABLE, inner, max_size=3).map(OrderedDict)
        | st.dictionaries(HASHABLE, st.integers(), max_size=3).map(Counter)
        | st.dictionaries(HASHABLE, inner, max_size=3).map(lambda d: defaultdict(list, d))
        | st.dictionaries(HASHABLE, inner, max_size=3).flatmap(views)
        | st.builds(deque, st.lists(inner, max_size=3), st.none() | st.integers(0, 3))
    ),
    max_leaves=12,
)
TAGS = [
    *("I", "F", "t", "z", "it", "r", "of", "is", "view", "class", "member", "twin"),
    *(form.name for form in plain.FORMS.values()),
    *plain.CONTAINERS.values(),
]
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
        | st.tuples(st.sampled_from("lsdaCOfqy"), st.integers(0, 2), st.lists(inner)).map(list)
    ),
    max_leaves=15,
)


def across(value: Any) -> Any:
    """The value as it arrives after it crossed as JSON, which the frames consist of."""
    return decode(json.loads(json.dumps(encode(value))))


def described(value: Any) -> Any:
    """A form that is equal for equal values of the same types; NaN and -0.0 are compared as
    texts."""
    if isinstance(value, (set, frozenset, KeysView, ItemsView)):
        return type(value), sorted(repr(described(item)) for item in value)
    if isinstance(value, dict):
        return type(value), [(described(k), described(v)) for k, v in value.items()]
    if isinstance(value, (list, tuple, deque, ValuesView)):
        bound = getattr(value, "maxlen", None)
        return type(value), [described(item) for item in value], bound
    return type(value), repr(value)


@given(VALUES)
def test_a_value_arrives_with_its_types(value: Any) -> None:
    assert described(across(value)) == described(value)


def test_integers_of_any_size_arrive() -> None:
    values = [2**63, -(2**63), 2**63 - 1, 10**6000, -(10**6000)]
    assert across(values) == values


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

    def method(self) -> int:
        return 2


class Printed(Enum):
    ONE = 1

    def __str__(self) -> str:
        return "one"


class Weighed(NamedTuple):
    weight: int

    def __eq__(self, other: object) -> bool:
        return True


class Below(Point):
    """A subclass can change what its base promises."""

    def __len__(self) -> int:
        return 1


SUBCLASSES = [
    *(type(f"Own{kind.__name__}", (kind,), {})() for kind in (str, list, dict, set, float, tuple)),
    OwnInt(3),
    Own.ONE,
    Printed.ONE,
    Weighed(1),
    Below(1),
    Own,
    Weighed,
    defaultdict(lambda: 0),
    {}.__iter__(),
    object(),
    len,
    int,
    lambda: 0,
    *(memoryview(b"ab").cast("c"), memoryview(b"ab").cast("B", (1, 2))),
]


@pytest.mark.parametrize("value", SUBCLASSES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: [v], lambda v: {"k": (v,)}])
def test_a_subclass_or_an_object_is_not_plain(value: Any, wrap: Any) -> None:
    with pytest.raises(NotPlain):
        encode(wrap(value))


@pytest.mark.parametrize(
    "view", [memoryview(b""), memoryview(b"abc")[1:], BytesIO(b"de").getbuffer()], ids=bytes
)
def test_a_view_of_bytes_arrives(view: memoryview) -> None:
    (arrived,) = across([view])
    assert (type(arrived), arrived.readonly, arrived) == (memoryview, view.readonly, view)


@pytest.mark.parametrize("kind", [list, tuple])
def test_depth_is_bounded_and_all_within_the_bound_arrives(kind: type) -> None:
    def nested(depth: int) -> Any:
        value: Any = 7
        for _ in range(depth):
            value = kind([value])
        return value

    calls = sys.getrecursionlimit()
    with plain.without_limits():
        assert described(across(nested(plain.DEPTH))) == described(nested(plain.DEPTH))
        with pytest.raises(NotPlain):
            encode(nested(plain.DEPTH + 2))
    assert sys.getrecursionlimit() == calls


@pytest.mark.parametrize("item", [0, None, "", True])
def test_the_number_of_nodes_is_bounded(item: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain, "NODES", 1000)
    encode([item] * (plain.NODES - 1))
    with pytest.raises(NotPlain):
        encode([item] * (plain.NODES + 1))


@given(TREES)
@example(["time", []])
def test_any_json_is_a_value_or_a_value_error(tree: Any) -> None:
    try:
        value = decode(tree)
    except ValueError:
        return
    assert isinstance(value, type) or not callable(value)


@given(TREES)
def test_any_json_about_known_containers_is_a_value_or_a_value_error(tree: Any) -> None:
    known: list[Any] = [[], {}]
    with suppress(ValueError):
        Decoder(dict(enumerate(known))).decode(tree)
    assert list(map(type, known)) == [list, dict]


def test_json_as_deep_as_it_likes_is_a_value_error() -> None:
    tree: Any = 1
    for _ in range(plain.DEPTH * 2):
        tree = ["t", [tree]]
    with plain.without_limits(), pytest.raises(ValueError, match="not an encoded value"):
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
    before, part = described(values), described(values[turn:])
    result = filled([values], lambda given: given[turn:])
    assert described(values) == before
    assert described(result) == part


def test_a_container_is_not_filled_twice_nor_as_another_kind() -> None:
    for tree in (["t", [["l", 0, [1]], ["l", 0, [2]]]], ["d", 0, []], ["l", True, []], ["r", 5]):
        with pytest.raises(ValueError, match="container|encoded"):
            Decoder({0: []}).decode(tree)


def test_no_attribute_is_a_class_that_tests_could_call_like_a_method() -> None:
    called = encode(Place)
    for tree in (
        ["names", [["d", 8, [["startswith", called]]]]],
        ["member", ["class", "namedtuple", "P", ["l", 8, ["a"]]], ["l", 9, [called]]],
    ):
        with pytest.raises(ValueError, match="method|member"):
            decode(tree)
    for value in (Point(1, Colour), SimpleNamespace(a=Place)):
        with pytest.raises(NotPlain):
            encode(value)


def test_an_iterator_crosses_as_a_number_and_only_where_it_may() -> None:
    iterators: dict[int, Any] = {}
    source = iter([1])
    assert Encoder(remote=iterators).encode([source])[2] == [["it", id(source)]]
    assert [*iterators.values()] == [source]
    with pytest.raises(NotPlain):
        encode(source)
    with pytest.raises(ValueError, match="encoded"):
        decode(["it", 0])
    assert Decoder(remote=lambda tag, number: f"{tag} {number}").decode(["it", 3]) == "it 3"


def test_a_factory_is_asked_where_it_is() -> None:
    remote: dict[int, Any] = {}
    tree = json.loads(json.dumps(Encoder(remote=remote).encode(defaultdict(lambda: 7, a=1))))
    arrived = Decoder(remote=lambda _, number: plain.Factory(number, remote[number])).decode(tree)
    assert (arrived["b"], dict(arrived)) == (7, {"a": 1, "b": 7})
    back = Decoder(remote=lambda _, number: remote[number]).decode(encode(arrived))
    assert [back.default_factory] == [*remote.values()]


CLASSES = [
    *(Colour, Size, Kind, Level, Point, Place, namedtuple("Alone", "a b"), namedtuple("Empty", "")),
    *(HTTPStatus, re.RegexFlag),
]


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_a_class_of_another_process_is_made_again_from_data(
    kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    members = list(getattr(kind, "__members__", {}).values())
    items = members or [kind(*range(len(kind._fields)))]
    tree = encode([kind, items])
    monkeypatch.setattr(classes, "_made", {})
    monkeypatch.setattr(classes, "_described", {})
    made, arrived = decode(tree)
    assert (made.__name__, made.__mro__[-2]) == (kind.__name__, kind.__mro__[-2])
    assert list(map(repr, arrived)) == list(map(repr, items))
    assert {type(item) for item in arrived} == {made}
    assert encode([made, arrived]) == tree
    assert getattr(made, "__members__", {}).keys() == getattr(kind, "__members__", {}).keys()


OWN_NAMES = st.lists(
    st.sampled_from(
        [
            *(
                "total",
                "append",
                "update",
                "__eq__",
                "__hash__",
                "__len__",
                "__iter__",
                "__class__",
            ),
            *("__getattribute__", "__slots__", "__classcell__", "__set_name__", "__new__", "mro"),
            *("__init_subclass__", "__class_getitem__", "__bases__", "a b", "", 3),
        ]
    ),
    max_size=4,
)


@given(
    st.sampled_from(["list", "Counter", "dict", "int", "str", "bytes", "tuple", "type", "object"]),
    st.sampled_from(["Own", "__class__", "None", "a b", 3]),
    OWN_NAMES,
    VALUES,
)
def test_a_twin_has_the_data_of_a_plain_type_and_no_code(
    base: Any, name: Any, own: list[Any], data: Any
) -> None:
    data = None if base == "object" else data
    tree = ["twin", base, name, ["l", 10**6, own], encode(data), 1]
    with suppress(ValueError, Used):
        twin = Decoder(remote=used).decode(tree)
        assert type(twin).__mro__[1:] == (type(data).__mro__ if data is not None else (object,))
        assert not {*own} & {"__new__", "__slots__", "a b", "", 3}


def test_a_twin_has_the_bytes_that_the_class_hides() -> None:
    def hidden(*_: Any) -> Any:
        return b"hidden"

    names = ("__getitem__", "__bytes__", "__iter__", "__eq__", "__buffer__")
    own = type("Own", (bytes,), {**dict.fromkeys(names, hidden), "__module__": "__main__"})
    twin = Decoder(remote=used).decode(json.loads(json.dumps(Encoder(remote={}).encode(own(b"a")))))
    assert (type(twin).__mro__[1:], len(twin), twin.decode()) == (bytes.__mro__, 1, "a")
    with pytest.raises(Used):
        twin[0]


class Used(Exception):
    """Something was asked that only the candidate's class can tell."""


def used(tag: str, *_: Any) -> Any:
    raise Used(tag)


def test_two_classes_with_one_description_do_not_cross() -> None:
    assert decode(encode(namedtuple("Pair", "a b")(1, 2))) == (1, 2)
    with pytest.raises(NotPlain):
        encode(namedtuple("Pair", "a b")(1, 2))


@pytest.mark.parametrize(
    "description",
    [
        ["namedtuple", "P", ["a", "a"]],
        ["namedtuple", "P", ["__eq__"]],
        ["namedtuple", "P", ["a", "b=print()"]],
        ["namedtuple", "P(object): pass\nprint()\n#", []],
        ["IntEnum", "E", [["__eq__", 1]]],
        ["IntEnum", "E", [["A", "x"]]],
        ["Enum", "E", [["mro", 1]]],
        ["Enum", "E", [["A", 1.5]]],
        ["Enum", "E", []],
        ["Flag", "E", [["A", "x"]]],
        ["ReprEnum", "E", [["A", 1]]],
        ["library", "subprocess", "Popen"],
        ["library", "re", "compile"],
        ["library", "enum", "Enum"],
        ["library", "http", "_simple_enum"],
        ["list", "P", ["a"]],
    ],
)
def test_a_description_is_of_names_and_values_alone(description: Any) -> None:
    base, name, parts = description
    listed = parts
    if isinstance(parts, list):
        pairs = [p if isinstance(p, str) else ["l", n, p] for n, p in enumerate(parts, 1)]
        listed = ["l", 0, pairs]
    with pytest.raises(ValueError, match=r"."):
        decode(["class", base, name, listed])
