"""Means and agreement of a campaign's marks, and the results and scores of benchmarks that people
judge. They are computed after a change, as boards are (decision 0009)."""

from collections.abc import Iterator
from dataclasses import asdict
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.family import ByPeople
from evaluation.engine.metrics.agreement import own_agreements, weighted_kappa
from evaluation.models import Evaluation
from evaluation.state.scheduling import score_again
from leaderboard.accounts.models import User
from leaderboard.annotation import campaigns
from leaderboard.annotation.assigning import ratings_done
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import (
    Campaign,
    CampaignChange,
    CampaignState,
    PanelAgreement,
    PanelScore,
    RaterAgreement,
    ResultSource,
)
from leaderboard.annotation.panels import CampaignMarks
from leaderboard.scores.models import Score
from leaderboard.scores.scoring import end_scoring
from leaderboard.submissions.models import Submission

# Minimum interval: marks change all the time while raters work.
SECONDS_BETWEEN = 60


def stale_campaigns() -> QuerySet[Campaign]:
    """Campaigns that have changed and were not computed in the last `SECONDS_BETWEEN`."""
    long_ago = Q(made_at=None) | Q(made_at__lt=Now() - timedelta(seconds=SECONDS_BETWEEN))
    return Campaign.objects.filter(long_ago, made__lt=F("wanted"))


def make_results(*, campaign: Campaign) -> CampaignMarks | None:
    """Computes and stores the results, and returns the marks that they are of. Returns None if
    results for this or a later change exist.

    Safe to run concurrently and to run again after a crash."""
    campaign.refresh_from_db()
    wanted = campaign.wanted
    if campaign.made >= wanted:
        return None
    marks = CampaignMarks(campaign)
    scores = [score for submission in marks.by_submission for score in marks.scores_of(submission)]
    kappas = {scale: weighted_kappa(items) for scale, items in marks.items.items()}
    agreements = [
        PanelAgreement(
            campaign=campaign,
            criterion=scale.name,
            measure=measure,
            **asdict(agreement) | {"lack": str(agreement.lack or "")},
        )
        for measure, by_scale in (("alpha", marks.alphas), ("kappa", kappas))
        for scale, agreement in by_scale.items()
    ]
    keys = {str(number): pk for number, pk in campaign.raters.values_list("number", "pk")}
    of_raters = []
    for scale, items in marks.items.items():
        for agreement in own_agreements(items):
            columns = asdict(agreement) | {"lack": str(agreement.lack or "")}
            rater = keys[columns.pop("rater")]
            of_raters.append(RaterAgreement(rater_id=rater, criterion=scale.name, **columns))
    with transaction.atomic():
        older = Campaign.objects.filter(pk=campaign.pk, made__lt=wanted)
        if not older.update(made=wanted, made_at=Now()):
            return None
        campaign.scores.all().delete()
        PanelScore.objects.bulk_create(scores, batch_size=500)
        campaign.agreements.all().delete()
        PanelAgreement.objects.bulk_create(agreements)
        RaterAgreement.objects.filter(rater__campaign=campaign).delete()
        RaterAgreement.objects.bulk_create(of_raters)
        current = Evaluation.objects.filter(submission__in=marks.by_submission, current=True)
        for evaluation in current.select_related("submission__revision__benchmark"):
            if evaluation.submission.is_rated and campaign_of(evaluation.submission) == campaign:
                score_again(evaluation=evaluation)
    return marks


@transaction.atomic
def open_rated_evaluation(*, submission: Submission) -> Evaluation:
    """Creates an evaluation without chunks. It is scored when a campaign's results are computed."""
    is_first = not submission.evaluations.exists()
    return submission.evaluations.create(engine_version=ENGINE_VERSION, current=is_first)


def campaign_of(submission: Submission) -> Campaign | None:
    """The campaign, by the benchmark's own scales, that gives the submission's results."""
    return Campaign.objects.filter(sources__submission=submission).first()


def counting_elsewhere(campaign: Campaign) -> QuerySet[Submission]:
    """The campaign's submissions whose results come from another campaign."""
    rated = Submission.objects.filter(pk__in=campaigns.rated_submissions(campaign))
    return rated.exclude(result_source=None).exclude(result_source__campaign=campaign)


@transaction.atomic
def choose_campaign(*, campaign: Campaign, user: User, reason: str) -> None:
    """Has the results of the campaign's submissions come from it. Choosing another goes back.

    Raises ValidationError without a reason, NotNow if its marks cannot count."""
    reason = campaigns.required_reason(reason)
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    family = row.revision.benchmark.family_slug
    if row.state == CampaignState.PREPARING or row.family_slug != family:
        raise NotNow(_("Only a campaign that was opened, with the benchmark's own scales, counts."))
    # Locked: another choice at the same time comes before this or after it.
    locked = Submission.objects.select_for_update(no_key=True).order_by("pk")
    keys = campaigns.rated_submissions(row)
    rated = list(locked.filter(pk__in=keys).values_list("pk", flat=True))
    ResultSource.objects.filter(submission__in=rated).delete()
    campaigns.give_results(campaign=row, submissions=rated)
    campaigns.want_results(campaign=row)
    CampaignChange.objects.create(
        campaign=row, kind=CampaignChange.Kind.CHOSEN, name="chosen", user=user, reason=reason
    )


def has_marks(submission: Submission) -> bool:
    """Whether any generation has a mark that counts."""
    campaign = campaign_of(submission)
    if campaign is None:
        return False
    items = campaign.items.filter(generation__submission=submission, task__exclusion=None)
    return items.annotate(done=ratings_done()).filter(done__gte=1).exists()


def score_rated(*, evaluation: Evaluation, marks: CampaignMarks | None = None) -> bool:
    """Writes results and scores from marks, with the guarantees of `end_scoring`. A value is
    (mark - 1) / (top - 1). A provisional mean has the value None and a note. `marks` spares reading
    those of the submission's campaign."""
    submission = evaluation.submission
    judged = submission.revision.benchmark.family.judged
    assert isinstance(judged, ByPeople), "only what people judge is scored from marks"
    campaign = campaign_of(submission)
    if campaign is None:
        left_out = submission.revision.left_out()
        return end_scoring(evaluation=evaluation, left_out=left_out, keys={}, results=[], scores=[])
    if marks is None or marks.campaign != campaign:
        marks = CampaignMarks(campaign)
    own_marks = marks.marks_of(submission.pk)
    records = own_marks.generations, own_marks.ratings, own_marks.outcomes
    return end_scoring(
        evaluation=evaluation,
        left_out=marks.left_out,
        keys=marks.keys,
        results=judged.results(list(marks.tasks.values()), *records),
        scores=_scores(evaluation, marks),
    )


def _scores(evaluation: Evaluation, marks: CampaignMarks) -> Iterator[Score]:
    submission = evaluation.submission_id
    scales = {scale.name: scale for scale in marks.campaign.criteria}
    for row in marks.scores_of(submission):
        scale = scales[row.criterion]
        value, low, high = (
            None if mark is None or row.holds else (mark - 1) / (scale.top - 1)
            for mark in (row.value, row.low, row.high)
        )
        overall = row.slice == "overall"
        yield Score(
            evaluation=evaluation,
            metric=scale.name,
            slice=row.slice,
            slice_value=row.slice_value,
            value=value,
            low=low,
            high=high,
            n=row.items,
            tasks=row.tasks,
            top=scale.top,
            note=", ".join(row.holds),
            raters=asdict(marks.raters_of(submission, scale, row.missing)) if overall else None,
        )
