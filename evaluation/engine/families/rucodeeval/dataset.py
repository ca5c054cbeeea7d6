"""Merges a revision's tasks file and private answers file by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.engine.datasets import Entry, Problems, read_entries, task_id
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.rucodeeval import fields
from evaluation.engine.records import Json, Problem, Task, TaskId


@dataclass(frozen=True, slots=True)
class _Record:
    """An entry of the tasks, or of the answers, which has no public part and no tests."""

    entry: Entry
    outputs: list[str]
    solution: str | None
    public: dict[str, Any]
    tests: list[Json]


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """Raises BenchmarkError with all problems of both files, each with line and id."""
    problems = Problems()
    entries = read_entries(tasks_path, problems)
    records = _records(entries, problems)
    answers = dict(records)
    if answers_path is not None:
        answer_entries = read_entries(answers_path, problems)
        for id, answer in _records(answer_entries, problems, of_tasks=False).items():
            if id in records and records[id].outputs not in ([], answer.outputs):
                problems.add(answer.entry, "contradicts the outputs in the tasks file", id)
            answers[id] = answer
        tasks_by_id, answers_by_id = _by_id(entries), _by_id(answer_entries)
        for id, entry in answers_by_id.items():
            if id not in tasks_by_id:
                problems.add(entry, "there is no such task", id)
        for id, entry in tasks_by_id.items():
            if id not in answers_by_id:
                problems.add(entry, f"{answers_path.name} has no answer to it", id)
    elif records and not any(answer.outputs for answer in answers.values()):
        problems.found.append(Problem("there are no outputs: the answers file is needed"))
        problems.raise_any()
    tasks = []
    for id, record in records.items():
        answer = answers[id]
        if len(answer.outputs) != len(record.tests):
            sentence = f"{len(answer.outputs)} outputs for {len(record.tests)} tests"
            problems.add(answer.entry, sentence, id)
        hidden = {
            "tests": record.tests,
            "outputs": answer.outputs,
            "canonical_solution": answer.solution or record.solution,
        }
        tasks.append(Task(id, record.public, hidden, natural_language="ru"))
    _require_any(records, problems, tasks_path)
    return tuple(tasks)


def load_questions(tasks_path: Path) -> tuple[Task, ...]:
    """The tasks without expected results. Raises BenchmarkError with all problems."""
    problems = Problems()
    records = _records(read_entries(tasks_path, problems), problems)
    _require_any(records, problems, tasks_path)
    return tuple(Task(id, r.public, {}, natural_language="ru") for id, r in records.items())


def _require_any(records: Mapping[TaskId, _Record], problems: Problems, path: Path) -> None:
    problems.raise_any()
    if not records:
        raise BenchmarkError([Problem("there are no tasks", member=path.name)])


def _records(
    entries: Iterable[Entry], problems: Problems, *, of_tasks: bool = True
) -> dict[TaskId, _Record]:
    """The valid entries; the first one of each id."""
    records: dict[TaskId, _Record] = {}
    for entry in entries:
        content = _mapping(entry.value)
        meta = _mapping(content.get("meta", {} if of_tasks else content))
        before = len(problems.found)
        id = problems.attempt(entry, None, task_id, meta.get("id"))
        attempt = partial(problems.attempt, entry, id)
        public: dict[str, Any] = {}
        tests: list[Json] = []
        if of_tasks:
            inputs = _mapping(content.get("inputs"))
            public = {
                "instruction": attempt(fields.instruction, content.get("instruction")),
                "function": attempt(fields.function, inputs.get("function")),
                "entry_point": attempt(fields.entry_point, meta.get("entry_point")),
            }
            tests = attempt(fields.tests, inputs.get("tests")) or []
            public["test_count"] = len(tests)
        outputs = attempt(fields.outputs, content.get("outputs")) or []
        solution = attempt(fields.solution, meta.get("canonical_solution"))
        if id is None or len(problems.found) > before:
            continue
        if id in records:
            problems.add(entry, "the id appears a second time", id)
        records.setdefault(id, _Record(entry, outputs, solution, public, tests))
    return records


def _by_id(entries: Iterable[Entry]) -> dict[TaskId, Entry]:
    """The entries with an id, whether their other fields are valid or not."""
    by_id = {}
    for entry in entries:
        content = _mapping(entry.value)
        try:
            by_id[task_id(_mapping(content.get("meta", content)).get("id"))] = entry
        except ValueError:
            continue
    return by_id


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
