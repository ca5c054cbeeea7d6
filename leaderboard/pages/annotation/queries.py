"""Queries of the raters' and organisers' pages, constant in number.

Raters are blind: no query for a rater reads anything that names an entrant, and others' marks are
read only through `visible_to`. The organisers' views check access to marks."""

from collections.abc import Collection
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, Sum
from django.db.models.functions import TruncDate

from leaderboard.accounts.models import Person
from leaderboard.annotation.assigning import (
    counted,
    items_left,
    items_to_settle,
    ratings_done,
    taken_places,
)
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    Draft,
    Item,
    Outcome,
    Rater,
    Rating,
)
from leaderboard.annotation.rating import scales_of
from leaderboard.boards.panels import panels_of
from leaderboard.boards.scores import OVERALL
from leaderboard.pages.annotation.entry import Earlier
from leaderboard.submissions.models import Submission, Visibility

# Minimum work for a pace: a few seconds would give hundreds of items per hour.
LEAST_SECONDS = 60


class RatingTask:
    """An assignment's item as its rater may see it, read by three queries, and four more for an
    adjudicator. Marks are the draft's, or saved ones if `version` is 0; `earlier` are the marks
    that count on each scale, for the person who settles. It holds texts and numbers only: from a
    row, a template could read the entrant."""

    def __init__(self, assignment: Assignment) -> None:
        columns = ("task__public", "task__language", "task__natural_language", "generation__text")
        items = Item.objects.select_related("task", "generation")
        item = items.only("kind", "text", "campaign", *columns).get(pk=assignment.item_id)
        self.task: dict[str, Any] = item.task.public
        self.language, self.natural_language = item.task.language, item.task.natural_language
        self.text = item.shown
        draft = Draft.objects.filter(assignment=assignment).first()
        settles = assignment.kind == Assignment.Kind.THIRD
        rows: list[Any] = list(assignment.outcomes.all() if settles else assignment.ratings.all())
        self.earlier: dict[str, list[Earlier]] = {}
        if settles:
            assert assignment.rater.user is not None, "the person who asks"
            marks = Rating.objects.visible_to(assignment.rater.user).counting()
            alone = marks.filter(
                assignment__item=assignment.item_id, assignment__kind=Assignment.Kind.ALONE
            ).order_by("assignment__rater__number")
            columns = ("criterion", "assignment__rater__number", "value", "comment")
            for scale, rater, value, comment in alone.values_list(*columns):
                self.earlier.setdefault(scale, []).append(Earlier(rater, value, comment))
        self.scales = scales_of(assignment)
        self.marks = draft.marks if draft else {row.criterion: row.value for row in rows}
        comments = {row.criterion: row.comment for row in rows if row.comment}
        self.comments = draft.comments if draft else comments
        self.version = draft.version if draft else 0


def parts_of(user: Person) -> QuerySet[Rater]:
    """The newest first, with the number of items `done`, and whether items are begun or left."""
    if not user.is_authenticated:
        return Rater.objects.none()
    rows = Rater.objects.filter(user=user).select_related("campaign__revision__benchmark")
    done = Count("assignments", filter=Q(assignments__state=AssignmentState.DONE))
    assigned = Assignment.objects.filter(rater=OuterRef(OuterRef("pk")), item=OuterRef("pk"))
    left: QuerySet[Any] = Item.objects.filter(~Exists(assigned), campaign=OuterRef("campaign"))
    left = left.filter(kind=Item.Kind.GENERATION, task__exclusion=None)
    left = left.exclude(generation__submission__entrant__team__memberships__user=user.pk)
    left = left.annotate(taken=taken_places()).filter(taken__lt=F("campaign__per_item"))
    begun = Assignment.objects.filter(rater=OuterRef("pk"), state=AssignmentState.RATING)
    rows = rows.annotate(done=done, has_begun=Exists(begun), has_left=Exists(left))
    return rows.order_by("-campaign__created", "-pk")


