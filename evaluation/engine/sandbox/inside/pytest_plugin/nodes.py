"""Nodes of a test file's tree: made, placed, and asked what they are. PYTEST_DONT_REWRITE"""

import ast
import builtins
import re
from typing import Any

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

PLACE = "\0assay"
# Texts that compile() interns; those of one letter always are.
_NAME = re.compile("[A-Za-z0-9_]{2,}\\Z").match
# Decorators that make no test of a function named like one.
_NO_TEST = ("fixture", "property", "setter", "contextmanager")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
INNER = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
# Constants; since Python 3.8 they have one type.
_OF_LITERALS = ("Constant",) if "Constant" in vars(ast) else ("Num", "Str", "Bytes", "NameConstant")
LITERALS: Any = tuple(vars(ast)[name] for name in _OF_LITERALS)
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


class Changing(ast.NodeTransformer):
    """Knows the names of the classes and functions around each node. Leaves out annotations, which
    may be converted to text, and patterns, which are no expressions."""

    def __init__(self) -> None:
        self.outer: Any = ()

    def visit_ClassDef(self, node: Any) -> Any:
        outer, self.outer = self.outer, (*self.outer, node.name)
        self.generic_visit(node)
        self.outer = outer
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        return self.function(node)

    def visit_AsyncFunctionDef(self, node: Any) -> Any:
        return self.function(node)

    def function(self, node: Any) -> Any:
        outer, self.outer = self.outer, (*self.outer, node.name, "<locals>")
        self._without(node, "returns")
        self.outer = outer
        return node

    def visit_arg(self, node: Any) -> Any:
        return node

    def visit_AnnAssign(self, node: Any) -> Any:
        return self._without(node, "annotation")

    def visit_MatchValue(self, node: Any) -> Any:
        return node

    def visit_MatchMapping(self, node: Any) -> Any:
        return node

    def _without(self, node: Any, field: str) -> Any:
        value = getattr(node, field)
        setattr(node, field, None)
        self.generic_visit(node)
        setattr(node, field, value)
        return node


class Apart(Changing):
    """Makes texts when they are evaluated, because compile() puts those that could be names among
    the interned texts, where a program could ask for them."""

    def visit_Constant(self, node: Any) -> Any:
        text = node.s if isinstance(getattr(node, "s", None), str) else ""
        return ast.copy_location(expression(f"{text + ' '!r}[:-1]"), node) if _NAME(text) else node

    visit_Str = visit_Constant  # before Python 3.8

    def visit_Expr(self, node: Any) -> Any:
        is_text = hasattr(node.value, "s")  # perhaps a docstring
        return node if is_text else self.generic_visit(node)

    def visit_JoinedStr(self, node: Any) -> Any:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.generic_visit(part)
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
