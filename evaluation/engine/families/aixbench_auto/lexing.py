"""Finds the ends of brackets among Java's tokens, and the starts of lines."""

from __future__ import annotations

import re

from evaluation.engine.java_tokens import Token

# The line ends of javac.
_LINE_END = re.compile(r"\r\n|\r|\n")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def after_bracket(found: list[Token], at: int) -> int:
    """The index after the bracket that closes the one at `at`, or the number of tokens if none
    does. All kinds of brackets count alike."""
    depth = 0
    for index in range(at, len(found)):
        depth += (found[index].text in _OPENING) - (found[index].text in _CLOSING)
        if depth == 0:
            return index + 1
    return len(found)


def line_starts(text: str) -> list[int]:
    """Where each line begins, the first at 0; includes the empty line after a final line end."""
    return [0, *(end.end() for end in _LINE_END.finditer(text))]
