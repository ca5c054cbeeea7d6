"""Stored task results as the units that entrants are compared by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from django.db.models import QuerySet

from evaluation.engine import records
from evaluation.engine.metrics.conversations import in_pairs
from evaluation.engine.metrics.paired import Showing
from evaluation.engine.metrics.passk import pass_at_k
from evaluation.engine.records import TaskId
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.public import public_record
from leaderboard.scores.models import Board, TaskResult

# Units of one evaluation, by task.
Units: TypeAlias = Mapping[TaskId, Sequence[float]]


def showings(
    rows: QuerySet[TaskResult], board: Board, evaluations: Sequence[int], *, lower: bool
) -> list[Showing]:
    """A showing per evaluation, from its results in the board's metric. More is better in every
    comparison: a metric of which less is better (`lower`) is inverted. Leaves out evaluations
    without units."""
    rows = rows.filter(metric=board.result_metric)
    family = board.revision.benchmark.family
    paired = any(m.paired for m in family.metrics_in(board.setting) if m.name == board.metric)
    units: dict[int, Units] = {}
    if paired:
        for key in evaluations:
            results = [
                records.TaskResult(
                    row.task_id, row.metric, row.n, row.c, turn=row.turn, value=row.value
                )
                for row in rows.filter(evaluation=key)
            ]
            units[key] = in_pairs(results)
    else:
        k = board.metric.removeprefix(f"{board.result_metric}@")
        found: dict[int, dict[TaskId, list[float]]] = defaultdict(lambda: defaultdict(list))
        columns = rows.filter(evaluation__in=evaluations)
        for key, task, n, c, value in columns.values_list("evaluation", "task", "n", "c", "value"):
            unit = pass_at_k(n, c, int(k)) if value is None else value
            assert unit is not None, "a score that is settled has every unit"
            # A mean mark is a mean over generations, even if some tasks have more of them.
            found[key][task] += [unit] * n if family.is_rated else [unit]
        units |= found
    return [
        Showing(
            key,
            {
                task: tuple(1 - unit for unit in own) if lower else tuple(own)
                for task, own in units[key].items()
            },
            by_place=paired,
        )
        for key in evaluations
        if units.get(key)
    ]


def clusters_of(board: Board) -> Mapping[TaskId, TaskId] | None:
    """The cluster of each task, by primary key; None if each task is a cluster."""
    clusters = board.revision.benchmark.family.clusters
    if clusters is None:
        return None
    rows = Task.objects.filter(revision=board.revision_id)
    return {row.pk: clusters.of(public_record(row)) for row in rows.iterator(2000)}
