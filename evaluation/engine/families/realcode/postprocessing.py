"""Follows the benchmark's post-processing in its order; README.md lists the differences."""

from __future__ import annotations

import re

from evaluation.engine.projects.bodies import Body

SIGNATURE_DROPPED = "signature_dropped"
REINDENTED = "reindented"
CUT = "cut"

_OPENING = "```python"
_CLOSING = "```"

# Python's line ends; form feeds and Unicode's separators are not among them.
_LINE_END = re.compile(r"\r\n|\r|\n")


def body_of(generation: str, name: str, gt: str) -> Body:
    """The body in a generation for the function `name`; always ends in two newlines."""
    code = "\n".join(_LINE_END.split(extract_code(generation)))
    signature = re.compile(
        rf"^[^\S\n]*(?:async[^\S\n]+)?(?:def|class)[^\S\n]+{re.escape(name)}\b.*$", re.MULTILINE
    )
    repeated = signature.search(code)
    dropped = code[repeated.end() :].lstrip("\n") if repeated else code
    indented = _reindented(dropped, indent_of(gt))
    lines, least = indented.split("\n"), len(indent_of(gt))
    end = next((n for n, line in enumerate(lines) if line.strip() and _width(line) < least), None)
    cut = "\n".join(lines[:end])
    steps = (
        (SIGNATURE_DROPPED, code, dropped),
        (REINDENTED, dropped, indented),
        (CUT, indented, cut),
    )
    flags = tuple(flag for flag, before, after in steps if before != after)
    return Body(cut.rstrip() + "\n\n", flags)


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
