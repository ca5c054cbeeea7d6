"""The contribution of people's marks to the metrics."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product
from statistics import fmean

from evaluation.engine.families.aixbench_nl.criteria import CRITERIA
from evaluation.engine.family import Criterion
from evaluation.engine.metrics.agreement import items_of
from evaluation.engine.metrics.panel import consensus
from evaluation.engine.records import Key, Rating, Task, TaskId, TaskResult


def results(
    tasks: Sequence[Task],
    generations: Sequence[Key],
    ratings: Sequence[Rating],
    outcomes: Sequence[Rating],
) -> list[TaskResult]:
    """For each task and scale the mean consensus of its rated generations; 0 is the mark 1 and 1
    the top mark. A task without generations gets the lowest mark, one without ratings no value."""
    counts = Counter(key.task_id for key in generations)
    units: defaultdict[tuple[TaskId, Criterion], list[float]] = defaultdict(list)
    for criterion in CRITERIA:
        for item in items_of(ratings, criterion, outcomes):
            units[item.task_id, criterion].append((consensus(item) - 1) / (criterion.top - 1))
    scored = []
    for task, criterion in product(tasks, CRITERIA):
        n, rated = counts[task.id], units[task.id, criterion]
        if n:
            value = fmean(rated) if rated else None
            result = TaskResult(task.id, criterion.name, n, 0, open=n - len(rated), value=value)
        else:
            result = TaskResult(
                task.id, criterion.name, max(counts.values(), default=1), 0, value=0.0
            )
        scored.append(result)
    return scored
