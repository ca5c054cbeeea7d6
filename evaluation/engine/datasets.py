"""Reads dataset files into entries that keep their position. Knows no benchmark."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.parsing import literal_eval
from evaluation.engine.records import Problem, Task, TaskId

_LISTED = 100
_NO_TEXT = re.compile("[\\0\ud800-\udfff]")
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Entry:
    """One JSON value of a file. JSONL sets `line`, a list sets `position`; both count from 1."""

    value: Any
    file: str
    line: int | None = None
    position: int | None = None

    def problem(self, sentence: str, task_id: TaskId | None = None) -> Problem:
        if self.position is not None:
            sentence = f"entry {self.position} of the list: {sentence}"
        return Problem(sentence, self.line, task_id, self.file)


@dataclass
class Problems:
    found: list[Problem] = field(default_factory=list)

    def add(self, entry: Entry, sentence: str, task_id: TaskId | None = None) -> None:
        self.found.append(entry.problem(sentence, task_id))

    def attempt(
        self, entry: Entry, task_id: TaskId | None, parse: Callable[[Any], _T], value: Any
    ) -> _T | None:
        """Returns None and adds a problem if `parse` raises ValueError."""
        try:
            return parse(value)
        except ValueError as error:
            self.add(entry, str(error), task_id)
            return None

    def raise_any(self) -> None:
        if self.found:
            raise BenchmarkError(self.found[:_LISTED], more=max(0, len(self.found) - _LISTED))


def tasks_of(
    entries: Iterable[Entry], problems: Problems, parse: Callable[[Entry], Task | None], twice: str
) -> tuple[Task, ...]:
    """Returns the tasks in order. `parse` returns a task, or adds a problem and returns None.
    Raises BenchmarkError with all problems, or if there are no tasks."""
    tasks: dict[TaskId, Task] = {}
    for entry in entries:
        task = parse(entry)
        if task is not None and task.id in tasks:
            problems.add(entry, twice, task.id)
        elif task is not None:
            tasks[task.id] = task
    problems.raise_any()
    if not tasks:
        raise BenchmarkError("The file holds no tasks.")
    return tuple(tasks.values())


def parsed(
    entries: Iterable[Entry],
    problems: Problems,
    parse: Callable[[Any], Task],
    id_of: Callable[[Any], TaskId | None],
    twice: str = "the id appears a second time",
) -> tuple[Task, ...]:
    """As tasks_of(). `parse` raises ValueError; `id_of` is of entries that need not be valid."""
    return tasks_of(
        entries,
        problems,
        lambda entry: problems.attempt(entry, id_of(entry.value), parse, entry.value),
        twice,
    )


def read_entries(path: Path, problems: Problems) -> list[Entry]:
    """Recognises JSONL, a JSON array or a MERA document. Lines that are not JSON become problems.
    Raises BenchmarkError if the file cannot be read."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise BenchmarkError(f"{path} cannot be read: {error.strerror}") from error
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise BenchmarkError([Problem("not UTF-8", line, member=path.name)]) from error
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _lines(text, path.name, problems)
    if isinstance(whole, dict) and isinstance(whole.get("data"), dict):
        whole = whole["data"].get("test")
        if not isinstance(whole, list):
            raise BenchmarkError([Problem('"data" has no list "test"', member=path.name)])
    if not isinstance(whole, list):
        return [Entry(whole, path.name, line=1)]
    return [Entry(value, path.name, position=n) for n, value in enumerate(whole, start=1)]


def _lines(text: str, file: str, problems: Problems) -> list[Entry]:
    entries = []
    # Only "\n" ends a line: splitlines() would also cut at characters that JSON allows.
    for number, line in enumerate(text.split("\n"), start=1):
        try:
            if line.strip():
                entries.append(Entry(json.loads(line), file, line=number))
        except json.JSONDecodeError as error:
            sentence = f"not JSON: {error.msg} at column {error.colno}"
            problems.add(Entry(None, file, line=number), sentence)
        except (ValueError, RecursionError):
            sentence = "JSON is nested too deeply, or a number is too long"
            problems.add(Entry(None, file, line=number), sentence)
    return entries


def mapping(value: Any) -> dict[str, Any]:
    """A copy; empty if the value is no JSON object."""
    return dict(value) if isinstance(value, dict) else {}


def task_id(value: Any) -> TaskId:
    """An integer or a text; 13 and "13" are different ids."""
    if isinstance(value, bool) or not isinstance(value, int | str) or value == "":
        raise ValueError("the id is missing or neither a whole number nor a text")
    return value


def any_text(name: str, value: Any) -> str:
    """Raises ValueError for another type or if the string holds NUL or a surrogate."""
    if not isinstance(value, str):
        raise ValueError(f"{name} is missing or not a text")
    if _NO_TEXT.search(value):
        raise ValueError(f"{name} contains a character that a text file cannot have")
    return value


def literal(text: str) -> Any:
    """Parses JSON, else a Python literal, because releases differ. Raises ValueError."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass  # most releases hold a Python literal
    try:
        return literal_eval(text.strip())
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        raise ValueError("a text that is neither JSON nor a Python literal") from None


_CJK = re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")


def described(item: Any) -> tuple[int, str, str]:
    """The id, the description and its natural language: with any Chinese character, Chinese.
    Raises ValueError for users."""
    if not isinstance(item, dict):
        raise ValueError("a task must be a JSON object")
    id = number_of(item)
    if id is None:
        raise ValueError("task_id must be a whole number, from 0 on")
    text = text_of(item, "raw_nl")
    return id, text, "zh" if _CJK.search(text) else "en"


def number_of(item: Any) -> int | None:
    number = item.get("task_id") if isinstance(item, dict) else None
    return number if type(number) is int and number >= 0 else None


def text_of(item: Mapping[str, Any], name: str) -> str:
    """Raises ValueError, with a message for users, if the text is blank."""
    text = any_text(name, item.get(name))
    if not text.strip():
        raise ValueError(f"{name} is missing or not a text")
    return text
