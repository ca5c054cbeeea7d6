"""Extracts the code of a model's answer."""

from __future__ import annotations

import re

_FENCE = r"^```(?P<language>[\w-]+)\n"
# A block needs a newline before its closing backticks, so "```python\n```" is not a complete
# block. This is the authors' rule; it decides which blocks count.
_COMPLETE = re.compile(_FENCE + r"(?P<code>.*?\n)```", re.DOTALL | re.MULTILINE)
_UNCLOSED = re.compile(_FENCE + r"(?P<code>.*)", re.DOTALL | re.MULTILINE)


def extract_code(text: str) -> str:
    """The `python` blocks among the complete fenced blocks, each preceded by a newline.

    Without complete blocks, the same with one unclosed block; without either, the text itself.
    Fences without a language open no block. If all blocks are of other languages, the code is
    empty.
    """
    blocks = list(_COMPLETE.finditer(text)) or list(_UNCLOSED.finditer(text))
    if not blocks:
        return text
    return "\n" + "\n".join(b["code"] for b in blocks if b["language"] == "python")
