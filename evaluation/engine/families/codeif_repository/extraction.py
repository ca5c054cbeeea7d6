"""The code in an answer (README.md, "Judging")."""

from __future__ import annotations

import re

_IN_DIALOGUE = re.compile(r"```python\n(.*?)```", re.DOTALL)
_FENCED = re.compile(r"```python(.*?)```", re.DOTALL)


def code(text: str) -> str:
    """What the first fenced block of Python holds, or the text. Nothing else is removed."""
    found = _FENCED.search(text)
    return found.group(1) if found else text


def code_in_dialogue(text: str) -> str:
    """As it is taken at every turn of a dynamic conversation: blank lines go."""
    found = _IN_DIALOGUE.search(text)
    lines = (found.group(1) if found else text).split("\n")
    return "\n".join(line for line in lines if line.strip())
