"""Which item a rater gets next, for as long as somebody is there.

A place of an item is taken by a lease that the page renews. One that ran out is given back by that
alone: nobody has to tidy up, and what was entered stays the rater's (drafts.py, rating.py).
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from django.db import transaction
from django.db.models import Exists, F, Q, QuerySet
from django.db.models.functions import Now

from leaderboard.annotation.adjudication import items_to_settle, taken_places
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    CampaignState,
    Item,
    Rater,
    RaterState,
    Trial,
)
from leaderboard.leases import claimed, held, lease_end

# A page shows that it is there several times within a lease; a rater may well think for minutes.
LEASE_SECONDS = 600.0
# Among the others a known item comes after so many of them.
OTHERS_PER_KNOWN = 5

_Kind: TypeAlias = Assignment.Kind


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An item that may be handed out: how many raters it has, and what it resembles."""

    item: int
    task: int
    likeness: int
    taken: int

    @property
    def alike(self) -> tuple[int, int]:
        """The same for near-identical ones."""
        return self.task, self.likeness


@transaction.atomic
def take_next(*, rater: Rater, owner: str) -> Assignment | None:
    """The rater's next item under a lease, or None where there is none now.

    First what the rater has begun; then known items as they are due; then what a third person
    has to settle, for those who adjudicate; then the items with the fewest raters, in an order of
    the rater's own, one that is near-identical to the last one only where there is no other.
    """
    # A rater's tabs one after the other: the second gets what the first has begun.
    rater = Rater.objects.select_for_update(no_key=True).get(pk=rater.pk)
    if begun := _taken_up_again(rater, owner):
        return begun
    for kind, candidates in _offers(rater):
        for one in _in_order(rater, candidates):
            if taken := take_item(rater=rater, item_pk=one.item, kind=kind, owner=owner):
                return taken
    return None


@transaction.atomic
def take_item(*, rater: Rater, item_pk: int, kind: _Kind, owner: str) -> Assignment | None:
    """That item under a lease; None where it may not, or no longer, be had."""
    # Rater, then item: whoever takes both takes them in this order. The rows are locked by
    # statements before those that count, which then see what others have taken meanwhile.
    Rater.objects.select_for_update(no_key=True).get(pk=rater.pk)
    # No row where its submission was taken out of the campaign meanwhile.
    list(Item.objects.select_for_update(no_key=True).filter(pk=item_pk).values("pk"))
    if not _may_take(rater, kind).filter(pk=item_pk).exists():
        # Inside `take_next`'s transaction this lets go of the item alone: who held one item while
        # waiting for the next would meet another who does so the other way round.
        transaction.set_rollback(True)
        return None
    row, _made = Assignment.objects.get_or_create(
        item_id=item_pk, rater=rater, defaults={"kind": kind}
    )
    return _claimed(row, owner, state=AssignmentState.RATING)


def reopen(*, assignment: Assignment, owner: str) -> Assignment | None:
    """Back to what the rater has rated or skipped, to look at it or change it; it keeps its
    state. None where the campaign is not open or the rater's part is over."""
    user = assignment.rater.user_id
    still = Assignment.objects.filter(
        pk=assignment.pk,
        item__campaign__state=CampaignState.OPEN,
        rater__state__in=RaterState.at_work(),
    ).exclude(item__generation__submission__entrant__team__memberships__user=user)
    if not still.exists():
        return None
    return _claimed(assignment, owner)


def keep_alive(*, assignment: Assignment) -> bool:
    """Shows that somebody is there. A lease that ran out is taken up again where the place is
    still free; False where others have taken it or the campaign was closed: what is entered can
    be saved all the same as long as the campaign is open."""
    if held(Assignment.objects.all(), assignment).update(lease_until=lease_end(LEASE_SECONDS)):
        return True
    assignment.refresh_from_db()
    again = _again(assignment, assignment.owner)
    if again is not None:
        assignment.attempt, assignment.lease_until = again.attempt, again.lease_until
    return again is not None


def _again(row: Assignment, owner: str) -> Assignment | None:
    """The lease once more: for what is over as it is, else if there is a place."""
    if row.state in AssignmentState.over():
        return reopen(assignment=row, owner=owner)
    kind = Assignment.Kind(row.kind)
    return take_item(rater=row.rater, item_pk=row.item_id, kind=kind, owner=owner)


def let_go(*, assignment: Assignment) -> bool:
    """Gives the place back at once, as a page that is left may ask for. The draft stays."""
    return bool(held(Assignment.objects.all(), assignment).update(lease_until=None))


def items_left(rater: Rater) -> QuerySet[Item]:
    """What the rater could still be given by and by: generations that lack raters."""
    return _may_take(rater, Assignment.Kind.ALONE).filter(kind=Item.Kind.GENERATION)


def _claimed(row: Assignment, owner: str, **changes: Any) -> Assignment | None:
    rows = Assignment.objects.all()
    return claimed(rows, pk=row.pk, owner=owner, seconds=LEASE_SECONDS, shown=Now(), **changes)


