"""The slots of generations, and the contribution of people's marks to the metrics."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from statistics import fmean

from evaluation.engine.families.aixbench_nl.criteria import CRITERIA
from evaluation.engine.family import Criterion
from evaluation.engine.metrics.agreement import items_of
from evaluation.engine.metrics.panel import consensus
from evaluation.engine.records import Key, Rating, Slot, Task, TaskId, TaskResult


def slots(_task: Task, _setting: str) -> Sequence[Slot]:
    return (Slot(),)


def results(
    tasks: Sequence[Task],
    generations: Sequence[Key],
    ratings: Sequence[Rating],
    outcomes: Sequence[Rating],
) -> list[TaskResult]:
    """For each task and scale the mean consensus of its rated generations; 0 is the mark 1 and 1
    the top mark. A task without generations gets the lowest mark, one without ratings no value."""
    there = Counter(key.task_id for key in generations)
    most = max(there.values(), default=1)
    units = {criterion: _units(criterion, ratings, outcomes) for criterion in CRITERIA}
    return [
        _result(task.id, criterion, units[criterion][task.id], there[task.id], most)
        for task in tasks
        for criterion in CRITERIA
    ]


def _units(
    criterion: Criterion, ratings: Sequence[Rating], outcomes: Sequence[Rating]
) -> defaultdict[TaskId, list[float]]:
    units: defaultdict[TaskId, list[float]] = defaultdict(list)
    for item in items_of(ratings, criterion, outcomes):
        units[item.task_id].append((consensus(item) - 1) / (criterion.top - 1))
    return units


def _result(
    task: TaskId, criterion: Criterion, units: Sequence[float], there: int, most: int
) -> TaskResult:
    if not there:
        return TaskResult(task, criterion.name, most, 0, value=0.0)
    value = fmean(units) if units else None
    return TaskResult(task, criterion.name, there, 0, open=there - len(units), value=value)
