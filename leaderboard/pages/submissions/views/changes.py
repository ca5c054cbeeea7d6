"""What only its team sees of a result: how it differs from the previous one on the same board, task
by task, and the place that a private one would get."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.db.models import Avg, FloatField, Q, Sum
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.engine.metrics.differences import Difference, compare
from evaluation.engine.metrics.items import LEVEL
from evaluation.engine.registry import result_metric
from evaluation.models import Evaluation, EvaluationState
from leaderboard.benchmarks.models import Task
from leaderboard.pages.shared.record import Short
from leaderboard.pages.shared.score_words import signed
from leaderboard.pages.submissions.queries import previous_result
from leaderboard.scores.models import Board, Score, Standing, TaskResult, shown_in
from leaderboard.scores.showings import clusters_of, showings
from leaderboard.submissions.models import Submission, Visibility

SHOWN = 40


@dataclass(frozen=True, slots=True)
class Changes:
    """Tasks in the dataset's order. A task counts as better if its share of correct samples, or its
    mean value, is higher. `difference`: of the scores on the common tasks, None if it is not
    computed."""

    previous: Submission
    better: Sequence[Task]
    worse: Sequence[Task]
    same: int
    difference: Difference | None

    @property
    def lists(self) -> Sequence[tuple[str, Short]]:
        titles = (
            ngettext("%(n)d task is better", "%(n)d tasks are better", len(self.better)),
            ngettext("%(n)d task is worse", "%(n)d tasks are worse", len(self.worse)),
        )
        return [
            (title % {"n": len(tasks)}, Short.of(tasks, SHOWN))
            for title, tasks in zip(titles, (self.better, self.worse), strict=True)
        ]

    @property
    def chance(self) -> str:
        """Whether chance explains the changes; "" without a difference."""
        if self.difference is None:
            return ""
        low, high = self.difference.low, self.difference.high
        if self.difference.p is None or low is None or high is None:
            return _("There are too few tasks to tell these changes from chance.")
        numbers = {"points": self.difference.value, "low": low, "high": high}
        words = {name: signed(100 * number, 1) for name, number in numbers.items()}
        if self.difference.p < LEVEL:
            sentence = _(
                "Together they change the score by %(points)s points (95 %% interval %(low)s to "
                "%(high)s), which is more than chance explains. A single task may still have "
                "changed by chance."
            )
        else:
            sentence = _(
                "Together they change the score by %(points)s points (95 %% interval %(low)s to "
                "%(high)s), which chance alone explains."
            )
        return sentence % words


def changes(submission: Submission, evaluation: Evaluation | None) -> Changes | None:
    """None if either result is missing."""
    if evaluation is None or evaluation.state != EvaluationState.DONE:
        return None
    previous = previous_result(submission)
    if previous is None:
        return None
    metric = submission.revision.benchmark.metric_in(submission.setting)
    stored = result_metric(metric)
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
    same = len(both) - len(better) - len(worse)
    difference = None
    if (better or worse) and score is not None and not submission.is_rated:
        difference = _difference(score, evaluation, previous, both)
    return Changes(previous.submission, better, worse, same, difference)


def _difference(
    score: Score, evaluation: Evaluation, previous: Evaluation, tasks: Collection[int]
) -> Difference | None:
    """Of the two results on `tasks`, more is better; None unless both have a score. Kept in the
    cache until either is scored again."""
    before = previous.scores.filter(metric=score.metric, slice="overall").first()
    if score.value is None or before is None or before.value is None:
        return None

    def computed() -> Difference:
        revision, setting = evaluation.submission.revision, evaluation.submission.setting
        board = Board(revision=revision, setting=setting, metric=score.metric)
        keys = (evaluation.pk, previous.pk)
        rows = TaskResult.objects.filter(overall=True, n__gt=0, evaluation__in=keys, task__in=tasks)
        units = showings(rows, board, keys, lower=score.lower_is_better)
        return compare(units, clusters_of(board)).pairs[0]

    difference: Difference | None = cache.get_or_set(f"changes.{score.pk}.{before.pk}", computed)
    return difference


def _shares(evaluation: Evaluation, metric: str) -> Mapping[int, float]:
    rows = TaskResult.objects.filter(evaluation=evaluation, metric=metric, overall=True, n__gt=0)
    share = Cast(Sum("c"), FloatField()) / Sum("n")
    return dict(
        rows.order_by()
        .values("task")
        .annotate(share=Coalesce(Avg("value"), share))
        .values_list("task", "share")
    )


@dataclass(frozen=True, slots=True)
class WouldBe:
    """The row that it would get by score, out of `rows`; ties count in its favour. The entrant's
    published result is left out, because this one `replaces` it."""

    row: int
    rows: int
    replaces: bool


def would_be(submission: Submission, evaluation: Evaluation | None) -> WouldBe | None:
    """None if the submission is published or has no settled score. Reads published results only."""
    published = submission.visibility == Visibility.PUBLISHED
    if evaluation is None or evaluation.state != EvaluationState.DONE or published:
        return None
    metric = submission.revision.benchmark.metric_in(submission.setting)
    overall = evaluation.scores.filter(metric=metric, slice="overall", value__isnull=False).first()
    if overall is None or overall.value is None:
        return None
    boards = Board.objects.filter(revision=submission.revision_id, setting=submission.setting)
    standings = Standing.objects.filter(board__in=boards)
    others = standings.exclude(submission__entrant=submission.entrant_id)
    scores = Score.with_replaced.filter(metric=metric, slice="overall", value__isnull=False)
    others_scores = shown_in(scores, others)
    better = Q(value__lt=overall.value) if overall.lower_is_better else Q(value__gt=overall.value)
    return WouldBe(
        others_scores.filter(better).count() + 1,
        others_scores.count() + 1,
        standings.filter(submission__entrant=submission.entrant_id).exists(),
    )
