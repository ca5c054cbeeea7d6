"""Twins: what stands in the judge for a value of the candidate's own class.

The class is a subclass of a plain type, or an iterator. Its twin has the same name, the data of the
plain type, and no code: where the tests use something that the class itself defines, `used` ends
the run, which is then judged in one process.
"""

from abc import ABCMeta
from collections import Counter
from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any


class _Items:
    """The base of an iterator's twin; its data are the items."""

    def __init__(self, items: "Iterator[Any]") -> None:
        self._items = items

    def __iter__(self) -> "_Items":
        return self

    def __next__(self) -> Any:
        return next(self._items)


def _items(value: Any) -> "Iterator[Any]":
    yield from value


# The data of a value, by what its class inherits: nothing that the class defines is asked.
_DATA: "dict[type, Callable[[Any], Any]]" = {
    str: str.__str__,
    int: int.__int__,
    float: float.__float__,
    tuple: lambda value: tuple(tuple.__iter__(value)),
    list: lambda value: list(list.__iter__(value)),
    set: lambda value: set(set.__iter__(value)),
    frozenset: lambda value: frozenset(frozenset.__iter__(value)),
    Counter: lambda value: Counter(dict(dict.items(value))),
    dict: lambda value: dict(dict.items(value)),
    _Items: _items,
}
_BASES = {base.__name__: base for base in _DATA}
# What makes or describes an object and is of no use to tests.
_MAKING = {
    *("__new__", "__init__", "__del__", "__doc__", "__module__", "__qualname__", "__slots__"),
    *("__dict__", "__weakref__", "__annotations__", "__orig_bases__", "__parameters__"),
}
_made: "dict[Any, Any]" = {}


def described(value: Any) -> "list[Any] | None":
    """[base, name, [what the class defines, ..], data]; None for other values."""
    kind = type(value)
    if type(kind) not in (type, ABCMeta):
        return None
    iterates = "__iter__" in dir(kind) and "__next__" in dir(kind)
    base = next((base for base in kind.__mro__ if base in _DATA), _Items if iterates else None)
    if base is None:
        return None
    inherited = _MAKING | ({"__iter__", "__next__"} if base is _Items else set())
    own = {name for c in kind.__mro__ if c not in base.__mro__ for name in vars(c)} - inherited
    return [base.__name__, kind.__name__, sorted(own), _DATA[base](value)]


class _Own:
    """An attribute that the candidate's class defines."""

    def __init__(self, used: "Callable[[], Any]") -> None:
        self._used = used

    def __get__(self, value: Any, kind: Any = None) -> Any:
        return self._used()


def made(base: Any, name: Any, own: "list[Any]", data: Any, used: "Callable[[], Any]") -> Any:
    """The twin. Raises KeyError, TypeError or ValueError for what `described` does not return."""
    kind: Any = _BASES[base]
    if type(data) is not (GeneratorType if kind is _Items else kind):
        raise ValueError("not the data of this type")
    if not all(type(word) is str and word.isidentifier() for word in (name, *own)):
        raise ValueError("not a name")
    if _MAKING & {*own}:
        raise ValueError("not what a class of data defines")
    key = (base, name, *own)
    if key not in _made:
        space: dict[str, Any] = dict.fromkeys((*own, "__getattr__"), _Own(used))
        _made[key] = type(name, (kind,), {**space, "__module__": "__main__"})
    value = kind.__new__(_made[key], data)
    kind.__init__(value, data)
    return value
