"""Reads the files of CodeIF-Bench L-1 part 1: tasks, their requirements, the order of turns."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from evaluation.engine import instructions
from evaluation.engine.datasets import Problems, parsed, read_entries
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.instructions import tests_of, text_of
from evaluation.engine.records import Task, TaskId


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """Raises BenchmarkError naming every invalid entry."""
    if answers_path is not None:
        raise BenchmarkError("This benchmark has no answers file: its tests are in the tasks.")
    problems = Problems()
    entries = read_entries(tasks_path, problems)
    return parsed(entries, problems, _task, _id, twice="this task_id appears twice in the file")


def _id(item: Any) -> TaskId | None:
    id = item.get("task_id") if isinstance(item, dict) else None
    return id if type(id) in (int, str) else None


def _task(item: Any) -> Task:
    if not isinstance(item, dict):
        raise ValueError("a task must be a JSON object")
    missing = [name for name in ("task_id", "prompt", "test", "requirements") if name not in item]
    if missing:
        raise ValueError(f"the field {missing[0]} is missing")
    id = _id(item)
    if id is None:
        raise ValueError("task_id must be a number or a text")
    sentences, unit_tests = {}, {}
    for name, content in instructions.contents_of(item["requirements"]).items():
        if not {"requirement", "unit_test"} <= content.keys():
            raise ValueError(f"{name} lacks its requirement or its unit_test")
        sentences[name] = text_of(content["requirement"], f"{name}: requirement")
        unit_tests[name] = tests_of(content["unit_test"], f"{name}: unit_test")
    return Task(
        id=id,
        public={
            "prompt": text_of(item["prompt"], "prompt"),
            "requirements": sentences,
            "turns": instructions.turns_of(item.get("multi-turn"), sentences),
        },
        hidden={
            "test": tests_of(item["test"], "test"),
            "unit_tests": unit_tests,
            "code": text_of(item.get("code", ""), "code"),
        },
        language="python",
        natural_language="en",
        level="L-1",
    )


def tests(task: Task, names: Iterable[str | None]) -> str:
    """The joined tests of instructions; those of the prompt for None."""
    base, unit_tests = task.hidden["test"], task.hidden["unit_tests"]
    return "\n".join(base if name is None else unit_tests[name] for name in names)
