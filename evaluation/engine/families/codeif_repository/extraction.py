"""Extracts the code of an answer (README.md, "Judging")."""

from __future__ import annotations

import re

_IN_DIALOGUE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_FENCED = re.compile(r"```python(.*?)```", re.DOTALL)


def code(text: str) -> str:
    """The content of the first fenced Python block, else the text. Removes nothing else."""
    found = _FENCED.search(text)
    return found.group(1) if found else text


def code_in_dialogue(text: str) -> str:
    """The code at a turn of a dynamic conversation, without blank lines."""
    found = _IN_DIALOGUE.search(text)
    lines = (found.group(1) if found else text).split("\n")
    return "\n".join(line for line in lines if line.strip())
