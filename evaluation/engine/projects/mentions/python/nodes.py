"""Reads single nodes of Python's syntax tree."""

from __future__ import annotations

import ast

# Attributes of attributes. The search for a chain's owner takes time for each of them.
_LONGEST_CHAIN = 50
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def is_long(node: ast.expr) -> bool:
    """Whether it is a chain of more attributes than any program needs, also of called ones."""
    for _ in range(_LONGEST_CHAIN):
        while isinstance(node, ast.Call):
            node = node.func
        if not isinstance(node, ast.Attribute):
            return False
        node = node.value
    return True


def last_name(node: ast.AST) -> str:
    """The last name of an attribute or a variable."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def constant(node: ast.AST | None) -> str:
    """The value of a text, or ""."""
    value = node.value if isinstance(node, ast.Constant) else None
    return value if isinstance(value, str) else ""


def joined(node: ast.expr) -> str:
    """The literal texts of a sum, joined, or ""."""
    parts, waiting = [], [node]
    while waiting:
        match waiting.pop():
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                waiting += [right, left]
            case part:
                parts.append(constant(part))
    return "".join(parts)


def texts_of(call: ast.Call) -> set[str]:
    """The constant texts among a call's arguments."""
    values = [*call.args, *(each.value for each in call.keywords)]
    constants = (each.value for each in values if isinstance(each, ast.Constant))
    return {each for each in constants if isinstance(each, str)}
