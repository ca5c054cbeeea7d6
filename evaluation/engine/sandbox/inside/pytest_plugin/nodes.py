"""Nodes of a test file's tree: made, placed, and asked what they are. PYTEST_DONT_REWRITE"""

import ast
import builtins
import re
import types
from typing import Any

from . import operations

globals()["__builtins__"] = dict(vars(builtins))  # a program may replace them

PLACE, MOVED = "\0assay", "\0assay moved"
# Texts that compile() interns; those of one letter always are.
_NAME = re.compile("[A-Za-z0-9_]{2,}\\Z").match
# Decorators that make no test of a function named like one.
_NO_TEST = ("fixture", "property", "setter", "contextmanager")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
INNER = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
_COMPARING = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
# In the order of HOW.
OPERATORS: Any = dict(
    zip((*_COMPARING, ast.Is, ast.IsNot, ast.In, ast.NotIn), operations.HOW)  # noqa: B905
)


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
        outer, self.outer = self.outer, (*self.outer, node.name, "<locals>")
        self._without(node, "returns")
        self.outer = outer
        return node

    def visit_AsyncFunctionDef(self, node: Any) -> Any:
        return self.visit_FunctionDef(node)

    def visit_arg(self, node: Any) -> Any:
        return node

    visit_MatchValue = visit_MatchMapping = visit_arg

    def visit_AnnAssign(self, node: Any) -> Any:
        return self._without(node, "annotation")

    def _without(self, node: Any, field: str) -> Any:
        value = getattr(node, field)
        setattr(node, field, None)
        self.generic_visit(node)
        setattr(node, field, value)
        return node


class _Moved:
    """Its attributes are texts. Hashable, since a code object hashes its constants."""


class _Apart(Changing):
    """Moves texts out of the code, because compile() puts those that could be names among the
    interned texts, where a program could ask for them. Equal texts and equal tuples of constants
    are one object, as in code: tests may compare their identities."""

    def __init__(self) -> None:
        Changing.__init__(self)
        self.moved: Any = _Moved()
        self._names: Any = {}

    def visit_Constant(self, node: Any) -> Any:
        return self._moved(node, node.value if hasattr(node, "value") else node.s)

    visit_Str = visit_Constant  # before Python 3.8

    def visit_Tuple(self, node: Any) -> Any:
        try:
            value = ast.literal_eval(node)
            hash(value)
        except (TypeError, ValueError):  # not a constant
            return self.generic_visit(node)
        return self._moved(node, value)

    def _moved(self, node: Any, value: Any) -> Any:
        if not _holds_name(value):
            return node
        name = self._kept(value)
        return ast.copy_location(ast.Attribute(ast.Constant(MOVED), name, ast.Load()), node)

    def _kept(self, value: Any) -> Any:
        """The attribute that holds the value, made anew where it is a text."""
        key = repr(value)
        if key not in self._names:
            if type(value) is tuple:
                parts = [(_holds_name(part) and self._kept(part), part) for part in value]
                made: Any = tuple(vars(self.moved)[n] if n else part for n, part in parts)
            else:
                made = (value + " ")[:-1]
            self._names[key] = name = "c%d" % len(self._names)  # noqa: UP031  # in old Pythons, too
            setattr(self.moved, name, made)
        return self._names[key]

    def visit_Expr(self, node: Any) -> Any:
        # It may be a docstring.
        return node if is_literal(node.value) else self.generic_visit(node)

    def visit_JoinedStr(self, node: Any) -> Any:
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                self.generic_visit(part)
        return node


def _holds_name(value: Any) -> bool:
    if type(value) is tuple:
        return any(map(_holds_name, value))
    return type(value) is str and _NAME(value) is not None


def compiled(tree: Any, path: str, checks: Any) -> Any:
    """The code of the tree, with the object that calls made by `checked` ask."""
    apart = _Apart()
    apart.visit(tree)
    locate(tree)
    code = compile(tree, path, "exec", dont_inherit=True)
    return _with_constants(code, {PLACE: checks, MOVED: apart.moved})


def _with_constants(code: Any, values: Any) -> Any:
    made = []
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            made.append(_with_constants(constant, values))
        else:
            made.append(values.get(constant, constant) if type(constant) is str else constant)
    if hasattr(code, "replace"):
        return code.replace(co_consts=tuple(made))
    old: Any = types.CodeType  # before Python 3.8
    return old(
        *(code.co_argcount, code.co_kwonlyargcount, code.co_nlocals, code.co_stacksize),
        *(code.co_flags, code.co_code, tuple(made), code.co_names, code.co_varnames),
        *(code.co_filename, code.co_name, code.co_firstlineno, code.co_lnotab),
        *(code.co_freevars, code.co_cellvars),
    )


def locate(tree: Any) -> None:
    ast.fix_missing_locations(tree)
    node: Any
    for node in ast.walk(tree):
        end = getattr(node, "end_lineno", None)
        if end is not None and (end, node.end_col_offset) < (node.lineno, node.col_offset):
            node.end_lineno, node.end_col_offset = node.lineno, node.col_offset


def checked(at: Any, method: str, *arguments: Any, keywords: Any = ()) -> Any:
    """A call of Checks on the lines of `at`. Its function is on the first line, where tracebacks
    point. Arguments that are no nodes are constants."""
    nodes: Any = [item if isinstance(item, ast.AST) else ast.Constant(item) for item in arguments]
    place: Any = ast.copy_location(ast.Constant(PLACE), at)
    function: Any = ast.copy_location(ast.Attribute(place, method, ast.Load()), at)
    for node in (place, function):
        node.end_lineno, node.end_col_offset = at.lineno, at.col_offset
    return ast.copy_location(ast.Call(function, nodes, list(keywords)), at)


def is_literal(node: Any) -> bool:
    # Since Python 3.8 constants have one type.
    return type(node).__name__ in ("Constant", "NameConstant", "Num", "Str", "Bytes")


def is_single(node: Any) -> bool:
    return isinstance(node, ast.Compare) and len(node.ops) == 1


def name_called(node: Any) -> str:
    return _name_of(node.func) if isinstance(node, ast.Call) else ""


def _name_of(node: Any) -> str:
    return str(getattr(node, "attr", "") or getattr(node, "id", ""))


def is_test(node: Any) -> bool:
    if not (node.name.startswith("test") or node.name == "runTest"):
        return False
    bare = [getattr(decorator, "func", decorator) for decorator in node.decorator_list]
    # pytest does not run a generator as a test, and unittest passes it without running it.
    yields = has_own(node, lambda child: isinstance(child, (ast.Yield, ast.YieldFrom)))
    return not yields and not any(_name_of(decorator).endswith(_NO_TEST) for decorator in bare)


def has_own(function: Any, is_it: Any) -> bool:
    """Whether the function has such a node outside of inner functions and classes."""
    return any(
        is_it(child) or (not isinstance(child, INNER) and has_own(child, is_it))
        for child in ast.iter_child_nodes(function)
    )
