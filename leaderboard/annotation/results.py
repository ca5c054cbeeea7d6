"""Computes a campaign's results after a change, as boards do (decision 0009)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now

from evaluation.engine.family import Criterion
from evaluation.engine.metrics.agreement import (
    Agreement,
    own_agreements,
    weighted_kappa,
)
from evaluation.models import Evaluation
from evaluation.state.scheduling import score_again
from leaderboard.annotation.models import (
    Campaign,
    PanelAgreement,
    PanelScore,
    RaterAgreement,
)
from leaderboard.annotation.panels import CampaignMarks, Panel, shared_items
from leaderboard.annotation.records import Marked
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
    found = marks.found
    kappas = {one: weighted_kappa(shared_items(found, one)) for one in campaign.criteria}
    scores = [
        _score_row(campaign, submission, panel)
        for submission in found
        for panel in marks.panels_of(submission)
    ]
    with transaction.atomic():
        mine = Campaign.objects.filter(pk=campaign.pk, made__lt=wanted)
        if not mine.update(made=wanted, made_at=Now()):
            return None
        campaign.scores.all().delete()
        PanelScore.objects.bulk_create(scores, batch_size=500)
        _replace_agreements(campaign, found, marks.alphas, kappas)
        done = Evaluation.objects.filter(submission__in=found, current=True).select_related(
            "submission__revision__benchmark"
        )
        for evaluation in done:
            if evaluation.submission.is_rated and campaign_of(evaluation.submission) == campaign:
                score_again(evaluation=evaluation)
    return marks


def _score_row(campaign: Campaign, submission: int, panel: Panel) -> PanelScore:
    mean = panel.mean
    return PanelScore(
        campaign=campaign,
        submission_id=submission,
        criterion=panel.criterion.name,
        slice=panel.slice,
        slice_value=panel.slice_value,
        value=mean.value,
        low=mean.low,
        high=mean.high,
        scope=mean.scope.value,
        shares=list(mean.shares),
        ratings=mean.ratings,
        raters=mean.raters,
        items=mean.items,
        tasks=mean.tasks,
        missing=panel.missing,
        open=panel.open,
        holds=list(panel.holds),
    )


def _replace_agreements(
    campaign: Campaign,
    found: Mapping[int, Marked],
    alphas: Mapping[Criterion, Agreement],
    kappas: Mapping[Criterion, Agreement],
) -> None:
    campaign.agreements.all().delete()
    PanelAgreement.objects.bulk_create(
        _agreement_row(campaign, criterion, measure, one)
        for measure, known in (("alpha", alphas), ("kappa", kappas))
        for criterion, one in known.items()
    )
    RaterAgreement.objects.filter(rater__campaign=campaign).delete()
    numbers = dict(campaign.raters.values_list("number", "pk"))
    RaterAgreement.objects.bulk_create(
        RaterAgreement(
            rater_id=numbers[int(own.rater)],
            criterion=criterion.name,
            value=own.value,
            bias=own.bias,
            distance=own.distance,
            items=own.items,
            lack=str(own.lack or ""),
        )
        for criterion in alphas
        for own in own_agreements(shared_items(found, criterion))
    )


def _agreement_row(
    campaign: Campaign, criterion: Criterion, measure: str, one: Agreement
) -> PanelAgreement:
    return PanelAgreement(
        campaign=campaign,
        criterion=criterion.name,
        measure=measure,
        value=one.value,
        low=one.low,
        high=one.high,
        raters=one.raters,
        tasks=one.tasks,
        pairs=one.pairs,
        lack=str(one.lack or ""),
    )
