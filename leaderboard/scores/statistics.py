"""Statistics of a board's tasks, stored when the board is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from statistics import fmean

from django.db.models import Avg, FloatField, QuerySet
from django.db.models.functions import Cast, Coalesce

from evaluation.engine.metrics.items import Item, items
from evaluation.engine.metrics.paired import EntrantId, Showing
from evaluation.engine.records import TaskId
from leaderboard.scores.models import Board, Standing, TaskResult, TaskStatistics, shown_in
from leaderboard.submissions.models import Submission, Visibility

# The solve rate: the mean over slots and entrants, 0..1.
RATE = Avg(Coalesce("value", Cast("c", FloatField()) / Cast("n", FloatField())))


def items_of(
    board: Board, showings: Sequence[Showing], submissions: Mapping[EntrantId, Submission]
) -> Mapping[TaskId, Item]:
    """The statistics by task. Empty for ratings: a mean mark by task could tell a rater what others
    gave."""
    if board.revision.benchmark.family.is_rated:
        return {}
    entrants = [submissions[one.entrant].entrant for one in showings]
    makers = [row.organisation.strip().casefold() or row.team_id for row in entrants]
    rows = [{task: fmean(own) for task, own in one.units.items()} for one in showings]
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
