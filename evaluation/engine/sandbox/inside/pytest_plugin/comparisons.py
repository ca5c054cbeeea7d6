"""The comparisons in a test file, made by Checks as they are written. PYTEST_DONT_REWRITE"""

import ast
import builtins
from itertools import product
from typing import Any

from . import deciding, nodes, operations

globals()["__builtins__"] = dict(vars(builtins))  # a program may replace them

_ASKED = deciding.METHODS.union(operations.OF_MOCKS, operations.ASKING)


def watched(tree: Any) -> None:
    """Makes each comparison call Checks. pytest may have rewritten the tree before."""
    names = {getattr(node, "id", "") for node in ast.walk(tree)}
    _Watched("StopIteration" in names).visit(tree)
    nodes.locate(tree)


class _Watched(nodes.Changing):
    """Replaces comparisons everywhere in the file, because a test may also fail through an `if`.
    Looks at what is asked for its truth or calculated with, passes functions to iterators, and
    notes the ends of tests."""

    def __init__(self, stops: bool) -> None:
        """`stops`: the tests themselves expect StopIteration."""
        super().__init__()
        self._stops = stops

    def visit_Compare(self, node: Any) -> Any:
        if not nodes.is_single(node):
            node.left, *node.comparators = map(_looked, [node.left, *node.comparators])
        self.generic_visit(node)
        # pytest's own comparisons look into a test's names to explain a failure.
        asks = getattr(getattr(node.comparators[0], "func", None), "value", None)
        if not nodes.is_single(node) or getattr(asks, "id", "") == "@py_builtins":
            return node
        how = nodes.OPERATORS[type(node.ops[0])]
        return nodes.checked(node, "held", node.lineno, node.left, how, node.comparators[0])

    def visit_BinOp(self, node: Any) -> Any:
        self.generic_visit(node)
        node.left, node.right = _looked(node.left, "+"), _looked(node.right, "+")
        return node

    def visit_UnaryOp(self, node: Any) -> Any:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = _with_looks(node.operand)
        return node

    def visit_Assert(self, node: Any) -> Any:
        self.generic_visit(node)
        node.test = _with_looks(node.test)
        return node

    visit_If = visit_Assert

    def visit_With(self, node: Any) -> Any:
        names = [nodes.name_called(item.context_expr) for item in node.items]
        self.generic_visit(node)
        if {*names}.intersection(operations.RAISING):
            # An honest test fails after the body's end.
            node.body.append(_says(node, "unraised", ""))
        return node

    def visit_Call(self, node: Any) -> Any:
        name = nodes.name_called(node)
        if name in ("assertTrue", "assertFalse", "bool", *operations.ASKING):
            looks = _looked if name in operations.ASKING else _with_looks
            node.args = [*map(looks, node.args)]
        if name in operations.NAMES_OF_CALLING and isinstance(node.func, ast.Name):
            node.func = self._calls(node.func)
        self.generic_visit(node)
        if name not in operations.COMPARING:
            return node
        arguments = (node.lineno, node.func, *node.args)
        return nodes.checked(node, "called", *arguments, keywords=node.keywords)

    def visit_Attribute(self, node: Any) -> Any:
        self.generic_visit(node)
        if node.attr in _ASKED:
            node.value = _looked(node.value, node.attr)
        # Attributes named like builtins are methods, for example of a pool of processes.
        elif node.attr in operations.NAMES_OF_CALLING[3:] and isinstance(node.ctx, ast.Load):
            return self._calls(node)
        return node

    def _calls(self, function: Any) -> Any:
        return function if self._stops else nodes.checked(function, "calling", function)

    def visit_FunctionDef(self, node: Any) -> Any:
        super().visit_FunctionDef(node)
        if nodes.is_test(node):
            name = ".".join((*self.outer, node.name))
            first = int(ast.get_docstring(node, clean=False) is not None)
            body = [*_ended(node.body[first:], node, name), _says(node, "ended", name)]
            # hypothesis runs a test many times, and leaves out arguments by an exception.
            if "given" not in map(nodes.name_called, node.decorator_list):
                body.insert(0, _says(node, "begins", name))
            node.body[first:] = body
        return node


def _looked(node: Any, name: str = "") -> Any:
    if isinstance(node, ast.Starred) or nodes.is_literal(node):
        return node
    return nodes.checked(node, "looked", node.lineno, name, node)


def _with_looks(node: Any) -> Any:
    """The condition, with a look at each value that it asks for its truth."""
    if isinstance(node, ast.BoolOp):
        node.values = [*map(_with_looks, node.values)]
    is_condition = isinstance(node, (ast.BoolOp, ast.Compare, ast.UnaryOp))
    return node if is_condition else _looked(node, "__bool__")


def _ended(statements: Any, test: Any, name: str) -> Any:
    """The statements, each `return` of the test's own after a call that notes the test's end."""
    made = []
    for statement in statements:
        if isinstance(statement, ast.Return):
            made.append(_says(test, "ended", name))
        if not isinstance(statement, nodes.INNER):
            parts = [getattr(statement, field, ()) for field in ("handlers", "cases")]
            inner = product([statement, *parts[0], *parts[1]], ("body", "orelse", "finalbody"))
            for part, field in inner:
                if isinstance(getattr(part, field, None), list):
                    setattr(part, field, _ended(getattr(part, field), test, name))
        made.append(statement)
    return made


def _says(test: Any, method: str, name: str) -> Any:
    return ast.copy_location(ast.Expr(nodes.checked(test, method, test.lineno, name)), test)