def _taken_up_again(rater: Rater, owner: str) -> Assignment | None:
    """What the rater has begun and neither rated nor skipped: with a draft in any case, without
    one as long as there is a place."""
    begun = rater.assignments.filter(state=AssignmentState.RATING).order_by("-shown", "-pk")
    for row in begun.select_related("draft"):
        drafted = row.kind == Assignment.Kind.ALONE and hasattr(row, "draft")
        if drafted and (again := reopen(assignment=row, owner=owner)):
            return again
        if taken := _again(row, owner):
            return taken
    return None


def _offers(rater: Rater) -> Iterator[tuple[_Kind, QuerySet[Any]]]:
    """What may be handed out, the more urgent first."""
    alone = _may_take(rater, Assignment.Kind.ALONE)
    if _known_is_due(rater):
        yield Assignment.Kind.ALONE, alone.filter(kind=Item.Kind.KNOWN)
    if rater.adjudicates:
        yield Assignment.Kind.THIRD, _may_take(rater, Assignment.Kind.THIRD)
    yield Assignment.Kind.ALONE, alone.filter(kind=Item.Kind.GENERATION)


def _known_is_due(rater: Rater) -> bool:
    if rater.state == RaterState.TRYING:
        return True
    done = rater.assignments.filter(state=AssignmentState.DONE, kind=Assignment.Kind.ALONE)
    known = done.filter(item__kind=Item.Kind.KNOWN).count()
    others = done.filter(item__kind=Item.Kind.GENERATION).count()
    among = rater.campaign.trial == Trial.AMONG and rater.tried is None
    return among and others >= OTHERS_PER_KNOWN * (known + 1)


def _may_take(rater: Rater, kind: _Kind) -> QuerySet[Any]:
    """Items that the rater may be handed now: none of a team of the rater's own, none of a task
    that is left out, none that the rater has finished with. A known item that was skipped comes
    again: that it cannot be left would tell it from the others."""
    done, skipped = Q(state=AssignmentState.DONE), Q(state=AssignmentState.SKIPPED)
    over = rater.assignments.filter(done | skipped & Q(item__kind=Item.Kind.GENERATION))
    items = (
        Item.objects.filter(
            campaign=rater.campaign_id,
            campaign__state=CampaignState.OPEN,
            task__exclusion=None,
        )
        .exclude(pk__in=over.values("item"))
        .exclude(generation__submission__entrant__team__memberships__user=rater.user_id)
        .annotate(taken=taken_places())
    )
    # As the database has it now: staff may have decided since the row was read.
    now = Rater.objects.filter(pk=rater.pk)
    if kind == Assignment.Kind.THIRD:
        return _to_settle(rater, items, now)
    known = Q(kind=Item.Kind.KNOWN) & Exists(now.filter(state__in=RaterState.at_work()))
    mine = rater.assignments.filter(state=AssignmentState.RATING, lease_until__gt=Now())
    free = Q(taken__lt=F("campaign__per_item")) | Q(pk__in=mine.values("item"))
    rates = Exists(now.filter(state=RaterState.RATING))
    return items.filter(known | Q(kind=Item.Kind.GENERATION) & free & rates)


def _to_settle(rater: Rater, items: QuerySet[Any], now: QuerySet[Rater]) -> QuerySet[Any]:
    """Those that need a third person, whom the rater is, and that no other settles now."""
    others = Assignment.objects.filter(
        kind=Assignment.Kind.THIRD, state=AssignmentState.RATING, lease_until__gt=Now()
    ).exclude(rater=rater)
    mine = rater.assignments.filter(kind=Assignment.Kind.ALONE)
    may = Exists(now.filter(state=RaterState.RATING, adjudicates=True))
    return (
        items.filter(may, pk__in=items_to_settle(rater.campaign).values("pk"))
        .exclude(pk__in=others.values("item"))
        .exclude(pk__in=mine.values("item"))
    )


def _in_order(rater: Rater, items: QuerySet[Any]) -> list[_Candidate]:
    last = rater.assignments.order_by(F("shown").desc(nulls_last=True))
    shown = last.values_list("item__task", "item__likeness").first()
    found = [_Candidate(*row) for row in items.values_list("pk", "task", "likeness", "taken")]
    pressing = _pressing(found)
    return sorted(
        found,
        key=lambda one: (
            one.alike == shown,
            one.alike != pressing,
            one.taken,
            _own_order(rater, one.item),
        ),
    )


def _pressing(found: Sequence[_Candidate]) -> tuple[int, int] | None:
    """Of the near-identical ones those that make up more than half of what is left: unless one of
    them comes now, two of them will have to follow each other."""
    counts = Counter(one.alike for one in found)
    return next((alike for alike, n in counts.items() if 2 * n > len(found)), None)


def _own_order(rater: Rater, item: int) -> bytes:
    """The same for a rater at any time, another for each rater."""
    told = f"{rater.campaign.seed} {rater.number} {item}"
    return hashlib.sha256(told.encode()).digest()
