"""Reads the files of CodeIF-Bench L-1 part 1: tasks, their requirements, the order of turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluation.engine import instructions
from evaluation.engine.datasets import Problems, read_entries, tasks_of
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.instructions import tests_of, text_of
from evaluation.engine.records import Task, TaskId


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """Raises BenchmarkError naming every invalid entry."""
    if answers_path is not None:
        raise BenchmarkError("This benchmark has no answers file: its tests are in the tasks.")
    problems = Problems()
    return tasks_of(
        read_entries(tasks_path, problems),
        problems,
        lambda entry: problems.attempt(entry, _named(entry.value), _task, entry.value),
        twice="this task_id appears twice in the file",
    )


def _named(item: Any) -> TaskId | None:
    found = item.get("task_id") if isinstance(item, dict) else None
    return found if type(found) in (int, str) else None


def _task(item: Any) -> Task:
    if not isinstance(item, dict):
        raise ValueError("a task must be a JSON object")
    missing = [name for name in ("task_id", "prompt", "test", "requirements") if name not in item]
    if missing:
        raise ValueError(f"the field {missing[0]} is missing")
    identifier = _named(item)
    if identifier is None:
        raise ValueError("task_id must be a number or a text")
    requirements = _requirements(item["requirements"])
    order = item.get("multi-turn")
    return Task(
        id=identifier,
        public={
            "prompt": text_of(item["prompt"], "prompt"),
            "requirements": {name: sentence for name, (sentence, _) in requirements.items()},
            "turns": instructions.turns_of(order, requirements),
        },
        hidden={
            "test": tests_of(item["test"], "test"),
            "unit_tests": {name: test for name, (_, test) in requirements.items()},
            "code": text_of(item.get("code", ""), "code"),
        },
        language="python",
        natural_language="en",
        level="L-1",
    )


def _requirements(found: Any) -> dict[str, tuple[str, str]]:
    requirements = {}
    for name, content in instructions.contents_of(found).items():
        if not {"requirement", "unit_test"} <= content.keys():
            raise ValueError(f"{name} lacks its requirement or its unit_test")
        sentence = text_of(content["requirement"], f"{name}: requirement")
        requirements[name] = (sentence, tests_of(content["unit_test"], f"{name}: unit_test"))
    return requirements


def tests(task: Task, setting: str, requirement: str | None) -> str:
    """The tests that a generation has to pass, joined (README.md, "Settings")."""
    base, unit_tests = task.hidden["test"], task.hidden["unit_tests"]
    names = instructions.counted(task, setting, requirement)
    return "\n".join(base if name is None else unit_tests[name] for name in names)


def tests_alone(task: Task, name: str | None) -> str:
    return str(task.hidden["test"] if name is None else task.hidden["unit_tests"][name])
