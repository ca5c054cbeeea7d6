"""Tasks as the engine's records, without their hidden part. The hidden part is in `records`."""

from __future__ import annotations

from evaluation.engine import records
from leaderboard.benchmarks.models import Task

# Columns without a value are "", and None in records.
OPTIONAL = ("natural_language", "level", "domain", "category")


def public_record(task: Task) -> records.Task:
    return records.Task(
        id=task.id_in_dataset,
        public=task.public,
        hidden={},
        language=task.language,
        **{name: getattr(task, name) or None for name in OPTIONAL},
    )
