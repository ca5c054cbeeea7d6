"""Classes that can be made again from data: named tuples and enumerations without methods.

A description is [base, name, [field, ..]], [base, name, [(member, value), ..]], or for an
enumeration of the standard library ["library", module, name]. It holds no code, so a class made
from it runs none of the candidate's. A process has one class for each description."""

import collections
import enum
import importlib
import keyword
from typing import Any

# The bases of enumerations by the name of the first: class E(str, Enum) has two.
_ENUMS: "dict[str, tuple[Any, ...]]" = {
    **{
        kind.__name__: (kind,)
        for kind in (enum.Enum, enum.IntEnum, enum.StrEnum, enum.Flag, enum.IntFlag)
    },
    **{kind.__name__: (kind, enum.Enum) for kind in (int, str)},
}
_TUPLE, _LIBRARY = "namedtuple", "library"
# Modules whose import only defines.
_MODULES = ("enum", "http", "inspect", "re", "signal", "socket", "uuid")
_VALUES = (int, str)
# What a class statement adds to a class that a call makes.
_ADDED = {
    *("__annotations__", "__orig_bases__", "__doc__", "__module__", "__qualname__"),
    *("__slots__", "__dict__", "__weakref__"),
}

_made: "dict[Any, Any]" = {}
_described: "dict[Any, list[Any] | None]" = {}


def described(kind: Any) -> "list[Any] | None":
    """The description of a class; None if data cannot describe it."""
    if type(kind) not in (type, enum.EnumType):
        return None
    if kind not in _described:
        description = _description(kind)
        if description is not None and description[0] != _LIBRARY:
            # Two classes with one description cannot be told apart.
            alone = _made.setdefault(_key(*description), kind) is kind
            description = description if alone else None
        _described[kind] = description
    return _described[kind]


def content(value: Any) -> Any:
    """The fields of a named tuple as a list, or an enumeration member's value; None if the class
    cannot be described or a field is called."""
    description = described(type(value))
    if description is None:
        return None
    if description[0] == _TUPLE:
        # The tests may call a class in a field like a method.
        return None if any(map(callable, value)) else list(value)
    return value._value_ if type(value._value_) in _VALUES else None


def made(description: "list[Any]") -> Any:
    """The class. Raises ValueError or TypeError for what `described` does not return."""
    base, name, parts = description
    if base == _LIBRARY:
        if name not in _MODULES:
            raise ValueError("not a module of enumerations")
        kind = getattr(importlib.import_module(name), str(parts), None)
        if type(kind) is not enum.EnumType or kind.__module__ != name or not kind.__members__:
            raise ValueError("not an enumeration of the standard library")
        return kind
    key = _key(base, name, parts)
    if key not in _made:
        _made[key] = _new(*key)
        _described[_made[key]] = description
    return _made[key]


def member(kind: Any, content: Any) -> Any:
    """The named tuple or member of a class from `made`. Raises ValueError or TypeError."""
    if type(content) is list and issubclass(kind, tuple) and not any(map(callable, content)):
        return kind._make(content)
    if type(content) not in _VALUES or issubclass(kind, tuple):
        raise ValueError("not the value of a member")
    return kind(content)


def _key(base: Any, name: Any, parts: Any) -> "tuple[Any, ...]":
    return base, name, tuple(tuple(p) if type(p) is list else p for p in parts)


def _new(base: str, name: str, parts: "tuple[Any, ...]") -> Any:
    names = parts if base == _TUPLE else [member for member, _ in parts]
    for word in (name, *names):
        if type(word) is not str or not word.isidentifier() or keyword.iskeyword(word):
            raise ValueError("not a name")
    if any(word.startswith("_") for word in names):
        raise ValueError("not the name of a field or member")
    if base == _TUPLE:
        return collections.namedtuple(name, parts, module="__main__")
    if not parts or any(type(value) not in _VALUES for _, value in parts):
        raise ValueError("not the members of an enumeration")
    mixed, *kind = _ENUMS[base]
    if kind:
        return kind[0](name, parts, module="__main__", type=mixed)
    return mixed(name, parts, module="__main__")


def _description(kind: Any) -> "list[Any] | None":
    name, bases = kind.__name__, kind.__bases__
    if len(bases) == 1 and set(kind.__dict__) <= _ADDED:
        # class P(namedtuple("P", "x y")): pass
        kind, bases = bases[0], bases[0].__bases__
    description: list[Any]
    if bases == (tuple,) and type(kind.__dict__.get("_fields")) is tuple:
        names = kind._fields
        description = [_TUPLE, name, list(names)]
    elif type(kind) is not enum.EnumType or not kind.__members__:
        return None
    elif kind.__module__ in _MODULES:
        return [_LIBRARY, kind.__module__, name]
    elif bases == _ENUMS.get(bases[0].__name__):
        members: dict[str, Any] = dict(kind.__members__)
        names = tuple(members)
        parts = [[name, member._value_] for name, member in members.items()]
        description = [bases[0].__name__, name, parts]
    else:
        return None
    try:
        twin = _new(*_key(*description))
    except (ValueError, TypeError):
        return None
    return description if _alike(kind, twin, {*names, *_ADDED}) else None


def _alike(kind: Any, twin: Any, ignored: "set[str]") -> bool:
    """Whether a class has no attribute and no method that the twin, made by a call, has not."""
    for name, value in kind.__dict__.items():
        if name in ignored:
            continue
        other = twin.__dict__.get(name, ignored)
        codes = [getattr(getattr(v, "__func__", v), "__code__", None) for v in (value, other)]
        if type(other) is not type(value) or codes[0] != codes[1]:
            return False
    return True
