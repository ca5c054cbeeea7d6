"""Reads a revision's tasks file: an id and a description per task; no task has hidden data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from evaluation.engine.datasets import Entry, Problems, read_entries, tasks_of
from evaluation.engine.descriptions import described, number_of
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Task


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """The tasks in the file's order; one that contains a Chinese character is Chinese.

    Raises BenchmarkError with all problems of the file.
    """
    if answers_path is not None:
        raise BenchmarkError("This benchmark has no answers file: people rate its generations.")
    problems = Problems()

    def parse(entry: Entry) -> Task | None:
        return problems.attempt(entry, number_of(entry.value), _task, entry.value)

    entries = read_entries(tasks_path, problems)
    return tasks_of(entries, problems, parse, twice="the id appears a second time")


def _task(item: Any) -> Task:
    """Raises ValueError with a message for users."""
    id, text, spoken = described(item)
    return Task(id, {"raw_nl": text}, {}, language="java", natural_language=spoken)