def rated_before(rater: Rater) -> QuerySet[Assignment]:
    """The rater's rated and skipped items, the last shown first."""
    over = rater.assignments.filter(state__in=AssignmentState.over())
    return over.order_by(F("shown").desc(nulls_last=True), "-pk")


class RaterProgress(NamedTuple):
    """Numbers of items: `left` may still come. `seconds` is the time spent on rated items."""

    done: int
    skipped: int
    seconds: int
    left: int

    @property
    def total(self) -> int | None:
        """None if no further items are left."""
        return self.done + self.left if self.left else None

    @property
    def minutes_spent(self) -> int:
        return max(1, round(self.seconds / 60)) if self.seconds else 0

    @property
    def minutes_left(self) -> int:
        seconds = self.left * self.seconds / self.done if self.done else 0
        return max(1, round(seconds / 60)) if seconds else 0


def rater_progress(rater: Rater, *kinds: Assignment.Kind) -> RaterProgress:
    """The progress with items of these kinds, or with all. Counts known items like all others, so
    that raters cannot tell them apart."""
    kinds = kinds or tuple(Assignment.Kind)
    totals = rater.assignments.filter(kind__in=kinds).aggregate(
        done=Count("pk", filter=Q(state=AssignmentState.DONE)),
        skipped=Count("pk", filter=Q(state=AssignmentState.SKIPPED)),
        seconds=Sum("seconds", filter=Q(state=AssignmentState.DONE), default=0),
    )
    left = sum(items_left(rater, kind).count() for kind in kinds)
    return RaterProgress(left=left, **totals)


def items_per_hour(timed: int, seconds: int) -> float | None:
    """Returns None if `seconds` is less than `LEAST_SECONDS`."""
    return timed * 3600 / seconds if seconds >= LEAST_SECONDS else None


class CampaignProgress(NamedTuple):
    """Numbers of items and of ratings out of the `needed` ones."""

    items: int
    complete: int
    ratings: int
    needed: int
    to_settle: int


def campaign_progress(campaign: Campaign) -> CampaignProgress:
    """Runs two queries."""
    items: QuerySet[Any] = Item.objects.filter(
        campaign=campaign, kind=Item.Kind.GENERATION, task__exclusion=None
    )
    totals: dict[str, int] = items.annotate(done=ratings_done()).aggregate(
        items=Count("pk"),
        complete=Count("pk", filter=Q(done__gte=campaign.per_item)),
        ratings=Sum("done", default=0),
    )
    needed, to_settle = totals["items"] * campaign.per_item, items_to_settle(campaign).count()
    return CampaignProgress(needed=needed, to_settle=to_settle, **totals)


def pace_by_day(campaign: Campaign) -> QuerySet[Any, Any]:
    """Rated `items` and `seconds` by rater and day of the item's first save."""
    done = Assignment.objects.filter(rater__campaign=campaign, state=AssignmentState.DONE)
    rows = done.values(number=F("rater__number"), day=TruncDate("finished"))
    return rows.annotate(items=Count("pk"), seconds=Sum("seconds")).order_by("number", "day")


def skips(campaign: Campaign) -> QuerySet[Assignment]:
    rows = Assignment.objects.filter(rater__campaign=campaign, state=AssignmentState.SKIPPED)
    return rows.select_related("item", "rater").order_by("item", "rater")


def marks_to_export(campaign: Campaign) -> QuerySet[Any, Any]:
    """All marks of the campaign, with raters' numbers and without entrants."""
    rows: QuerySet[Any, Any] = Rating.objects.filter(assignment__item__campaign=campaign).values(
        *("criterion", "value", "top", "comment", "changed"),
        item=F("assignment__item"),
        kind=F("assignment__item__kind"),
        task=F("assignment__item__task__external_id"),
        rater=F("assignment__rater__number"),
        rater_state=F("assignment__rater__state"),
        rubric=F("assignment__item__campaign__rubric"),
    )
    return rows.order_by("item", "rater", "criterion")


