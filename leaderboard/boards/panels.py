"""What the public reads of people's marks: means, how they spread, how far raters agree.

Single marks are not for pages of boards: they would tell a rater what others gave.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import F

from leaderboard.annotation.models import Campaign, CampaignState, PanelAgreement, PanelScore
from leaderboard.boards.queries import OVERALL


@dataclass(frozen=True, slots=True)
class Panels:
    """By submission what its campaign has of it over all tasks, and these campaigns' agreement,
    the newest campaign first."""

    scores: Mapping[int, Sequence[PanelScore]]
    agreements: Sequence[PanelAgreement]

    @property
    def campaigns(self) -> list[Campaign]:
        found = {one.campaign_id: one.campaign for rows in self.scores.values() for one in rows}
        return sorted(found.values(), key=_age, reverse=True)


def missing_share(score: PanelScore) -> float:
    """Of the generations that count, those that were not handed in: they are in the share of the
    mark 1."""
    return score.missing / (score.items + score.missing) if score.items else 0.0


def panels_of(submissions: Iterable[int]) -> Panels:
    """Two queries, however many there are. A submission goes by the newest campaign that was
    opened, as its scores do (`annotation.scoring.campaign_of`)."""
    rows = (
        PanelScore.objects.filter(
            submission__in=list(submissions),
            slice=OVERALL,
            campaign__revision=F("submission__revision"),
            campaign__family_slug=F("submission__revision__benchmark__family_slug"),
        )
        .exclude(campaign__state=CampaignState.PREPARING)
        .select_related("campaign")
        .order_by("pk")
    )
    by_submission: dict[int, list[PanelScore]] = {}
    for row in sorted(rows, key=lambda row: _age(row.campaign)):
        kept = by_submission.setdefault(row.submission_id, [])
        if kept and kept[0].campaign_id != row.campaign_id:
            kept.clear()
        kept.append(row)
    shown = {rows[0].campaign_id for rows in by_submission.values()}
    agreements = PanelAgreement.objects.filter(campaign__in=shown).select_related("campaign")
    newest_first = sorted(
        agreements.order_by("pk"), key=lambda row: _age(row.campaign), reverse=True
    )
    return Panels(by_submission, newest_first)


def _age(campaign: Campaign) -> tuple[float, int]:
    """A sort key: the oldest first."""
    return (campaign.opened.timestamp() if campaign.opened else 0.0), campaign.pk
