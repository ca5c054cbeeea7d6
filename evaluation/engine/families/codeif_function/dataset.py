"""The files of CodeIF-Bench L-1 part 1: tasks, their requirements, the order of turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evaluation.engine.datasets import Problems, literal, read_entries
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Slot, Task, TaskId

BASE, SINGLE_ROUND, TWO_ROUND, MULTI_TURN = "base", "single_round", "two_round", "multi_turn"
SETTINGS = (BASE, SINGLE_ROUND, TWO_ROUND, MULTI_TURN)
EXTENSION = "Functionality Extension"


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """The tasks of a revision file, JSONL or one JSON array.

    Raises BenchmarkError naming every entry that is not a task.
    """
    if answers_path is not None:
        raise BenchmarkError("This benchmark has no answers file: its tests are in the tasks.")
    problems = Problems()
    tasks: dict[TaskId, Task] = {}
    for entry in read_entries(tasks_path, problems):
        task = problems.attempt(entry, _named(entry.value), _task, entry.value)
        if task is not None and task.id in tasks:
            problems.add(entry, "this task_id stands in the file twice", task.id)
        elif task is not None:
            tasks[task.id] = task
    problems.raise_any()
    if not tasks:
        raise BenchmarkError("The file holds no tasks.")
    return tuple(tasks.values())


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
    requirements = _requirements(_value(item["requirements"], dict, "requirements"))
    order = item.get("multi-turn")
    return Task(
        id=identifier,
        public={
            "prompt": _text(item["prompt"], "prompt"),
            "requirements": {name: sentence for name, (sentence, _) in requirements.items()},
            "turns": _turns(order, requirements),
        },
        hidden={
            "test": _tests(item["test"], "test"),
            "unit_tests": {name: test for name, (_, test) in requirements.items()},
            "code": _text(item.get("code", ""), "code"),
        },
        language="python",
        natural_language="en",
        level="L-1",
    )


def _requirements(found: Mapping[str, Any]) -> dict[str, tuple[str, str]]:
    requirements = {}
    for name, content in found.items():
        if not isinstance(name, str):
            raise ValueError(f"the category {name} is no text")
        content = _value(content, dict, name)
        if not {"requirement", "unit_test"} <= content.keys():
            raise ValueError(f"{name} lacks its requirement or its unit_test")
        sentence = _text(content["requirement"], f"{name}: requirement")
        requirements[name] = (sentence, _tests(content["unit_test"], f"{name}: unit_test"))
    return requirements


def _turns(order: Any, requirements: Mapping[str, Any]) -> tuple[str, ...]:
    """The categories in the order of the turns; where none is given, as they stand."""
    if order is None:
        return (*(n for n in requirements if n != EXTENSION), *({EXTENSION} & set(requirements)))
    turns = tuple(str(name) for name in _value(order, list, "multi-turn"))
    if len(set(turns)) != len(turns) or not set(turns) <= set(requirements):
        raise ValueError("multi-turn names a category twice or one that has no requirement")
    return turns


def _value(found: Any, kind: type, name: str) -> Any:
    """The value itself, or what a text holds of it as JSON or as a Python literal."""
    if isinstance(found, str):
        found = literal(found)
    if not isinstance(found, kind):
        raise ValueError(f"{name} must be a {'list' if kind is list else 'mapping'}")
    return found


def _text(found: Any, name: str) -> str:
    if not isinstance(found, str):
        raise ValueError(f"{name} must be a text")
    return found


def _tests(found: Any, name: str) -> str:
    """Tests as one text: a text, a list of texts, or a text that holds such a list."""
    if isinstance(found, str) and found.lstrip().startswith("["):
        try:
            found = _value(found, list, name)
        except ValueError:
            return str(found)
    if isinstance(found, list) and all(isinstance(test, str) for test in found):
        return "\n".join(found)
    return _text(found, name)


def slots(task: Task, setting: str) -> Sequence[Slot]:
    """Where generations of a task belong. A Functionality Extension is never missed in
    Multi-Turn, and neither is the Base line that a file may carry as turn 0."""
    if setting == BASE:
        return [Slot(None, 0)]
    names = list(task.public["requirements"])
    if setting != MULTI_TURN:
        return [Slot(name, 1 if setting == TWO_ROUND else None) for name in names]
    turns = list(task.public["turns"])
    if EXTENSION in names and EXTENSION not in turns:
        turns.append(EXTENSION)
    placed = [Slot(name, turn, name != EXTENSION) for turn, name in enumerate(turns, 1)]
    return [Slot(None, 0, required=False), *placed]


def tests(task: Task, setting: str, requirement: str | None) -> str:
    """The tests that a generation has to pass, joined (formats.md, 5a)."""
    base, unit_tests = task.hidden["test"], task.hidden["unit_tests"]
    if requirement is None:
        return str(base)
    if requirement == EXTENSION:
        return str(unit_tests[requirement])
    if setting != MULTI_TURN:
        return f"{base}\n{unit_tests[requirement]}"
    turns = [name for name in task.public["turns"] if name != EXTENSION]
    so_far = turns[: turns.index(requirement) + 1]
    return "\n".join([base, *(unit_tests[name] for name in so_far)])
