"""Tasks that a description in words asks for: their numbers, and texts in Chinese or English.

Knows what such a dataset's records have in common, and no benchmark.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from evaluation.engine.datasets import any_text

_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


class Described(NamedTuple):
    """A record's id and description, and the description's language."""

    id: int
    text: str
    natural_language: str


def described(item: Any) -> Described:
    """What every record has; with any Chinese character in it a description is Chinese.

    Raises ValueError in words for people.
    """
    if not isinstance(item, dict):
        raise ValueError("a task must be a JSON object")
    id = number_of(item)
    if id is None:
        raise ValueError("task_id must be a whole number, from 0 on")
    text = text_of(item, "raw_nl")
    return Described(id, text, "zh" if _CJK.search(text) else "en")


def number_of(item: Any) -> int | None:
    """The record's id; None where it has none that is a whole number, from 0 on."""
    found = item.get("task_id") if isinstance(item, dict) else None
    return found if type(found) is int and found >= 0 else None


def text_of(item: Mapping[str, Any], name: str) -> str:
    """A field that says something. Raises ValueError in words for people."""
    found = any_text(name, item.get(name))
    if not found.strip():
        raise ValueError(f"{name} is missing or not a text")
    return found
