"""Statistics of a board's tasks, stored when the board is made."""

from __future__ import annotations

from django.db.models import Avg, Count, FloatField, QuerySet
from django.db.models.functions import Cast, Coalesce

from leaderboard.scores.models import Board, Standing, TaskResult, TaskStatistics, shown_in
from leaderboard.submissions.models import Visibility

# The mean over slots and entrants, 0..1.
RATE = Avg(Coalesce("value", Cast("c", FloatField()) / Cast("n", FloatField())))


def write_statistics(board: Board) -> None:
    """Replaces the board's rows. Call it in the transaction that replaces its standings."""
    TaskStatistics.objects.filter(board=board).delete()
    rows = counted_results(board).order_by().values_list("task")
    TaskStatistics.objects.bulk_create(
        TaskStatistics(board=board, task_id=task, rate=rate, n=n)
        for task, rate, n in rows.annotate(rate=RATE, n=Count("evaluation", distinct=True))
    )


def counted_results(board: Board) -> QuerySet[TaskResult]:
    """The results behind the solve rates: those of settled and published rows."""
    settled = Standing.objects.filter(
        board=board, place__isnull=False, submission__visibility=Visibility.PUBLISHED
    )
    return shown_in(TaskResult.with_kept.all(), settled).filter(
        metric=board.result_metric, overall=True
    )
