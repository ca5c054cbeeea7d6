"""Finds the end of a block of Java."""

from __future__ import annotations

from evaluation.engine.java_tokens import tokens


def end_of_block(code: str) -> int | None:
    """The end of the block that was open before the code began, or None if it stays open."""
    open_braces = 1
    for token in tokens(code):
        open_braces += (token.text == "{") - (token.text == "}")
        if open_braces == 0:
            return token.end
    return None
