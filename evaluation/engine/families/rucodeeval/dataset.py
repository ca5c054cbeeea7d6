"""Merges a revision's tasks file and private answers file by id."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.engine.datasets import Entry, Problems, literal, mapping, read_entries, task_id
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Json, Problem, Task, TaskId
from evaluation.engine.sandbox.inside.plain import NotPlain, encode


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
    records, tasks_by_id = _records(entries, problems)
    answers = dict(records)
    if answers_path is not None:
        answer_entries = read_entries(answers_path, problems)
        solutions, answers_by_id = _records(answer_entries, problems, of_tasks=False)
        for id, answer in solutions.items():
            if id in records and records[id].outputs not in ([], answer.outputs):
                problems.add(answer.entry, "contradicts the outputs in the tasks file", id)
        answers |= solutions
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
    records, _ = _records(read_entries(tasks_path, problems), problems)
    _require_any(records, problems, tasks_path)
    return tuple(Task(id, r.public, {}, natural_language="ru") for id, r in records.items())


def _require_any(records: Mapping[TaskId, _Record], problems: Problems, path: Path) -> None:
    problems.raise_any()
    if not records:
        raise BenchmarkError([Problem("there are no tasks", member=path.name)])


def _records(
    entries: Iterable[Entry], problems: Problems, *, of_tasks: bool = True
) -> tuple[dict[TaskId, _Record], dict[TaskId, Entry]]:
    """The valid entries, the first one of each id; and the entries with an id, whether their other
    fields are valid or not."""
    records, by_id = dict[TaskId, _Record](), dict[TaskId, Entry]()
    for entry in entries:
        content = mapping(entry.value)
        meta = mapping(content.get("meta", {} if of_tasks else content))
        before = len(problems.found)
        id = problems.attempt(entry, None, task_id, meta.get("id"))
        attempt = partial(problems.attempt, entry, id)
        public: dict[str, Any] = {}
        tests: list[Json] = []
        if of_tasks:
            inputs = mapping(content.get("inputs"))
            public = {
                "instruction": attempt(partial(_text, "instruction"), content.get("instruction")),
                "function": attempt(partial(_text, "inputs.function"), inputs.get("function")),
                "entry_point": attempt(_entry_point, meta.get("entry_point")),
            }
            tests = attempt(calls_of, inputs.get("tests")) or []
            public["test_count"] = len(tests)
        outputs = attempt(_outputs, content.get("outputs")) or []
        solution = meta.get("canonical_solution")
        if solution is not None:
            solution = attempt(partial(_text, "canonical_solution"), solution)
        if id is not None:
            by_id[id] = entry
        if id is None or len(problems.found) > before:
            continue
        if id in records:
            problems.add(entry, "the id appears a second time", id)
        records.setdefault(id, _Record(entry, outputs, solution, public, tests))
    return records, by_id


# Normalised fields of a task or an answer. Each function raises ValueError.


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError(f"{name} is missing or not a text")
    return value


def _entry_point(value: Any) -> str:
    name = _text("meta.entry_point", value)
    if not name.isidentifier():
        raise ValueError("meta.entry_point is not the name of a function")
    return name


def calls_of(value: Any) -> list[Json]:
    """The calls' keyword arguments as plain data, from a list or a text that holds one."""
    try:
        calls = literal(value) if isinstance(value, str) else value
    except ValueError:
        raise ValueError("inputs.tests is a text but neither JSON nor a literal") from None
    if not isinstance(calls, list):
        raise ValueError("inputs.tests is not a list")
    if not calls:
        raise ValueError("inputs.tests is empty, so every program would pass")
    encoded: list[Json] = []
    for number, call in enumerate(calls, start=1):
        if not isinstance(call, dict) or not all(isinstance(name, str) for name in call):
            raise ValueError(f"test {number} is not a set of named arguments")
        try:
            encoded.append(encode(call))
        except NotPlain as error:
            raise ValueError(f"test {number} holds {error}, which is not plain data") from None
    return encoded


def _outputs(value: Any) -> list[str]:
    """The expected results, one per test; empty if the file withholds them. In a two-dimensional
    array a row is a sample: the source describes it as (samples, tests) with equal rows."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise ValueError("outputs is not a list")
    if value and all(isinstance(row, list) for row in value):
        if any(row != value[0] for row in value):
            raise ValueError("the rows of outputs differ, though each should hold all results")
        value = value[0]
    if not all(isinstance(item, str) for item in value):
        raise ValueError("outputs contains something other than strings or equal rows of strings")
    return list(value)
