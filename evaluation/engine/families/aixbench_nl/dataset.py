"""The tasks file of a revision: an id and a description for each task, and nothing hidden."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from evaluation.engine.datasets import Entry, Problems, read_entries, tasks_of
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Task

_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
_NO_TEXT = re.compile("[\\0\ud800-\udfff]")


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """The tasks in the file's order; one with any Chinese character in it is Chinese.

    Raises BenchmarkError with all that is wrong with the file.
    """
    if answers_path is not None:
        raise BenchmarkError("This benchmark has no answers file: people rate what is written.")
    problems = Problems()

    def parse(entry: Entry) -> Task | None:
        return problems.attempt(entry, _id_of(entry.value), _task, entry.value)

    entries = read_entries(tasks_path, problems)
    return tasks_of(entries, problems, parse, twice="the id stands here a second time")


def _id_of(item: Any) -> int | None:
    found = item.get("task_id") if isinstance(item, dict) else None
    return found if type(found) is int and found >= 0 else None


def _task(item: Any) -> Task:
    """Raises ValueError in words for people."""
    if not isinstance(item, dict):
        raise ValueError("a task must be a JSON object")
    id, text = _id_of(item), item.get("raw_nl")
    if id is None:
        raise ValueError("task_id must be a whole number, from 0 on")
    if not isinstance(text, str) or not text.strip():
        raise ValueError("raw_nl is missing or not a text")
    if _NO_TEXT.search(text):
        raise ValueError("raw_nl holds a character that no file of text has")
    spoken = "zh" if _CJK.search(text) else "en"
    return Task(id, {"raw_nl": text}, {}, language="java", natural_language=spoken)
