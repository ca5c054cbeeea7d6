"""Evaluations, task results and scores of benchmarks that people judge."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction

from evaluation.engine import ENGINE_VERSION, records
from evaluation.engine.family import ByPeople
from evaluation.engine.metrics.agreement import ordinal_alpha
from evaluation.models import Evaluation
from leaderboard.annotation.models import Campaign, CampaignState
from leaderboard.annotation.panels import Panel, panels, shared_items, tasks_in_results
from leaderboard.annotation.records import Marked, marked
from leaderboard.benchmarks.models import Task
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


def score_rated(*, evaluation: Evaluation) -> bool:
    """Writes results and scores from marks, with the guarantees of `end_scoring`.

    A value is (mark - 1) / (top - 1). A provisional mean has the value None and a note.
    """
    submission = evaluation.submission
    judged = submission.revision.benchmark.family.judged
    assert isinstance(judged, ByPeople), "only what people judge is scored from marks"
    left_out = submission.revision.left_out()
    tasks = tasks_in_results(submission.revision)
    campaign = campaign_of(submission)
    own = marked(campaign, left_out=left_out).get(submission.pk) if campaign else None
    own = own or Marked()
    results = judged.results(list(tasks.values()), own.generations, own.ratings, own.outcomes)
    panels = _panels_now(campaign, submission, tasks) if campaign else []
    rows = Task.objects.filter(revision=submission.revision).only("external_id", "id_is_number")
    return end_scoring(
        evaluation=evaluation,
        left_out=left_out,
        keys={row.id_in_dataset: row.pk for row in rows},
        results=results if campaign else [],
        scores=(_share_row(evaluation, panel) for panel in panels),
    )


def _panels_now(
    campaign: Campaign, submission: Submission, tasks: Mapping[records.TaskId, records.Task]
) -> list[Panel]:
    found = marked(campaign, left_out=campaign.revision.left_out())
    alphas = {one: ordinal_alpha(shared_items(found, one)) for one in campaign.criteria}
    return panels(campaign, found.get(submission.pk, Marked()), tasks, alphas)


def _share_row(evaluation: Evaluation, panel: Panel) -> Score:
    mean, top = panel.mean, panel.criterion.top
    shown = not panel.holds

    def share(mark: float | None) -> float | None:
        return (mark - 1) / (top - 1) if mark is not None and shown else None

    return Score(
        evaluation=evaluation,
        metric=panel.criterion.name,
        slice=panel.slice,
        slice_value=panel.slice_value,
        value=share(mean.value),
        low=share(mean.low),
        high=share(mean.high),
        n=mean.items,
        tasks=mean.tasks,
        top=top,
        note=", ".join(panel.holds),
    )
