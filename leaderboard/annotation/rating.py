"""Saves and corrects ratings, and skips items. Records every change of a mark.

Saving needs no lease, so that no work is lost; the item may then have one rater too many.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils.translation import gettext as _

from evaluation.engine.family import Criterion
from leaderboard.accounts.models import Membership, User
from leaderboard.annotation.adjudication import scales_to_settle
from leaderboard.annotation.campaigns import hold_item, required_reason
from leaderboard.annotation.drafts import MOST_COMMENT, MOST_SECONDS_AT_ONCE
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    CampaignState,
    Draft,
    Item,
    MarkChange,
    Outcome,
    Rater,
    RaterState,
    Rating,
)
from leaderboard.annotation.qualification import decide_on_rater
from leaderboard.text import storable


@dataclass(frozen=True, slots=True)
class Author:
    user: User | None
    how: MarkChange.By
    reason: str = ""


@transaction.atomic
def save_ratings(
    *,
    assignment: Assignment,
    marks: Mapping[str, int],
    comments: Mapping[str, str] | None = None,
    seconds: int = 0,
    reason: str = "",
) -> list[MarkChange]:
    """Saves the rater's marks, one for each scale in `scales_of`. Returns the changes.

    Raises ValidationError by scale for a missing or invalid mark, NotNow if the rater may not rate
    the item, TakenOut if it is gone.
    """
    _want_while_open(assignment)
    row = _locked(assignment)
    _not_own(row)
    known, state = row.item.kind == Item.Kind.KNOWN, row.rater.state
    if state not in RaterState.at_work() or (state == RaterState.TRYING and not known):
        raise NotNow(_("Your part in this campaign has ended. Your entries are kept."))
    if known and row.rater.tried is not None and row.state == AssignmentState.DONE:
        raise NotNow(
            _("The known items have already been evaluated; their marks cannot change any more.")
        )
    changes = _write(
        row, marks, comments or {}, Author(row.rater.user, MarkChange.By.RATER, reason)
    )
    drafted = Draft.objects.filter(assignment=row).values_list("seconds", flat=True).first() or 0
    worked = drafted + min(max(0, seconds), MOST_SECONDS_AT_ONCE)
    Draft.objects.filter(assignment=row).delete()
    _finish(row, worked)
    if known:
        decide_on_rater(rater=row.rater)
    assignment.refresh_from_db()
    return changes


@transaction.atomic
def enter_ratings(
    *,
    item: Item,
    rater: Rater,
    marks: Mapping[str, int],
    author: Author,
    comments: Mapping[str, str] | None = None,
    settles: bool = False,
) -> list[MarkChange]:
    """Enters or corrects a rater's marks on behalf of staff, also in a closed campaign.

    `settles`: the marks are an adjudicator's. Raises ValidationError as `save_ratings` does, and
    without a reason; NotNow for an item of the rater's own team or of another campaign; TakenOut.
    """
    required_reason(author.reason)
    if item.campaign_id != rater.campaign_id:
        raise NotNow(_("The rater is not part of this campaign."))
    Campaign.objects.filter(pk=item.campaign_id).update(wanted=F("wanted") + 1, rung=None)
    # The rater may be creating the same assignment now. Lock order as in `_locked`.
    Rater.objects.select_for_update(no_key=True).get(pk=rater.pk)
    hold_item(item.pk)
    kind = Assignment.Kind.THIRD if settles else Assignment.Kind.ALONE
    made, _new = Assignment.objects.get_or_create(item=item, rater=rater, defaults={"kind": kind})
    row = _locked(made)
    _not_own(row)
    changes = _write(row, marks, comments or {}, author)
    _finish(row, 0)
    return changes


@transaction.atomic
def skip_item(*, assignment: Assignment, reason: str) -> bool:
    """Leaves the item to other raters. Returns False if it is not being rated any more.

    Raises ValidationError without a reason, NotNow in a closed campaign, TakenOut if it is gone.
    """
    if not reason.strip():
        raise ValidationError(_("Give the reason why the item cannot be rated."))
    _want_while_open(assignment)
    hold_item(assignment.item_id)
    skipped = Assignment.objects.filter(pk=assignment.pk, state=AssignmentState.RATING).update(
        state=AssignmentState.SKIPPED,
        reason=storable(reason.strip())[:MOST_COMMENT],
        lease_until=None,
    )
    assignment.refresh_from_db()
    return bool(skipped)


def scales_of(assignment: Assignment) -> tuple[Criterion, ...]:
    """All scales, or for an adjudicator the unsettled ones and those settled by that person."""
    criteria = assignment.item.campaign.criteria
    if assignment.kind == Assignment.Kind.ALONE:
        return criteria
    settled = set(assignment.outcomes.values_list("criterion", flat=True))
    names = settled | scales_to_settle(assignment.item)
    return tuple(criterion for criterion in criteria if criterion.name in names)


def checked_marks(marks: Mapping[str, object], scales: Sequence[Criterion]) -> dict[str, int]:
    """Raises ValidationError by scale unless each scale, and no other, has a valid mark."""
    wrong = dict.fromkeys(marks, _("This scale is not rated here."))
    checked = {}
    for scale in scales:
        mark = marks.get(scale.name)
        if type(mark) is int and 1 <= mark <= scale.top:
            checked[scale.name] = mark
            wrong.pop(scale.name)
        else:
            words = {"criterion": _(scale.name), "top": scale.top}
            wrong[scale.name] = _("%(criterion)s takes marks from 1 to %(top)d.") % words
    if wrong:
        raise ValidationError(wrong)
    return checked


def _want_while_open(assignment: Assignment) -> None:
    """Marks the results as out of date and locks the campaign. Raises NotNow unless it is open."""
    rows = Campaign.objects.filter(pk=assignment.item.campaign_id, state=CampaignState.OPEN)
    if not rows.update(wanted=F("wanted") + 1, rung=None):
        raise NotNow(_("This campaign is not open for rating. Your entries are kept."))


def _locked(assignment: Assignment) -> Assignment:
    """Locks rater, item and assignment, in the order of assigning.py, so that two raters who finish
    an item at the same time see each other's marks. Raises TakenOut.
    """
    Rater.objects.select_for_update(no_key=True).get(pk=assignment.rater_id)
    hold_item(assignment.item_id)
    rows = Assignment.objects.select_for_update(no_key=True, of=("self",))
    return rows.select_related("item__campaign", "item__generation", "rater__user").get(
        pk=assignment.pk
    )


def _not_own(row: Assignment) -> None:
    generation = row.item.generation
    if generation is None or row.rater.user is None:
        return
    team = Membership.objects.filter(
        user=row.rater.user, team__entrants__submissions=generation.submission_id
    )
    if team.exists():
        raise NotNow(_("Raters cannot rate submissions of their own team."))


def _finish(row: Assignment, seconds: int) -> None:
    Assignment.objects.filter(pk=row.pk).update(
        state=AssignmentState.DONE,
        finished=Coalesce("finished", Now()),
        seconds=F("seconds") + seconds,
        lease_until=None,
        reason="",
    )


def _write(
    row: Assignment, marks: Mapping[str, int], comments: Mapping[str, str], author: Author
) -> list[MarkChange]:
    scales = scales_of(row)
    if row.kind == Assignment.Kind.THIRD:
        if not scales:
            raise NotNow(_("This item has nothing left to settle."))
        # Another adjudicator may have settled some scales since the page was loaded.
        marks = {scale.name: marks[scale.name] for scale in scales if scale.name in marks}
    values = checked_marks(marks, scales)
    # Pages show others' marks to a rater who has saved, and to the person who settles.
    others = Rating.objects.filter(assignment__item=row.item_id).exclude(assignment=row)
    shown = row.state == AssignmentState.DONE or row.kind == Assignment.Kind.THIRD
    informed = shown and others.exists()
    changes = []
    for scale in scales:
        text = comments.get(scale.name)
        comment = None if text is None else storable(text)[:MOST_COMMENT]
        if change := _change(row, scale, values[scale.name], comment):
            change.how, change.user = author.how, author.user
            change.reason = storable(author.reason.strip())
            change.informed = informed
            change.save()
            changes.append(change)
    return changes


def _change(
    row: Assignment, scale: Criterion, value: int, comment: str | None
) -> MarkChange | None:
    """Writes one mark. Returns None if nothing differs. A comment of None stays unchanged."""
    settles = row.kind == Assignment.Kind.THIRD
    change = MarkChange(assignment=row, criterion=scale.name, settles=settles, new=value)
    # An outcome of an adjudicator whose marks no longer count is overwritten.
    marks: QuerySet[Any] = row.item.outcomes.all() if settles else row.ratings.all()
    mark = marks.filter(criterion=scale.name).first()
    if mark is not None:
        change.old, change.old_comment = mark.value, mark.comment
    elif settles:
        mark = Outcome(assignment=row, item=row.item, criterion=scale.name)
    else:
        mark = Rating(assignment=row, criterion=scale.name)
    change.new_comment = mark.comment if comment is None else comment
    before = (change.old, change.old_comment, mark.assignment_id)
    if before == (value, change.new_comment, row.pk):
        return None
    mark.assignment, mark.top = row, scale.top
    mark.value, mark.comment = value, change.new_comment
    mark.clean()
    mark.save()
    return change
