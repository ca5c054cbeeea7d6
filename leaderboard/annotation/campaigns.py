"""Creates, fills, opens and closes campaigns, changes their terms, and adds, admits and dismisses
raters."""

import hashlib
import json
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Max, Q, QuerySet
from django.db.models.functions import Coalesce, Now
from django.utils import timezone
from django.utils.translation import gettext as _

from evaluation.engine.family import Criterion
from evaluation.state.scheduling import score_again
from leaderboard.accounts.models import User
from leaderboard.annotation import likeness
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    CampaignChange,
    CampaignState,
    Item,
    KnownMark,
    Rater,
    RaterState,
    ResultSource,
    Trial,
)
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.submissions.models import Generation, Submission

_BATCH = 500


@transaction.atomic
def create_campaign(
    *, revision: Revision, title: str, user: User | None, family_slug: str = "", **terms: Any
) -> Campaign:
    """Creates a campaign without items or raters. `terms` are columns, see TERMS.

    Raises BenchmarkError if the family has no scales, ValidationError for invalid terms."""
    campaign = Campaign(
        revision=revision,
        title=title,
        family_slug=family_slug or revision.benchmark.family_slug,
        seed=secrets.token_hex(16),
        created_by=user,
        **terms,
    )
    campaign.rubric = rubric(campaign.criteria)
    campaign.full_clean()
    campaign.save()
    return campaign


def rubric(criteria: Iterable[Criterion]) -> str:
    """A 12-character hash of the scales and the meanings of their marks."""
    scales = json.dumps([[scale.name, scale.top, list(scale.anchors)] for scale in criteria])
    return hashlib.sha256(scales.encode()).hexdigest()[:12]


@transaction.atomic
def add_submissions(
    *, campaign: Campaign, submissions: QuerySet[Submission], user: User | None = None
) -> int:
    """Adds all generations of the submissions. Returns the number of new items.

    Raises NotNow if the campaign is closed or a submission belongs to another revision."""
    held = _hold(campaign, CampaignState.staffable())
    if submissions.exclude(revision=campaign.revision_id).exists():
        raise NotNow(_("A campaign can have generations of only one revision."))
    # Locked, so that nobody deletes them meanwhile.
    locked = Submission.objects.select_for_update(no_key=True).filter(pk__in=submissions)
    generations = Generation.objects.filter(submission__in=list(locked.order_by("pk")))
    rows = generations.exclude(rated_items__campaign=campaign).order_by("pk")
    new = list(rows.values_list("pk", "task", "submission"))
    items = [
        Item(campaign=campaign, kind=Item.Kind.GENERATION, task_id=task, generation_id=key)
        for key, task, _submission in new
    ]
    Item.objects.bulk_create(items, batch_size=_BATCH)
    _group_likenesses(campaign, {task for _key, task, _submission in new})
    counts = Counter(submission for _key, _task, submission in new)
    CampaignChange.objects.bulk_create(
        CampaignChange(
            campaign=campaign,
            kind=CampaignChange.Kind.ADDED,
            name=str(submission),
            new=count,
            user=user,
        )
        for submission, count in sorted(counts.items())
    )
    give_results(campaign=held, submissions=counts)
    want_results(campaign=campaign)
    return len(new)


@transaction.atomic
def remove_submission(
    *, campaign: Campaign, submission: Submission, user: User, reason: str
) -> int:
    """Removes the submission's generations from the campaign. Returns their number.

    Raises ValidationError without a reason, NotNow if closed or for a `removal_hindrance`."""
    reason = required_reason(reason)
    _hold(campaign, CampaignState.staffable())
    # Lock the items before counting, so that a concurrent `take_item` waits or is counted.
    items = campaign.items.filter(generation__submission=submission).order_by("pk")
    keys = list(items.select_for_update(of=("self",)).values_list("pk", flat=True))
    if why := removal_hindrance(campaign, submission):
        raise NotNow(why)
    campaign.items.filter(pk__in=keys).delete()
    campaign.changes.create(
        kind=CampaignChange.Kind.REMOVED,
        name=str(submission.pk),
        old=len(keys),
        user=user,
        reason=reason,
    )
    want_results(campaign=campaign)
    # Its results may have come from this campaign.
    ResultSource.objects.filter(campaign=campaign, submission=submission).delete()
    others = Campaign.objects.filter(items__generation__submission=submission)
    for other in others.order_by("opened", "pk").distinct():
        give_results(campaign=other, submissions=[submission.pk])
    if submission.is_rated:
        for evaluation in submission.evaluations.filter(current=True):
            score_again(evaluation=evaluation)
    return len(keys)


def give_results(*, campaign: Campaign, submissions: Iterable[int]) -> None:
    """Has the results of the submissions come from the campaign, if its marks may count. Those that
    have results from another one keep them."""
    own_scales = campaign.family_slug == campaign.revision.benchmark.family_slug
    if own_scales and campaign.state != CampaignState.PREPARING:
        sources = [ResultSource(submission_id=pk, campaign=campaign) for pk in submissions]
        ResultSource.objects.bulk_create(sources, ignore_conflicts=True)


