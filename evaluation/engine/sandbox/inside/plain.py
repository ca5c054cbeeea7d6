"""Plain data as JSON and back: what may cross between a candidate and its judge.

Plain are None, bool, int, float, str and the types in FORMS, CONTAINERS and VIEWS, by exact type: a
subclass can lie about itself. So are members of the standard library's enumerations, and named
tuples, enumerations and their members that define no methods (see classes.py). An iterator of the
interpreter's own types crosses as a number, by which the other side asks for its items; so do the
factory of a defaultdict and any other object. Mutable containers are numbered,
so that aliases and cycles survive, and so that a container the other side knows is filled anew in
place: that is how arguments changed by a call come back.

    None, bool, str, finite float, int below 2**63 in size   themselves
    ["I", hex] ["F", "nan"] ["t", [..]] ["z", [..]]     int, float, tuple, frozenset
    [name, [..]]                            a type of FORMS, from its parts
    [name, n, content, extra]               a container of CONTAINERS; pairs for a dict, hex for
                                            bytes; a maximum length, type code or factory
    ["r", n]                                the container numbered n, again
    ["it", n] ["of", n] ["is", name]        iterator, factory, factory that is a builtin type
    ["view", "keys", dict]                  a view of a dict
    ["class", ..] ["member", class, value]  see classes.py
    ["twin", base, name, [..], data, n]     see twins.py
"""

import gc
import itertools
import sys
from array import array
from collections import ChainMap, Counter, OrderedDict, UserDict, UserList, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from enum import EnumType
from fractions import Fraction
from functools import partial
from pathlib import PosixPath, PurePosixPath, PureWindowsPath
from types import GeneratorType, MappingProxyType, NoneType, SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

from . import classes, twins

DEPTH = 800
NODES = 2_000_000
# Calls that values of that depth need here and in the JSON of them.
_CALLS = 10_000
_SMALL = 1 << 63


class _Form(NamedTuple):
    """A type that is made of parts, which have exactly these types."""

    name: str
    parts: Callable[[Any], "Iterable[Any]"]
    kinds: "tuple[type, ...]"
    make: Callable[..., Any]


def _clock(value: Any) -> "tuple[Any, ...]":
    return (
        *(value.hour, value.minute, value.second, value.microsecond),
        *(value.tzinfo, value.fold),
    )


def _viewed(value: Any) -> "tuple[bytes | bytearray]":
    """Takes views of single bytes alone."""
    if (value.format, value.shape) == ("B", (value.nbytes,)):
        return (value.tobytes() if value.readonly else bytearray(value),)
    raise NotPlain("a value of type memoryview")


def _attributes(names: "dict[str, Any]") -> "dict[str, Any]":
    """Refuses methods: the tests may call a class with what they expect, and its object is true."""
    if any(map(callable, names.values())):
        raise NotPlain("an object with a method")
    return names


