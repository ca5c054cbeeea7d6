"""Extracts the code of a model's answer."""

from __future__ import annotations

import re

_OPENING = re.compile(r"^ {0,3}```+[ \t]*(?P<tag>[\w+-]*)[^\n`]*$\n?", re.MULTILINE)
_CLOSING = "```"


def code_in(text: str) -> tuple[int, int]:
    """The start and end of the code in the text.

    It is the first fenced block tagged as Java, else the first fenced block, from the line after
    the fence to the next ```` ``` ```` or the end. A text without a fence is all code.
    """
    fences = list(_fences(text))
    if not fences:
        return 0, len(text)
    tagged = (fence for fence in fences if fence[0] == "java")
    _tag, start, end = next(tagged, fences[0])
    return start, end


def _fences(text: str) -> list[tuple[str, int, int]]:
    found, at = [], 0
    while opening := _OPENING.search(text, at):
        end = text.find(_CLOSING, opening.end())
        end = len(text) if end < 0 else end
        found.append((opening["tag"].lower(), opening.end(), end))
        at = end + len(_CLOSING)
    return found
