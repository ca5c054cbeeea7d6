"""Merges a revision's tasks file and private answers file by id."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from evaluation.engine.datasets import Entry, Problems, read_entries, task_id
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.rucodeeval import fields
from evaluation.engine.records import Json, Problem, Task, TaskId


@dataclass(frozen=True, slots=True)
class _Answer:
    entry: Entry
    id: TaskId
    outputs: list[str]
    solution: str | None


@dataclass(frozen=True, slots=True)
class _RawTask:
    entry: Entry
    id: TaskId
    public: dict[str, Any]
    tests: list[Json]
    answer: _Answer


class _HasId(Protocol):
    @property
    def entry(self) -> Entry: ...
    @property
    def id(self) -> TaskId: ...


_Identified = TypeVar("_Identified", bound=_HasId)


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """Raises BenchmarkError with all problems of both files, each with line and id."""
    problems = Problems()
    entries = read_entries(tasks_path, problems)
    rows = _rows(entries, problems)
    answers = {id: row.answer for id, row in rows.items()}
    if answers_path is not None:
        separate = _separate_answers(entries, answers_path, problems)
        for id, answer in separate.items():
            if id in answers and answers[id].outputs not in ([], answer.outputs):
                problems.add(answer.entry, "contradicts the outputs in the tasks file", id)
        answers |= separate
    elif rows and not any(answer.outputs for answer in answers.values()):
        problems.found.append(Problem("there are no outputs: the answers file is needed"))
        problems.raise_any()
    tasks = tuple(_task(row, answers[id], problems) for id, row in rows.items())
    if not tasks and not problems.found:
        raise BenchmarkError([Problem("there are no tasks", member=tasks_path.name)])
    problems.raise_any()
    return tasks


def load_questions(tasks_path: Path) -> tuple[Task, ...]:
    """The tasks without expected results. Raises BenchmarkError with all problems."""
    problems = Problems()
    rows = _rows(read_entries(tasks_path, problems), problems)
    problems.raise_any()
    if not rows:
        raise BenchmarkError([Problem("there are no tasks", member=tasks_path.name)])
    return tuple(Task(id, row.public, {}, natural_language="ru") for id, row in rows.items())


def _rows(entries: Iterable[Entry], problems: Problems) -> dict[TaskId, _RawTask]:
    return _unique((row for e in entries if (row := _row(e, problems))), problems)


def _row(entry: Entry, problems: Problems) -> _RawTask | None:
    record, meta = _mapping(entry.value), _mapping(_mapping(entry.value).get("meta"))
    inputs = _mapping(record.get("inputs"))
    before = len(problems.found)
    id = problems.attempt(entry, None, task_id, meta.get("id"))
    public = {
        "instruction": problems.attempt(entry, id, fields.instruction, record.get("instruction")),
        "function": problems.attempt(entry, id, fields.function, inputs.get("function")),
        "entry_point": problems.attempt(entry, id, fields.entry_point, meta.get("entry_point")),
    }
    tests = problems.attempt(entry, id, fields.tests, inputs.get("tests")) or []
    answer = _answer(entry, id, record.get("outputs"), meta, problems)
    if answer is None or len(problems.found) > before:
        return None
    return _RawTask(entry, answer.id, public | {"test_count": len(tests)}, tests, answer)


def _separate_answers(
    tasks: Sequence[Entry], path: Path, problems: Problems
) -> dict[TaskId, _Answer]:
    entries = read_entries(path, problems)
    answers = _unique((a for e in entries if (a := _answer_entry(e, problems))), problems)
    asked = {id: entry for entry in tasks if (id := _id_of(entry)) is not None}
    given = {id: entry for entry in entries if (id := _id_of(entry)) is not None}
    for id, entry in given.items():
        if id not in asked:
            problems.add(entry, "there is no such task", id)
    for id, entry in asked.items():
        if id not in given:
            problems.add(entry, f"{path.name} has no answer to it", id)
    return answers


def _id_of(entry: Entry) -> TaskId | None:
    record = _mapping(entry.value)
    try:
        return task_id(_mapping(record.get("meta", record)).get("id"))
    except ValueError:
        return None


def _answer_entry(entry: Entry, problems: Problems) -> _Answer | None:
    record = _mapping(entry.value)
    meta = _mapping(record.get("meta", record))
    id = problems.attempt(entry, None, task_id, meta.get("id"))
    return _answer(entry, id, record.get("outputs"), meta, problems)


def _answer(
    entry: Entry, id: TaskId | None, outputs: Any, meta: Mapping[str, Any], problems: Problems
) -> _Answer | None:
    before = len(problems.found)
    results = problems.attempt(entry, id, fields.outputs, outputs) or []
    solution = problems.attempt(entry, id, fields.solution, meta.get("canonical_solution"))
    if id is None or len(problems.found) > before:
        return None
    return _Answer(entry, id, results, solution)


def _task(row: _RawTask, answer: _Answer, problems: Problems) -> Task:
    if len(answer.outputs) != len(row.tests):
        sentence = f"{len(answer.outputs)} outputs for {len(row.tests)} tests"
        problems.add(answer.entry, sentence, row.id)
    hidden = {
        "tests": row.tests,
        "outputs": answer.outputs,
        "canonical_solution": answer.solution or row.answer.solution,
    }
    return Task(row.id, row.public, hidden, natural_language="ru")


def _unique(items: Iterable[_Identified], problems: Problems) -> dict[TaskId, _Identified]:
    by_id: dict[TaskId, _Identified] = {}
    for item in items:
        if item.id in by_id:
            problems.add(item.entry, "the id appears a second time", item.id)
        by_id.setdefault(item.id, item)
    return by_id


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
