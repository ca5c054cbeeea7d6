"""Controls for a pass that was judged in the candidate's own process.

A control is a copy of the tests with one wrong expectation. An honest program fails it; a program
that deceives the test, the reporter or the comparison passes it. Only the few characters of the
expectation change, so that a program cannot recognise a control.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import accumulate
from typing import Any, NamedTuple

from evaluation.engine.parsing import parse

MOST = 12
_OPPOSITE = {
    ast.Eq: "!=", ast.NotEq: "==", ast.Lt: ">=", ast.GtE: "<", ast.Gt: "<=", ast.LtE: ">",
    ast.Is: "is not", ast.IsNot: "is", ast.In: "not in", ast.NotIn: "in",
}  # fmt: skip


class _Change(NamedTuple):
    """Bytes `start` to `end` of the tests, and their replacement in the control."""

    start: int
    end: int
    text: str


def altered_tests(tests: str) -> list[str]:
    """One copy of the tests per expectation that can be altered, up to MOST. Tests without an
    expectation get a failure at their end."""
    data = tests.encode()
    lines = [0, *accumulate(map(len, data.splitlines(keepends=True)))]
    changes = [c for node in ast.walk(parse(tests)) if (c := _change(node, data, lines))]
    controls = [(data[: c.start] + c.text.encode() + data[c.end :]).decode() for c in changes]
    return controls[:MOST] or [f"{tests}\nassert not True"]


def _span(node: ast.expr, lines: list[int]) -> tuple[int, int]:
    assert node.end_lineno is not None and node.end_col_offset is not None
    return lines[node.lineno - 1] + node.col_offset, lines[
        node.end_lineno - 1
    ] + node.end_col_offset


def _change(node: ast.AST, data: bytes, lines: list[int]) -> _Change | None:
    if isinstance(node, ast.ExceptHandler) and isinstance(node.type, ast.Name):
        return _other_exception(node.type, lines)
    if not isinstance(node, ast.Assert):
        return None
    if isinstance(node.test, ast.Compare):
        return _other_literal(node.test, data, lines) or _other_operator(node.test, data, lines)
    start, _ = _span(node.test, lines)
    if isinstance(node.test, ast.Constant):
        return None
    return _Change(start, start, "not ")


def _other_exception(expected: ast.Name, lines: list[int]) -> _Change | None:
    if expected.id in ("Exception", "BaseException"):
        return None
    other = "ZeroDivisionError" if expected.id in ("KeyError", "LookupError") else "KeyError"
    return _Change(*_span(expected, lines), other)


def _other_literal(test: ast.Compare, data: bytes, lines: list[int]) -> _Change | None:
    expected = test.comparators[-1]
    if not isinstance(test.ops[-1], (ast.Eq, ast.Is)):
        return None
    for leaf in _leaves(expected):
        start, end = _span(leaf, lines)
        written = _another(leaf.value, data[start:end].decode())
        if written is not None:
            return _Change(start, end, written)
    return None


def _leaves(node: ast.expr) -> Iterator[ast.Constant]:
    """The constants of a literal, the last one first."""
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return
    found = [child for child in ast.walk(node) if isinstance(child, ast.Constant)]
    yield from sorted(found, key=lambda leaf: (leaf.lineno, leaf.col_offset), reverse=True)


def _another(value: Any, written: str) -> str | None:
    """Another value of the same kind in the same notation, or None if that is ambiguous."""
    match value:
        case bool():
            return str(not value)
        case int() if written.isdigit():
            # A complex literal's real part is a float: above 2**53, adding 1 may change nothing.
            return str(value + 1) if value < 2**53 else "0"
        case float():
            return "0.0" if value else "1.0"
        case str() if value and written[-2].isalnum() and not written.endswith("\\" + written[-2:]):
            return written[:-2] + ("a" if written[-2] != "a" else "e") + written[-1]
        case str() if not value and len(written) == 2:
            return written[0] + "a" + written[-1]
        case None:
            return "1"
    return None


def _other_operator(test: ast.Compare, data: bytes, lines: list[int]) -> _Change | None:
    before = test.comparators[-2] if len(test.comparators) > 1 else test.left
    start, end = _span(before, lines)[1], _span(test.comparators[-1], lines)[0]
    between = data[start:end].decode()
    sign = between.strip(" ()\t")
    if not sign or "\n" in between or between.count(sign) != 1:
        return None
    return _Change(start, end, between.replace(sign, _OPPOSITE[type(test.ops[-1])]))
