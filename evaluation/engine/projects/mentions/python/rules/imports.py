"""Finds imports of modules that lead to tests, and imports of modules that a text only computes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evaluation.engine.projects.mentions.python.modules import (
    IMPORTING,
    OWNERS,
    named_modules,
    own_name,
)
from evaluation.engine.projects.mentions.python.nodes import last_name
from evaluation.engine.projects.mentions.python.program import Program
from evaluation.engine.projects.mentions.python.rules.attributes import of_module
from evaluation.engine.projects.mentions.python.rules.project_tests import modules_of_tests


def of_node(program: Program, node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Import(names=names):
            modules = [alias.name for alias in names]
            yield from named_modules(modules)
            yield from modules_of_tests(program, modules)
        case ast.ImportFrom(module=str(module), names=names, level=0):
            yield from named_modules([module])
            yield from _names_of(program, module, names)
            yield from _named_from(program, module, names)
        case ast.ImportFrom(module=module, names=names, level=level):
            yield from named_modules(alias.name for alias in names)
            package = program.package[: len(program.package) - level + 1]
            parts = filter(None, [*package, *(module or "").split(".")])
            yield from _names_of(program, ".".join(parts), names)
        case ast.Call(func=how, args=args, keywords=named) if args or named:
            if last_name(how) in IMPORTING:
                yield from _by_call(program, args, named)


def _names_of(program: Program, module: str, names: list[ast.alias]) -> Iterator[str]:
    modules = [module, *(f"{module}.{alias.name}" for alias in names)]
    return modules_of_tests(program, modules)


def _named_from(program: Program, module: str, names: list[ast.alias]) -> Iterator[str]:
    for alias in names:
        yield from of_module(program, module, alias.name)
        if alias.name == "*" and module in (*OWNERS, "os", "posix"):
            yield f"everything of {module}"
        if alias.name in IMPORTING and alias.asname:
            yield "another name of an import"


def _by_call(program: Program, args: list[ast.expr], named: list[ast.keyword]) -> Iterator[str]:
    match [*(each.value for each in named if each.arg == "name"), *args]:
        case [ast.Constant(value=str(name)), *_]:
            yield from modules_of_tests(program, [name])
            yield from named_modules([name])
            if own_name(name) in OWNERS:
                yield f"import of {name} by a call"
        case _:
            yield "an import by a computed name"
