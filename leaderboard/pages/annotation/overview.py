"""Queries of the organisers' lists, constant in number. The views check access to marks."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from django.db.models import Count, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from leaderboard.annotation.adjudication import items_to_settle, ratings_done
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Item,
    Outcome,
    Rater,
    Rating,
)
from leaderboard.boards.panels import panels_of
from leaderboard.boards.scores import OVERALL
from leaderboard.submissions.models import Submission, Visibility

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person


def all_campaigns() -> QuerySet[Campaign]:
    """The newest first, with the numbers of `generations`, `people` (raters) and ratings `done`."""
    items = Item.objects.filter(kind=Item.Kind.GENERATION, campaign=OuterRef("pk"))
    raters = Rater.objects.filter(campaign=OuterRef("pk"))
    done = Assignment.objects.alone().filter(
        state=AssignmentState.DONE, item__kind=Item.Kind.GENERATION, item__campaign=OuterRef("pk")
    )
    return Campaign.objects.select_related("revision__benchmark").annotate(
        generations=_count(items, "campaign"),
        people=_count(raters, "campaign"),
        done=_count(done, "item__campaign"),
    )


def _count(rows: QuerySet[Any], by: str) -> Coalesce:
    told = rows.order_by().values(by).annotate(n=Count("pk")).values("n")
    return Coalesce(Subquery(told), 0)


def rater_lines(campaign: Campaign) -> QuerySet[Any]:
    """All raters by number, with numbers of items, and the `seconds` of work on those that were
    `timed`. Runs two queries."""
    done = Q(assignments__state=AssignmentState.DONE)
    return (
        campaign.raters.select_related("user")
        .annotate(
            done=Count("assignments", filter=done),
            timed=Count("assignments", filter=done & Q(assignments__seconds__gt=0)),
            skipped=Count("assignments", filter=Q(assignments__state=AssignmentState.SKIPPED)),
            seconds=Sum("assignments__seconds", filter=done, default=0),
        )
        .prefetch_related("agreements")
        .order_by("number")
    )


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


def taken_over(campaign: Campaign, submissions: Collection[int]) -> set[int]:
    """Submissions whose published means would become provisional if they came from this campaign.

    A submission uses the campaign opened last (`annotation.scoring.campaign_of`). A campaign with
    another family's scales never gives results.
    """
    if campaign.family_slug != campaign.revision.benchmark.family_slug:
        return set()
    public = Submission.objects.filter(pk__in=submissions, visibility=Visibility.PUBLISHED)
    published = set()
    for submission, scores in panels_of(public.values_list("pk", flat=True)).scores.items():
        current = scores[0].campaign
        is_newer = not (campaign.opened and current.opened) or campaign.opened > current.opened
        if current != campaign and is_newer and any(score.published for score in scores):
            published.add(submission)
    # What the campaign could publish now, for example after an import, stays published.
    means = campaign.scores.filter(slice=OVERALL, submission__in=published)
    held = {score.submission_id for score in means if score.holds}
    return published - ({score.submission_id for score in means} - held)
