"""Converts tasks between rows and the engine's records, without loss. Only judging reads the hidden
part; pages use leaderboard.benchmarks.public."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evaluation.engine import records
from leaderboard.benchmarks.models import Revision, Task, TaskHidden
from leaderboard.benchmarks.public import OPTIONAL, public_record, title_of


def stored_task(
    record: records.Task, *, revision: Revision, number: int, project: str = ""
) -> tuple[Task, TaskHidden]:
    """The unsaved rows of a task. `project` names the project that it is judged in, if any."""
    # The columns take any JSON, which the type checker does not know.
    public: Any = dict(record.public)
    hidden: Any = dict(record.hidden)
    task = Task(
        revision=revision,
        number=number,
        external_id=str(record.id),
        id_is_number=isinstance(record.id, int),
        public=public,
        language=record.language,
        project=project,
        title=title_of(public),
        **{name: getattr(record, name) or "" for name in OPTIONAL},
    )
    return task, TaskHidden(task=task, hidden=hidden)


def task_record(task: Task, hidden: Mapping[str, Any]) -> records.Task:
    return replace(public_record(task), hidden=hidden)


def task_records(revision: Revision) -> dict[int, records.Task]:
    """The records with hidden parts, by primary key, in the dataset's order. One query."""
    rows = TaskHidden.objects.filter(task__revision=revision).select_related("task")
    return {row.task_id: task_record(row.task, row.hidden) for row in rows.order_by("task__number")}
