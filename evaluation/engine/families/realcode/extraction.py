"""Extracts the code of a model's answer."""

from __future__ import annotations

_OPENING = "```python"
_CLOSING = "```"


def extract_code(text: str) -> str:
    """The text between the first ```` ```python ```` and the next ```` ``` ````.

    Returns the whole text if one of the two is missing. Neither has to be at a line's start.
    """
    _before, opening, after = text.partition(_OPENING)
    code, closing, _rest = after.partition(_CLOSING)
    return code if opening and closing else text
