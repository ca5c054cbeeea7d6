"""The comparisons in a test file, made by Checks as they are written. PYTEST_DONT_REWRITE"""

import ast
import builtins
from itertools import product
from typing import Any

from . import nodes, operations

# A program may replace builtins.
globals()["__builtins__"] = dict(vars(builtins))

# Calls for the truth of their argument.
_OF_TRUTH = ("assertTrue", "assertFalse", "all", "any", "bool")
_COMBINES: Any = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitXor: "^",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.MatMult: "@",
    ast.Pow: "**",
    ast.LShift: "<<",
    ast.RShift: ">>",
}


class _Asked(str):
    """A method's name in a call for its truth. pytest's rewriting keeps it, but not the call."""

    __slots__ = ()


def marked(tree: Any) -> None:
    """Marks, for watched(), the methods whose truth a test asks for, and calls that compare."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assert, ast.If)):
            _mark(node.test)
        if isinstance(node, ast.Call):
            if nodes.name_called(node) in _OF_TRUTH and node.args:
                _mark(node.args[0])
            if nodes.name_called(node) in (*operations.COMPARERS, *operations.OF_MOCKS):
                _mark(node)


def _mark(asked: Any) -> None:
    if isinstance(asked, ast.UnaryOp):
        _mark(asked.operand)
    elif isinstance(asked, ast.BoolOp):
        for each in asked.values:
            _mark(each)
    elif nodes.is_single(asked) and getattr(asked.comparators[0], "value", None) in (True, False):
        _mark(asked.left)
    elif isinstance(asked, (ast.GeneratorExp, ast.ListComp)):
        _mark(asked.elt)
    elif isinstance(asked, ast.Call) and isinstance(asked.func, ast.Attribute):
        asked.func.attr = _Asked(asked.func.attr)


def watched(tree: Any) -> None:
    """Makes each comparison call Checks. pytest may have rewritten the tree before."""
    Watched().visit(tree)
    nodes.locate(tree)


class Watched(nodes.InClasses):
    """Replaces comparisons everywhere in the file, because a test may also fail through an `if`.
    The names are those of the functions of Checks that compare. Only a first run looks at other
    operations and at what is asked for its truth."""

    def __init__(
        self, comparing: str = "held", calling: str = "called", first: bool = True
    ) -> None:
        super().__init__()
        self._comparing, self._calling, self._first = comparing, calling, first

    def visit_Compare(self, node: Any) -> Any:
        self.generic_visit(node)
        if _is_pytests(node):
            return node
        *between, right = node.comparators
        made, left = [], node.left
        for at, link in enumerate(between):
            comparing = nodes.expression(f"{nodes.PLACE!r}.{self._comparing}")
            made.append(nodes.checked("linked", comparing, *_compared(node, left, at, link)))
            left = nodes.checked("last")
        made.append(nodes.checked(self._comparing, *_compared(node, left, -1, right)))
        placed = [nodes.placed(each, node) for each in made]
        return placed[0] if len(placed) == 1 else ast.BoolOp(ast.And(), placed)

    def visit_BinOp(self, node: Any) -> Any:
        self.generic_visit(node)
        how = _COMBINES.get(type(node.op))
        if how is None or not self._first:
            return node
        line = nodes.constant(node.lineno)
        made = nodes.checked("combined", line, node.left, nodes.constant(how), node.right)
        return nodes.placed(made, node)

    def visit_Call(self, node: Any) -> Any:
        self.generic_visit(node)
        if self._first and getattr(node.func, "id", "") in operations.COMPARERS:
            asked = (*_asked(node, node.func.id), nodes.constant(None), node.func)
            node.func = nodes.placed(nodes.checked("compares", *asked), node)
        if nodes.name_called(node) not in operations.COMPARING:
            return node
        line, name = nodes.constant(node.lineno), nodes.constant(nodes.name_called(node))
        made = nodes.checked(self._calling, line, name, node.func, *node.args)
        made.keywords = node.keywords
        return nodes.placed(made, node)

    def visit_Attribute(self, node: Any) -> Any:
        self.generic_visit(node)
        if type(node.attr) is not _Asked:
            return node
        node.attr = str(node.attr)
        asked = (*_asked(node, node.attr), node.value)
        if node.attr in operations.COMPARERS:
            return nodes.placed(nodes.checked("compares", *asked), node)
        node.value = nodes.placed(nodes.checked("asked", *asked), node)
        return node

    def visit_arg(self, node: Any) -> Any:
        return node  # annotations may be converted to text

    def visit_AnnAssign(self, node: Any) -> Any:
        return self._without(node, "annotation")

    def visit_FunctionDef(self, node: Any) -> Any:
        return self._function(node)

    def visit_AsyncFunctionDef(self, node: Any) -> Any:
        return self._function(node)

    def _function(self, node: Any) -> Any:
        outer, inner = self.classes, (*self.classes, node.name)
        self.classes = (*inner, "<locals>")
        self._without(node, "returns")
        self.classes = outer
        if self._first and nodes.is_test(node):
            node.body = _ended(node.body, node, ".".join(inner))
            node.body.append(_says_ended(node, ".".join(inner)))
        return node

    def visit_MatchValue(self, node: Any) -> Any:
        return node  # a pattern is not an expression

    def _without(self, node: Any, field: str) -> Any:
        kept = getattr(node, field)
        setattr(node, field, None)
        self.generic_visit(node)
        setattr(node, field, kept)
        return node


def _ended(statements: Any, test: Any, name: str) -> Any:
    """The statements, each `return` of the test's own after a call that notes the test's end."""
    made = []
    for each in statements:
        if isinstance(each, ast.Return):
            made.append(_says_ended(test, name))
        if not isinstance(each, nodes.INNER):
            parts = [each, *getattr(each, "handlers", ()), *getattr(each, "cases", ())]
            for part, field in product(parts, ("body", "orelse", "finalbody")):
                if isinstance(getattr(part, field, None), list):
                    setattr(part, field, _ended(getattr(part, field), test, name))
        made.append(each)
    return made


def _says_ended(test: Any, name: str) -> Any:
    said = nodes.checked("ended", nodes.constant(test.lineno), nodes.constant(name))
    return ast.copy_location(ast.Expr(nodes.placed(said, test)), test)


def _asked(node: Any, name: str) -> Any:
    return nodes.constant(node.lineno), nodes.constant(name)


def _compared(node: Any, left: Any, at: int, right: Any) -> Any:
    return (
        nodes.constant(node.lineno),
        left,
        nodes.constant(nodes.OPERATORS[type(node.ops[at])]),
        right,
    )


def _is_pytests(node: Any) -> bool:
    """Whether the comparison is pytest's own: it looks into a test's names to explain a failure."""
    function = getattr(node.comparators[0], "func", None)
    return getattr(getattr(function, "value", None), "id", "") == "@py_builtins"
