"""From a model's answer to the code in it."""

from __future__ import annotations

_OPENING = "```java"
_CLOSING = "```"


def extract_code(text: str) -> str:
    """What follows the first ```` ```java ````, up to the next ```` ``` ```` or the end.

    Without it, what comes before the first ```` ``` ````, or the whole text.
    """
    _before, opening, after = text.partition(_OPENING)
    return (after if opening else text).partition(_CLOSING)[0]
