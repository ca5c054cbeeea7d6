"""Tasks as the engine's records, without their hidden part. The hidden part is in `records`."""

from __future__ import annotations

from evaluation.engine import records
from leaderboard.benchmarks.models import Task


def public_record(task: Task) -> records.Task:
    return records.Task(
        id=task.id_in_dataset,
        public=task.public,
        hidden={},
        language=task.language,
        natural_language=task.natural_language or None,
        level=task.level or None,
        domain=task.domain or None,
        category=task.category or None,
    )
