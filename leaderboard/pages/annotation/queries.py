"""Queries of the raters' and organisers' pages.

Raters are blind: no query for a rater reads anything that names an entrant, and others' marks are
read only through `visible_to`.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import TruncDate

from evaluation.engine.family import Criterion
from leaderboard.annotation.adjudication import items_to_settle, ratings_done, taken_places
from leaderboard.annotation.assigning import items_left
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Draft,
    Item,
    Rater,
    Rating,
)
from leaderboard.annotation.rating import scales_of
from leaderboard.pages.annotation.entry import Earlier

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person


# Minimum work for a pace: a few seconds would give hundreds of items per hour.
LEAST_SECONDS = 60


@dataclass(frozen=True, slots=True)
class RatingTask:
    """An item as its rater may see it. Marks are the draft's, or saved ones if `version` is 0;
    `earlier` are the marks that count on each scale, for the person who settles."""

    assignment: int
    kind: str
    state: str
    language: str
    natural_language: str
    task: Mapping[str, Any]
    text: str
    scales: tuple[Criterion, ...]
    marks: Mapping[str, int]
    comments: Mapping[str, str]
    version: int
    earlier: Mapping[str, Sequence[Earlier]]


@dataclass(frozen=True, slots=True)
class RaterProgress:
    """Numbers of items. `begun` are neither rated nor skipped, `left` may still come; `seconds` is
    the time spent on rated items."""

    done: int
    skipped: int
    begun: int
    left: int
    seconds: int
    per_hour: float | None


def parts_of(user: Person) -> QuerySet[Rater]:
    """The person's raters in all campaigns, the newest first, annotated with the number of items
    `done`, and whether items are begun or left."""
    if not user.is_authenticated:
        return Rater.objects.none()
    rows = Rater.objects.filter(user=user).select_related("campaign__revision__benchmark")
    done = Count("assignments", filter=Q(assignments__state=AssignmentState.DONE))
    own = Assignment.objects.filter(rater=OuterRef(OuterRef("pk")), item=OuterRef("pk"))
    left = (
        Item.objects.filter(
            ~Exists(own), campaign=OuterRef("campaign"), kind=Item.Kind.GENERATION,
            task__exclusion=None,
        )
        .exclude(generation__submission__entrant__team__memberships__user=user.pk)
        .annotate(taken=taken_places())
        .filter(taken__lt=F("campaign__per_item"))
    )  # fmt: skip
    begun = Assignment.objects.filter(rater=OuterRef("pk"), state=AssignmentState.RATING)
    rows = rows.annotate(done=done, has_begun=Exists(begun), has_left=Exists(left))
    return rows.order_by("-campaign__created", "-pk")


def work_on(assignment: Assignment) -> RatingTask:
    """Loads the workspace's content. Runs three queries, and four more for an adjudicator."""
    item = (
        Item.objects.select_related("task", "generation")
        .only(
            *("kind", "text", "campaign", "generation__text"),
            *("task__public", "task__language", "task__natural_language"),
        )
        .get(pk=assignment.item_id)
    )
    draft = Draft.objects.filter(assignment=assignment).first()
    settles = assignment.kind == Assignment.Kind.THIRD
    rows: list[Any] = list(assignment.outcomes.all() if settles else assignment.ratings.all())
    earlier: dict[str, list[Earlier]] = defaultdict(list)
    if settles:
        assert assignment.rater.user is not None, "the person who asks"
        marks = Rating.objects.visible_to(assignment.rater.user).counting()
        alone = marks.filter(
            assignment__item=assignment.item_id, assignment__kind=Assignment.Kind.ALONE
        )
        for scale, rater, value, comment in alone.order_by("assignment__rater__number").values_list(
            "criterion", "assignment__rater__number", "value", "comment"
        ):
            earlier[scale].append(Earlier(rater, value, comment))
    return RatingTask(
        assignment=assignment.pk,
        kind=assignment.kind,
        state=assignment.state,
        language=item.task.language,
        natural_language=item.task.natural_language,
        task=item.task.public,
        text=item.shown,
        scales=scales_of(assignment),
        marks=draft.marks if draft else {row.criterion: row.value for row in rows},
        comments=draft.comments if draft else {r.criterion: r.comment for r in rows if r.comment},
        version=draft.version if draft else 0,
        earlier=dict(earlier),
    )


def rated_before(rater: Rater) -> QuerySet[Assignment]:
    """The rater's rated and skipped items, the last shown first."""
    over = rater.assignments.filter(state__in=AssignmentState.over())
    return over.order_by(F("shown").desc(nulls_last=True), "-pk")


def rater_progress(rater: Rater) -> RaterProgress:
    """Counts known items like all others, so that raters cannot tell them apart."""
    totals = rater.assignments.aggregate(
        done=Count("pk", filter=Q(state=AssignmentState.DONE)),
        skipped=Count("pk", filter=Q(state=AssignmentState.SKIPPED)),
        begun=Count("pk", filter=Q(state=AssignmentState.RATING)),
        timed=Count("pk", filter=Q(state=AssignmentState.DONE, seconds__gt=0)),
        seconds=Sum("seconds", filter=Q(state=AssignmentState.DONE), default=0),
    )
    per_hour = items_per_hour(totals.pop("timed"), totals["seconds"])
    return RaterProgress(left=items_left(rater).count(), per_hour=per_hour, **totals)


def items_per_hour(timed: int, seconds: int) -> float | None:
    """Returns None if `seconds` is less than `LEAST_SECONDS`."""
    return timed * 3600 / seconds if seconds >= LEAST_SECONDS else None


def campaign_progress(campaign: Campaign) -> dict[str, int]:
    """Numbers of items and of ratings out of the `needed` ones. Runs two queries."""
    items: QuerySet[Any] = Item.objects.filter(
        campaign=campaign, kind=Item.Kind.GENERATION, task__exclusion=None
    )
    totals: dict[str, int] = items.annotate(done=ratings_done()).aggregate(
        items=Count("pk"),
        complete=Count("pk", filter=Q(done__gte=campaign.per_item)),
        ratings=Sum("done", default=0),
    )
    needed, to_settle = totals["items"] * campaign.per_item, items_to_settle(campaign).count()
    return totals | {"needed": needed, "to_settle": to_settle}


def pace_by_day(campaign: Campaign) -> QuerySet[Any, Any]:
    """Rated `items` and `seconds` by rater and day of the item's first save."""
    done = Assignment.objects.filter(rater__campaign=campaign, state=AssignmentState.DONE)
    return (
        done.values(number=F("rater__number"), day=TruncDate("finished"))
        .annotate(items=Count("pk"), seconds=Sum("seconds"))
        .order_by("number", "day")
    )


def skips(campaign: Campaign) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(rater__campaign=campaign, state=AssignmentState.SKIPPED)
    return rows.select_related("item", "rater").order_by("item", "rater")


def marks_to_export(campaign: Campaign) -> QuerySet[Any, Any]:
    """All marks of the campaign, with raters' numbers and without entrants."""
    return (
        Rating.objects.filter(assignment__item__campaign=campaign)
        .values(
            "criterion",
            "value",
            "top",
            "comment",
            "changed",
            item=F("assignment__item"),
            kind=F("assignment__item__kind"),
            task=F("assignment__item__task__external_id"),
            rater=F("assignment__rater__number"),
            rater_state=F("assignment__rater__state"),
            rubric=F("assignment__item__campaign__rubric"),
        )
        .order_by("item", "rater", "criterion")
    )
