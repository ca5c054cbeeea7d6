"""Finds modules that are used as values: under another name, their use would stay hidden."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from evaluation.engine.projects.mentions.python.modules import IMPORTING, is_owner
from evaluation.engine.projects.mentions.python.nodes import last_name
from evaluation.engine.projects.mentions.python.program import Program


def of_program(program: Program) -> Iterator[tuple[str, int]]:
    modules = dict(_modules(program.nodes))
    nodes = program.nodes
    used = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
    used |= {id(node.args[0]) for node in nodes if isinstance(node, ast.Call) and _asks(node)}
    for name in (node for node in nodes if isinstance(node, ast.Name)):
        if name.id in modules and isinstance(name.ctx, ast.Load) and id(name) not in used:
            yield f"{modules[name.id]} as a value", name.lineno
    called = {id(node.func) for node in nodes if isinstance(node, ast.Call)}
    for each in (node for node in nodes if isinstance(node, ast.Attribute)):
        owner = program.owner(each.value)
        if id(each) not in used and owner and is_owner(owner, each.attr):
            yield f"{owner}.{each.attr} as a value", each.lineno
    for other in (node for node in nodes if isinstance(node, ast.expr)):
        if last_name(other) in IMPORTING and id(other) not in called:
            yield f"{last_name(other)} as a value", other.lineno


def _modules(nodes: Iterable[ast.AST]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield alias.asname or alias.name.partition(".")[0], alias.name
            case ast.ImportFrom(module=module, names=names):
                for alias in names:
                    if is_owner(module or "", alias.name):
                        yield alias.asname or alias.name, f"{module or ''}.{alias.name}"


def _asks(node: ast.Call) -> bool:
    """Whether it is hasattr(module, name), or getattr() with a constant name, which the rules for
    attributes check."""
    match node:
        case ast.Call(func=ast.Name(id="hasattr"), args=[_, _]):
            return True
        case ast.Call(func=ast.Name(id="getattr"), args=[_, ast.Constant(), *_]):
            return True
    return False
