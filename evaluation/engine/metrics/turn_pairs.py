"""Means over pairs of turns. Source: docs/specification/conversations.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from statistics import fmean

from evaluation.engine.records import TaskId, TaskResult


def in_pairs(results: Iterable[TaskResult]) -> dict[TaskId, list[float]]:
    """Returns the means of turns 1-2, 3-4 and so on of each conversation. An odd last turn is a
    pair of its own."""
    by_task: dict[TaskId, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for result in results:
        if result.value is not None and result.turn is not None:
            by_task[result.task_id][(result.turn - 1) // 2].append(result.value)
    return {
        task: [fmean(pairs[place]) for place in sorted(pairs)] for task, pairs in by_task.items()
    }
