"""The code of a test file, with its comparisons made by Checks. PYTEST_DONT_REWRITE

For the control the body of each test, without its docstring, is wrapped in

    how = "control: stopped"
    try: body
    except: pass
    finally: raise AssertionError(how)

Expectations at the body's own level are made wrong, and all are tried; if one holds, or none could
be made wrong, the message is "control: went through". Literals are changed in the code, so that a
program that reads them there gets the wrong ones. Comparisons elsewhere, for example in helpers,
are made as written, because they may be no expectation; then they are tried with wrong values.
"""

import ast
import builtins
import types
from typing import Any

from . import checks, nodes, operations, values
from .comparisons import Watched

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

# Maximum wrong expectations that fail before a test stops, because explaining a failure is slow.
MOST = 12
_MOST_POOLED = 500
_WRAPPED = """
_end, _refused = {how!r}, {place!r}.begins({name!r})
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
    tests = _Tests(pool_of(tree), helps)
    tests.visit(tree)
    nodes.locate(tree)


def pool_of(tree: Any) -> Any:
    """The constants of a file, from which wrong values are drawn."""
    kinds = ("Constant", "Str", "Num", "Bytes")
    found = [ast.literal_eval(node) for node in ast.walk(tree) if type(node).__name__ in kinds]
    return [each for each in found if each not in (None, ...)][:_MOST_POOLED]


def compiled(tree: Any, path: str, held_by: Any) -> Any:
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


class _Tests(nodes.InClasses):
    def __init__(self, pool: Any, helps: bool) -> None:
        super().__init__()
        self._tries = Watched("tried", "tried_call", first=False)
        self._wrong = _Wrong(pool, self._tries)
        self._helps = helps
        # Whether an expectation of the current test was made wrong.
        self._tried = False

    def visit_FunctionDef(self, node: Any) -> Any:
        return self._wrapped(node)

    def visit_AsyncFunctionDef(self, node: Any) -> Any:
        return self._wrapped(node)

    def _wrapped(self, node: Any) -> Any:
        may_be = not self._helps or (self.classes and not _returns(node))
        if not may_be or not nodes.is_test(node):
            return self._tries.visit(node)
        self._tried = False
        docstring = node.body[: ast.get_docstring(node, clean=False) is not None]
        altered = _only_compared(node)
        self._wrong.altered = altered
        body = [self._other(statement) for statement in node.body[len(docstring) :]]
        how = checks.STOPPED if self._tried else ""
        name = ".".join((*self.classes, node.name))
        outer = _made(_WRAPPED, node, how=how, place=nodes.PLACE, name=name)
        outer[-1].body = [*(_assigned(name) for name in altered), *(body or [ast.Pass()])]
        node.body = [*docstring, *outer]
        return node

    def _other(self, statement: Any) -> Any:
        other = self._wrong.statement(statement)
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


def _made(template: str, at: Any, **told: Any) -> Any:
    tree = ast.parse(template.format(**told))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = _OWN_NAMES.get(node.id, node.id)
        if hasattr(node, "lineno"):
            ast.copy_location(node, at)
    return tree.body


def _assigned(name: str) -> Any:
    value = nodes.checked("other", ast.Name(name, ast.Load()))
    return ast.Assign([ast.Name(name, ast.Store())], value)


def _only_compared(function: Any) -> Any:
    """The parameters that the test uses only in its own equalities: expected values."""
    given = function.args
    names = {each.arg for each in [*getattr(given, "posonlyargs", ()), *given.args]} - {
        "self",
        "cls",
    }
    uses = [node.id for node in ast.walk(function) if isinstance(node, ast.Name)]
    compared = [side.id for side in _compared_names(function.body)]
    return sorted(
        name for name in names if name in compared and uses.count(name) == compared.count(name)
    )


def _compared_names(statements: Any) -> Any:
    """The names on the right side of equalities; the left one if the right side is not a name."""
    test: Any
    for statement in statements:
        test = statement.test if isinstance(statement, ast.Assert) else None
        if nodes.is_single(test) and isinstance(test.ops[0], ast.Eq):
            sides = (test.comparators[0], test.left)
            yield from [side for side in sides if isinstance(side, ast.Name)][:1]


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


class _Wrong:
    """Makes a statement's expectation wrong, so that a right value fails it. `tries` replaces the
    comparisons inside an expression."""

    def __init__(self, pool: Any, tries: Any) -> None:
        self._pool, self._tries = pool, tries
        # Names whose values are wrong already.
        self.altered: Any = ()

    def statement(self, statement: Any) -> Any:
        """None if the statement has no known expectation."""
        if isinstance(statement, ast.Assert):
            refuted = self._refuted(statement.test)
            return None if refuted is None else ast.Assert(refuted, None)
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            other = self._call(statement.value)
            return None if other is None else ast.Expr(other)
        if isinstance(statement, ast.With):
            items = [self._raises(item) or item for item in statement.items]
            return ast.With(items, statement.body) if items != statement.items else None
        return None

    def _refuted(self, test: Any) -> Any:
        """An expression that is false if the test is true."""
        if type(test).__name__ in ("Constant", "NameConstant", "Num", "Str"):
            return None
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return self._tries.visit(test.operand)
        if nodes.is_single(test):
            return self._comparison(test)
        if isinstance(test, ast.Compare) and isinstance(test.ops[-1], ast.Eq):
            *between, right = test.comparators
            other = self.literal(right)
            if other is not None:
                made = ast.Compare(test.left, test.ops, [*between, other])
                return self._tries.visit(ast.copy_location(made, test))
        if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
            # In a test that passes all of them are true, so each is evaluated.
            refuted = [each for each in map(self._refuted, test.values) if each is not None]
            return ast.BoolOp(ast.Or(), refuted) if len(refuted) > 1 else next(iter(refuted), None)
        return ast.UnaryOp(ast.Not(), self._tries.visit(test))

    def _comparison(self, test: Any) -> Any:
        left, how, right = test.left, nodes.OPERATORS[type(test.ops[0])], test.comparators[0]
        altered = []
        if how == "==":
            sides = self._pair(left, right)
            if sides is not None:
                (left, right), altered = sides, [nodes.constant(True)]
        line = nodes.constant(test.lineno)
        return nodes.checked("refuted", line, left, nodes.constant(how), right, *altered)

    def _pair(self, left: Any, right: Any, far: bool = False) -> Any:
        """The two sides of an equality, one of them changed in the code. None if neither can be."""
        for side in (right, left):
            if isinstance(side, ast.Name) and side.id in self.altered:
                return left, right
        other = self.literal(right, far)
        if other is not None:
            return left, other
        other = self.literal(left, far)
        return None if other is None else (other, right)

    def _call(self, call: Any) -> Any:
        name = nodes.name_called(call)
        if name in _RAISES:
            return self._exception(call) if len(call.args) > 1 else None
        if name not in operations.COMPARING and name not in operations.OPPOSITE:
            return None
        starred = any(isinstance(each, ast.Starred) for each in call.args[:2])
        if operations.COMPARING.get(name) == "==" and len(call.args) > 1 and not starred:
            pair = self._pair(call.args[0], call.args[1], far=True)
            if pair is not None:
                return ast.Call(call.func, [*pair, *call.args[2:]], call.keywords)
        line = nodes.constant(call.lineno)
        made = nodes.checked("failing", line, nodes.constant(name), call.func, *call.args)
        made.keywords = call.keywords
        return made

    def _raises(self, item: Any) -> Any:
        call = item.context_expr
        if item.optional_vars is not None or nodes.name_called(call) not in _RAISES:
            return None
        other = self._exception(call)
        return None if other is None else ast.withitem(other, None)

    def _exception(self, call: Any) -> Any:
        name = ""
        if call.args:
            name = getattr(call.args[0], "attr", "") or getattr(call.args[0], "id", "")
        if not name or name in _ANY_EXCEPTION:
            return None
        others = nodes.checked("unrelated", call.args[0])
        return ast.Call(call.func, [others, *call.args[1:]], call.keywords)

    def literal(self, node: Any, far: bool = False) -> Any:
        """Another literal of the same type, or None."""
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            return self._approx(node)
        try:
            other = values.other(value, self._pool, far)
            made = nodes.constant(other)
            return made if ast.literal_eval(made) == other else None
        except (values.NoOther, ValueError, SyntaxError):
            return None

    def _approx(self, node: Any) -> Any:
        """approx() of another literal. In other expressions with a literal, the rest may be what a
        test is about: they are compared with wrong values as they are."""
        if nodes.name_called(node) != "approx" or len(node.args) != 1 or node.keywords:
            return None
        other = self.literal(node.args[0], True)
        return None if other is None else ast.Call(node.func, [other], [])
