"""Makes expectations of Python tests wrong: a value that met the original fails the changed one.

An equality without a literal is replaced by comparisons of both sides with a new function object,
which equals only values that equal everything.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

# Hardly any code raises it, and it has no builtin subclasses.
_NEVER = "BufferError"
_ANY_EXCEPTION = frozenset({"Exception", "BaseException", _NEVER})
_RAISES = frozenset({"raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp"})
_CATCHES = _RAISES | {"suppress"}
_EQUAL = frozenset(
    f"assert{kind}"
    for kind in (
        *("Equal", "Equals", "ListEqual", "TupleEqual", "SetEqual", "DictEqual"),
        *("SequenceEqual", "MultiLineEqual", "CountEqual", "ItemsEqual"),
    )
)
_PAIRS = (
    ("True", "False"),
    ("Is", "IsNot"),
    ("IsNone", "IsNotNone"),
    ("In", "NotIn"),
    ("IsInstance", "NotIsInstance"),
    ("AlmostEqual", "NotAlmostEqual"),
    ("Greater", "LessEqual"),
    ("Less", "GreaterEqual"),
    ("Regex", "NotRegex"),
)
_OPPOSITE = {
    f"assert{name}": f"assert{other}" for pair in _PAIRS for name, other in (pair, reversed(pair))
} | {"assertNotEqual": "assertEqual"}


def catches(statement: ast.With | ast.AsyncWith) -> bool:
    return any(_called(item.context_expr) in _CATCHES for item in statement.items)


def wrong(statement: ast.stmt) -> ast.stmt | None:
    """Returns None if the statement has no known expectation."""
    match statement:
        case ast.Assert(test=test):
            refuted = _refuted(test)
            return None if refuted is None else ast.Assert(refuted)
        case ast.Expr(value=ast.Call() as call):
            other = _other_call(call)
            return None if other is None else ast.Expr(other)
        case ast.With(items=items, body=body):
            changed = [_other_raises(item) for item in items]
            if not any(changed):
                return None
            return ast.With([new or item for new, item in zip(changed, items, strict=True)], body)
    return None


def _refuted(test: ast.expr) -> ast.expr | None:
    """An expression that is false if the test is true."""
    match test:
        case ast.Constant():
            return None
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return operand
        case ast.Compare(ops=[*_, ast.Eq()]):
            return _other_comparison(test)
        case ast.BoolOp(op=ast.And(), values=[ast.Compare(ops=[*_, ast.Eq()]) as first, *rest]):
            return ast.BoolOp(ast.And(), [_other_comparison(first), *rest])
    return ast.UnaryOp(ast.Not(), test)


def _other_comparison(test: ast.Compare) -> ast.expr:
    *between, right = test.comparators
    other = other_literal(right)
    if other is not None:
        return ast.Compare(test.left, test.ops, [*between, other])
    if between:
        return ast.UnaryOp(ast.Not(), test)
    other = other_literal(test.left)
    if other is not None:
        return ast.Compare(other, test.ops, [right])
    sides = [ast.Compare(side, [ast.Eq()], [_own()]) for side in (test.left, right)]
    return ast.BoolOp(ast.Or(), [*sides])


def _own() -> ast.expr:
    nothing = ast.arguments(
        posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[]
    )
    return ast.Lambda(nothing, ast.Constant(0))


def _called(node: ast.expr) -> str:
    match node:
        case ast.Call(func=ast.Name(id=name)) | ast.Call(func=ast.Attribute(attr=name)):
            return name
    return ""


def _other_call(call: ast.Call) -> ast.expr | None:
    name = _called(call)
    if name in _RAISES:
        return _other_exception(call) if len(call.args) > 1 else None
    if not isinstance(call.func, ast.Attribute):
        return None
    exact = len(call.args) == 2 and not call.keywords
    if name in _EQUAL or (name == "assertAlmostEqual" and exact):
        return _other_arguments(call)
    if name not in _OPPOSITE:
        return None
    return ast.Call(
        ast.Attribute(call.func.value, _OPPOSITE[name], ast.Load()), call.args, call.keywords
    )


def _other_arguments(call: ast.Call) -> ast.expr | None:
    match call.args:
        case [first, second, *rest] if not isinstance(first, ast.Starred):
            return ast.Call(call.func, [*_other_pair(first, second), *rest], call.keywords)
    return None


def _other_pair(first: ast.expr, second: ast.expr) -> tuple[ast.expr, ast.expr]:
    if (other := other_literal(second)) is not None:
        return first, other
    if (other := other_literal(first)) is not None:
        return other, second
    # The expected value is seldom a call.
    if _calls(second) and not _calls(first):
        return _after(first), second
    return first, _after(second)


def _calls(node: ast.expr) -> bool:
    return any(isinstance(each, (ast.Call, ast.Await)) for each in ast.walk(node))


def _after(node: ast.expr) -> ast.expr:
    """Evaluates the expression, then results in a value that equals no other."""
    both = ast.Tuple([node, _own()], ast.Load())
    return ast.Subscript(both, ast.Constant(1), ast.Load())


def _other_raises(item: ast.withitem) -> ast.withitem | None:
    call = item.context_expr
    if item.optional_vars is not None or not isinstance(call, ast.Call):
        return None
    other = _other_exception(call) if _called(call) in _RAISES else None
    return None if other is None else ast.withitem(other, None)


def _other_exception(call: ast.Call) -> ast.Call | None:
    match call.args:
        case [ast.Name(id=name) | ast.Attribute(attr=name), *rest] if name not in _ANY_EXCEPTION:
            return ast.Call(call.func, [ast.Name(_NEVER, ast.Load()), *rest], call.keywords)
    return None


def other_literal(node: ast.expr) -> ast.expr | None:
    """Another literal of the same type, or None; a collection changes in its last replaceable
    element. Numbers change by at least 1, which exceeds usual tolerances."""
    match node:
        case ast.Constant(value=value):
            return _other_constant(value)
        case ast.UnaryOp(op=(ast.USub() | ast.UAdd()) as sign, operand=ast.Constant() as operand):
            other = other_literal(operand)
            return None if other is None else ast.UnaryOp(sign, other)
        case ast.List(elts=parts):
            return _other_parts(parts, lambda parts: ast.List(parts, ast.Load()))
        case ast.Tuple(elts=parts):
            return _other_parts(parts, lambda parts: ast.Tuple(parts, ast.Load()))
        case ast.Set(elts=parts):
            return _other_parts(parts, ast.Set)
        case ast.Dict(keys=[]):
            return ast.Dict([ast.Constant(0)], [ast.Constant(0)])
        case ast.Dict(keys=keys, values=values):
            return _other_parts(values, lambda values: ast.Dict(keys, values))
        case ast.Call(args=[only], keywords=[]) if _called(node) == "approx":
            other = other_literal(only)
            return None if other is None else ast.Call(node.func, [other], [])
    return None


def _other_constant(value: Any) -> ast.expr | None:
    match value:
        case bool():
            return ast.Constant(not value)
        case None:
            return ast.Constant(0)
        case int():
            return ast.Constant(0 if value else 2)
        case float():
            return ast.Constant(0.0 if abs(value) >= 1 else value + 2)
        case complex():
            return ast.Constant(0j if value else 1j)
        case str():
            return ast.Constant(value[:-1] + ("a" if value[-1:] != "a" else "e"))
        case bytes():
            return ast.Constant(value[:-1] + (b"a" if value[-1:] != b"a" else b"e"))
    return None


def _other_parts(
    parts: list[ast.expr], made: Callable[[list[ast.expr]], ast.expr]
) -> ast.expr | None:
    if not parts:
        return made([ast.Constant(0)])
    for at in range(len(parts) - 1, -1, -1):
        other = other_literal(parts[at])
        if other is not None:
            return made([*parts[:at], other, *parts[at + 1 :]])
    return None
