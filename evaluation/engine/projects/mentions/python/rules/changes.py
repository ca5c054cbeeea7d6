"""Finds changes of objects that may be another module's."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterable, Iterator

from evaluation.engine.projects.mentions.python.bindings import stores
from evaluation.engine.projects.mentions.python.modules import of_sys
from evaluation.engine.projects.mentions.python.nodes import FUNCTIONS, constant, last_name
from evaluation.engine.projects.mentions.python.program import Program
from evaluation.engine.projects.mentions.python.rules.environment import OBJECTS

_CHANGING = frozenset(
    {
        *("append", "clear", "extend", "insert", "pop", "remove", "reverse", "sort"),
        *("__setitem__", "__delitem__", "__iadd__", "__ior__", "update", "setdefault"),
        *("popitem", "add", "discard"),
    }
)
_SETTING = ("setattr", "__setattr__")
# Attributes of an object that decide what other code runs, or where its annotations are looked up.
_DECIDING = frozenset(
    {"__annotations__", "__module__", "__bases__", "__defaults__", "__kwdefaults__"}
)


def of_node(program: Program, node: ast.AST) -> Iterator[str]:
    for target, value in stores(node):
        yield from _stored(program, node, target, value)
    match node:
        case ast.Attribute():
            yield from _of_module(program, node)
        case ast.Name(id="setattr" | "delattr" | "vars" as name) if not program.is_called(node):
            if name != "vars" or not program.values(node):
                yield f"{name} as a value"
        case ast.Call(func=how, args=[*_, place, named, new]) if last_name(how) in _SETTING:
            yield from _stored_by_name(program, place, named, new)
        case ast.Call(func=ast.Attribute(value=place, attr=how)) if how in _CHANGING:
            yield from _changed_by_call(program, node, place)
        case ast.Dict(keys=keys, values=values):
            yield from _deciding(keys, values)


def _of_module(program: Program, node: ast.Attribute) -> Iterator[str]:
    owner = program.owner(node.value)
    if node.attr in _CHANGING and of_sys(owner) == "path":
        yield "a change of sys.path"
    if owner and (node.attr == "__dict__" or not isinstance(node.ctx, ast.Load)):
        yield f"a change of {owner}.{node.attr}"


def _stored(
    program: Program, node: ast.AST, target: ast.expr, value: ast.AST | None
) -> Iterator[str]:
    match target:
        case ast.Attribute(value=place, attr=name):
            if not program.names.is_own(place):
                yield from _stored_attribute(program, node, name, value)
            if name in _DECIDING and not _is_copied(program, place, name, value):
                yield f"a change of {name}"
        case ast.Name(id=name) if name in _DECIDING:
            yield f"a change of {name}"
        case ast.Subscript(value=place):
            yield from _stored_item(program, place, value)
            yield from _deciding([target.slice], [value])


def _stored_attribute(
    program: Program, node: ast.AST, name: str, value: ast.AST | None
) -> Iterator[str]:
    names = program.names
    if value is None and not isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
        yield f"an attribute {name} as a target"
    elif names.is_code(value) or (name == "__dict__" and names.holds_code(value)):
        yield f"code that becomes the attribute {name}"


def _stored_by_name(
    program: Program, place: ast.expr, named: ast.expr, value: ast.expr
) -> Iterator[str]:
    name = constant(named) or "of a computed name"
    if program.names.is_code(value) and not program.names.is_own(place):
        yield f"code that becomes the attribute {name}"
    yield from _deciding([named], [value])


def _stored_item(program: Program, place: ast.expr, value: ast.AST | None) -> Iterator[str]:
    yield from _shared(program.owner(place))
    of = program.names.attributes_of(place)
    if of is not None and program.names.is_code(value) and not program.names.is_own(of):
        yield "code that becomes an attribute"
    if isinstance(place, ast.Attribute) and place.attr in _DECIDING:
        yield f"a change of {place.attr}"


def _changed_by_call(program: Program, call: ast.Call, place: ast.expr) -> Iterator[str]:
    """A collection that is changed by its method: `vars(x).update(f=own)`."""
    args = call.args
    if isinstance(place, ast.Name) and place.id in ("list", "dict", "set") and args:
        place = args[0]
    owner, of = program.owner(place), program.names.attributes_of(place)
    given = [*args, *(each.value for each in call.keywords)]
    code = any(program.names.is_code(e) or program.names.holds_code(e) for e in given)
    if of is not None and code and not program.names.is_own(of):
        yield "code that becomes an attribute"
    # A module's own functions may have such names: os.remove().
    if "." in owner:
        yield from _shared(owner)


def _shared(owner: str) -> Iterator[str]:
    """A change of a collection of the standard library's."""
    if owner.partition(".")[0] in sys.stdlib_module_names and owner not in OBJECTS:
        yield f"a change of {owner}"


def _is_copied(program: Program, place: ast.expr, name: str, value: ast.AST | None) -> bool:
    """Whether a function gets another one's attribute, as wrappers do."""
    values = program.values(place) if isinstance(place, ast.Name) else []
    copied = isinstance(value, ast.Attribute) and value.attr == name
    return copied and bool(values) and all(isinstance(each, FUNCTIONS) for each in values)


def _deciding(keys: Iterable[ast.expr | None], values: Iterable[ast.AST | None]) -> Iterator[str]:
    for name, value in zip(map(constant, keys), values, strict=True):
        own = value is not None and last_name(value) == "__name__"
        if name in _DECIDING and not own:
            yield f"a change of {name}"
