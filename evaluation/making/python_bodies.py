"""Cuts Python functions in RealCode's format.

left_context ends in the signature's colon, without a newline; gt is the lines from the next one to
the end of the body, including its docstring; right_context is the rest. Then left_context + "\\n" +
gt + "\\n" + right_context is the file up to its trailing newlines. The format cannot hold text
after the colon on its line, such as a comment, so such functions are not cut.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from typing import TypeAlias

from evaluation.engine.parsing import parse
from evaluation.making.cuts import (
    EMPTY,
    NOT_WHOLE,
    ON_ONE_LINE,
    UNDECODABLE,
    UNREADABLE,
    Cut,
    Found,
    Uncut,
    encodable,
    line_starts,
)

AFTER_THE_COLON = "something follows the signature's colon on its line"
CARRIAGE_RETURNS = "its lines end in carriage returns"
DECLARED_ONLY = "it only declares an overload"
# Judging gives a generation's least indented line the indent of gt's first line. If the body
# has a less indented line (in a long string, say), even the right answer would be moved.
OUTDENTED = "a line of its body is indented less than the body"

_BOM = "\ufeff"
_OVERLOAD = "overload"
_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def cut(text: str) -> list[Found]:
    """Every function and method of the file, in order, including nested ones."""
    if not encodable(text):
        return [Uncut("", 1, UNDECODABLE)]
    if re.search(r"\r(?!\n)", text):
        # Python ends a line there; code that splits at "\n" does not.
        return [Uncut("", 1, CARRIAGE_RETURNS)]
    code = text.removeprefix(_BOM)
    try:
        tree = parse(code)
        colons = _colons(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return [Uncut("", 1, UNREADABLE)]
    file = _File(text, code, colons)
    functions = [node for node in ast.walk(tree) if isinstance(node, _Function)]
    return [file.cut(node) for node in sorted(functions, key=lambda node: node.lineno)]


def joined(found: Cut) -> str:
    """The file under test with the function's own body, up to trailing newlines."""
    return f"{found.left}\n{found.body}\n{found.right}"


def _colons(code: str) -> dict[int, tuple[int, int]]:
    """Maps each statement's first line to the line (from 1) and column of its first colon outside
    brackets and lambdas: a function's signature ends there."""
    found: dict[int, tuple[int, int]] = {}
    for statement in _statements(code):
        depth = lambdas = 0
        for token in statement:
            if token.type == tokenize.OP and token.string in "([{":
                depth += 1
            elif token.type == tokenize.OP and token.string in ")]}":
                depth -= 1
            elif depth == 0 and token.string == "lambda":
                lambdas += 1
            elif depth == 0 and token.type == tokenize.OP and token.string == ":":
                if not lambdas:
                    found[statement[0].start[0]] = token.start
                    break
                lambdas -= 1
    return found


def _statements(code: str) -> Iterator[list[tokenize.TokenInfo]]:
    beside = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)
    tokens: list[tokenize.TokenInfo] = []
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            if tokens:
                yield tokens
            tokens = []
        elif token.type not in beside:
            tokens.append(token)


class _File:
    def __init__(self, text: str, code: str, colons: dict[int, tuple[int, int]]) -> None:
        self._text, self._code, self._colons = text, code, colons
        self._mark = len(text) - len(code)
        self._starts = line_starts(code)

    def cut(self, node: _Function) -> Found:
        row, column = self._colons[node.lineno]
        why = self._unfit(node, row, column)
        if why:
            return Uncut(node.name, node.lineno, why)
        body = self._lines(row + 1, node.end_lineno or 0).removesuffix("\n")
        if _outdented(body, self._indent(node.body[0].lineno)):
            return Uncut(node.name, node.lineno, OUTDENTED)
        top = min([node.lineno, *(each.lineno for each in node.decorator_list)])
        end = self._mark + self._starts[row - 1] + column + 1
        right = end + 1 + len(body) + 1
        found = Cut(node.name, node.lineno, top, self._text, end, body, right)
        if joined(found).rstrip("\n") != self._text.rstrip("\n"):
            return Uncut(node.name, node.lineno, NOT_WHOLE)
        return found

    def _unfit(self, node: _Function, row: int, column: int) -> str:
        after = self._lines(row, row)[column + 1 :]
        if node.body[0].lineno == row:
            return ON_ONE_LINE
        if any(_last_name(each) == _OVERLOAD for each in node.decorator_list):
            return DECLARED_ONLY
        if all(map(_says_nothing, node.body)):
            return EMPTY
        if after == "\r\n":
            return CARRIAGE_RETURNS
        return "" if after == "\n" else AFTER_THE_COLON

    def _lines(self, first: int, last: int) -> str:
        return self._code[self._starts[first - 1] : self._starts[last]]

    def _indent(self, row: int) -> str:
        return _indent(self._lines(row, row))


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _outdented(body: str, indent: str) -> bool:
    """True if a line is indented less than the body, or the first one differently: a generation
    gets the indent of the first line."""
    lines = [line for line in body.split("\n") if line.strip()]
    return _indent(lines[0]) != indent or not all(line.startswith(indent) for line in lines)


def _says_nothing(statement: ast.stmt) -> bool:
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant)
    if isinstance(statement, ast.Raise) and statement.exc is not None:
        return _last_name(statement.exc) == "NotImplementedError"
    return isinstance(statement, ast.Pass)


def _last_name(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        node = node.func
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
