"""Computed with a board's order from its stored results: the units that entrants are compared by,
statistics of tasks, and signs that entrants know the tasks from training."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from statistics import fmean
from typing import TypeAlias

import numpy as np
from django.db.models import Avg, FloatField, QuerySet
from django.db.models.functions import Cast, Coalesce

from evaluation.engine import records
from evaluation.engine.metrics.conversations import in_pairs
from evaluation.engine.metrics.items import Item, items
from evaluation.engine.metrics.memorisation import FEWEST_ENTRANTS, Sign, ages, overlaps
from evaluation.engine.metrics.paired import Clusters, EntrantId, Showing
from evaluation.engine.metrics.passk import pass_at_k
from evaluation.engine.records import TaskId
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.public import public_record
from leaderboard.scores.models import Board, Standing, TaskResult, TaskStatistics, shown_in
from leaderboard.submissions.copies import references_given
from leaderboard.submissions.models import Submission, Visibility


def showings(
    rows: QuerySet[TaskResult], board: Board, evaluations: Sequence[int], *, lower: bool
) -> list[Showing]:
    """A showing per evaluation with units, from its results in the board's metric. More is better
    in every comparison: a metric of which less is better (`lower`) is inverted."""
    rows = rows.filter(metric=board.result_metric)
    family = board.revision.benchmark.family
    paired = any(m.paired for m in family.metrics_in(board.setting) if m.name == board.metric)
    # By evaluation and task.
    units: dict[int, Mapping[TaskId, Sequence[float]]] = {}
    if paired:
        for key in evaluations:
            of_result = ("task_id", "metric", "n", "c", "turn", "value")
            results = rows.filter(evaluation=key).values(*of_result)
            units[key] = in_pairs(records.TaskResult(**result) for result in results)
    else:
        k = board.metric.removeprefix(f"{board.result_metric}@")
        of_tasks: dict[int, dict[TaskId, list[float]]] = defaultdict(lambda: defaultdict(list))
        columns = rows.filter(evaluation__in=evaluations)
        for key, task, n, c, value in columns.values_list("evaluation", "task", "n", "c", "value"):
            unit = pass_at_k(n, c, int(k)) if value is None else value
            assert unit is not None, "a score that is settled has every unit"
            # A mean mark is a mean over generations, even if some tasks have more of them.
            of_tasks[key][task] += [unit] * n if family.is_rated else [unit]
        units |= of_tasks
    shown = []
    for key in evaluations:
        by_task = {
            task: tuple(1 - value for value in values) if lower else tuple(values)
            for task, values in units.get(key, {}).items()
        }
        if by_task:
            shown.append(Showing(key, by_task, by_place=paired))
    return shown


def clusters_of(board: Board) -> Mapping[TaskId, TaskId] | None:
    """The cluster of each task, by primary key; None if each task is a cluster."""
    clusters = board.revision.benchmark.family.clusters
    if clusters is None:
        return None
    rows = Task.objects.filter(revision=board.revision_id)
    return {row.pk: clusters.of(public_record(row)) for row in rows.iterator(2000)}


# --- Statistics of tasks ------------------------------------------------------------------------

# The solve rate: the mean over slots and entrants, 0..1.
RATE = Avg(Coalesce("value", Cast("c", FloatField()) / Cast("n", FloatField())))


def items_of(
    board: Board, showings: Sequence[Showing], submissions: Mapping[EntrantId, Submission]
) -> Mapping[TaskId, Item]:
    """By task. Empty for ratings: a mean mark by task could tell a rater what others gave."""
    if board.revision.benchmark.family.is_rated:
        return {}
    entrants = [submissions[showing.entrant].entrant for showing in showings]
    makers = [row.organisation.strip().casefold() or row.team_id for row in entrants]
    rows = [{task: fmean(units) for task, units in s.units.items()} for s in showings]
    return items(rows, makers)


def write_statistics(board: Board, statistics: Mapping[TaskId, Item]) -> None:
    """Replaces the board's rows. Call it in the transaction that replaces its standings."""
    TaskStatistics.objects.filter(board=board).delete()
    # By the evaluations' primary keys: a single statement with a join takes the database ten times
    # as long. Ranked rows of a board that was just made show no kept results.
    ranked = list(_settled(board).values_list("evaluation", flat=True))
    results = TaskResult.objects.filter(evaluation__in=ranked, **_shown(board))
    rates = results.order_by().values_list("task").annotate(rate=RATE)
    TaskStatistics.objects.bulk_create(
        TaskStatistics(board=board, task_id=task, **asdict(statistics[task]) | {"rate": rate})
        for task, rate in rates
        if task in statistics
    )


def counted_results(board: Board) -> QuerySet[TaskResult]:
    """The results behind the solve rates: those of settled and published rows."""
    return shown_in(TaskResult.with_replaced.all(), _settled(board)).filter(**_shown(board))


def _settled(board: Board) -> QuerySet[Standing]:
    return Standing.objects.filter(
        board=board, place__isnull=False, submission__visibility=Visibility.PUBLISHED
    )


def _shown(board: Board) -> dict[str, object]:
    return {"metric": board.result_metric, "overall": True}


# --- Signs of memorisation -----------------------------------------------------------------------

# By evaluation. None: there is too little to compare with.
Signs: TypeAlias = Mapping[EntrantId, Sign | None]


def memorisation_of(
    board: Board,
    showings: Sequence[Showing],
    submissions: Mapping[EntrantId, Submission],
    clusters: Clusters | None,
) -> dict[str, Signs]:
    """`overlaps`: the share of right answers that equal the hidden reference, beyond the share
    expected from the other entrants' answers. `ages`: likewise for the difference between tasks
    before and after the entrant's cut-off. `submissions` are by evaluation. Returns no signs for
    ratings, nor for conversations, because their turns are not answers to a task's own prompt."""
    if len(showings) < FEWEST_ENTRANTS or showings[0].by_place:
        return {}
    ranked = [submissions[showing.entrant] for showing in showings]
    signs: dict[str, Signs] = {}
    pks = [submission.pk for submission in ranked]
    references, shares = references_given(board.revision, board.setting, pks)
    tasks = [task for task in showings[0].units if task in references]
    if tasks:
        equal = np.array([[shares.get((pk, int(task)), 0.0) for task in tasks] for pk in pks])
        right = np.array([[max(s.units[task]) > 0 for task in tasks] for s in showings])
        results = overlaps(equal, right, _clusters_of(tasks, clusters))
        signs["overlaps"] = {s.entrant: sign for s, sign in zip(showings, results, strict=True)}
    cutoffs: list[date | None] = [submission.entrant.cutoff for submission in ranked]
    rows = Task.objects.filter(revision=board.revision_id, dated__isnull=False)
    days = {pk: day for pk, day in rows.values_list("pk", "dated") if day}
    tasks = [task for task in showings[0].units if task in days]
    if tasks and any(cutoffs):
        values = np.array([[fmean(s.units[task]) for task in tasks] for s in showings])
        older = [
            None if cutoff is None else np.array([days[int(task)] < cutoff for task in tasks])
            for cutoff in cutoffs
        ]
        results = ages(values, older, _clusters_of(tasks, clusters))
        signs["ages"] = {s.entrant: sign for s, sign in zip(showings, results, strict=True)}
    return signs


def _clusters_of(tasks: Sequence[TaskId], clusters: Clusters | None) -> list[TaskId]:
    return [clusters[task] if clusters else task for task in tasks]
