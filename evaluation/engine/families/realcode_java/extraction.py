"""Extracts the code of a model's answer."""

from __future__ import annotations

_OPENING = "```java"
_CLOSING = "```"


def extract_code(text: str) -> str:
    """The text after the first ```` ```java ````, up to the next ```` ``` ```` or the end.

    Without that fence, the text before the first ```` ``` ````, or the whole text.
    """
    _before, opening, after = text.partition(_OPENING)
    return (after if opening else text).partition(_CLOSING)[0]
