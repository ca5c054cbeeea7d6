"""From a model's answer to the code in it."""

from __future__ import annotations

_OPENING = "```python"
_CLOSING = "```"


def extract_code(text: str) -> str:
    """What stands between the first ```` ```python ```` and the next ```` ``` ````.

    The text as it is where one of the two is missing. Neither has to stand at a line's start.
    """
    _before, opening, after = text.partition(_OPENING)
    code, closing, _rest = after.partition(_CLOSING)
    return code if opening and closing else text
