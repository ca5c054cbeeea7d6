"""From a model's answer to the code in it."""

from __future__ import annotations

import re

_FENCE = r"^```(?P<language>[\w-]+)\n"
# A block's own last newline comes before the closing backticks, so "```python\n```" is
# no complete block: the authors' rule, kept since it decides between blocks.
_COMPLETE = re.compile(_FENCE + r"(?P<code>.*?\n)```", re.DOTALL | re.MULTILINE)
_UNCLOSED = re.compile(_FENCE + r"(?P<code>.*)", re.DOTALL | re.MULTILINE)


def extract_code(text: str) -> str:
    """The `python` blocks among the complete fenced blocks, after a newline of their own.

    Where there are no complete blocks, the same with one that never closes; where
    there is neither, the text as it is. Fences without a language open nothing, and
    blocks of other languages leave the code without them, even empty.
    """
    blocks = list(_COMPLETE.finditer(text)) or list(_UNCLOSED.finditer(text))
    if not blocks:
        return text
    return "\n" + "\n".join(b["code"] for b in blocks if b["language"] == "python")
