"""Follows the benchmark's post-processing in its order; README.md lists the differences."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from evaluation.engine.parsing import parse
from evaluation.engine.projects.bodies import Body

SIGNATURE_DROPPED = "signature_dropped"
REINDENTED = "reindented"
CUT = "cut"

_OPENING = "```python"
_CLOSING = "```"

# Python's line ends; form feeds and Unicode's separators are not among them.
_LINE_END = re.compile(r"\r\n|\r|\n")
_OPENS, _CLOSES = ("(", "[", "{"), (")", "]", "}")
# What matters to where a signature or an import ends.
_TOKEN = re.compile(
    # A string without an end takes the rest, so that no character is read twice.
    r"""\"{3}(?s:.*?)(?:\"{3}|\Z)|\'{3}(?s:.*?)(?:\'{3}|\Z)"""
    r"""|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?|\#[^\n]*|\\\n|[()\[\]{}:\n]"""
)
_IMPORT = re.compile(r"[^\S\n]*(?:from|import)\b")


def body_of(generation: str, name: str, gt: str, left_context: str = "") -> Body:
    """The body in a generation for the function `name`; always ends in two newlines. Imports before
    a repeated signature that the left context has are not repeated: tests may patch their names in
    the module."""
    code = "\n".join(_LINE_END.split(extract_code(generation)))
    signature = re.compile(
        rf"^[^\S\n]*(?:async[^\S\n]+)?(?:def|class)[^\S\n]+{re.escape(name)}\b.*$", re.MULTILINE
    )
    repeated, imports, dropped = signature.search(code), [], code
    if repeated:
        after = code[_end_of_signature(code, repeated.start()) or repeated.end() :]
        line, _, following = after.partition("\n")
        has_body = line.strip() and not line.lstrip().startswith("#")
        dropped = f"{line.lstrip()}\n{following}" if has_body else following.lstrip("\n")
        before = _imports(code[: repeated.start()])
        imports = [statement for statement in before if statement not in left_context]
    indent = indent_of(gt)
    indented = _reindented(dropped, indent)
    lines, least = indented.split("\n"), len(indent)
    end = next((n for n, line in enumerate(lines) if line.strip() and _width(line) < least), None)
    cut = "\n".join(lines[:end])
    steps = (
        (SIGNATURE_DROPPED, code, dropped),
        (REINDENTED, dropped, indented),
        (CUT, indented, cut),
    )
    flags = tuple(flag for flag, before, after in steps if before != after)
    indented_imports = [indent + statement for statement in imports] if cut.strip() else []
    return Body("\n".join([*indented_imports, cut.rstrip()]) + "\n\n", flags)


def _end_of_signature(code: str, start: int) -> int | None:
    """The end of the colon after the parameters and the annotation, which may span lines."""
    depth = 0
    for token in _TOKEN.finditer(code, start):
        depth += (token[0] in _OPENS) - (token[0] in _CLOSES)
        if not depth and token[0] in (":", "\n"):
            return token.end() if token[0] == ":" else None
    return None


def _imports(text: str) -> Iterator[str]:
    """The imports in a text, which may be prose in part. Those from `__future__` cannot stand in a
    body."""
    ends, depth = [0], 0
    for token in _TOKEN.finditer(text):
        depth += (token[0] in _OPENS) - (token[0] in _CLOSES)
        if token[0] == "\n" and (not depth or _IMPORT.match(text, token.end())):
            ends.append(token.end())
            depth = 0
    for start, end in pairwise([*ends, len(text)]):
        statement = text[start:end].strip()
        if not _IMPORT.match(statement):
            continue
        try:
            nodes = parse(statement).body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        modules = [getattr(node, "module", None) for node in nodes]
        are_imports = all(isinstance(node, ast.Import | ast.ImportFrom) for node in nodes)
        if are_imports and "__future__" not in modules:
            yield statement


def extract_code(text: str) -> str:
    """The text between the first ```` ```python ```` and the next ```` ``` ````, at any column; the
    whole text if one of the two is missing."""
    _before, opening, after = text.partition(_OPENING)
    code, closing, _rest = after.partition(_CLOSING)
    return code if opening and closing else text


def indent_of(code: str) -> str:
    return next((line[: _width(line)] for line in code.split("\n") if line.strip()), "")


def joined(left_context: str, body: str, right_context: str) -> str:
    """A left context ends in the signature's colon, without a newline."""
    return left_context + "\n" + body + "\n" + right_context.rstrip("\n")


def _reindented(code: str, indent: str) -> str:
    """Moves the code so that its least indented line has the indent."""
    if not code.strip():
        return code
    lines = code.split("\n")
    own = min(_width(line) for line in lines if line.strip())
    # A shorter blank line stays as it is, so that code with the right indent does not change,
    # including its multi-line strings.
    return "\n".join(
        indent + line[own:] if line.strip() or len(line) > own else line for line in lines
    )


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())
