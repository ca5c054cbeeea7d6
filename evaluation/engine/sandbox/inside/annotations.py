"""Annotations across the gap between candidate and judge, as data.

A class or typing form crosses by its module and name, from a short list of modules
that are the standard library's own; a generic crosses as its origin and arguments.
Anything else is not plain.
"""

import builtins
import collections
import collections.abc
import datetime
import decimal
import fractions
import functools
import numbers
import operator
import re
import types
import typing
from typing import Any

from . import plain

_MODULES = {
    module.__name__: module
    for module in (
        builtins,
        typing,
        collections,
        collections.abc,
        datetime,
        decimal,
        fractions,
        numbers,
        re,
        types,
    )
}


# typing does not export the classes of generics such as Sequence[int].
_UNITED = (
    *(type, types.GenericAlias, types.UnionType),
    *(type(typing.Union[int, str]), type(typing.Sequence[int]), type(typing.Any)),  # noqa: UP007
)


def encode(value: Any) -> Any:
    """The JSON of an annotation. Raises plain.NotPlain."""
    if isinstance(value, types.UnionType):
        return ["or", [encode(item) for item in typing.get_args(value)]]
    arguments = typing.get_args(value)
    if arguments and typing.get_origin(value) is typing.Literal:
        return ["of", ["name", "typing", "Literal"], [encode(item) for item in arguments]]
    if arguments:
        return ["of", _generic(value), [encode(item) for item in arguments]]
    if type(value) is list:
        return ["list", [encode(item) for item in value]]
    if value is Ellipsis:
        return ["..."]
    if (name := _name(value)) is not None:
        return name
    return ["plain", plain.encode(value)]


def _generic(value: Any) -> Any:
    """The subscripted form: `list` of list[int], `typing.List` of typing.List[int]."""
    if isinstance(value, types.GenericAlias):
        return _required(typing.get_origin(value))
    if typing.get_origin(value) is typing.Union:
        return ["name", "typing", "Union"]
    return _required(getattr(typing, getattr(value, "_name", None) or "", None))


def _required(value: Any) -> "list[Any]":
    name = _name(value)
    if name is None:
        raise plain.NotPlain("an annotation that is no type of the standard library")
    return name


def _name(value: Any) -> "list[Any] | None":
    module = getattr(value, "__module__", None)
    name = getattr(value, "__qualname__", None) or getattr(value, "_name", None)
    if type(module) is str and type(name) is str and _is_form(value):
        # NoneType's module is "builtins", but `types` has it.
        for place in (module, "types"):
            if place in _MODULES and getattr(_MODULES[place], name, None) is value:
                return ["name", place, name]
    return None


def _is_form(value: Any) -> bool:
    """Whether it is a type, or one of the forms in `typing`; functions and modules are not."""
    if isinstance(value, type):
        return True
    forms = (getattr(typing, name, None) for name in typing.__all__)
    return not isinstance(value, types.FunctionType) and any(value is form for form in forms)


def decode(tree: Any) -> Any:
    """The annotation. Raises ValueError for data that `encode` does not write."""
    match tree:
        case ["name", str(module), str(name)] if module in _MODULES and "." not in name:
            return _known(module, name)
        case ["plain", value]:
            return plain.decode(value)
        case ["..."]:
            return Ellipsis
        case ["list", [*items]]:
            return [decode(item) for item in items]
        case ["or", [_, _, *_] as items]:
            return _union([decode(item) for item in items])
        case ["of", ["name", *_] as base, [*items]]:
            arguments = tuple(decode(item) for item in items)
            return _subscript(decode(base), arguments)
    raise ValueError("not an encoded annotation")


def _union(items: "list[Any]") -> Any:
    if not all(item is None or isinstance(item, _UNITED) for item in items):
        raise ValueError("not a union of types")
    try:
        return functools.reduce(operator.or_, items)
    except TypeError as error:
        raise ValueError(str(error)) from None


def _known(module: str, name: str) -> Any:
    value = getattr(_MODULES[module], name, None)
    if name.startswith("_") or not _is_form(value):
        raise ValueError("not the name of a type")
    return value


def _subscript(base: Any, arguments: "tuple[Any, ...]") -> Any:
    """base[arguments]. get_args gives Callable's parameters as a list."""
    try:
        return base[arguments if len(arguments) != 1 else arguments[0]]
    except TypeError as error:
        raise ValueError(str(error)) from None
