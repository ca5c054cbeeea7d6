"""Chooses the next item for a rater and leases one of its `per_item` places. An adjudicator settles
items whose marks differ by two or more on a scale.

The page renews the lease. An expired lease frees its place without a cleanup job."""

import hashlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, TypeAlias

from django.db import transaction
from django.db.models import Count, Exists, F, Max, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Now

from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    CampaignState,
    Item,
    Outcome,
    Rater,
    RaterState,
    Rating,
    Trial,
)
from leaderboard.leases import claimed, held, lease_end

# The page renews a lease several times before it expires; a rater may think for minutes.
LEASE_SECONDS = 600.0
# If known items come among the others, one comes after this number of others.
OTHERS_PER_KNOWN = 5
# Minimum difference, in marks, that needs an adjudicator.
APART = 2

_Kind: TypeAlias = Assignment.Kind


@transaction.atomic
def take_next(*, rater: Rater, owner: str) -> Assignment | None:
    """Leases the rater's next item. Returns None if there is none now.

    Order: begun items; due known items; items to settle; items with the fewest raters, in the
    rater's own order. An item near-identical to the last one comes only if there is no other."""
    # Serialises the rater's tabs: the second one gets the item that the first has begun.
    rater = Rater.objects.select_for_update(no_key=True).get(pk=rater.pk)
    begun = rater.assignments.filter(state=AssignmentState.RATING).order_by("-shown", "-pk")
    for row in begun.select_related("draft"):
        drafted = row.kind == Assignment.Kind.ALONE and hasattr(row, "draft")
        if drafted and (again := reopen(assignment=row, owner=owner)):
            return again
        if again := _again(row, owner):
            return again
    for kind, items in _offers(rater):
        for item_pk in _in_order(rater, items):
            if taken := take_item(rater=rater, item_pk=item_pk, kind=kind, owner=owner):
                return taken
    return None


@transaction.atomic
def take_item(*, rater: Rater, item_pk: int, kind: _Kind, owner: str) -> Assignment | None:
    """Leases this item. Returns None if the rater may not have it or it has no free place."""
    # Lock order: rater, then item. The locks are separate, earlier statements, so that the count
    # below sees places that other raters took in the meantime.
    Rater.objects.select_for_update(no_key=True).get(pk=rater.pk)
    # Finds no row if the submission was removed from the campaign in the meantime.
    list(Item.objects.select_for_update(no_key=True).filter(pk=item_pk).values("pk"))
    if not _may_take(rater, kind).filter(pk=item_pk).exists():
        # Inside `take_next` this rolls back to a savepoint and unlocks the item: holding one item
        # while waiting for the next could deadlock with another rater.
        transaction.set_rollback(True)
        return None
    row, _made = Assignment.objects.get_or_create(
        item_id=item_pk, rater=rater, defaults={"kind": kind}
    )
    return _claimed(row, owner, state=AssignmentState.RATING)


def reopen(*, assignment: Assignment, owner: str) -> Assignment | None:
    """Leases an item that the rater has rated or skipped, to view or change it. Its state stays."""
    user = assignment.rater.user_id
    still = Assignment.objects.filter(
        pk=assignment.pk,
        item__campaign__state=CampaignState.OPEN,
        rater__state__in=RaterState.at_work(),
    ).exclude(item__generation__submission__entrant__team__memberships__user=user)
    if not still.exists():
        return None
    return _claimed(assignment, owner)


def keep_alive(*, assignment: Assignment, returns: bool = True) -> bool:
    """Renews the lease, or takes an expired one again; one that was let go only if the rater
    `returns`. Returns False if the place is lost."""
    if held(Assignment.objects.all(), assignment).update(lease_until=lease_end(LEASE_SECONDS)):
        return True
    assignment.refresh_from_db()
    if assignment.lease_until is None and not returns:
        return False
    again = _again(assignment, assignment.owner)
    if again is not None:
        assignment.attempt, assignment.lease_until = again.attempt, again.lease_until
    return again is not None


def _again(row: Assignment, owner: str) -> Assignment | None:
    if row.state in AssignmentState.over():
        return reopen(assignment=row, owner=owner)
    kind = Assignment.Kind(row.kind)
    return take_item(rater=row.rater, item_pk=row.item_id, kind=kind, owner=owner)


def let_go(*, assignment: Assignment) -> bool:
    """The draft stays."""
    return bool(held(Assignment.objects.all(), assignment).update(lease_until=None))


def has_next(rater: Rater) -> bool:
    """Whether `take_next` has an item for the rater now."""
    begun = rater.assignments.filter(state=AssignmentState.RATING)
    return begun.exists() or any(items.exists() for _kind, items in _offers(rater))


def items_left(rater: Rater, kind: _Kind = Assignment.Kind.ALONE) -> QuerySet[Item]:
    """Generations that this rater may take: those that lack raters, or those to settle."""
    return _may_take(rater, kind).filter(kind=Item.Kind.GENERATION)


def _claimed(row: Assignment, owner: str, **changes: Any) -> Assignment | None:
    rows = Assignment.objects.all()
    return claimed(rows, pk=row.pk, owner=owner, seconds=LEASE_SECONDS, shown=Now(), **changes)


