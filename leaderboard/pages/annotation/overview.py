"""Queries of the organisers' lists, constant in number. The views check access to marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from leaderboard.annotation.adjudication import items_to_settle, ratings_done
from leaderboard.annotation.disagreements import Disagreement
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Item,
    Outcome,
    Rater,
    RaterAgreement,
    Rating,
)
from leaderboard.benchmarks.models import Task
from leaderboard.pages.annotation.queries import items_per_hour
from leaderboard.submissions.models import Submission

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person


@dataclass(frozen=True, slots=True)
class RaterLine:
    rater: Rater
    done: int
    skipped: int
    seconds: int
    per_hour: float | None
    agreements: Mapping[str, RaterAgreement]


@dataclass(frozen=True, slots=True)
class Named:
    told: Disagreement
    task: Task
    submission: Submission
    item: int


def all_campaigns() -> QuerySet[Campaign]:
    """The newest first, with the numbers of `generations`, `people` (raters) and ratings `done`."""
    items = Item.objects.filter(kind=Item.Kind.GENERATION, campaign=OuterRef("pk"))
    raters = Rater.objects.filter(campaign=OuterRef("pk"))
    done = Assignment.objects.alone().filter(
        state=AssignmentState.DONE,
        item__kind=Item.Kind.GENERATION,
        item__campaign=OuterRef("pk"),
    )
    return Campaign.objects.select_related("revision__benchmark").annotate(
        generations=_count(items, "campaign"),
        people=_count(raters, "campaign"),
        done=_count(done, "item__campaign"),
    )


def _count(rows: QuerySet[Any], by: str) -> Coalesce:
    told = rows.order_by().values(by).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(told), 0)


def rater_lines(campaign: Campaign) -> list[RaterLine]:
    """All raters by number. Runs two queries."""
    done = Q(assignments__state=AssignmentState.DONE)
    timed = done & Q(assignments__seconds__gt=0)
    rows = (
        campaign.raters.select_related("user")
        .annotate(
            done=Count("assignments", filter=done),
            timed=Count("assignments", filter=timed),
            skipped=Count("assignments", filter=Q(assignments__state=AssignmentState.SKIPPED)),
            seconds=Sum("assignments__seconds", filter=done, default=0),
        )
        .prefetch_related(Prefetch("agreements", to_attr="own"))
        .order_by("number")
    )
    return [
        RaterLine(
            row,
            row.done,
            row.skipped,
            row.seconds,
            items_per_hour(row.timed, row.seconds),
            {one.criterion: one for one in row.own},
        )
        for row in rows
    ]


def submissions_of(campaign: Campaign, user: Person) -> QuerySet[Submission]:
    """Submissions to the campaign's revision that the person may see, the newest first.

    `rated` is the number of their generations in the campaign.
    """
    rated = Count("generations__rated_items", filter=Q(generations__rated_items__campaign=campaign))
    rows = Submission.objects.visible_to(user).filter(revision=campaign.revision_id)
    return rows.select_related("entrant").annotate(rated=rated).order_by("-created", "-pk")


def items_by_task(campaign: Campaign) -> QuerySet[Item]:
    """The campaign's generations by task, annotated with the number of raters `done`."""
    rows = Item.objects.filter(campaign=campaign, kind=Item.Kind.GENERATION)
    return (
        rows.select_related("task", "generation__submission__entrant")
        .defer("text", "generation__text")
        .annotate(done=ratings_done())
        .order_by("task__number", "pk")
    )


def items_that_differ(campaign: Campaign) -> QuerySet[Item]:
    """Items that need an adjudicator or have an outcome, with their marks."""
    settled = Outcome.objects.filter(item__campaign=campaign)
    found = Q(pk__in=items_to_settle(campaign).values("pk")) | Q(pk__in=settled.values("item"))
    marks = Rating.objects.counting().filter(assignment__kind=Assignment.Kind.ALONE)
    given = (
        Assignment.objects.alone()
        .filter(state=AssignmentState.DONE)
        .select_related("rater")
        .order_by("rater__number")
        .prefetch_related(Prefetch("ratings", queryset=marks.order_by("pk")))
    )
    return (
        Item.objects.filter(found)
        .select_related("task")
        .prefetch_related(Prefetch("assignments", to_attr="given", queryset=given), "outcomes")
        .order_by("pk")
    )


def named(campaign: Campaign, found: Sequence[Disagreement], user: Person) -> list[Named]:
    """Adds tasks, entrants and items to the disagreements. Runs three queries."""
    tasks = Task.objects.in_bulk({one.task for one in found})
    rows = Submission.objects.visible_to(user).select_related("entrant")
    submissions = rows.in_bulk({one.submission for one in found})
    items = dict(
        Item.objects.filter(
            campaign=campaign, generation__in=[one.generation for one in found]
        ).values_list("generation", "pk")
    )
    return [
        Named(one, tasks[one.task], submissions[one.submission], items[one.generation])
        for one in found
    ]
