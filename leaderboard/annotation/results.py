"""Computes a campaign's results after a change, as boards do (decision 0009)."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from evaluation.engine.metrics.agreement import own_agreements, weighted_kappa
from evaluation.models import Evaluation
from evaluation.state.scheduling import score_again
from leaderboard.annotation.models import Campaign, PanelAgreement, PanelScore, RaterAgreement
from leaderboard.annotation.panels import CampaignMarks
from leaderboard.annotation.scoring import campaign_of

# Minimum interval: marks change all the time while raters work.
SECONDS_BETWEEN = 60


def stale_campaigns() -> QuerySet[Campaign]:
    """Campaigns that have changed and were not computed in the last `SECONDS_BETWEEN`."""
    long_ago = Q(made_at=None) | Q(made_at__lt=Now() - timedelta(seconds=SECONDS_BETWEEN))
    return Campaign.objects.filter(long_ago, made__lt=F("wanted"))


def make_results(*, campaign: Campaign) -> CampaignMarks | None:
    """Computes and stores the results, and returns the marks that they are of. Returns None if
    results for this or a later change exist.

    Safe to run concurrently and to run again after a crash.
    """
    campaign.refresh_from_db()
    wanted = campaign.wanted
    if campaign.made >= wanted:
        return None
    marks = CampaignMarks(campaign)
    scores = [
        PanelScore(
            campaign=campaign,
            submission_id=submission,
            criterion=panel.criterion.name,
            slice=panel.slice,
            slice_value=panel.slice_value,
            missing=panel.missing,
            open=panel.open,
            holds=list(panel.holds),
            **asdict(panel.mean),
        )
        for submission in marks.found
        for panel in marks.panels_of(submission)
    ]
    agreements, of_raters = _agreements(marks)
    with transaction.atomic():
        mine = Campaign.objects.filter(pk=campaign.pk, made__lt=wanted)
        if not mine.update(made=wanted, made_at=Now()):
            return None
        campaign.scores.all().delete()
        PanelScore.objects.bulk_create(scores, batch_size=500)
        campaign.agreements.all().delete()
        PanelAgreement.objects.bulk_create(agreements)
        RaterAgreement.objects.filter(rater__campaign=campaign).delete()
        RaterAgreement.objects.bulk_create(of_raters)
        current = Evaluation.objects.filter(submission__in=marks.found, current=True)
        for evaluation in current.select_related("submission__revision__benchmark"):
            if evaluation.submission.is_rated and campaign_of(evaluation.submission) == campaign:
                score_again(evaluation=evaluation)
    return marks


def _agreements(marks: CampaignMarks) -> tuple[list[PanelAgreement], list[RaterAgreement]]:
    """The panel's agreement, and each rater's with the others."""
    kappas = {scale: weighted_kappa(items) for scale, items in marks.items.items()}
    agreements = [
        PanelAgreement(
            campaign=marks.campaign,
            criterion=scale.name,
            measure=measure,
            **asdict(agreement) | {"lack": str(agreement.lack or "")},
        )
        for measure, by_scale in (("alpha", marks.alphas), ("kappa", kappas))
        for scale, agreement in by_scale.items()
    ]
    numbers = {str(number): pk for number, pk in marks.campaign.raters.values_list("number", "pk")}
    of_raters = [
        RaterAgreement(
            rater_id=numbers[own.rater],
            criterion=scale.name,
            value=own.value,
            bias=own.bias,
            distance=own.distance,
            items=own.items,
            lack=str(own.lack or ""),
        )
        for scale, items in marks.items.items()
        for own in own_agreements(items)
    ]
    return agreements, of_raters
