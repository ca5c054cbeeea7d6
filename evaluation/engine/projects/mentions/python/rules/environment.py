"""Finds uses of the environment other than one variable by its literal name."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from evaluation.engine.projects.mentions.python.program import Program

OBJECTS = frozenset({"os.environ", "os.environb", "posix.environ"})
_OF_ENVIRONMENT = frozenset({"get", "pop", "setdefault", "__contains__", "__getitem__"})


def of_node(program: Program, node: ast.AST) -> Iterator[str]:
    if not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
        return
    if not isinstance(node, ast.Name | ast.Attribute | ast.Call):
        return
    owner, parent = program.owner(node), program.parents[id(node)]
    if owner in OBJECTS and not _has_literal_key(program, node, parent):
        yield f"all of {owner}"
    if owner in ("os.getenv", "os.getenvb"):
        match parent:
            case ast.Call(args=[ast.Constant(), *_]) if parent.func is node:
                pass
            case _:
                yield f"{owner} of a computed name"


def _has_literal_key(program: Program, node: ast.expr, parent: ast.AST) -> bool:
    match parent:
        case ast.Subscript(slice=ast.Constant()):
            return parent.value is node
        case ast.Compare(left=ast.Constant(), ops=[ast.In() | ast.NotIn()]):
            return True
        case ast.Assign(targets=[ast.Name()]) | ast.NamedExpr():
            # The name is another one of the environment.
            return True
        case ast.Attribute(attr=name) if name in _OF_ENVIRONMENT:
            match program.parents[id(parent)]:
                case ast.Call(args=[ast.Constant(), *_]) as call:
                    return call.func is parent
    return False
