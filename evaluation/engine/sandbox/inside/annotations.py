"""Annotations across the gap between candidate and judge, as data.

A class or typing form crosses by its module and name, from a short list of modules that are the
standard library's own; a generic crosses as its origin and arguments; another class or type
variable as its name. Anything else is not plain."""

import functools
import importlib
import operator
import types
import typing
from typing import Any

from . import plain

_MODULES = {
    name: importlib.import_module(name)
    for name in (
        *("builtins", "typing", "collections", "collections.abc", "datetime", "decimal"),
        *("fractions", "numbers", "re", "types"),
    )
}


_SPECIAL = (typing.Union, typing.Literal, typing.Annotated)
# typing does not export the classes of generics such as Sequence[int].
_UNITED = (
    *(type, types.GenericAlias, types.UnionType),
    *(type(typing.Union[int, str]), type(typing.Sequence[int]), type(typing.Any)),  # noqa: UP007
)
# What a program may define for its annotations, and how to make one with this name.
_PROGRAMS: "dict[Any, Any]" = {
    type: lambda name: type(
        name, (), {"__module__": "__main__", "__class_getitem__": classmethod(types.GenericAlias)}
    ),
    typing.TypeVar: typing.TypeVar,
    typing.NewType: lambda name: typing.NewType(name, object),
}
# Those that crossed, by number: each is equal to itself only.
_arrived: "dict[Any, Any]" = {}


def encode(value: Any) -> Any:
    """The JSON of an annotation. Raises plain.NotPlain."""
    if isinstance(value, types.UnionType):
        return ["or", [encode(item) for item in typing.get_args(value)]]
    arguments = typing.get_args(value)
    if arguments:
        # The subscripted form: `list` of list[int], `typing.List` of typing.List[int].
        origin = typing.get_origin(value)
        if isinstance(value, types.GenericAlias) or origin in _SPECIAL:
            name = _name(origin)
        else:
            name = _name(getattr(typing, getattr(value, "_name", None) or "", None))
        # A generic of the program's own has no such name.
        return ["of", name or encode(origin), [encode(item) for item in arguments]]
    if type(value) is list:
        return ["list", [encode(item) for item in value]]
    if value is Ellipsis:
        return ["..."]
    if (name := _name(value)) is not None:
        return name
    try:
        return ["plain", plain.encode(value)]
    except plain.NotPlain:
        kind = next((kind for kind in _PROGRAMS if isinstance(value, kind)), None)
        if kind is None or not value.__name__.isidentifier():
            raise
    _arrived[id(value)] = value
    return ["own", kind.__name__, value.__name__, id(value)]


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
            value = getattr(_MODULES[module], name, None)
            if name.startswith("_") or not _is_form(value):
                raise ValueError("not the name of a type")
            return value
        case ["plain", value]:
            return plain.decode(value)
        case ["own", str(kind), str(name), int(number)]:
            makes = {form.__name__: make for form, make in _PROGRAMS.items()}
            if kind not in makes or not name.isidentifier():
                raise ValueError("not a class or a variable")
            return _arrived.setdefault((kind, number), makes[kind](name))
        case ["..."]:
            return Ellipsis
        case ["list", [*items]]:
            return [decode(item) for item in items]
        case ["or", [_, _, *_] as items]:
            united = [decode(item) for item in items]
            if not all(item is None or isinstance(item, _UNITED) for item in united):
                raise ValueError("not a union of types")
            return _made(functools.reduce, operator.or_, united)
        case ["of", [("name" | "own"), *_] as base, [*items]]:
            # get_args gives Callable's parameters as a list.
            arguments = tuple(decode(item) for item in items)
            inner = arguments if len(arguments) != 1 else arguments[0]
            return _made(operator.getitem, decode(base), inner)
    raise ValueError("not an encoded annotation")


def have_own() -> bool:
    """Whether types of the program's, of any kind in _PROGRAMS, arrived in this process."""
    return bool(_arrived)


def _made(make: Any, *parts: Any) -> Any:
    try:
        return make(*parts)
    except TypeError as error:
        raise ValueError(str(error)) from None
