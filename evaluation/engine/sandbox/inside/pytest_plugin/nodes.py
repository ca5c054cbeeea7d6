"""Nodes of a test file's tree: made, placed, and asked what they are. PYTEST_DONT_REWRITE"""

import ast
import builtins
from typing import Any

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

PLACE = "\0assay"
# Decorators that make no test of a function named like one.
_NO_TEST = ("fixture", "property", "setter", "contextmanager")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
INNER = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
OPERATORS: Any = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


class InClasses(ast.NodeTransformer):
    """Knows the names of the classes around each node."""

    def __init__(self) -> None:
        self.classes: Any = ()

    def visit_ClassDef(self, node: Any) -> Any:
        outer, self.classes = self.classes, (*self.classes, node.name)
        self.generic_visit(node)
        self.classes = outer
        return node


def locate(tree: Any) -> None:
    ast.fix_missing_locations(tree)
    node: Any
    for node in ast.walk(tree):
        end = getattr(node, "end_lineno", None)
        if end is not None and (end, node.end_col_offset) < (node.lineno, node.col_offset):
            node.end_lineno, node.end_col_offset = node.lineno, node.col_offset


def expression(text: str) -> Any:
    """An expression without line numbers, so that it gets those of its parent."""
    node: Any
    made = ast.parse(text, mode="eval").body
    for node in ast.walk(made):
        for name in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
            node.__dict__.pop(name, None)
    return made


def constant(value: Any) -> Any:
    return expression(repr(value))


def checked(method: str, *arguments: Any) -> Any:
    function = expression(f"{PLACE!r}.{method}")
    return ast.Call(function, list(arguments), [])


def placed(made: Any, at: Any) -> Any:
    """Gives the call the lines of `at`. Its function is on the first line, where tracebacks
    point."""
    function: Any
    for function in (made.func, made.func.value):
        ast.copy_location(function, at)
        function.end_lineno, function.end_col_offset = at.lineno, at.col_offset
    return ast.copy_location(made, at)


def is_single(node: Any) -> bool:
    return isinstance(node, ast.Compare) and len(node.ops) == 1


def name_called(node: Any) -> str:
    if not isinstance(node, ast.Call):
        return ""
    function = node.func
    return str(getattr(function, "attr", "") or getattr(function, "id", ""))


def is_test(node: Any) -> bool:
    if not (node.name.startswith("test") or node.name == "runTest"):
        return False
    # pytest does not run a generator as a test, and unittest passes it without running it.
    return not _yields(node) and not any(map(_makes_no_test, node.decorator_list))


def _makes_no_test(decorator: Any) -> bool:
    bare = decorator.func if isinstance(decorator, ast.Call) else decorator
    name = str(getattr(bare, "attr", "") or getattr(bare, "id", ""))
    return name.endswith(_NO_TEST)


def _yields(node: Any) -> bool:
    return any(
        isinstance(child, (ast.Yield, ast.YieldFrom))
        or (not isinstance(child, INNER) and _yields(child))
        for child in ast.iter_child_nodes(node)
    )