_CLOCK = (int, timezone, NoneType)
_DICTS = (dict, Counter, OrderedDict, defaultdict)
FORMS: "dict[type, _Form]" = {
    complex: _Form("c", lambda v: (v.real, v.imag), (float,), complex),
    bytes: _Form("b", lambda v: (v.hex(),), (str,), bytes.fromhex),
    memoryview: _Form("bytes", _viewed, (bytes, bytearray), memoryview),
    range: _Form("g", lambda v: (v.start, v.stop, v.step), (int,), range),
    Decimal: _Form("D", lambda v: (str(v),), (str,), Decimal),
    Fraction: _Form("Q", lambda v: (v.numerator, v.denominator), (int,), Fraction),
    UUID: _Form("uuid", lambda v: (v.hex,), (str,), UUID),
    date: _Form("date", lambda v: (v.year, v.month, v.day), (int,), date),
    time: _Form("time", _clock, _CLOCK, lambda *p: time(*p[:-1], fold=p[-1])),
    datetime: _Form(
        "datetime",
        lambda v: (v.year, v.month, v.day, *_clock(v)),
        _CLOCK,
        lambda *p: datetime(*p[:-1], fold=p[-1]),
    ),
    timedelta: _Form("delta", lambda v: (v.days, v.seconds, v.microseconds), (int,), timedelta),
    timezone: _Form("zone", lambda v: v.__getinitargs__(), (timedelta, str), timezone),
    **{
        kind: _Form(kind.__name__, lambda v: (str(v),), (str,), kind)
        for kind in (PosixPath, PurePosixPath, PureWindowsPath)
    },
    **{
        kind: _Form(kind.__name__, lambda v: (v.data,), (type_of_data,), kind)
        for kind, type_of_data in ((UserDict, dict), (UserList, list))
    },
    MappingProxyType: _Form("proxy", gc.get_referents, _DICTS, MappingProxyType),
    ChainMap: _Form("chain", lambda v: tuple(v.maps), _DICTS, ChainMap),
    SimpleNamespace: _Form(
        "names",
        lambda v: (_attributes(vars(v)),),
        (dict,),
        lambda names: SimpleNamespace(**_attributes(names)),
    ),
    slice: _Form("slice", lambda v: (v.start, v.stop, v.step), (int, NoneType), slice),
}
CONTAINERS: "dict[type, str]" = {
    list: "l",
    set: "s",
    dict: "d",
    bytearray: "a",
    Counter: "C",
    OrderedDict: "O",
    defaultdict: "f",
    deque: "q",
    array: "y",
}
_FACTORIES = {kind.__name__: kind for kind in (int, float, str, bool, list, dict, set, tuple)}
VIEWS: "dict[type, str]" = {
    type(getattr(kind(), name)()): name
    for kind in (dict, OrderedDict)
    for name in ("keys", "values", "items")
}
_FORMS_BY_NAME = {form.name: form for form in FORMS.values()}
_CONTAINERS_BY_NAME = {name: kind for kind, name in CONTAINERS.items()}
_ITERABLES: "tuple[Any, ...]" = (
    *([], (), "", "é", {}, set(), b"", bytearray(), range(0), range(2**70), {}.items()),
    *({}.values(), deque(), OrderedDict(), array("b"), memoryview(b"")),
)
_REVERSIBLE: "tuple[Any, ...]" = ([], {}, {}.items(), {}.values(), range(0), deque(), OrderedDict())
_ITERATORS = {
    *(GeneratorType, map, filter, zip, enumerate, reversed, type(iter(int, 1))),
    *(type(iter(iterable)) for iterable in _ITERABLES),
    type(iter(type("", (), {"__getitem__": None})())),
    *(type(reversed(iterable)) for iterable in _REVERSIBLE),
    *(kind for kind in vars(itertools).values() if isinstance(kind, type)),
}


# Stored before a program can replace them.
_digits, _lift_digits = sys.get_int_max_str_digits, sys.set_int_max_str_digits
_calls, _limit_calls = sys.getrecursionlimit, sys.setrecursionlimit


class NotPlain(Exception):
    """The value can't cross; the text says why."""


@contextmanager
def without_limits() -> "Iterator[None]":
    """Lifts this process's limits on the digits and on the depth of values, which are for the
    program and not for what converts its values."""
    digits, calls = _digits(), _calls()
    _lift_digits(0)
    _limit_calls(max(calls, _CALLS))
    try:
        yield
    finally:
        _lift_digits(digits)
        _limit_calls(calls)


class Factory:
    """Stands for the factory of a defaultdict in another process."""

    def __init__(self, number: int, make: "Callable[[], Any]") -> None:
        self.number, self._make = number, make

    def __call__(self) -> Any:
        return self._make()


