"""Twins: objects that replace, in the judge, those that are no plain data: of a class that the
candidate or the library defines.

A twin's class is a subclass of the plain type that the object's is one of, or of object. It has the
same name, the data of the plain type, and no code. The object's attributes, and the methods in
ASKED that the class itself defines, are asked of the candidate's process. Comparisons of plain data
need nothing of the class where these are equal. Where the tests use anything else that it
defines, `used` ends the run, which is then judged in one process."""

import dataclasses
import enum
import types
from collections import Counter, OrderedDict, UserList, deque
from collections.abc import Callable, Sequence, Set
from contextlib import suppress
from datetime import date, datetime, time, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from typing import Any, Generic

from . import classes

# Reads the plain type's data; calls no method of the class.
_DATA: "dict[type, Callable[[Any], Any]]" = {
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    int: int.__int__,
    float: float.__float__,
    complex: complex.__complex__,
    Decimal: Decimal,
    tuple: lambda value: tuple(tuple.__iter__(value)),
    list: lambda value: list(list.__iter__(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    Counter: lambda value: Counter(dict(dict.items(value))),
    OrderedDict: lambda value: OrderedDict(OrderedDict.items(value)),
    dict: lambda value: dict(dict.items(value)),
    deque: lambda value: deque(deque.__iter__(value), deque.maxlen.__get__(value)),
    datetime: lambda value: datetime(*datetime.__reduce__(value)[1]),
    date: lambda value: date(*date.__reduce__(value)[1]),
    time: lambda value: time(*time.__reduce__(value)[1]),
    timedelta: lambda value: timedelta(*timedelta.__reduce__(value)[1]),
    UserList: lambda value: UserList(object.__getattribute__(value, "data")),
    object: lambda _: None,
}
_BASES = {base.__name__: base for base in _DATA}
# None of these methods gets what the tests expect.
ASKED = {
    *("__getitem__", "__missing__", "__iter__", "__next__", "__reversed__", "__len__", "__bool__"),
    *("__str__", "__repr__", "__format__", "__bytes__", "__int__", "__float__", "__index__"),
    *("__complex__", "__abs__", "__neg__", "__pos__", "__invert__", "__round__", "__trunc__"),
    *("__floor__", "__ceil__", "__fspath__", "__length_hint__", "__call__", "__getattr__"),
}
# What the plain type says of equal data decides, whatever the class adds.
COMPARED = {"__eq__", "__ne__", "__contains__"}
# Names that a twin does not need.
_MAKING = {
    *("__new__", "__init__", "__del__", "__doc__", "__module__", "__qualname__", "__slots__"),
    *("__dict__", "__weakref__", "__annotations__", "__orig_bases__", "__parameters__"),
}
_made: "dict[Any, Any]" = {}
_NUMBER = "number of the object"


def described(value: Any) -> "list[Any] | None":
    """[base, name, [what the class defines, ..], data]; None if a name is not one."""
    kind = type(value)
    name = kind.__name__.replace("-", "_")  # "method-wrapper"
    base = next(base for base in kind.__mro__ if base in _DATA)
    classes = [c for c in kind.__mro__ if c not in base.__mro__ and c is not Generic]
    nearest = {member: c for c in reversed(kind.__mro__) for member in vars(c)}
    members = {member for member, c in nearest.items() if c in classes} - _MAKING
    if not all(map(_is_own, classes)):
        # Where the library's classes change a method of the plain type, the twin has the plain
        # type's. A test that needs the changed one fails, and the run is judged in one process.
        plain = {member for c in base.__mro__[:-1] for member in vars(c)} - ASKED - COMPARED
        library = [(c, vars(c)) for c in kind.__mro__ if not _is_own(c)]
        for member in members & (plain | {"__getattribute__"}):
            # An enumeration copies methods of its base.
            defined = vars(nearest[member])[member]
            if any(names.get(member, c) is defined for c, names in library):
                members.remove(member)
        # Tests may know another class of the library, which the judge's twin does not inherit.
        members.add("__class__")
        if nearest.get("__contains__") is Sequence:
            # As the library does, the judge looks for an item among all.
            members.discard("__contains__")
    if not all(map(str.isidentifier, (name, *members))):
        return None
    return [base.__name__, name, sorted(members), _DATA[base](value)]


def reduced(value: Any) -> Any:
    """The plain data that an object is or shows, by its own code: a data class is a named tuple,
    another object a namespace. The value itself for a function, a class and the like."""
    kind: Any = type(value)
    base = next(base for base in kind.__mro__ if base in _DATA)
    if isinstance(value, enum.Enum):
        return value.value
    if isinstance(value, datetime) and (offset := value.utcoffset()) is not None:
        return datetime.combine(value.date(), value.time(), timezone(offset))
    if isinstance(value, Fraction):
        return Fraction(value)
    names: Any = getattr(kind, "_fields", None) if base is tuple else None
    if dataclasses.is_dataclass(value):
        names = [field.name for field in dataclasses.fields(value)]
    if names:
        with suppress(ValueError):  # names that no named tuple has
            fields = classes.made(["namedtuple", kind.__name__, list(names)])
            return fields._make(getattr(value, name) for name in names)
    if base is not object:
        return _DATA[base](value)
    if hasattr(kind, "keys") and hasattr(kind, "__getitem__"):
        return dict(value)
    if hasattr(kind, "__len__") and hasattr(kind, "__iter__"):
        return set(value) if isinstance(value, Set) else list(value)
    shows = not callable(value) and isinstance(getattr(value, "__dict__", None), dict)
    return types.SimpleNamespace(**vars(value)) if shows else value


def _is_own(kind: type) -> bool:
    # The library's functions that make classes put them into the module `types`.
    return kind.__module__ == "__main__" or (
        kind.__module__ == "types" and not hasattr(types, kind.__name__)
    )


class _Own:
    """An attribute that the candidate's class defines."""

    def __init__(self, name: str, used: "Callable[[Any, str], Any]") -> None:
        self._name, self._used = name, used

    def __get__(self, value: Any, kind: Any = None) -> Any:
        return self._used(value, self._name)


def number(value: Any) -> "int | None":
    """The number by which the candidate's process knows the object; None if the judge derived it
    from one, as the sum of a date and a duration is."""
    try:
        return int(object.__getattribute__(value, _NUMBER))
    except AttributeError:
        return None


def are_made() -> bool:
    """Whether this process has twins."""
    return bool(_made)


def holds(value: Any, name: str, other: Any) -> bool:
    """Whether a twin's data equal the other value, or contain it, by the plain type's method of
    this name in COMPARED."""
    base: Any = type(value).__mro__[1]
    with suppress(Exception):  # a type without the method, or values that cannot be compared
        # A Counter's own method asks for its items.
        method = getattr(dict if base is Counter else base, name)
        return base is not object and method(value, other) is (name != "__ne__")
    return False


def is_sized(value: Any) -> bool:
    return any("__len__" in vars(kind) for kind in type(value).__mro__)


def made(
    base: Any, name: Any, own: "list[Any]", data: Any, number: int, used: "Callable[..., Any]"
) -> Any:
    """The twin. used(twin, name) gives what the class defines. Raises KeyError, TypeError or
    ValueError for what `described` does not return."""
    kind: Any = _BASES[base]
    if type(data) is not (types.NoneType if kind is object else kind) or type(own) is not list:
        raise ValueError("not the data of this type")
    if not all(type(word) is str and word.isidentifier() for word in (name, *own)):
        raise ValueError("not a name")
    if _MAKING & {*own}:
        raise ValueError("not what a class of data defines")
    key = (base, name, *own)
    if key not in _made:
        names = {*own, "__getattr__", "__dict__", "__setattr__", "__delattr__"}
        if kind is Counter and ASKED.intersection(own):
            # Its methods would ask the candidate for the items that the tests expect.
            names |= vars(Counter).keys() - _MAKING
        space = {member: _Own(member, used) for member in names}
        _made[key] = type(name, (kind,), {**space, "__module__": "__main__"})
    if kind is object and (key, number) in _made:
        return _made[key, number]
    parts: Any = () if kind is object else (data,)
    if issubclass(kind, (date, time, timedelta)):
        parts = data.__reduce__()[1]
    elif isinstance(data, deque):
        parts = data, data.maxlen
    value = kind.__new__(_made[key], *parts)
    if issubclass(kind, dict):
        # __init__ may call what the class defines.
        for pair in kind.items(data):
            kind.__setitem__(value, *pair)
    elif isinstance(data, UserList):
        object.__setattr__(value, "data", data.data)
    else:
        kind.__init__(value, *parts)
    object.__setattr__(value, _NUMBER, number)
    if kind is object:
        _made[key, number] = value
    return value
