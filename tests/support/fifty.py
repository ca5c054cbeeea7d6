"""Fifty tasks with instructions whose tests can be run. A mark in an answer decides which tests it
passes, practically at random, so that the passes are known without a sandbox."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from evaluation.engine.conversations.dialogue import Name, Row
from evaluation.engine.records import Task
from tests.evaluation.engine.generation.tasks import TASKS, said

__all__ = ["TASKS", "passes", "said", "tasks_file"]

# The number of values of two hexadecimal digits of the mark, of 256, that pass.
_PASSING = 112
_MARK = re.compile(r"[0-9a-f]{64}")


def tasks_file(folder: Path) -> Path:
    """The tasks in CodeIF-Bench's format."""
    path = folder / "fifty.jsonl"
    path.write_text("".join(json.dumps(_entry(task)) + "\n" for task in TASKS), "utf-8")
    return path


def passes(task: Task, answer: str) -> Row:
    """The tests that the code of an answer from `said` passes."""
    (mark,) = _MARK.findall(answer)
    places = {name: _digits(task, name) for name in (None, *task.public["requirements"])}
    return {name: int(mark[i : i + 2], 16) < _PASSING for name, i in places.items()}


def _digits(task: Task, name: Name) -> int:
    names = [None, *task.public["requirements"]]
    return 2 * names.index(name)


def _test(task: Task, name: Name) -> str:
    first = _digits(task, name)
    return f"assert int(f()[{first}:{first + 2}], 16) < {_PASSING}"


def _entry(task: Task) -> dict[str, Any]:
    sentences = task.public["requirements"]
    return {
        "task_id": task.id,
        "prompt": task.public["prompt"],
        "test": _test(task, None),
        "requirements": {
            name: {"requirement": text, "unit_test": _test(task, name)}
            for name, text in sentences.items()
        },
        "multi-turn": list(task.public["turns"]),
        "code": "def f():\n    return '0' * 64\n",
    }