class Encoder:
    """Encodes values that share one numbering. `known` holds containers that have a number already.

    Iterators, factories and objects are added to `remote` by number, so that their items can be
    requested. Without it they are not plain. With `reduced`, objects become plain data if they can.
    """

    def __init__(
        self,
        known: "dict[int, Any] | None" = None,
        remote: "dict[int, Any] | None" = None,
        reduced: bool = False,
    ) -> None:
        self._remote, self._reduced = remote, reduced
        self.objects: dict[int, Any] = dict(known or {})
        self._numbers = {id(value): n for n, value in self.objects.items()}
        self._written: set[int] = set()
        self._nodes = 0

    def encode(self, value: Any, depth: int = 0) -> Any:
        """The JSON of a value. Raises NotPlain."""
        kind = type(value)
        self._nodes += 1
        if depth > DEPTH or self._nodes > NODES:
            raise NotPlain("too deep or too large")
        if value is None or kind is bool or kind is str:
            return value
        if kind is int:
            return value if -_SMALL < value < _SMALL else ["I", hex(value)]
        if kind is float:
            return value if value - value == 0 else ["F", repr(value)]
        if kind in CONTAINERS:
            return self._container(value, kind, depth)
        depth += 1
        if kind is tuple or kind is frozenset:
            return ["t" if kind is tuple else "z", self._all(value, depth)]
        if kind in FORMS:
            form, parts = FORMS[kind], FORMS[kind].parts(value)
            if all(type(part) in form.kinds for part in parts):
                return [form.name, self._all(parts, depth)]
            if not self._reduced or (data := twins.reduced(value)) is value:
                raise NotPlain(f"a {kind.__name__} with parts of other types")
            return self.encode(data, depth)
        if kind in _ITERATORS and self._remote is not None:
            return ["it", self._number(value, self._remote)]
        if kind in VIEWS:
            return ["view", VIEWS[kind], *self._all(gc.get_referents(value), depth)]
        if kind in (type, EnumType) and (described := classes.described(value)) is not None:
            return ["class", *self._all(described, depth)]
        if (content := classes.content(value)) is not None:
            return ["member", self.encode(kind, depth), self.encode(content, depth)]
        if self._reduced and (data := twins.reduced(value)) is not value:
            return self.encode(data, depth)
        if self._remote is not None:
            twin = twins.described(value)
            if twin is not None:
                return ["twin", *self._all(twin, depth), self._number(value, self._remote)]
        said = "a class" if issubclass(kind, type) else f"a value of type {kind.__name__}"
        raise NotPlain(said)

    @staticmethod
    def _number(value: Any, remote: "dict[int, Any]") -> int:
        remote[id(value)] = value
        return id(value)

    def _all(self, items: Any, depth: int) -> "list[Any]":
        return [self.encode(item, depth) for item in items]

    def _container(self, value: Any, kind: type, depth: int) -> Any:
        number = self._numbers.get(id(value))
        if number is None:
            number = len(self.objects)
            self._numbers[id(value)] = number
            self.objects[number] = value
        if number in self._written:
            return ["r", number]
        self._written.add(number)
        name, extra = CONTAINERS[kind], []
        if kind is bytearray:
            return [name, number, value.hex()]
        if kind is array:
            return [name, number, value.tobytes().hex(), value.typecode]
        if kind is deque:
            extra = [value.maxlen]
        if kind is defaultdict:
            extra = [self._factory(value.default_factory)]
        if kind in _DICTS:
            return [name, number, [self._all(pair, depth + 1) for pair in value.items()], *extra]
        return [name, number, self._all(value, depth + 1), *extra]

    def _factory(self, factory: Any) -> Any:
        for name, kind in _FACTORIES.items():
            if factory is kind:
                return ["is", name]
        if type(factory) is Factory:
            return ["of", factory.number]
        if factory is None or self._remote is None:
            return self.encode(factory)
        return ["of", self._number(factory, self._remote)]