def removal_hindrance(campaign: Campaign, submission: Submission) -> str:
    """The reason why the submission's generations cannot be removed, or ""."""
    items = campaign.items.filter(generation__submission=submission)
    begun = Assignment.objects.filter(item__in=items)
    if begun.filter(state__in=AssignmentState.over()).exists():
        return _(
            "Generations of this submission have been rated or skipped already, and this stays "
            "on record."
        )
    if begun.filter(Q(lease_until__gt=Now()) | Q(draft__isnull=False)).exists():
        return _("A rater is working on a generation of this submission. Try again later.")
    others = campaign.items.filter(kind=Item.Kind.GENERATION).exclude(pk__in=items)
    if campaign.state == CampaignState.OPEN and not others.exists():
        return _("This is the only submission of the open campaign. Close the campaign instead.")
    return "" if items.exists() else _("This campaign has no generations of this submission.")


def _group_likenesses(campaign: Campaign, tasks: Iterable[int]) -> None:
    """Numbers the groups of near-identical items. One task at a time saves memory."""
    for task in Task.objects.filter(pk__in=tasks):
        rows = Item.objects.filter(campaign=campaign, task=task).select_related("generation")
        items = list(rows.order_by("pk"))
        numbers = likeness.groups([item.shown for item in items], task.language)
        for item, number in zip(items, numbers, strict=True):
            item.likeness = number
        Item.objects.bulk_update(items, ["likeness"], batch_size=_BATCH)


@transaction.atomic
def add_known_item(*, campaign: Campaign, task: Task, text: str, marks: Mapping[str, int]) -> Item:
    """Adds a text with known marks, which qualifies raters.

    Raises NotNow unless the campaign is being prepared, for another revision's task, and for a text
    that raters practise on; ValidationError as `checked_marks` does."""
    _hold(campaign, (CampaignState.PREPARING,))
    practised = [practice.text for practice in campaign.practice]
    *others, group = likeness.groups([*practised, text], task.language)
    if group in others:
        raise NotNow(_("The practice round explains the marks of this text. Choose another text."))
    if task.revision_id != campaign.revision_id:
        raise NotNow(_("A campaign can have tasks of only one revision."))
    checked = checked_marks(marks, campaign.criteria)
    item = Item.objects.create(campaign=campaign, kind=Item.Kind.KNOWN, task=task, text=text)
    KnownMark.objects.bulk_create(
        KnownMark(item=item, criterion=scale.name, value=checked[scale.name], top=scale.top)
        for scale in campaign.criteria
    )
    if campaign.trial == Trial.BEFORE:
        untried = campaign.raters.filter(state=RaterState.RATING, tried=None)
        untried.update(state=RaterState.TRYING)
    _group_likenesses(campaign, [task.pk])
    return item


@transaction.atomic
def open_campaign(*, campaign: Campaign) -> None:
    """Opens or reopens the campaign. Raises NotNow without items or past the closing date."""
    if campaign.closes is not None and campaign.closes <= timezone.now():
        raise NotNow(_("The closing date has passed. Set a later one first."))
    if not campaign.items.filter(kind=Item.Kind.GENERATION).exists():
        raise NotNow(_("There is nothing to rate in this campaign yet."))
    moved = Campaign.objects.filter(pk=campaign.pk).exclude(state=CampaignState.OPEN)
    opened = Coalesce("opened", Now())
    if moved.update(state=CampaignState.OPEN, opened=opened, closed=None):
        # Its submissions may have no results yet.
        want_results(campaign=campaign)
        campaign.refresh_from_db()
        give_results(campaign=campaign, submissions=rated_submissions(campaign))


def rated_submissions(campaign: Campaign) -> QuerySet[Item, int]:
    """Their primary keys."""
    items = campaign.items.filter(kind=Item.Kind.GENERATION)
    return items.order_by().values_list("generation__submission", flat=True).distinct()


@transaction.atomic
def close_campaign(*, campaign: Campaign) -> bool:
    """Stops rating; drafts stay. Returns False if the campaign was not open."""
    still_open = Campaign.objects.filter(pk=campaign.pk, state=CampaignState.OPEN)
    closed = still_open.update(state=CampaignState.CLOSED, closed=Now())
    campaign.refresh_from_db()
    return bool(closed)


def close_due_campaigns() -> int:
    due = Campaign.objects.filter(state=CampaignState.OPEN, closes__lte=Now())
    return due.update(state=CampaignState.CLOSED, closed=Now())


