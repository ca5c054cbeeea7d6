"""Controls for a pass that was judged in the candidate's own process.

A control is a copy of the tests with one altered expectation, which the reference fails. An honest
program fails it too; a program that deceives the test, the reporter or the comparison passes it.
Only a few characters change, so that a program cannot recognise a control.
"""

import ast
import re
from collections.abc import Iterator
from itertools import accumulate, zip_longest
from random import Random
from string import ascii_lowercase, ascii_uppercase, digits
from typing import Any, NamedTuple

from evaluation.engine.parsing import parse

MOST = 12
_OPPOSITE = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip
# The last constant is expected, and no input of the program.
_EXPECTING = r"(^hasattr\(.*, |\.(starts|ends)with\()'[^']*'\)$|^abs\(.* - [\d.]+\)$"


class _Change(NamedTuple):
    """Bytes `start` to `end` of the tests, and their replacement in the control."""

    start: int
    end: int
    text: str


def altered_tests(tests: str, *, inputs: bool = True) -> list[str]:
    """Copies of the tests, each with one altered expectation, up to MOST. Tests without an
    expectation get a failure at their end. Without `inputs`, nothing changes that may be an input,
    because right programs may pass with another."""
    text = _Text(tests, inputs)
    nodes = list(ast.walk(parse(tests)))
    # The first change of each expectation, then further ones.
    rows = [list(text.changes(node)) for node in nodes]
    rows.append(list(text.tables(nodes)))
    changes = [change for row in zip_longest(*rows) for change in row if change is not None]
    data = text.data
    controls = [(data[: c.start] + c.text.encode() + data[c.end :]).decode() for c in changes]
    return controls[:MOST] or [f"{tests}\nassert not True"]


