"""Items whose marks differ by two or more on a scale: an adjudicator settles each such scale."""

from __future__ import annotations

from typing import Any

from django.db.models import Count, Exists, F, Max, Min, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Item,
    Outcome,
    RaterState,
    Rating,
)

# Minimum difference, in marks, that needs an adjudicator.
APART = 2


def taken_places() -> Coalesce:
    """Annotates items with their number of raters, raters with a valid lease included."""
    return counted(Assignment.objects.taking_a_place(), "item")


def ratings_done() -> Coalesce:
    """Annotates items with the number of raters whose saved marks count."""
    return counted(Assignment.objects.alone().filter(state=AssignmentState.DONE), "item")


def counted(rows: QuerySet[Any], by: str) -> Coalesce:
    """The number of `rows` that refer by their key `by` to the row of the outer query."""
    rows = rows.filter(**{by: OuterRef("pk")}).order_by().values(by)
    return Coalesce(Subquery(rows.annotate(n=Count("pk")).values("n")), 0)


def _unsettled(ratings: QuerySet[Rating]) -> QuerySet[Any, Any]:
    settled = Outcome.objects.filter(
        item=OuterRef("assignment__item"),
        criterion=OuterRef("criterion"),
        assignment__rater__state__in=RaterState.counting(),
    )
    return (
        ratings.filter(assignment__kind=Assignment.Kind.ALONE)
        .order_by()
        .values("assignment__item", "criterion")
        .annotate(apart=Max("value") - Min("value"))
        .filter(~Exists(settled), apart__gte=APART)
    )


def items_to_settle(campaign: Campaign) -> QuerySet[Item]:
    """Items that have all their raters and need an adjudicator on at least one scale."""
    marks = Rating.objects.counting().filter(assignment__item=OuterRef("pk"))
    return (
        Item.objects.filter(campaign=campaign, kind=Item.Kind.GENERATION)
        .annotate(done=ratings_done())
        .filter(Exists(_unsettled(marks)), done__gte=F("campaign__per_item"))
    )


def scales_to_settle(item: Item) -> set[str]:
    marks = Rating.objects.counting().filter(assignment__item=item)
    return set(_unsettled(marks).values_list("criterion", flat=True))
