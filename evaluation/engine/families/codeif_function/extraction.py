"""The code in an answer, as the published labels were made (formats.md, 5a)."""

from __future__ import annotations

import re

_FENCED = re.compile(r"```python\r?\n(.*?)```", re.DOTALL)
_DOCSTRING = re.compile(r'    """\r?\n(.*?)"""', re.DOTALL)


def code(text: str, *, base: bool) -> str:
    """The first fenced block, or the text. But for Base, docstrings and blank lines go."""
    found = _FENCED.search(text)
    extracted = found.group(1) if found else text
    if base:
        return extracted
    lines = _DOCSTRING.sub("", extracted).split("\n")
    return "\n".join(line for line in lines if line.strip())
