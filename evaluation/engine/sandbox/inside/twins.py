"""Twins: values that replace, in the judge, those of a class that the candidate defines.

The class is a subclass of a plain type. Its twin has the same name, the data of the plain type, and
no code: where the tests use something that the class itself defines, or an object's attributes,
`used` ends the run, which is then judged in one process."""

from abc import ABCMeta
from collections import Counter
from collections.abc import Callable
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
    dict: lambda value: dict(dict.items(value)),
}
_BASES = {base.__name__: base for base in _DATA}
# Names that a twin does not need.
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
    base = next((base for base in kind.__mro__ if base in _DATA), None)
    if base is None:
        return None
    classes = [c for c in kind.__mro__ if c not in base.__mro__ and c is not Generic]
    # Tests may know another class of the library, which the judge's twin would not inherit.
    if any(c.__module__ != "__main__" for c in classes):
        return None
    own = sorted({name for c in classes for name in vars(c)} - _MAKING)
    if not all(map(str.isidentifier, (kind.__name__, *own))):
        return None
    return [base.__name__, kind.__name__, own, _DATA[base](value)]


class _Own:
    """An attribute that the candidate's class defines."""

    def __init__(self, used: "Callable[[], Any]") -> None:
        self._used = used

    def __get__(self, value: Any, kind: Any = None) -> Any:
        return self._used()


def made(base: Any, name: Any, own: "list[Any]", data: Any, used: "Callable[[], Any]") -> Any:
    """The twin. Raises KeyError, TypeError or ValueError for what `described` does not return."""
    kind: Any = _BASES[base]
    if type(data) is not kind or type(own) is not list:
        raise ValueError("not the data of this type")
    if not all(type(word) is str and word.isidentifier() for word in (name, *own)):
        raise ValueError("not a name")
    if _MAKING & {*own}:
        raise ValueError("not what a class of data defines")
    key = (base, name, *own)
    if key not in _made:
        space: dict[str, Any] = dict.fromkeys((*own, "__getattr__", "__dict__"), _Own(used))
        _made[key] = type(name, (kind,), {**space, "__module__": "__main__"})
    value = kind.__new__(_made[key], data)
    kind.__init__(value, data)
    return value
