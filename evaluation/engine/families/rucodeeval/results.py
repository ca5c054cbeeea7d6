"""The slots of a task's generations, and their contribution to the metrics."""

from __future__ import annotations

from collections.abc import Sequence

from evaluation.engine.metrics.tally import ResultSlot, tally
from evaluation.engine.records import Slot, Task, TaskResult, Verdict


def slots(_task: Task, _setting: str) -> Sequence[Slot]:
    """One slot per task: a program, no requirements, no turns."""
    return (Slot(),)


def results(tasks: Sequence[Task], _setting: str, verdicts: Sequence[Verdict]) -> list[TaskResult]:
    """One result per task; a task without generations is wrong in every sample."""
    return tally([ResultSlot(task.id, Slot()) for task in tasks], verdicts)
