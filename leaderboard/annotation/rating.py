"""Saves drafts, saves and corrects ratings, skips items, and decides on raters by known items.
Records every change of a mark.

Saving needs no lease, so that no work is lost; the item may then have one rater too many."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Avg, Count, F, FloatField, QuerySet
from django.db.models.functions import Abs, Coalesce, Now
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluation.engine.family import Criterion
from leaderboard.accounts.models import Membership, User
from leaderboard.annotation.assigning import scales_to_settle
from leaderboard.annotation.campaigns import checked_marks, required_reason, want_results
from leaderboard.annotation.errors import NotNow, TakenOut
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
from leaderboard.text import storable

MOST_COMMENT = 5_000
# Maximum seconds per draft: the page's timer also runs while the rater is away.
MOST_SECONDS_AT_ONCE = 900


@dataclass(frozen=True, slots=True)
class Author:
    user: User | None
    how: MarkChange.By
    reason: str = ""


@transaction.atomic
def save_draft(
    *,
    assignment: Assignment,
    version: int,
    marks: Mapping[str, int],
    comments: Mapping[str, str] | None = None,
    seconds: int = 0,
    leaving: bool = False,
) -> Draft | None:
    """Stores the form's content, valid or not, without a lease. `version` is the one that the page
    loaded, else 0.

    `leaving`: the page was left, and its `version` includes a draft that it sent just before; if
    that draft arrives later, it is out of date. Returns None and changes nothing if another tab
    wrote since. Raises TakenOut."""
    _hold_item(assignment.item_id)
    versions = {version, version - leaving}
    if version == 0 or (0 in versions and assignment.state not in AssignmentState.over()):
        Draft.objects.get_or_create(assignment_id=assignment.pk)
    written = Draft.objects.filter(assignment=assignment, version__in=versions).update(
        marks=dict(marks),
        comments=dict(comments or {}),
        seconds=F("seconds") + min(max(0, seconds), MOST_SECONDS_AT_ONCE),
        version=version + 1,
        changed=timezone.now(),
    )
    return Draft.objects.get(assignment=assignment) if written else None


@transaction.atomic
def save_ratings(
    *,
    assignment: Assignment,
    marks: Mapping[str, int],
    comments: Mapping[str, str] | None = None,
    seconds: int = 0,
) -> list[MarkChange]:
    """Saves the rater's marks, one for each scale in `scales_of`. Returns the changes.

    Raises ValidationError by scale for a missing or invalid mark, NotNow if the rater may not rate
    the item, TakenOut if it is gone."""
    _want_while_open(assignment)
    row = _locked(assignment)
    is_known, state = row.item.kind == Item.Kind.KNOWN, row.rater.state
    if state not in RaterState.at_work() or (state == RaterState.TRYING and not is_known):
        raise NotNow(_("Your part in this campaign has ended. Your entries are kept."))
    if is_known and row.rater.tried is not None and row.state == AssignmentState.DONE:
        raise NotNow(
            _("The known items have already been evaluated; their marks cannot change any more.")
        )
    drafts = Draft.objects.filter(assignment=row)
    drafted = drafts.values_list("seconds", flat=True).first() or 0
    worked = drafted + min(max(0, seconds), MOST_SECONDS_AT_ONCE)
    author = Author(row.rater.user, MarkChange.By.RATER)
    changes = _write(row, marks, comments or {}, author, worked)
    drafts.delete()
    if is_known:
        decide_on_rater(rater=row.rater)
    assignment.refresh_from_db()
    return changes


@transaction.atomic
def decide_on_rater(*, rater: Rater) -> None:
    """Decides by known items whether the rater's marks count: on each scale, the mean absolute
    difference from the known marks is at most `Campaign.most_apart` marks. Applied once, when the
    last known item is rated. Does nothing if some are left or a decision was made already."""
    known_items = rater.campaign.items.filter(kind=Item.Kind.KNOWN)
    rated = {"assignments__rater": rater, "assignments__state": AssignmentState.DONE}
    if known_items.count() > known_items.filter(**rated).count():
        return
    most = rater.campaign.most_apart
    near = all(distance["apart"] <= most for distance in distances(rater))
    state = RaterState.RATING if near else RaterState.REFUSED
    undecided = Rater.objects.filter(pk=rater.pk, tried=None, state__in=RaterState.at_work())
    if undecided.update(state=state, tried=Now()):
        want_results(campaign=rater.campaign)


def distances(rater: Rater) -> QuerySet[Any, Any]:
    """The rater's mean absolute difference from the known marks, in marks (`apart`), by name of the
    scales on which the rater has marked `items` known items."""
    known_mark = "assignment__item__known"
    ratings = Rating.objects.filter(assignment__rater=rater)
    ratings = ratings.filter(assignment__item__kind=Item.Kind.KNOWN)
    ratings = ratings.filter(**{f"{known_mark}__criterion": F("criterion")})
    gap = Abs(F("value") - F(f"{known_mark}__value"), output_field=FloatField())
    rows = ratings.order_by("criterion").values("criterion")
    return rows.annotate(apart=Avg(gap), items=Count("pk"))


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
    want_results(campaign=rater.campaign)
    # The rater may be creating the same assignment now. Lock order as in `_locked`.
    Rater.objects.select_for_update(no_key=True).get(pk=rater.pk)
    _hold_item(item.pk)
    kind = Assignment.Kind.THIRD if settles else Assignment.Kind.ALONE
    row, _new = Assignment.objects.get_or_create(item=item, rater=rater, defaults={"kind": kind})
    return _write(_locked(row), marks, comments or {}, author)


@transaction.atomic
def skip_item(*, assignment: Assignment, reason: str) -> bool:
    """Leaves the item to other raters. Returns False if it is not being rated any more.

    Raises ValidationError without a reason, NotNow in a closed campaign, TakenOut if it is gone."""
    if not reason.strip():
        raise ValidationError(_("Give the reason why the item cannot be rated."))
    _want_while_open(assignment)
    _hold_item(assignment.item_id)
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


def _want_while_open(assignment: Assignment) -> None:
    """Marks the results as out of date and locks the campaign. Raises NotNow unless it is open."""
    rows = Campaign.objects.filter(pk=assignment.item.campaign_id, state=CampaignState.OPEN)
    if not rows.update(wanted=F("wanted") + 1, rung=None):
        raise NotNow(_("This campaign is not open for rating. Your entries are kept."))


def _hold_item(pk: int) -> None:
    """Locks the item's row until the transaction ends. Raises TakenOut if the item is gone."""
    if not list(Item.objects.select_for_update(no_key=True).filter(pk=pk).values("pk")):
        raise TakenOut(_("This item was removed from the campaign in the meantime."))


