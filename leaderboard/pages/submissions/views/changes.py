"""How a team's result differs from its previous one on the same board, task by task."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Avg, FloatField, Sum
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import ngettext

from evaluation.models import Evaluation, EvaluationState
from leaderboard.benchmarks.models import Task
from leaderboard.pages.submissions.queries import previous_result
from leaderboard.scores.models import TaskResult
from leaderboard.submissions.models import Submission

SHOWN = 40


@dataclass(frozen=True, slots=True)
class Changes:
    """Tasks in the dataset's order. A task counts as better if its share of correct samples, or its
    mean value, is higher."""

    previous: Submission
    better: Sequence[Task]
    worse: Sequence[Task]
    same: int

    @property
    def lists(self) -> Sequence[tuple[str, Sequence[Task], int]]:
        """A title, the tasks to show and the number of further tasks."""
        titles = (
            ngettext("%(n)d task is better", "%(n)d tasks are better", len(self.better)),
            ngettext("%(n)d task is worse", "%(n)d tasks are worse", len(self.worse)),
        )
        return [
            (title % {"n": len(tasks)}, tasks[:SHOWN], max(0, len(tasks) - SHOWN))
            for title, tasks in zip(titles, (self.better, self.worse), strict=True)
        ]


def changes(submission: Submission, evaluation: Evaluation | None) -> Changes | None:
    """None if either result is missing. Runs five queries."""
    if evaluation is None or evaluation.state != EvaluationState.DONE:
        return None
    previous = previous_result(submission)
    if previous is None:
        return None
    metric = submission.revision.benchmark.metric_in(submission.setting)
    # The results behind "pass@1" are stored as "pass".
    stored = metric.partition("@")[0]
    now, before = _shares(evaluation, stored), _shares(previous, stored)
    both = now.keys() & before.keys()
    if not both:
        return None
    score = evaluation.scores.filter(metric=metric, slice="overall").first()
    sign = -1 if score is not None and score.lower_is_better else 1
    moved = {task: sign * (now[task] - before[task]) for task in both}
    tasks = Task.objects.filter(pk__in=[task for task in both if moved[task]]).order_by("number")
    better = [task for task in tasks if moved[task.pk] > 0]
    worse = [task for task in tasks if moved[task.pk] < 0]
    return Changes(previous.submission, better, worse, len(both) - len(better) - len(worse))


def _shares(evaluation: Evaluation, metric: str) -> Mapping[int, float]:
    rows = TaskResult.objects.filter(evaluation=evaluation, metric=metric, overall=True, n__gt=0)
    share = Cast(Sum("c"), FloatField()) / Sum("n")
    return dict(
        rows.order_by()
        .values("task")
        .annotate(share=Coalesce(Avg("value"), share))
        .values_list("task", "share")
    )
