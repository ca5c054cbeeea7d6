"""Python test files for the control of a pass: every test ends in the control's failure.

The body of each test function, without its docstring, is wrapped in

    how = "control: stopped"
    try: body
    except: pass
    finally: raise AssertionError(how)

Expectations at the body's own level are made wrong, and all are tried; if one holds, or none could
be made wrong, the message is "control: went through". The tests import nothing of ours, so a
candidate can only replace the builtin AssertionError, which is detected.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from typing import TypeAlias

from evaluation.engine.parsing import parse
from evaluation.engine.projects.control import STOPPED, THROUGH
from evaluation.engine.projects.python_expectations import catches, wrong

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
# Maximum wrong expectations that fail before a test stops: explaining a failure can be slow.
MOST = 12
_WRAPPED = """
{end} = {how!r}
{refused} = 0
try:
    ...
except:
    pass
finally:
    raise AssertionError({end})
"""
_TRIED = """
try:
    ...
except:
    {refused} += 1
    if {refused} >= {most}:
        raise
else:
    {end} = {through!r}
"""
# Decorators of functions with a test's name that are no tests.
_NO_TEST = ("fixture", "property", "setter", "contextmanager")


@functools.lru_cache(maxsize=512)
def rewritten(text: str) -> str | None:
    """Returns None without a test or if it cannot be parsed. Lone surrogates in `text` are
    undecodable bytes; the file's coding line is respected."""
    try:
        module = parse(text.encode("utf-8", "surrogateescape"))
        found = _Tests(text)
        changed = ast.fix_missing_locations(found.visit(module))
        if not found.any:
            return None
        made = ast.unparse(changed)
        parse(made.encode())
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return None
    return f"{made}\n"


def test_file(test: str, texts: Mapping[str, str]) -> str | None:
    """The file of a node id, which may be relative to a subfolder. Returns None for doctests and
    for an unknown or ambiguous path."""
    path, _, name = test.partition("::")
    if not path.endswith(".py") or "." in name.partition("[")[0]:
        return None
    if path in texts:
        return path
    below = [each for each in texts if each.endswith(f"/{path}")]
    return below[0] if len(below) == 1 else None


class _Tests(ast.NodeTransformer):
    def __init__(self, text: str) -> None:
        self.any = False
        # Whether the current test has an expectation that was made wrong.
        self._tried = False
        # Names that the file does not use.
        self._end, self._refused = (_new_name(name, text) for name in ("end", "refused"))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        return self._wrapped(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return self._wrapped(node)

    def _wrapped(self, node: _Function) -> ast.AST:
        if not _is_test(node):
            return node
        self.any, self._tried = True, False
        docstring = node.body[: ast.get_docstring(node, clean=False) is not None]
        body = [self._wrong(statement) for statement in node.body[len(docstring) :]]
        outer = self._made(_WRAPPED, how=STOPPED if self._tried else THROUGH)
        _block(outer[-1], body or [ast.Pass()])
        node.body = [*docstring, *outer]
        return node

    def _wrong(self, statement: ast.stmt) -> ast.stmt:
        other = wrong(statement)
        if other is not None:
            self._tried = True
            (tried,) = self._made(_TRIED, most=MOST, through=THROUGH)
            return _block(tried, [other])
        for holder, name in _blocks(statement):
            setattr(holder, name, [self._wrong(each) for each in getattr(holder, name)])
        return statement

    def _made(self, template: str, **values: object) -> list[ast.stmt]:
        names = {"end": self._end, "refused": self._refused}
        return parse(template.format(**names, **values)).body


def _block(statement: ast.stmt, body: list[ast.stmt]) -> ast.stmt:
    assert isinstance(statement, ast.Try), "both templates end in a try statement"
    statement.body = body
    return statement


def _blocks(statement: ast.stmt) -> Iterator[tuple[ast.AST, str]]:
    """(node, field) of the test's own blocks whose failures are not caught."""
    if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return
    if isinstance(statement, (ast.With, ast.AsyncWith)) and catches(statement):
        return
    parts = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    yield from ((part, "body") for part in parts)
    own = ("orelse", "finalbody") if parts else ("body", "orelse", "finalbody")
    yield from ((statement, name) for name in own if hasattr(statement, name))


def _new_name(name: str, text: str) -> str:
    made = f"assay_{name}"
    while made in text:
        made += "_"
    return made


def _is_test(node: _Function) -> bool:
    if not (node.name.startswith("test") or node.name == "runTest"):
        return False
    # A generator is no test for pytest, and passes in unittest without running.
    return not _yields(node) and not any(map(_makes_no_test, node.decorator_list))


def _makes_no_test(decorator: ast.expr) -> bool:
    bare = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(bare).rpartition(".")[2].endswith(_NO_TEST)


def _yields(node: ast.AST) -> bool:
    inner = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
    return any(
        isinstance(child, (ast.Yield, ast.YieldFrom))
        or (not isinstance(child, inner) and _yields(child))
        for child in ast.iter_child_nodes(node)
    )
