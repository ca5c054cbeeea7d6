"""The tasks file of a RealCodeJava revision, and the project of each task."""

from __future__ import annotations

from pathlib import Path

from evaluation.engine.projects import mera
from evaluation.engine.records import Project, Task

REPORT = "surefire"
_FORM = mera.Form(language="java", path="file_path", stub=True)


def load_tasks(tasks_path: Path, answers_path: Path | None) -> tuple[Task, ...]:
    """The tasks in the file's order. Raises BenchmarkError with all that is wrong with it."""
    return mera.load_tasks(_FORM, tasks_path, answers_path)


def project(task: Task) -> Project:
    return mera.project_of(task, REPORT)