def all_campaigns() -> QuerySet[Campaign]:
    """The newest first, with the numbers of `generations`, `people` (raters) and ratings `done`."""
    done = Assignment.objects.alone().filter(state=AssignmentState.DONE)
    done = done.filter(item__kind=Item.Kind.GENERATION)
    return Campaign.objects.select_related("revision__benchmark").annotate(
        generations=counted(Item.objects.filter(kind=Item.Kind.GENERATION), "campaign"),
        people=counted(Rater.objects.all(), "campaign"),
        done=counted(done, "item__campaign"),
    )


def rater_lines(campaign: Campaign) -> QuerySet[Any]:
    """By number; `seconds` is the work on items that were `timed`. Runs two queries."""
    done = Q(assignments__state=AssignmentState.DONE)
    rows = campaign.raters.select_related("user").prefetch_related("agreements").order_by("number")
    return rows.annotate(
        done=Count("assignments", filter=done),
        timed=Count("assignments", filter=done & Q(assignments__seconds__gt=0)),
        skipped=Count("assignments", filter=Q(assignments__state=AssignmentState.SKIPPED)),
        seconds=Sum("assignments__seconds", filter=done, default=0),
    )


def submissions_of(campaign: Campaign, user: Person) -> QuerySet[Submission]:
    """The newest first. `rated` is the number of their generations in the campaign."""
    rated = Count("generations__rated_items", filter=Q(generations__rated_items__campaign=campaign))
    rows = Submission.objects.visible_to(user).filter(revision=campaign.revision_id)
    return rows.select_related("entrant").annotate(rated=rated).order_by("-created", "-pk")


def items_by_task(campaign: Campaign) -> QuerySet[Item]:
    """With the number of raters that are `done`."""
    rows = Item.objects.filter(campaign=campaign, kind=Item.Kind.GENERATION)
    rows = rows.select_related("task", "generation__submission__entrant")
    rows = rows.defer("text", "generation__text").annotate(done=ratings_done())
    return rows.order_by("task__number", "pk")


def items_that_differ(campaign: Campaign) -> QuerySet[Item]:
    """Items that need an adjudicator or have an outcome, with their marks."""
    settled = Outcome.objects.filter(item__campaign=campaign)
    differ = Q(pk__in=items_to_settle(campaign).values("pk")) | Q(pk__in=settled.values("item"))
    marks = Rating.objects.counting().filter(assignment__kind=Assignment.Kind.ALONE)
    done = Assignment.objects.alone().filter(state=AssignmentState.DONE).select_related("rater")
    done = done.prefetch_related(Prefetch("ratings", queryset=marks.order_by("pk")))
    lone_assignments = done.order_by("rater__number")
    alone = Prefetch("assignments", to_attr="lone_assignments", queryset=lone_assignments)
    rows = Item.objects.filter(differ).select_related("task").order_by("pk")
    return rows.prefetch_related(alone, "outcomes")


def taken_over(campaign: Campaign, submissions: Collection[int]) -> set[int]:
    """Submissions with published means that this campaign makes provisional if results come from
    it. A campaign with another family's scales never gives results."""
    if campaign.family_slug != campaign.revision.benchmark.family_slug:
        return set()
    public = Submission.objects.filter(pk__in=submissions, visibility=Visibility.PUBLISHED)
    published = set()
    for submission, scores in panels_of(public.values_list("pk", flat=True)).scores.items():
        if scores[0].campaign != campaign and any(score.published for score in scores):
            published.add(submission)
    # What the campaign could publish now, for example after an import, stays published.
    means = campaign.scores.filter(slice=OVERALL, submission__in=published)
    held = {score.submission_id for score in means if score.holds}
    return published - ({score.submission_id for score in means} - held)
