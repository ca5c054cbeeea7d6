"""Twins: objects that replace, in the judge, those of a class that the candidate defines.

A twin's class is a subclass of the plain type that the candidate's is one of, or of object. It has
the same name, the data of the plain type, and no code. The object's attributes, and the methods in
ASKED that the class itself defines, are asked of the candidate's process. Comparisons of plain data
need nothing of the class where these are equal. Where the tests use anything else that it
defines, `used` ends the run, which is then judged in one process."""

import types
from collections import Counter, OrderedDict, UserList
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import date, datetime
from typing import Any, Generic

# Reads the plain type's data; calls no method of the class.
_DATA: "dict[type, Callable[[Any], Any]]" = {
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    int: int.__int__,
    float: float.__float__,
    tuple: lambda value: tuple(tuple.__iter__(value)),
    list: lambda value: list(list.__iter__(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    Counter: lambda value: Counter(dict(dict.items(value))),
    OrderedDict: lambda value: OrderedDict(OrderedDict.items(value)),
    dict: lambda value: dict(dict.items(value)),
    date: lambda value: date(*date.__reduce__(value)[1]),
    datetime: lambda value: datetime(*datetime.__reduce__(value)[1]),
    UserList: lambda value: UserList(object.__getattribute__(value, "data")),
    object: lambda _: None,
}
_BASES = {base.__name__: base for base in _DATA}
# None of these methods gets what the tests expect.
ASKED = {
    *("__getitem__", "__missing__", "__iter__", "__next__", "__reversed__", "__len__", "__bool__"),
    *("__str__", "__repr__", "__format__", "__bytes__", "__int__", "__float__", "__index__"),
    *("__call__", "__getattr__"),
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


def described(value: Any, any_class: bool = False) -> "list[Any] | None":
    """[base, name, [what the class defines, ..], data]; None for other values. With `any_class`,
    also the library's classes are the candidate's."""
    kind = type(value)
    if not (any_class or _is_own(kind)):
        return None
    base = next(base for base in kind.__mro__ if base in _DATA)
    classes = [c for c in kind.__mro__ if c not in base.__mro__ and c is not Generic]
    nearest = {name: c for c in reversed(kind.__mro__) for name in vars(c)}
    members = {name for name, c in nearest.items() if c in classes} - _MAKING
    if not all(map(_is_own, classes)):
        # The plain type has what the library's classes define otherwise. Tests whose outcome
        # depends on that fail, and are judged in one process.
        plain = {name for c in base.__mro__[:-1] for name in vars(c)} - ASKED
        library = [(c, vars(c)) for c in kind.__mro__ if not _is_own(c)]
        for name in members & plain:
            # An enumeration copies methods of its base.
            defined = vars(nearest[name])[name]
            if any(names.get(name, c) is defined for c, names in library):
                members.remove(name)
        # Tests may know another class of the library, which the judge's twin does not inherit.
        members.add("__class__")
        if nearest.get("__contains__") is Sequence:
            # As the library does, the judge looks for an item among all.
            members.discard("__contains__")
    if not all(map(str.isidentifier, (kind.__name__, *members))):
        return None
    return [base.__name__, kind.__name__, sorted(members), _DATA[base](value)]


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
        names = (*own, "__getattr__", "__dict__", "__setattr__", "__delattr__")
        space = {member: _Own(member, used) for member in names}
        _made[key] = type(name, (kind,), {**space, "__module__": "__main__"})
    if kind is object and (key, number) in _made:
        return _made[key, number]
    parts: Any = () if kind is object else (data,)
    if issubclass(kind, date):
        parts = data.__reduce__()[1]
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
