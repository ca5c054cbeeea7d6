"""Code without comments, docstrings, white space and formatting, to find equal answers."""

import ast
import re
import textwrap
from contextlib import suppress
from typing import NamedTuple

from evaluation.engine import java_tokens
from evaluation.engine.parsing import parse

PIECE = re.compile(r"\w+|[^\w\s]")


class NormalForm(NamedTuple):
    """`size` is the number of words and signs."""

    text: str
    size: int


def normal_form(code: str, language: str) -> NormalForm:
    """Never raises. Python that does not parse and other languages lose only their white space."""
    text = None
    if language == "python":
        with suppress(SyntaxError, ValueError, RecursionError, MemoryError):
            text = ast.unparse(python_tree(code))
    elif language == "java":
        # A text block without an end goes to the end of the file, blank lines included.
        text = "\n".join(token.text for token in java_tokens.tokens(code)).rstrip()
    if text is None:
        text = " ".join(code.split())
    return NormalForm(text, len(PIECE.findall(text)))


def python_tree(code: str) -> ast.Module:
    """The code without `pass` and statements that are only a string. Raises SyntaxError,
    ValueError, RecursionError, MemoryError."""
    # A backslash before the end of the file does not parse; before an empty line it does.
    code = f"{code}\n\n"
    try:
        tree = parse(textwrap.dedent(code))
    except SyntaxError:
        # A body that begins after the indent of its first line.
        tree = parse(f"if 1:\n    {code.lstrip()}")
        first, *others = tree.body
        assert isinstance(first, ast.If)
        tree = ast.Module([*first.body, *others], [])
    for node in ast.walk(tree):
        for name in ("body", "orelse", "finalbody"):
            statements = getattr(node, name, None)
            if isinstance(statements, list):
                setattr(node, name, [s for s in statements if not _is_effectless(s)])
    return tree


def _is_effectless(statement: ast.stmt) -> bool:
    match statement:
        case ast.Pass() | ast.Expr(ast.Constant(str())):
            return True
    return False
