"""The code of a test file for a control. PYTEST_DONT_REWRITE

The body of each test, without its docstring, is wrapped in

    how = "control: stopped"
    try: body
    except: pass
    finally: raise AssertionError(how)

Expectations at the body's own level are made wrong, and all are tried; if one holds, or none could
be made wrong, the message is "control: went through"."""

import ast
import builtins
from typing import Any

from . import checks, nodes, operations

globals()["__builtins__"] = dict(vars(builtins))  # a program may replace them

# Maximum wrong expectations that fail before a test stops, because explaining a failure is slow.
MOST = 12
_WRAPPED = """
_end, _refused = {end!r}, 0
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
    _end = {end!r}
"""
_OWN_NAMES = {"_end": "@end", "_refused": "@refused"}


def controlled(tree: Any, helps: bool = False) -> None:
    """With `helps`, the file holds helpers of tests; only classes to inherit from hold tests, which
    return nothing."""
    _control(tree, helps, not helps)
    nodes.locate(tree)


def _control(owner: Any, helps: bool, holds_tests: bool) -> None:
    for node in ast.iter_child_nodes(owner):
        if not isinstance(node, nodes.FUNCTIONS):
            _control(node, helps, holds_tests or isinstance(node, ast.ClassDef))
        elif holds_tests and nodes.is_test(node) and not (helps and nodes.has_own(node, _returns)):
            docstring = node.body[: ast.get_docstring(node, clean=False) is not None]
            body = [_other(statement) for statement in node.body[len(docstring) :]]
            names = {getattr(inner, "id", "") for part in body for inner in ast.walk(part)}
            end = checks.STOPPED if _OWN_NAMES["_refused"] in names else checks.THROUGH
            outer = _made(_WRAPPED, node, end=end, place=nodes.PLACE)
            outer[-1].body = body or [ast.Pass()]
            node.body = [*docstring, *outer]


def _returns(node: Any) -> bool:
    return isinstance(node, ast.Return) and node.value is not None


def _other(statement: Any) -> Any:
    wrong = _wrong(statement)
    if wrong is None:
        for holder, name in _blocks(statement):
            setattr(holder, name, [_other(inner) for inner in getattr(holder, name)])
        return statement
    (tried,) = _made(_TRIED, statement, most=MOST, end=checks.THROUGH)
    tried.body = [ast.copy_location(wrong, statement)]
    return tried


def _wrong(statement: Any) -> Any:
    """The statement with its expectation made wrong, so that a right value fails it. None if it has
    no known one."""
    if isinstance(statement, ast.Assert):
        refuted = _refuted(statement.test)
        return None if refuted is None else ast.Assert(refuted, None)
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        name = nodes.name_called(call)
        if name in operations.RAISING and len(call.args) > 1:
            other = _unexpected(call)
            return None if other is None else ast.Expr(other)
        of_call = name in operations.OF_MOCKS and (call.args or call.keywords)
        if name in operations.COMPARING or name in operations.OPPOSITE or of_call:
            arguments = (name, call.func, *call.args)
            return ast.Expr(nodes.checked(call, "failing", *arguments, keywords=call.keywords))
    if isinstance(statement, ast.With):
        items = []
        for item in statement.items:
            context = item.context_expr
            raises = item.optional_vars is None and nodes.name_called(context) in operations.RAISING
            other = _unexpected(context) if raises else None
            items.append(item if other is None else ast.withitem(other, None))
        return ast.With(items, statement.body) if items != statement.items else None
    return None


def _refuted(test: Any) -> Any:
    """An expression that is false if the test is true."""
    if nodes.is_literal(test):
        return None
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return test.operand
    if nodes.is_single(test):
        how = nodes.OPERATORS[type(test.ops[0])]
        return nodes.checked(test, "refuted", test.left, how, test.comparators[0])
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        # In a test that passes all of them are true, so each is evaluated.
        refuted = [operand for operand in map(_refuted, test.values) if operand is not None]
        return ast.BoolOp(ast.Or(), refuted) if len(refuted) > 1 else next(iter(refuted), None)
    return ast.UnaryOp(ast.Not(), test)


def _made(template: str, at: Any, **values: Any) -> Any:
    tree = ast.parse(template.format(**values))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = _OWN_NAMES.get(node.id, node.id)
        if hasattr(node, "lineno"):
            ast.copy_location(node, at)
    return tree.body


def _blocks(statement: Any) -> Any:
    """(node, field) of the test's own blocks whose failures are not caught."""
    catches = [nodes.name_called(item.context_expr) for item in getattr(statement, "items", ())]
    if isinstance(statement, nodes.INNER) or {*catches}.intersection(
        (*operations.RAISING, "suppress")
    ):
        return
    parts = [*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())]
    for part in parts:
        yield part, "body"
    for name in ("orelse", "finalbody") if parts else ("body", "orelse", "finalbody"):
        if hasattr(statement, name):
            yield statement, name


def _unexpected(call: Any) -> Any:
    """The call that expects an exception, with another one; None if it accepts any."""
    expected = call.args[0] if call.args else None
    name = getattr(expected, "attr", "") or getattr(expected, "id", "")
    if not name or name in ("Exception", "BaseException"):
        return None
    others = nodes.checked(call, "unrelated", expected)
    return ast.Call(call.func, [others, *call.args[1:]], call.keywords)
