"""Extracts the code of a model's answer."""

from __future__ import annotations

import re

_FENCE = r"^```(?P<language>[\w-]+)\n"
# A block needs a newline before its closing backticks, so "```python\n```" is not a complete
# block. This is the authors' rule; it decides which blocks count.
_COMPLETE = re.compile(_FENCE + r"(?P<code>.*?\n)```", re.DOTALL | re.MULTILINE)
_UNCLOSED = re.compile(_FENCE + r"(?P<code>.*)", re.DOTALL | re.MULTILINE)


def extract_code(text: str) -> str:
    """The `python` blocks among the complete fenced blocks, else in one unclosed block; the text if
    there is no block. Fences without a language open no block; other languages give no code."""
    blocks = list(_COMPLETE.finditer(text)) or list(_UNCLOSED.finditer(text))
    if not blocks:
        return text
    return "\n" + "\n".join(b["code"] for b in blocks if b["language"] == "python")
