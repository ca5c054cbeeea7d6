"""Cuts Python functions in RealCode's format.

left_context ends in the signature's colon, without a newline; gt is the lines from the next one to
the end of the body, including its docstring; right_context is the rest. Then left_context + "\\n" +
gt + "\\n" + right_context is the file up to its trailing newlines. The format cannot hold text
after the colon on its line, such as a comment, so such functions are not cut."""

import ast
import io
import re
import tokenize
from itertools import accumulate
from typing import TypeAlias

from evaluation.engine.families.realcode import joined
from evaluation.engine.parsing import parse
from evaluation.engine.uploads.decode import is_clean
from evaluation.making import cuts
from evaluation.making.cuts import Cut, Function, Uncut

AFTER_THE_COLON = "something follows the signature's colon on its line"
CARRIAGE_RETURNS = "its lines end in carriage returns"
DECLARED_ONLY = "it only declares an overload"
# Judging gives a generation's least indented line the indent of gt's first line. If the body
# has a less indented line (in a long string, say), even the right answer would be moved.
OUTDENTED = "a line of its body is indented less than the body"

_BOM = "\ufeff"
_OVERLOAD = "overload"
_Definition: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


def cut(text: str) -> list[Function]:
    """Every function and method of the file, in order, including nested ones."""
    if not is_clean(text):
        return [Uncut("", 1, cuts.UNDECODABLE)]
    if re.search(r"\r(?!\n)", text):
        # Python ends a line there; code that splits at "\n" does not.
        return [Uncut("", 1, CARRIAGE_RETURNS)]
    code = text.removeprefix(_BOM)
    try:
        tree = parse(code)
        colons = _colons(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError, tokenize.TokenError):
        return [Uncut("", 1, cuts.UNREADABLE)]
    starts = [0, *accumulate(len(line) + 1 for line in code.split("\n"))]
    functions = [node for node in ast.walk(tree) if isinstance(node, _Definition)]
    return [
        _cut(text, code, starts, colons[node.lineno], node)
        for node in sorted(functions, key=lambda node: node.lineno)
    ]


def _colons(code: str) -> dict[int, tuple[int, int]]:
    """Maps each statement's first line to the line (from 1) and column of its first colon outside
    brackets and lambdas: a function's signature ends there."""
    colons: dict[int, tuple[int, int]] = {}
    first = depth = lambdas = 0
    for token in tokenize.generate_tokens(io.StringIO(code).readline):
        if token.type == tokenize.NEWLINE:
            first = depth = lambdas = 0
        elif token.type in (tokenize.COMMENT, tokenize.NL) or first in colons:
            continue
        else:
            first = first or token.start[0]
            if token.type == tokenize.OP and token.string in "([{":
                depth += 1
            elif token.type == tokenize.OP and token.string in ")]}":
                depth -= 1
            elif depth == 0 and token.string == "lambda":
                lambdas += 1
            elif depth == 0 and token.type == tokenize.OP and token.string == ":":
                if not lambdas:
                    colons[first] = token.start
                lambdas -= 1
    return colons


def _cut(
    text: str, code: str, starts: list[int], colon: tuple[int, int], node: _Definition
) -> Function:
    """`starts`: the offsets of the lines of `code`, which is the text without its byte order mark.
    `colon`: the line and column of the signature's end."""
    row, column = colon
    after = code[starts[row - 1] + column + 1 : starts[row]]
    body = code[starts[row] : starts[node.end_lineno or 0]].removesuffix("\n")
    first = node.body[0].lineno
    indent = _indent(code[starts[first - 1] : starts[first]])
    lines = [line for line in body.split("\n") if line.strip()]
    why = ""
    if first == row:
        why = cuts.ON_ONE_LINE
    elif any(_last_name(decorator) == _OVERLOAD for decorator in node.decorator_list):
        why = DECLARED_ONLY
    elif all(map(_does_nothing, node.body)):
        why = cuts.EMPTY
    elif after == "\r\n":
        why = CARRIAGE_RETURNS
    elif after != "\n":
        why = AFTER_THE_COLON
    elif _indent(lines[0]) != indent or not all(line.startswith(indent) for line in lines):
        why = OUTDENTED
    if why:
        return Uncut(node.name, node.lineno, why)
    top = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
    left_end = len(text) - len(code) + starts[row - 1] + column + 1
    right = left_end + 1 + len(body) + 1
    result = Cut(node.name, node.lineno, top, text, left_end, body, right)
    # The file under test with the function's own body.
    if joined(result.left, body, result.right).rstrip("\n") != text.rstrip("\n"):
        return Uncut(node.name, node.lineno, cuts.NOT_WHOLE)
    return result


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _does_nothing(statement: ast.stmt) -> bool:
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