class _Text:
    def __init__(self, tests: str, inputs: bool) -> None:
        self._inputs = inputs
        self._draw = Random(tests)  # noqa: S311  the tests are the secret
        self.data = tests.encode()
        self._lines = [0, *accumulate(map(len, self.data.splitlines(keepends=True)))]
        # Names that a comparison expects a value to equal.
        self._names: set[str] = set()

    def changes(self, node: ast.AST) -> Iterator[_Change]:
        match node:
            case ast.ExceptHandler(type=ast.Name(id=name) as kind, body=[first, *_]):
                # Right programs do not reach a handler that fails.
                needed = self._inputs or not isinstance(first, ast.Assert | ast.Raise)
                if name not in ("Exception", "BaseException") and needed:
                    other = name in ("KeyError", "LookupError")
                    yield self._replace(kind, "ZeroDivisionError" if other else "KeyError")
            case ast.Assert(test=ast.Compare() as compared):
                operands = [compared.left, *compared.comparators]
                yield from self._of_comparison(compared.ops[-1], *operands[-2:])
            case ast.Assert(test=test) if not isinstance(test, ast.Constant):
                start, end = self._span(test)
                yield _Change(start, end, f"not ({self.data[start:end].decode()})")
                # An object may hold for true whatever it is asked.
                yield from self._other_input(test)

    def tables(self, nodes: list[ast.AST]) -> Iterator[_Change]:
        """Other literals where the tests keep what they expect in a variable: a program that reads
        the variable passes with them."""
        for node in nodes:
            match node:
                case ast.For(target=target, iter=value) | ast.Assign(targets=[target], value=value):
                    if isinstance(target, ast.Tuple) and not self._inputs:
                        target = target.elts[-1]
                    names = {n.id for n in ast.walk(target) if isinstance(n, ast.Name)}
                    if names & self._names and _is_literal(value):
                        yield from self._other_leaf(value)

    def _of_comparison(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> Iterator[_Change]:
        """An object that equals everything passes with other literals, or in place of a tuple."""
        match op:
            case ast.Eq() | ast.Is():
                literals = [side for side in (right, left) if _is_literal(side)]
                changed = [c for side in literals for c in self._other_leaf(side)][:1]
                if isinstance(op, ast.Is):
                    yield from changed or self._other_operator(op, left, right)
                else:
                    self._names |= {n.id for n in (left, right) if isinstance(n, ast.Name)}
                    yield from changed or map(self._wrap, literals[:1] or (right, left))
                    # A class that is none of the tests' may ignore what it is made from.
                    for side in (right, left) if not literals else ():
                        if isinstance(side, ast.Call):
                            yield from self._other_input(side, "^[A-Z]")
            case ast.In():
                literal = self._inputs and _is_literal(left)
                yield from list(self._other_leaf(left)) if literal else [self._wrap(left)]
            case _:
                yield from self._other_operator(op, left, right)
                if isinstance(op, (ast.Lt, ast.LtE)) and isinstance(right, ast.Constant):
                    yield self._replace(right, "-1e9")
                if isinstance(op, (ast.Gt, ast.GtE)) and isinstance(right, ast.Constant):
                    yield self._replace(right, "1e9")
                # What is expected may lie in the arithmetic: abs(f(1) - 3.0) < 1e-9
                yield from self._other_input(left)

    def _span(self, node: ast.expr) -> tuple[int, int]:
        assert node.end_lineno is not None and node.end_col_offset is not None
        start = self._lines[node.lineno - 1] + node.col_offset
        return start, self._lines[node.end_lineno - 1] + node.end_col_offset

    def _replace(self, node: ast.expr, text: str) -> _Change:
        return _Change(*self._span(node), text)

    def _wrap(self, node: ast.expr) -> _Change:
        start, end = self._span(node)
        return _Change(start, end, f"({self.data[start:end].decode()},)")

    def _other_input(self, node: ast.expr, expecting: str = _EXPECTING) -> Iterator[_Change]:
        if self._inputs or re.search(expecting, ast.unparse(node)):
            yield from self._other_leaf(node)

    def _other_leaf(self, node: ast.expr) -> Iterator[_Change]:
        """The last constant in the node that has another value of its kind."""
        constants = [leaf for leaf in ast.walk(node) if isinstance(leaf, ast.Constant)]
        for leaf in sorted(constants, key=lambda leaf: self._span(leaf), reverse=True):
            start, end = self._span(leaf)
            other = _another(leaf.value, self.data[start:end].decode(), self._draw)
            if other is not None:
                yield _Change(start, end, other)
                return

    def _other_operator(self, op: ast.cmpop, left: ast.expr, right: ast.expr) -> Iterator[_Change]:
        start, end = self._span(left)[1], self._span(right)[0]
        between = self.data[start:end].decode()
        sign = between.strip(" ()\t")
        if sign and "\n" not in between and between.count(sign) == 1:
            yield _Change(start, end, between.replace(sign, _OPPOSITE[type(op)]))


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _another(value: Any, written: str, draw: Random) -> str | None:
    """Another value of the same kind in the same notation, drawn so that a program cannot tell it
    from what is expected; None if that is ambiguous."""
    nonzero = digits.replace("0", "")
    match value:
        case bool():
            return str(not value)
        case int() if written.isdigit():
            # A complex literal's real part is a float, which may not hold the last digit.
            at, letters = (len(written) - 1, digits) if value < 2**53 else (0, nonzero)
        case float():
            # The first digit that counts: far enough for any tolerance.
            first = re.search("[1-9]" if value else "0", written)
            assert first is not None
            at, after = first.start(), written[first.end() :]
            # The least floats are further apart than their digits say.
            others = ((digit, float(written[:at] + digit + after)) for digit in nonzero)
            letters = "".join(digit for digit, other in others if other != value)
        case str() if value and written[-2].isalnum() and not written.endswith("\\" + written[-2:]):
            at, kinds = len(written) - 2, (digits, ascii_uppercase, ascii_lowercase)
            letters = next((kind for kind in kinds if written[at] in kind), ascii_lowercase)
            # It may be part of an escape.
            letters = "abcdef" if "\\" in written else letters
        case str() if not value and len(written) == 2:
            return written[0] + draw.choice(ascii_lowercase) + written[-1]
        case None:
            return draw.choice(digits)
        case _:
            return None
    other = draw.choice(letters.replace(written[at], ""))
    return written[:at] + other + written[at + 1 :]