def _locked(assignment: Assignment) -> Assignment:
    """Locks rater, item and assignment, in the order of assigning.py, so that two raters who finish
    an item at the same time see each other's marks. Raises TakenOut, and NotNow for an item of the
    rater's own team."""
    Rater.objects.select_for_update(no_key=True).get(pk=assignment.rater_id)
    _hold_item(assignment.item_id)
    rows = Assignment.objects.select_for_update(no_key=True, of=("self",))
    rows = rows.select_related("item__campaign", "item__generation", "rater__user")
    row = rows.get(pk=assignment.pk)
    if row.item.generation is not None and row.rater.user is not None:
        submission = row.item.generation.submission_id
        teams = Membership.objects.filter(team__entrants__submissions=submission)
        if teams.filter(user=row.rater.user).exists():
            raise NotNow(_("Raters cannot rate submissions of their own team."))
    return row


def _write(
    row: Assignment,
    marks: Mapping[str, int],
    comments: Mapping[str, str],
    author: Author,
    seconds: int = 0,
) -> list[MarkChange]:
    """A comment that is not in `comments` stays. Ends the assignment."""
    scales, settles = scales_of(row), row.kind == Assignment.Kind.THIRD
    if settles:
        if not scales:
            raise NotNow(_("This item has nothing left to settle."))
        # Another adjudicator may have settled some scales since the page was loaded.
        marks = {scale.name: marks[scale.name] for scale in scales if scale.name in marks}
    values = checked_marks(marks, scales)
    # Pages show others' marks to a rater who has saved, and to the person who settles.
    others = Rating.objects.filter(assignment__item=row.item_id).exclude(assignment=row)
    informed = (settles or row.state == AssignmentState.DONE) and others.exists()
    # If an adjudicator's marks no longer count, the new outcome overwrites theirs.
    rows: QuerySet[Any] = row.item.outcomes.all() if settles else row.ratings.all()
    stored = {mark.criterion: mark for mark in rows}
    changes = []
    for scale in scales:
        name, value, mark = scale.name, values[scale.name], stored.get(scale.name)
        old, old_comment = (mark.value, mark.comment) if mark else (None, "")
        comment = storable(comments[name])[:MOST_COMMENT] if name in comments else old_comment
        if mark is None:
            mark = Outcome(item=row.item) if settles else Rating()
            mark.criterion = name
        elif (old, old_comment, mark.assignment_id) == (value, comment, row.pk):
            continue
        mark.assignment, mark.value, mark.top, mark.comment = row, value, scale.top, comment
        mark.save()
        change = row.changes.create(
            criterion=name,
            settles=settles,
            old=old,
            new=value,
            old_comment=old_comment,
            new_comment=comment,
            how=author.how,
            user=author.user,
            reason=storable(author.reason.strip()),
            informed=informed,
        )
        changes.append(change)
    Assignment.objects.filter(pk=row.pk).update(
        state=AssignmentState.DONE,
        finished=Coalesce("finished", Now()),
        seconds=F("seconds") + seconds,
        lease_until=None,
        reason="",
    )
    return changes
