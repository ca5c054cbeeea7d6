"""From a generation to the body that is judged, and from a body to the file under test.

The benchmark's steps in its order; where they differ, README.md says so.
"""

from __future__ import annotations

import re

from evaluation.engine.families.realcode.extraction import extract_code
from evaluation.engine.projects.bodies import Body

SIGNATURE_DROPPED = "signature_dropped"
REINDENTED = "reindented"
CUT = "cut"

# What ends a line for Python; form feeds and the separators of Unicode do not.
_LINE_END = re.compile(r"\r\n|\r|\n")


def body_of(generation: str, name: str, gt: str) -> Body:
    """The body in a generation for the function `name`, whose reference body is `gt`.

    Ends in two newlines, whatever the generation holds.
    """
    code = "\n".join(_LINE_END.split(extract_code(generation)))
    dropped = _without_signature(code, name)
    indented = _reindented(dropped, indent_of(gt))
    cut = _cut(indented, len(indent_of(gt)))
    steps = (
        (SIGNATURE_DROPPED, code, dropped),
        (REINDENTED, dropped, indented),
        (CUT, indented, cut),
    )
    flags = tuple(flag for flag, before, after in steps if before != after)
    return Body(cut.rstrip() + "\n\n", flags)


def indent_of(code: str) -> str:
    """What the first line of code stands behind; "" where all lines are blank."""
    return next((line[: _width(line)] for line in code.split("\n") if line.strip()), "")


def joined(left_context: str, body: str, right_context: str) -> str:
    """The file under test. A left context ends in the signature's colon, without a newline."""
    return left_context + "\n" + body + "\n" + right_context.rstrip("\n")


def _without_signature(code: str, name: str) -> str:
    """What follows the first line that defines the function or the class itself."""
    signature = re.compile(
        rf"^[^\S\n]*(?:async[^\S\n]+)?(?:def|class)[^\S\n]+{re.escape(name)}\b.*$", re.MULTILINE
    )
    found = signature.search(code)
    return code[found.end() :].lstrip("\n") if found else code


def _reindented(code: str, indent: str) -> str:
    """The code with its least indented line behind `indent`."""
    if not code.strip():
        return code
    lines = code.split("\n")
    own = min(_width(line) for line in lines if line.strip())
    # A blank line that does not reach so far stays as it is, so that code which already
    # stands right is not touched: not its texts over several lines either.
    return "\n".join(
        indent + line[own:] if line.strip() or len(line) > own else line for line in lines
    )


def _cut(code: str, least: int) -> str:
    """What comes before the first line that is indented less: nothing, once re-indented."""
    lines = code.split("\n")
    end = next((n for n, line in enumerate(lines) if line.strip() and _width(line) < least), None)
    return "\n".join(lines[:end])


def _width(line: str) -> int:
    return len(line) - len(line.lstrip())
