"""Finds published results that would become provisional if a campaign is opened."""

from __future__ import annotations

from collections.abc import Collection

from django.utils.translation import ngettext

from leaderboard.annotation.models import Campaign, PanelScore
from leaderboard.boards.panels import panels_of
from leaderboard.boards.scores import OVERALL
from leaderboard.submissions.models import Submission, Visibility


def taken_over(campaign: Campaign, found: Collection[int]) -> set[int]:
    """Submissions whose published means would become provisional if they came from this campaign.

    A submission uses the campaign opened last (`annotation.scoring.campaign_of`). A campaign with
    another family's scales never gives results.
    """
    if campaign.family_slug != campaign.revision.benchmark.family_slug:
        return set()
    public = Submission.objects.filter(pk__in=found, visibility=Visibility.PUBLISHED)
    shown = panels_of(public.values_list("pk", flat=True)).scores
    published = {
        submission
        for submission, scores in shown.items()
        if any(score.published for score in scores) and _is_newer(campaign, scores[0].campaign)
    }
    return published - _settled(campaign) if published else published


def _is_newer(campaign: Campaign, current: Campaign) -> bool:
    if campaign.pk == current.pk:
        return False
    return campaign.opened is None or current.opened is None or campaign.opened > current.opened


def _settled(campaign: Campaign) -> set[int]:
    """Submissions that the campaign could publish now, for example after an import."""
    own = PanelScore.objects.filter(campaign=campaign, slice=OVERALL)
    held = {row.submission_id for row in own if row.holds}
    return {row.submission_id for row in own} - held


def taken_over_words(count: int) -> str:
    """A warning for this number of published results, "" for none."""
    if not count:
        return ""
    sentence = ngettext(
        "%(number)d published result then comes from this campaign: it is provisional, without "
        "a rank on its board, until it has enough marks here.",
        "%(number)d published results then come from this campaign: they are provisional, "
        "without a rank on their board, until they have enough marks here.",
        count,
    )
    return sentence % {"number": count}
