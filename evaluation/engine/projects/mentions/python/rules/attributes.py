"""Finds attributes that lead to tests: of modules, private ones, and those asked for by name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from evaluation.engine.projects.mentions.python.modules import (
    IMPORTING,
    LEADING,
    OF_MODULES,
    RUNNERS,
    STDLIB,
    is_of_python,
    is_sys,
    named_modules,
    own_name,
)
from evaluation.engine.projects.mentions.python.nodes import (
    constant,
    is_long,
    last_name,
    texts_of,
)
from evaluation.engine.projects.mentions.python.program import Program
from evaluation.engine.projects.mentions.python.rules.project_tests import modules_of_tests

# Private by their first letter only.
_DOCUMENTED = frozenset(
    {
        *("_asdict", "_fields", "_field_defaults", "_make", "_replace", "_meta", "_exit"),
        *("_MEIPASS", "_"),
    }
)
_SUNDER = re.compile(r"_[a-z0-9_]*[a-z0-9]_|__\w+__")
_BY_NAME = ("__setattr__", "__delattr__", "__getattribute__")


def of_node(program: Program, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Attribute():
            yield from _attribute(program, node)
        case ast.MatchClass(kwd_attrs=names):
            yield from named_modules(names)
            if "modules" in names and program.other_sys:
                yield "sys.modules"
        case ast.Call(func=ast.Name(id="vars"), args=[of]):
            yield from _vars(program, of)
        case ast.Call():
            yield from _by_name(program, node)
            if program.other_sys and "modules" in texts_of(node):
                yield "sys.modules"


def of_module(program: Program, owner: str, name: str) -> Iterator[str]:
    """An attribute of an imported module."""
    yield from _reached(program, owner, name)
    yield from _private(program, owner, name)


def _attribute(program: Program, node: ast.Attribute) -> Iterator[str]:
    name, value = node.attr, node.value
    owner = program.owner(value)
    if is_long(value):
        yield "a long chain of attributes"
    yield from _reached(program, owner or last_name(value) * is_sys(last_name(value)), name)
    yield from _private(program, owner, name)
    if name == "_convert_" or (name in ("__reduce__", "__reduce_ex__") and not _is_super(value)):
        yield name
    if name in RUNNERS:
        yield f"import of {name}"
    if name == "modules" and program.any_sys:
        yield "sys.modules"
    if name == "__getattribute__" and owner:
        yield f"{name} of {owner}"


def _reached(program: Program, owner: str, name: str) -> Iterator[str]:
    """The mentions in an attribute of a module. A module that it imports is its attribute, too."""
    full = f"{own_name(owner)}.{name}"
    if full in OF_MODULES:
        yield full
    yield from modules_of_tests(program, [f"{owner}.{name}"])
    if owner:
        yield from named_modules([name])
        leading = STDLIB if is_of_python(owner) else LEADING
        if own_name(name) in leading - {own_name(owner)}:
            yield f"the module {name} of {owner}"


def _private(program: Program, owner: str, name: str) -> Iterator[str]:
    """A private name of a module or class that is not the project's."""
    top = owner.partition(".")[0]
    private = name.startswith("_") and name not in _DOCUMENTED and not _SUNDER.fullmatch(name)
    if private and top and top not in program.project:
        yield f"{owner}.{name}"


def _vars(program: Program, of: ast.expr) -> Iterator[str]:
    if owner := program.owner(of):
        yield f"vars of {owner}"
    elif not isinstance(of, ast.Name) and not program.names.is_own(of) and not _parses(of):
        yield "vars of an expression"


def _by_name(program: Program, call: ast.Call) -> Iterator[str]:
    match call:
        case ast.Call(func=ast.Name(id="getattr"), args=[of, ast.Constant(value=named), *_]) if (
            named not in IMPORTING
        ):
            if owner := program.owner(of):
                yield from of_module(program, owner, constant(call.args[1]))
        case ast.Call(func=ast.Name(id="getattr" | "setattr" | "delattr" as how), args=[of, _, *_]):
            if owner := program.owner(of):
                yield f"{how} of {owner}"
        case ast.Call(func=function, args=[of, *_]) if last_name(function) in _BY_NAME:
            if owner := program.owner(of):
                yield f"{last_name(function)} of {owner}"


def _parses(node: ast.expr) -> bool:
    """Whether it is a program's parsed arguments."""
    return isinstance(node, ast.Call) and last_name(node.func) in ("parse_args", "parse_known_args")


def _is_super(node: ast.expr) -> bool:
    match node:
        case ast.Call(func=ast.Name(id="super")):
            return True
    return False
