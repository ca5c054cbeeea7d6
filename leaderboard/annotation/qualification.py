"""Decides by known items whether a rater's marks count.

The rule: on each scale, the mean absolute difference from the known marks is at most
`Campaign.most_apart` marks. It is applied once, when the last known item is rated.
"""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.db.models import Avg, Count, F, FloatField, QuerySet
from django.db.models.functions import Abs, Now

from leaderboard.annotation.campaigns import want_results
from leaderboard.annotation.models import AssignmentState, Item, Rater, RaterState, Rating


def distances(rater: Rater) -> QuerySet[Any, Any]:
    """The rater's mean absolute difference from the known marks, in marks (`apart`), by name of the
    scales on which the rater has marked `items` known items."""
    known_mark = "assignment__item__known"
    ratings = Rating.objects.filter(
        assignment__rater=rater,
        assignment__item__kind=Item.Kind.KNOWN,
        **{f"{known_mark}__criterion": F("criterion")},
    )
    gap = Abs(F("value") - F(f"{known_mark}__value"), output_field=FloatField())
    rows = ratings.order_by("criterion").values("criterion")
    return rows.annotate(apart=Avg(gap), items=Count("pk"))


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
    near = all(distance["apart"] <= most for distance in distances(rater))
    state = RaterState.RATING if near else RaterState.REFUSED
    undecided = Rater.objects.filter(pk=rater.pk, tried=None, state__in=RaterState.at_work())
    if not undecided.update(state=state, tried=Now()):
        return None
    want_results(campaign=rater.campaign)
    rater.refresh_from_db()
    return state
