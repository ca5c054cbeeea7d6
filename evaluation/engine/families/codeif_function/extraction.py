"""Extracts the code of an answer as the published labels require (README.md, "Judging")."""

from __future__ import annotations

import re

_FENCED = re.compile(r"```python\r?\n(.*?)```", re.DOTALL)
_IN_DIALOGUE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_DOCSTRING = re.compile(r'    """\r?\n(.*?)"""', re.DOTALL)


def code(text: str, *, base: bool) -> str:
    """The first fenced block, else the text. Drops docstrings and blank lines, except for Base."""
    found = _FENCED.search(text)
    extracted = found.group(1) if found else text
    if base:
        return extracted
    return _without_blank_lines(_DOCSTRING.sub("", extracted))


def code_in_dialogue(text: str) -> str:
    """The code at a turn of a dynamic conversation: drops blank lines, keeps docstrings."""
    found = _IN_DIALOGUE.search(text)
    return _without_blank_lines(found.group(1) if found else text)


def _without_blank_lines(code: str) -> str:
    return "\n".join(line for line in code.split("\n") if line.strip())
