"""The code of a test file for a control. PYTEST_DONT_REWRITE

The body of each test, without its docstring, is wrapped in

    how = "control: stopped"
    try: body
    except: pass
    finally: raise AssertionError(how)

Expectations at the body's own level are made wrong, and all are tried; if one holds, or none could
be made wrong, the message is "control: went through". Comparisons elsewhere, for example in
helpers, are made as written, because they may be no expectation; then they are tried with wrong
values.
"""

import ast
import builtins
import types
from typing import Any

from . import checks, nodes, operations
from .comparisons import Watched

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

# Maximum wrong expectations that fail before a test stops, because explaining a failure is slow.
MOST = 12
_WRAPPED = """
_end, _refused = {how!r}, {place!r}.begins()
try:
    ...
except:
    pass
finally:
    raise {place!r}.failure(_end)
"""
_TRIED = """
try:
    ...
except:
    _refused += 1
    if _refused >= {most}:
        raise
else:
    _end = {through!r}
"""
_OWN_NAMES = {"_end": "@end", "_refused": "@refused"}
_ANY_EXCEPTION = ("Exception", "BaseException")
_RAISES = ("raises", "assertRaises", "assertRaisesRegex", "assertRaisesRegexp")
_CATCHES = (*_RAISES, "suppress")


def controlled(tree: Any, helps: bool = False) -> None:
    """With `helps`, the file holds helpers of tests; only classes to inherit from hold tests."""
    _Tests(helps).visit(tree)
    nodes.locate(tree)


def compiled(tree: Any, path: str, held_by: Any) -> Any:
    nodes.Apart().visit(tree)
    nodes.locate(tree)
    return _with_constant(compile(tree, path, "exec", dont_inherit=True), held_by)


def _with_constant(code: Any, value: Any) -> Any:
    made = []
    for each in code.co_consts:
        if isinstance(each, types.CodeType):
            made.append(_with_constant(each, value))
        else:
            made.append(value if type(each) is str and each == nodes.PLACE else each)
    if hasattr(code, "replace"):
        return code.replace(co_consts=tuple(made))
    old: Any = types.CodeType  # before Python 3.8
    return old(
        *(code.co_argcount, code.co_kwonlyargcount, code.co_nlocals, code.co_stacksize),
        *(code.co_flags, code.co_code, tuple(made), code.co_names, code.co_varnames),
        *(code.co_filename, code.co_name, code.co_firstlineno, code.co_lnotab),
        *(code.co_freevars, code.co_cellvars),
    )


class _Tests(nodes.Changing):
    def __init__(self, helps: bool) -> None:
        super().__init__()
        self._tries, self._helps = Watched(), helps
        # Whether an expectation of the current test was made wrong.
        self._tried = False

    def function(self, node: Any) -> Any:
        may_be = not self._helps or (self.outer and not _returns(node))
        if not may_be or not nodes.is_test(node):
            return self._tries.visit(node)
        self._tried = False
        docstring = node.body[: ast.get_docstring(node, clean=False) is not None]
        body = [self._other(statement) for statement in node.body[len(docstring) :]]
        how = checks.STOPPED if self._tried else ""
        outer = _made(_WRAPPED, node, how=how, place=nodes.PLACE)
        outer[-1].body = body or [ast.Pass()]
        node.body = [*docstring, *outer]
        return node

    def _other(self, statement: Any) -> Any:
        other = self._wrong(statement)
        if other is not None:
            self._tried = True
            (tried,) = _made(_TRIED, statement, most=MOST, through=checks.THROUGH)
            tried.body = [ast.copy_location(other, statement)]
            return tried
        blocks = [*_blocks(statement)]
        if not blocks:
            return self._tries.visit(statement)
        if hasattr(statement, "test"):
            statement.test = self._tries.visit(statement.test)
        if hasattr(statement, "handlers"):
            statement.body = [self._tries.visit(each) for each in statement.body]
        for holder, name in blocks:
            setattr(holder, name, [self._other(each) for each in getattr(holder, name)])
        return statement

    def _wrong(self, statement: Any) -> Any:
        """The statement with its expectation made wrong, so that a right value fails it. None if
        it has no known one."""
        if isinstance(statement, ast.Assert):
            refuted = self._refuted(statement.test)
            return None if refuted is None else ast.Assert(refuted, None)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            call = statement.value
            name = nodes.name_called(call)
            if name in _RAISES and len(call.args) > 1:
                other = _unexpected(call)
                return None if other is None else ast.Expr(other)
            if name in operations.COMPARING or name in operations.OPPOSITE:
                made = nodes.checked("failing", nodes.constant(name), call.func, *call.args)
                made.keywords = call.keywords
                return ast.Expr(made)
        if isinstance(statement, ast.With):
            items = [_unexpected_in(item) or item for item in statement.items]
            return ast.With(items, statement.body) if items != statement.items else None
        return None

    def _refuted(self, test: Any) -> Any:
        """An expression that is false if the test is true."""
        if isinstance(test, nodes.LITERALS):
            return None
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._tries.visit(test.operand)
        if nodes.is_single(test):
            how = nodes.constant(nodes.OPERATORS[type(test.ops[0])])
            return nodes.checked("refuted", test.left, how, test.comparators[0])
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            # In a test that passes all of them are true, so each is evaluated.
            refuted = [each for each in map(self._refuted, test.values) if each is not None]
            return ast.BoolOp(ast.Or(), refuted) if len(refuted) > 1 else next(iter(refuted), None)
        return ast.UnaryOp(ast.Not(), self._tries.visit(test))


def _made(template: str, at: Any, **told: Any) -> Any:
    tree = ast.parse(template.format(**told))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = _OWN_NAMES.get(node.id, node.id)
        if hasattr(node, "lineno"):
            ast.copy_location(node, at)
    return tree.body


def _blocks(statement: Any) -> Any:
    """(node, field) of the test's own blocks whose failures are not caught."""
    if isinstance(statement, nodes.INNER):
        return
    if isinstance(statement, (ast.With, ast.AsyncWith)) and _catches(statement):
        return
    parts = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    for part in parts:
        yield part, "body"
    for name in ("orelse", "finalbody") if parts else ("body", "orelse", "finalbody"):
        if hasattr(statement, name):
            yield statement, name


def _catches(statement: Any) -> bool:
    return any(nodes.name_called(item.context_expr) in _CATCHES for item in statement.items)


def _returns(node: Any) -> bool:
    """Whether the function returns a value, which tests do not."""
    return any(
        (isinstance(child, ast.Return) and child.value is not None)
        or (not isinstance(child, nodes.INNER) and _returns(child))
        for child in ast.iter_child_nodes(node)
    )


def _unexpected_in(item: Any) -> Any:
    """The item of a `with` that expects an exception, with another exception; None for others."""
    call = item.context_expr
    if item.optional_vars is not None or nodes.name_called(call) not in _RAISES:
        return None
    other = _unexpected(call)
    return None if other is None else ast.withitem(other, None)


def _unexpected(call: Any) -> Any:
    name = ""
    if call.args:
        name = getattr(call.args[0], "attr", "") or getattr(call.args[0], "id", "")
    if not name or name in _ANY_EXCEPTION:
        return None
    others = nodes.checked("unrelated", call.args[0])
    return ast.Call(call.func, [others, *call.args[1:]], call.keywords)
