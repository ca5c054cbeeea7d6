"""Where what brackets hold ends among Java's tokens, and where its lines begin."""

from __future__ import annotations

import re

from evaluation.engine.java_tokens import Token

# What ends a line for javac.
_LINE_END = re.compile(r"\r\n|\r|\n")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


def after_bracket(found: list[Token], at: int) -> int:
    """Where the tokens go on after the bracket that opens at `at`: behind the one that closes
    it, brackets of all kinds being alike, or at the end where none does."""
    depth = 0
    for index in range(at, len(found)):
        depth += (found[index].text in _OPENING) - (found[index].text in _CLOSING)
        if depth == 0:
            return index + 1
    return len(found)


def line_starts(text: str) -> list[int]:
    """Where each line begins, the first at 0; also the empty one after a last line end."""
    return [0, *(end.end() for end in _LINE_END.finditer(text))]
