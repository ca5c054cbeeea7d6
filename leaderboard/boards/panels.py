"""Public results of ratings. Never shows single marks: they would tell a rater what others gave."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F

from leaderboard.annotation.models import Campaign, PanelAgreement, PanelScore
from leaderboard.boards.scores import OVERALL


@dataclass(frozen=True, slots=True)
class Panels:
    """By submission, its campaign's scores over all tasks; and these campaigns' agreement."""

    scores: Mapping[int, Sequence[PanelScore]]
    agreements: Sequence[PanelAgreement]

    @property
    def campaigns(self) -> list[Campaign]:
        """The campaign with most published means first."""
        every = [score for scores in self.scores.values() for score in scores]
        published = Counter(score.campaign_id for score in every if score.published)
        campaigns = {score.campaign_id: score.campaign for score in every}.values()
        return sorted(campaigns, key=lambda c: (-published[c.pk], c.pk))


def missing_share(score: PanelScore) -> float:
    """The share of missing generations among those that count. The share of mark 1 includes it."""
    return score.missing / (score.items + score.missing) if score.items else 0.0


def panels_of(submissions: Iterable[int]) -> Panels:
    """Each submission uses the campaign of `annotation.results.campaign_of`. Runs two queries."""
    rows = PanelScore.objects.filter(
        submission__in=list(submissions),
        slice=OVERALL,
        submission__result_source__campaign=F("campaign"),
    )
    by_submission: dict[int, list[PanelScore]] = {}
    for row in rows.select_related("campaign").order_by("pk"):
        by_submission.setdefault(row.submission_id, []).append(row)
    order = [campaign.pk for campaign in Panels(by_submission, ()).campaigns]
    agreements = PanelAgreement.objects.filter(campaign__in=order).select_related("campaign")
    agreed = sorted(agreements.order_by("pk"), key=lambda row: order.index(row.campaign_id))
    return Panels(by_submission, agreed)
