"""Decides by known items whether a rater's marks count.

The rule: on each scale, the mean absolute difference from the known marks is at most
`Campaign.most_apart` marks. It is applied once, when the last known item is rated.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from statistics import fmean

from django.db import transaction
from django.db.models.functions import Now

from leaderboard.annotation.campaigns import want_results
from leaderboard.annotation.models import (
    AssignmentState,
    Item,
    KnownMark,
    Rater,
    RaterState,
    Rating,
)


@dataclass(frozen=True, slots=True)
class Distance:
    """A rater's mean absolute difference from the known marks of one scale, in marks."""

    criterion: str
    apart: float
    items: int


def distances(rater: Rater) -> list[Distance]:
    """The distances on scales on which the rater has marked a known item, by name."""
    known = {
        (item, criterion): value
        for item, criterion, value in KnownMark.objects.filter(
            item__campaign=rater.campaign_id
        ).values_list("item", "criterion", "value")
    }
    apart = defaultdict(list)
    given = Rating.objects.filter(
        assignment__rater=rater, assignment__item__kind=Item.Kind.KNOWN
    ).values_list("assignment__item", "criterion", "value")
    for item, criterion, value in given:
        apart[criterion].append(abs(value - known[item, criterion]))
    return [Distance(name, fmean(apart[name]), len(apart[name])) for name in sorted(apart)]


def known_left(rater: Rater) -> int:
    known = Item.objects.filter(campaign=rater.campaign_id, kind=Item.Kind.KNOWN)
    rated = {"assignments__rater": rater, "assignments__state": AssignmentState.DONE}
    return known.count() - known.filter(**rated).count()


@transaction.atomic
def decide_on_rater(*, rater: Rater) -> RaterState | None:
    """Applies the rule. Returns None if known items are left or a decision was made already."""
    if known_left(rater):
        return None
    most = rater.campaign.most_apart
    near = all(one.apart <= most for one in distances(rater))
    state = RaterState.RATING if near else RaterState.REFUSED
    undecided = Rater.objects.filter(pk=rater.pk, tried=None, state__in=RaterState.at_work())
    if not undecided.update(state=state, tried=Now()):
        return None
    want_results(campaign=rater.campaign)
    rater.refresh_from_db()
    return state
