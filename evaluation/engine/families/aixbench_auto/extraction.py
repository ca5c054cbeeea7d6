"""Extracts the code of a model's answer, and maps the members of an uploaded zip to tasks."""

from __future__ import annotations

import re

from evaluation.engine.records import TaskId

_BLOCK = re.compile(
    r"^ {0,3}```+[ \t]*(?P<tag>[\w+-]*)[^\n`]*$\n?(?P<code>(?s:.*?))(?:```|\Z)", re.MULTILINE
)
# The digits before the ending are the id, so a prefix cannot end in a digit. Nine digits keep the
# number small for later code; no benchmark needs more.
_MEMBER = re.compile(r"(?:.*\D)?(0|[1-9][0-9]{0,8})\.java", re.DOTALL | re.IGNORECASE)


def code_in(text: str) -> tuple[int, int]:
    """The bounds of the first fenced block tagged as Java, else of the first block, else the
    text."""
    blocks = list(_BLOCK.finditer(text))
    if not blocks:
        return 0, len(text)
    return next((b for b in blocks if b["tag"].lower() == "java"), blocks[0]).span("code")


def member_task(name: str) -> TaskId | None:
    """The id in `<prefix><task_id>.java`; None for metadata files (`._Name12.java`)."""
    base = name.replace("\\", "/").rpartition("/")[2]
    member = _MEMBER.fullmatch(base)
    return int(member[1]) if member and not base.startswith(".") else None