def _offers(rater: Rater) -> Iterator[tuple[_Kind, QuerySet[Any]]]:
    alone = _may_take(rater, Assignment.Kind.ALONE)
    done = rater.assignments.filter(state=AssignmentState.DONE, kind=Assignment.Kind.ALONE)
    known_items = done.filter(item__kind=Item.Kind.KNOWN).count()
    generations = done.filter(item__kind=Item.Kind.GENERATION).count()
    among = rater.campaign.trial == Trial.AMONG and rater.tried is None
    is_due = among and generations >= OTHERS_PER_KNOWN * (known_items + 1)
    if rater.state == RaterState.TRYING or is_due:
        yield Assignment.Kind.ALONE, alone.filter(kind=Item.Kind.KNOWN)
    if rater.adjudicates:
        yield Assignment.Kind.THIRD, _may_take(rater, Assignment.Kind.THIRD)
    yield Assignment.Kind.ALONE, alone.filter(kind=Item.Kind.GENERATION)


def _may_take(rater: Rater, kind: _Kind) -> QuerySet[Any]:
    """Items that the rater may take now.

    A skipped known item comes again: otherwise a rater could tell known items from the others."""
    done, skipped = Q(state=AssignmentState.DONE), Q(state=AssignmentState.SKIPPED)
    over = rater.assignments.filter(done | skipped & Q(item__kind=Item.Kind.GENERATION))
    items: QuerySet[Any] = Item.objects.filter(campaign=rater.campaign_id, task__exclusion=None)
    items = items.filter(campaign__state=CampaignState.OPEN).exclude(pk__in=over.values("item"))
    items = items.exclude(generation__submission__entrant__team__memberships__user=rater.user_id)
    items = items.annotate(taken=taken_places())
    # Queried again, because staff may have decided since `rater` was read.
    now = Rater.objects.filter(pk=rater.pk)
    if kind == Assignment.Kind.THIRD:
        settling = Assignment.objects.filter(
            kind=Assignment.Kind.THIRD, state=AssignmentState.RATING, lease_until__gt=Now()
        )
        rated = rater.assignments.filter(kind=Assignment.Kind.ALONE)
        may = Exists(now.filter(state=RaterState.RATING, adjudicates=True))
        items = items.filter(may, pk__in=items_to_settle(rater.campaign).values("pk"))
        others = settling.exclude(rater=rater)
        return items.exclude(pk__in=others.values("item")).exclude(pk__in=rated.values("item"))
    known_item = Q(kind=Item.Kind.KNOWN) & Exists(now.filter(state__in=RaterState.at_work()))
    mine = rater.assignments.filter(state=AssignmentState.RATING, lease_until__gt=Now())
    free = Q(taken__lt=F("campaign__per_item")) | Q(pk__in=mine.values("item"))
    rates = Exists(now.filter(state=RaterState.RATING))
    return items.filter(known_item | Q(kind=Item.Kind.GENERATION) & free & rates)


def _in_order(rater: Rater, items: QuerySet[Any]) -> list[int]:
    """The items' keys. Near-identical items have the same task and the same likeness."""
    last = rater.assignments.order_by(F("shown").desc(nulls_last=True))
    shown = last.values_list("item__task", "item__likeness").first()
    rows = list(items.values_list("pk", "task", "likeness", "taken"))
    # A group of near-identical items that makes up more than half of the candidates: unless one of
    # them comes now, two of them must follow each other.
    sizes = Counter((task, likeness) for _pk, task, likeness, _taken in rows)
    pressing = next((group for group, size in sizes.items() if 2 * size > len(rows)), None)

    def place(row: tuple[int, int, int, int]) -> tuple[bool, bool, int, bytes]:
        pk, task, likeness, taken = row
        own_order = hashlib.sha256(f"{rater.campaign.seed} {rater.number} {pk}".encode()).digest()
        return (task, likeness) == shown, (task, likeness) != pressing, taken, own_order

    return [pk for pk, *_rest in sorted(rows, key=place)]


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
    counting = Outcome.objects.filter(assignment__rater__state__in=RaterState.counting())
    scale = {"item": OuterRef("assignment__item"), "criterion": OuterRef("criterion")}
    alone = ratings.filter(assignment__kind=Assignment.Kind.ALONE).order_by()
    rows = alone.values("assignment__item", "criterion").annotate(apart=Max("value") - Min("value"))
    return rows.filter(~Exists(counting.filter(**scale)), apart__gte=APART)


def items_to_settle(campaign: Campaign) -> QuerySet[Item]:
    """Items that have all their raters and need an adjudicator on at least one scale."""
    marks = Rating.objects.counting().filter(assignment__item=OuterRef("pk"))
    items = Item.objects.filter(campaign=campaign, kind=Item.Kind.GENERATION)
    items = items.annotate(done=ratings_done()).filter(done__gte=F("campaign__per_item"))
    return items.filter(Exists(_unsettled(marks)))


def scales_to_settle(item: Item) -> set[str]:
    marks = Rating.objects.counting().filter(assignment__item=item)
    return set(_unsettled(marks).values_list("criterion", flat=True))
