"""Tasks that consist of a description in Chinese or English. Knows no benchmark."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from evaluation.engine.datasets import any_text

_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


class Described(NamedTuple):
    id: int
    text: str
    natural_language: str


def described(item: Any) -> Described:
    """A description with any Chinese character counts as Chinese. Raises ValueError for users."""
    if not isinstance(item, dict):
        raise ValueError("a task must be a JSON object")
    id = number_of(item)
    if id is None:
        raise ValueError("task_id must be a whole number, from 0 on")
    text = text_of(item, "raw_nl")
    return Described(id, text, "zh" if _CJK.search(text) else "en")


def number_of(item: Any) -> int | None:
    number = item.get("task_id") if isinstance(item, dict) else None
    return number if type(number) is int and number >= 0 else None


def text_of(item: Mapping[str, Any], name: str) -> str:
    """Raises ValueError, with a message for users, if the text is blank."""
    text = any_text(name, item.get(name))
    if not text.strip():
        raise ValueError(f"{name} is missing or not a text")
    return text