class Decoder:
    """Decodes what an Encoder made. Containers in `known` are filled anew in place.

    `remote` makes what stands for the iterator ("it") or the factory ("of") with this number, or
    for what the class of an object defines ("own", with the class's name, the object's number and
    the attribute's name). Without it, these are refused.
    """

    def __init__(
        self,
        known: "dict[int, Any] | None" = None,
        remote: "Callable[..., Any] | None" = None,
    ) -> None:
        self._remote = remote
        self.objects: dict[int, Any] = dict(known or {})
        self._filled: set[int] = set()

    def decode(self, tree: Any, depth: int = 0) -> Any:
        """The value. Raises ValueError for anything that an Encoder does not write."""
        if tree is None or type(tree) in (bool, str, int, float):
            return tree
        if type(tree) is not list or not tree or depth > DEPTH + 2:
            raise ValueError("not an encoded value")
        try:
            return self._tagged(tree[0], tree[1:], depth + 1)
        except (NotPlain, TypeError, LookupError, ArithmeticError) as error:
            raise ValueError(f"not an encoded value: {error}") from None

    def _tagged(self, tag: Any, rest: "list[Any]", depth: int) -> Any:
        match tag, rest:
            case "t", [items]:
                return tuple(self._all(items, depth))
            case "z", [items]:
                return frozenset(self._all(items, depth))
            case "r", [number]:
                return self.objects[number]
            case str(), [number, content, *extra] if tag in _CONTAINERS_BY_NAME:
                return self._container(_CONTAINERS_BY_NAME[tag], number, content, extra, depth)
            case "I", [text]:
                return int(text, 16)
            case "F", [("nan" | "inf" | "-inf") as text]:
                return float(text)
            case str(), [items] if tag in _FORMS_BY_NAME:
                form, parts = _FORMS_BY_NAME[tag], self._all(items, depth)
                if all(type(part) in form.kinds for part in parts):
                    return form.make(*parts)
            case "it", [int(number)] if self._remote is not None:
                return self._remote(tag, number)
            case "view", [("keys" | "values" | "items") as name, viewed]:
                value = self.decode(viewed, depth)
                if type(value) in _DICTS:
                    return getattr(value, name)()
            case "class", [*described]:
                return classes.made(self._all(described, depth))
            case "member", [["class", *_] as described, content]:
                return classes.member(self.decode(described, depth), self.decode(content, depth))
            case "twin", [base, name, own, data, int(number)] if self._remote is not None:
                own, data = self.decode(own, depth), self.decode(data, depth)
                return twins.made(base, name, own, data, number, partial(self._remote, "own", name))
        raise ValueError(f"not an encoded value: {tag!r}")

    def _all(self, items: Any, depth: int) -> "list[Any]":
        if type(items) is not list:
            raise ValueError("not an encoded value")
        return [self.decode(item, depth) for item in items]

    def _container(
        self, kind: Any, number: Any, content: Any, extra: "list[Any]", depth: int
    ) -> Any:
        value: Any = self.objects.get(number)
        if value is None:
            made = {array: extra, deque: [(), *extra]}.get(kind, [])
            value = self.objects[number] = kind(*made)
        if type(value) is not kind or type(number) is not int or number in self._filled:
            raise ValueError("a container that contradicts what is known of it")
        self._filled.add(number)
        if kind is bytearray:
            value[:] = bytes.fromhex(content)
        elif kind is array:
            value[:] = array(value.typecode, bytes.fromhex(content))
        elif kind in _DICTS:
            pairs = [self._all(pair, depth) for pair in content]
            value.clear()
            for key, item in pairs:
                value[key] = item
            if kind is defaultdict:
                value.default_factory = self._factory(*extra)
        else:
            items = self._all(content, depth)
            value.clear()
            (value.update if kind is set else value.extend)(items)
        return value

    def _factory(self, tree: Any) -> Any:
        match tree:
            case None:
                return None
            case ["is", str(name)]:
                return _FACTORIES[name]
            case ["of", int(number)] if self._remote is not None:
                return self._remote("of", number)
        raise ValueError("not an encoded factory")


def encode(value: Any) -> Any:
    """The JSON of one value. Raises NotPlain."""
    return Encoder().encode(value)


def decode(tree: Any) -> Any:
    """The value of one JSON tree. Raises ValueError."""
    return Decoder().decode(tree)
