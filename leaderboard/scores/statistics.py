"""Statistics of a board's tasks, stored when the board is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from django.db.models import Avg, FloatField, QuerySet
from django.db.models.functions import Cast, Coalesce

from evaluation.engine.family import ByPeople
from evaluation.engine.metrics.items import Item, items
from evaluation.engine.metrics.paired import Showing
from evaluation.engine.records import TaskId
from leaderboard.scores.models import Board, Standing, TaskResult, TaskStatistics, shown_in
from leaderboard.submissions.models import Visibility

# The mean over slots and entrants, 0..1.
RATE = Avg(Coalesce("value", Cast("c", FloatField()) / Cast("n", FloatField())))


def items_of(board: Board, showings: Sequence[Showing]) -> Mapping[TaskId, Item]:
    """Not of marks: a mean mark by task could tell a rater what others gave."""
    if isinstance(board.revision.benchmark.family.judged, ByPeople):
        return {}
    return items([{task: fmean(own) for task, own in one.units.items()} for one in showings])


def write_statistics(board: Board, found: Mapping[TaskId, Item]) -> None:
    """Replaces the board's rows. Call it in the transaction that replaces its standings."""
    TaskStatistics.objects.filter(board=board).delete()
    rates = counted_results(board).order_by().values_list("task").annotate(rate=RATE)
    TaskStatistics.objects.bulk_create(
        TaskStatistics(
            board=board,
            task_id=task,
            n=found[task].n,
            rate=rate,
            discrimination=found[task].discrimination,
            flagged=found[task].flagged,
            slope=found[task].slope,
            difficulty=found[task].difficulty,
        )
        for task, rate in rates
        if task in found
    )


def counted_results(board: Board) -> QuerySet[TaskResult]:
    """The results behind the solve rates: those of settled and published rows."""
    settled = Standing.objects.filter(
        board=board, place__isnull=False, submission__visibility=Visibility.PUBLISHED
    )
    return shown_in(TaskResult.with_kept.all(), settled).filter(
        metric=board.result_metric, overall=True
    )
