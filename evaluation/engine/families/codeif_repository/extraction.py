"""The code in an answer (formats.md, 5b)."""

from __future__ import annotations

import re

_FENCED = re.compile(r"```python(.*?)```", re.DOTALL)


def code(text: str) -> str:
    """What the first fenced block of Python holds, or the text. Nothing else is removed."""
    found = _FENCED.search(text)
    return found.group(1) if found else text
