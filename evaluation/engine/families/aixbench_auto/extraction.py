"""Extracts the code of a model's answer, and maps the members of an uploaded zip to tasks."""

from __future__ import annotations

import re

from evaluation.engine.records import TaskId

_OPENING = re.compile(r"^ {0,3}```+[ \t]*(?P<tag>[\w+-]*)[^\n`]*$\n?", re.MULTILINE)
_CLOSING = "```"
# The digits before the ending are the id, so a prefix cannot end in a digit. Nine digits keep the
# number small for later code; no benchmark needs more.
_MEMBER = re.compile(r"(?:.*\D)?(0|[1-9][0-9]{0,8})\.java", re.DOTALL)


def code_in(text: str) -> tuple[int, int]:
    """The bounds of the first fenced block tagged as Java, else of the first block, else the
    text."""
    fences = list(_fences(text))
    if not fences:
        return 0, len(text)
    tagged = (fence for fence in fences if fence[0] == "java")
    _tag, start, end = next(tagged, fences[0])
    return start, end


def _fences(text: str) -> list[tuple[str, int, int]]:
    found, at = [], 0
    while opening := _OPENING.search(text, at):
        end = text.find(_CLOSING, opening.end())
        end = len(text) if end < 0 else end
        found.append((opening["tag"].lower(), opening.end(), end))
        at = end + len(_CLOSING)
    return found


def member_task(name: str) -> TaskId | None:
    """The id in `<prefix><task_id>.java`; None for metadata files (`._Name12.java`)."""
    base = name.replace("\\", "/").rpartition("/")[2]
    found = _MEMBER.fullmatch(base)
    return int(found[1]) if found and not base.startswith(".") else None
