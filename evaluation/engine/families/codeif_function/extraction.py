"""Extracts the code of an answer as the published labels require (README.md, "Judging")."""

from __future__ import annotations

import re

from evaluation.engine.instructions import without_blank_lines

_FENCED = re.compile(r"```python\r?\n(.*?)```", re.DOTALL)
_DOCSTRING = re.compile(r'    """\r?\n(.*?)"""', re.DOTALL)


def code(text: str, *, base: bool) -> str:
    """The first fenced block, else the text. Drops docstrings and blank lines, except for Base."""
    block = _FENCED.search(text)
    extracted = block.group(1) if block else text
    if base:
        return extracted
    return without_blank_lines(_DOCSTRING.sub("", extracted))
