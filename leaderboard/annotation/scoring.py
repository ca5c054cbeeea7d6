"""Evaluations, task results and scores of benchmarks that people judge."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict

from django.db import transaction

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.family import ByPeople
from evaluation.models import Evaluation
from leaderboard.annotation.adjudication import ratings_done
from leaderboard.annotation.models import Campaign, CampaignState
from leaderboard.annotation.panels import CampaignMarks
from leaderboard.scores.models import Score
from leaderboard.scores.scoring import end_scoring
from leaderboard.submissions.models import Submission


@transaction.atomic
def open_rated_evaluation(*, submission: Submission) -> Evaluation:
    """Creates an evaluation without chunks. It is scored when a campaign's results are computed."""
    return Evaluation.objects.create(
        submission=submission,
        engine_version=ENGINE_VERSION,
        current=not submission.evaluations.exists(),
    )


def campaign_of(submission: Submission) -> Campaign | None:
    """The last opened campaign, by the benchmark's own scales, that rates the submission."""
    opened = Campaign.objects.filter(
        revision=submission.revision_id,
        family_slug=submission.revision.benchmark.family_slug,
        items__generation__submission=submission,
    ).exclude(state=CampaignState.PREPARING)
    return opened.order_by("-opened", "-pk").first()


def has_marks(submission: Submission) -> bool:
    """Whether any generation has a mark that counts."""
    campaign = campaign_of(submission)
    if campaign is None:
        return False
    items = campaign.items.filter(generation__submission=submission, task__exclusion=None)
    return items.annotate(done=ratings_done()).filter(done__gte=1).exists()


def score_rated(*, evaluation: Evaluation, marks: CampaignMarks | None = None) -> bool:
    """Writes results and scores from marks, with the guarantees of `end_scoring`.

    A value is (mark - 1) / (top - 1). A provisional mean has the value None and a note. `marks`
    spares reading those of the submission's campaign.
    """
    submission = evaluation.submission
    judged = submission.revision.benchmark.family.judged
    assert isinstance(judged, ByPeople), "only what people judge is scored from marks"
    campaign = campaign_of(submission)
    if campaign is None:
        left_out = submission.revision.left_out()
        return end_scoring(evaluation=evaluation, left_out=left_out, keys={}, results=[], scores=[])
    if marks is None or marks.campaign != campaign:
        marks = CampaignMarks(campaign)
    judgements = marks.of(submission.pk)
    return end_scoring(
        evaluation=evaluation,
        left_out=marks.left_out,
        keys=marks.keys,
        results=judged.results(
            list(marks.tasks.values()),
            judgements.generations,
            judgements.ratings,
            judgements.outcomes,
        ),
        scores=_scores(evaluation, marks),
    )


def _scores(evaluation: Evaluation, marks: CampaignMarks) -> Iterator[Score]:
    for panel in marks.panels_of(evaluation.submission_id):
        mean, top = panel.mean, panel.criterion.top
        value, low, high = (
            None if mark is None or panel.holds else (mark - 1) / (top - 1)
            for mark in (mean.value, mean.low, mean.high)
        )
        overall = panel.slice == "overall"
        yield Score(
            evaluation=evaluation,
            metric=panel.criterion.name,
            slice=panel.slice,
            slice_value=panel.slice_value,
            value=value,
            low=low,
            high=high,
            n=mean.items,
            tasks=mean.tasks,
            top=top,
            note=", ".join(panel.holds),
            raters=asdict(marks.raters_of(evaluation.submission_id, panel)) if overall else None,
        )