@transaction.atomic
def add_rater(*, campaign: Campaign, user: User, adjudicates: bool = False) -> Rater:
    """Adds a rater; a current one keeps state and number. Raises NotNow in a closed campaign."""
    _hold(campaign, CampaignState.staffable())
    tries = campaign.trial == Trial.BEFORE and campaign.items.filter(kind=Item.Kind.KNOWN).exists()
    last = campaign.raters.aggregate(last=Max("number"))["last"] or 0
    state = RaterState.TRYING if tries else RaterState.RATING
    rater, _made = Rater.objects.get_or_create(
        campaign=campaign, user=user, defaults={"number": last + 1, "state": state}
    )
    User.objects.filter(pk=user.pk).update(is_rater=True)
    if rater.adjudicates != adjudicates:
        Rater.objects.filter(pk=rater.pk).update(adjudicates=adjudicates)
        rater.refresh_from_db()
    return rater


@transaction.atomic
def move_rater(*, rater: Rater, state: RaterState, reason: str) -> bool:
    """Admits the rater, so that the marks count, or dismisses the rater: then no items come, and
    the marks stay on record but do not count. Returns False if `state` is the rater's already."""
    assert state in (RaterState.RATING, RaterState.DISMISSED), "known items lead to the others"
    reason = required_reason(reason)
    want_results(campaign=rater.campaign)
    others = Rater.objects.filter(pk=rater.pk).exclude(state=state)
    changed = others.update(state=state, reason=reason, tried=Coalesce("tried", Now()))
    rater.refresh_from_db()
    return bool(changed)


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


def required_reason(reason: str) -> str:
    """Strips the reason of an organiser's decision. Raises ValidationError if it is empty."""
    if not reason.strip():
        raise ValidationError(_("Give a reason: it stays on record."))
    return reason.strip()


def want_results(*, campaign: Campaign) -> None:
    """Marks the results as out of date. Locks the campaign's row until the transaction ends."""
    Campaign.objects.filter(pk=campaign.pk).update(wanted=F("wanted") + 1, rung=None)


def _hold(campaign: Campaign, states: Iterable[str]) -> Campaign:
    """Locks and returns the campaign's row. Raises NotNow if its state is not one of `states`."""
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if row.state not in tuple(states):
        words = {"state": row.get_state_display()}
        raise NotNow(_("This cannot be done in the campaign's current state: %(state)s.") % words)
    return row


TERMS = (
    *("title", "per_item", "trial", "most_apart"),
    *("fewest_ratings", "least_agreement", "constant_marks", "closes"),
)
# Terms that decide which marks count and whether a mean is published. They are fixed once an item
# is rated or skipped: otherwise organisers could choose a threshold by its effect.
_DECIDING = ("trial", "most_apart", "fewest_ratings", "least_agreement")


def fixed_terms(campaign: Campaign) -> dict[str, str]:
    """The names of terms that may not change, each with the reason."""
    why = _(
        "Ratings have started: this term can no longer change, since the marks are already visible."
    )
    return dict.fromkeys(_DECIDING, why) if has_ratings(campaign) else {}


def has_ratings(campaign: Campaign) -> bool:
    """True if an item was rated or skipped, known items included."""
    rows = Assignment.objects.filter(item__campaign=campaign, state__in=AssignmentState.over())
    return rows.exists()


@transaction.atomic
def change_terms(
    *, campaign: Campaign, user: User, reason: str, terms: Mapping[str, Any]
) -> list[CampaignChange]:
    """Changes the `terms` that differ, and returns the recorded changes.

    Raises ValidationError without a reason or for an invalid value, NotNow for a fixed term."""
    reason = required_reason(reason)
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    before = {name: getattr(row, name) for name in TERMS if name in terms}
    changed = {name: terms[name] for name, value in before.items() if value != terms[name]}
    if not changed:
        return []
    fixed = fixed_terms(row)
    if why := next((fixed[name] for name in changed if name in fixed), ""):
        raise NotNow(why)
    if changed.get("per_item", row.per_item) < row.per_item and has_ratings(row):
        raise ValidationError(
            {"per_item": _("Ratings have started: this term can be raised but not lowered.")}
        )
    closes = changed.get("closes")
    if closes is not None and closes <= timezone.now():
        raise ValidationError({"closes": _("This time is in the past.")})
    for name, value in changed.items():
        setattr(row, name, value)
    row.full_clean()
    row.save(update_fields=list(changed))
    if "trial" in changed:
        # Moves raters without a decision to or from the state in which known items come first.
        has_known = row.items.filter(kind=Item.Kind.KNOWN).exists()
        states = (RaterState.RATING, RaterState.TRYING)
        old, new = states if row.trial == Trial.BEFORE and has_known else states[::-1]
        row.raters.filter(state=old, tried=None).update(state=new)
    want_results(campaign=row)
    campaign.refresh_from_db()
    return [
        row.changes.create(
            kind=CampaignChange.Kind.TERM,
            name=name,
            old=before[name],
            new=value,
            user=user,
            reason=reason,
        )
        for name, value in changed.items()
    ]
