"""The place on its board that a private result would get, for its team."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q

from evaluation.models import Evaluation, EvaluationState
from leaderboard.scores.models import Board, Score, Standing, shown_in
from leaderboard.submissions.models import Submission, Visibility


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
    own = evaluation.scores.filter(metric=metric, slice="overall", value__isnull=False).first()
    if own is None or own.value is None:
        return None
    boards = Board.objects.filter(revision=submission.revision_id, setting=submission.setting)
    standings = Standing.objects.filter(board__in=boards)
    others = standings.exclude(submission__entrant=submission.entrant_id)
    scores = Score.with_replaced.filter(metric=metric, slice="overall", value__isnull=False)
    others_scores = shown_in(scores, others)
    better = Q(value__lt=own.value) if own.lower_is_better else Q(value__gt=own.value)
    return WouldBe(
        others_scores.filter(better).count() + 1,
        others_scores.count() + 1,
        standings.filter(submission__entrant=submission.entrant_id).exists(),
    )
