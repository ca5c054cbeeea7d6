"""Campaigns from their preparation to their end: what is rated in them, and by whom."""

from __future__ import annotations

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
    Trial,
)
from leaderboard.benchmarks.models import Revision, Task
from leaderboard.submissions.models import Generation, Submission

_BATCH = 500


@transaction.atomic
def create_campaign(
    *, revision: Revision, title: str, user: User | None, family_slug: str = "", **terms: Any
) -> Campaign:
    """A campaign without items or raters. `terms` are columns, those of terms.TERMS.

    The scales are those of the revision's own family; `family_slug` names another where that one
    is judged by running. Raises BenchmarkError where the family has no scales, ValidationError
    for terms that cannot be.
    """
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
    """A short name of the scales with what their marks mean: another wording has another."""
    told = json.dumps([[one.name, one.top, list(one.anchors)] for one in criteria])
    return hashlib.sha256(told.encode()).hexdigest()[:12]


@transaction.atomic
def add_submissions(
    *, campaign: Campaign, submissions: QuerySet[Submission], user: User | None = None
) -> int:
    """Opens all generations of the submissions for rating; how many are new. On record.

    Raises NotNow where the campaign is closed or a submission is of another revision.
    """
    _hold(campaign, CampaignState.staffable())
    if submissions.exclude(revision=campaign.revision_id).exists():
        raise NotNow(_("A campaign holds generations of one revision alone."))
    new = Generation.objects.filter(submission__in=submissions).exclude(
        rated_items__campaign=campaign
    )
    made = Item.objects.bulk_create(
        [
            Item(campaign=campaign, kind=Item.Kind.GENERATION, task_id=task, generation_id=key)
            for key, task in new.order_by("pk").values_list("pk", "task")
        ],
        batch_size=_BATCH,
    )
    _group_likenesses(campaign, {item.task_id for item in made})
    _note_added(campaign, made, user)
    want_results(campaign=campaign)
    return len(made)


def _note_added(campaign: Campaign, made: Sequence[Item], user: User | None) -> None:
    keys = [item.generation_id for item in made if item.generation_id is not None]
    of = Generation.objects.filter(pk__in=keys).values_list("submission", flat=True)
    CampaignChange.objects.bulk_create(
        CampaignChange(
            campaign=campaign,
            kind=CampaignChange.Kind.ADDED,
            name=str(submission),
            new=count,
            user=user,
        )
        for submission, count in sorted(Counter(of).items())
    )


@transaction.atomic
def remove_submission(
    *, campaign: Campaign, submission: Submission, user: User, reason: str
) -> int:
    """Takes the submission's generations out of the campaign; how many there were. On record.

    Raises ValidationError without a reason; NotNow where the campaign is closed, where something
    of them was rated, skipped or begun, and where they are all that an open campaign has.
    """
    if not reason.strip():
        raise ValidationError(_("Say why: the reason stays on record."))
    _hold(campaign, CampaignState.staffable())
    # The rows are locked before what is on them is counted: who takes one waits, or was first.
    own = campaign.items.filter(generation__submission=submission)
    keys = list(own.order_by("pk").select_for_update(of=("self",)).values_list("pk", flat=True))
    if why := removal_hindrance(campaign, submission):
        raise NotNow(why)
    campaign.items.filter(pk__in=keys).delete()
    CampaignChange.objects.create(
        campaign=campaign,
        kind=CampaignChange.Kind.REMOVED,
        name=str(submission.pk),
        old=len(keys),
        user=user,
        reason=reason.strip(),
    )
    want_results(campaign=campaign)
    # Its results came from here, or now come from an earlier campaign.
    if submission.is_rated:
        for evaluation in submission.evaluations.filter(current=True):
            score_again(evaluation=evaluation)
    return len(keys)


def removal_hindrance(campaign: Campaign, submission: Submission) -> str:
    """Why the submission's generations cannot be taken out; "" where they can."""
    own = campaign.items.filter(generation__submission=submission)
    begun = Assignment.objects.filter(item__in=own)
    there = Q(lease_until__gt=Now()) | Q(draft__isnull=False)
    if begun.filter(state__in=AssignmentState.over()).exists():
        return _("Something of it was rated or skipped already: what people did stays on record.")
    if begun.filter(there).exists():
        return _("Somebody is rating something of it now, or has begun to. Try again later.")
    others = campaign.items.filter(kind=Item.Kind.GENERATION).exclude(pk__in=own)
    if campaign.state == CampaignState.OPEN and not others.exists():
        return _("It is all that this open campaign has. Close the campaign instead.")
    return "" if own.exists() else _("Nothing of it is in this campaign.")


def _group_likenesses(campaign: Campaign, tasks: Iterable[int]) -> None:
    """Numbers the near-identical generations of each task, task by task: texts may be long."""
    for task in Task.objects.filter(pk__in=tasks):
        items = list(
            Item.objects.filter(campaign=campaign, task=task)
            .select_related("generation")
            .order_by("pk")
        )
        numbers = likeness.groups([item.shown for item in items], task.language)
        for item, number in zip(items, numbers, strict=True):
            item.likeness = number
        Item.objects.bulk_update(items, ["likeness"], batch_size=_BATCH)


@transaction.atomic
def add_known_item(*, campaign: Campaign, task: Task, text: str, marks: Mapping[str, int]) -> Item:
    """A text whose marks are known: raters are tried out on it, and it counts for nobody.

    Raises NotNow once the campaign is open, ValidationError without a right mark on every scale.
    """
    _hold(campaign, (CampaignState.PREPARING,))
    if task.revision_id != campaign.revision_id:
        raise NotNow(_("A campaign holds tasks of one revision alone."))
    if marks.keys() != {criterion.name for criterion in campaign.criteria}:
        raise ValidationError(_("A known item needs a mark on every scale, and on no other."))
    item = Item.objects.create(campaign=campaign, kind=Item.Kind.KNOWN, task=task, text=text)
    for criterion in campaign.criteria:
        known = KnownMark(
            item=item, criterion=criterion.name, value=marks[criterion.name], top=criterion.top
        )
        known.clean()
        known.save()
    if campaign.trial == Trial.BEFORE:
        untried = campaign.raters.filter(state=RaterState.RATING, tried=None)
        untried.update(state=RaterState.TRYING)
    _group_likenesses(campaign, [task.pk])
    return item


@transaction.atomic
def open_campaign(*, campaign: Campaign) -> None:
    """Raters may begin, or go on. Raises NotNow without items and past the closing date."""
    if campaign.closes is not None and campaign.closes <= timezone.now():
        raise NotNow(_("Its closing date has passed: set another one first."))
    if not campaign.items.filter(kind=Item.Kind.GENERATION).exists():
        raise NotNow(_("There is nothing to rate in this campaign yet."))
    moved = Campaign.objects.filter(pk=campaign.pk).exclude(state=CampaignState.OPEN)
    opened = Coalesce("opened", Now())
    if moved.update(state=CampaignState.OPEN, opened=opened, closed=None):
        # Submissions are scored from the newest one that was opened.
        want_results(campaign=campaign)
        campaign.refresh_from_db()


@transaction.atomic
def close_campaign(*, campaign: Campaign) -> bool:
    """Nobody rates any more; drafts stay. False where it was not open."""
    closed = Campaign.objects.filter(pk=campaign.pk, state=CampaignState.OPEN).update(
        state=CampaignState.CLOSED, closed=Now()
    )
    campaign.refresh_from_db()
    return bool(closed)


def close_due_campaigns() -> int:
    """Closes those whose closing date has passed; how many."""
    due = Campaign.objects.filter(state=CampaignState.OPEN, closes__lte=Now())
    return due.update(state=CampaignState.CLOSED, closed=Now())


@transaction.atomic
def add_rater(*, campaign: Campaign, user: User, adjudicates: bool = False) -> Rater:
    """Lets the person rate, after the known items where these come before; who takes part
    already keeps state and number. Raises NotNow where the campaign is closed."""
    _hold(campaign, CampaignState.staffable())
    tries = campaign.trial == Trial.BEFORE and campaign.items.filter(kind=Item.Kind.KNOWN).exists()
    last = campaign.raters.aggregate(last=Max("number"))["last"] or 0
    state = RaterState.TRYING if tries else RaterState.RATING
    rater, _made = Rater.objects.get_or_create(
        campaign=campaign, user=user, defaults={"number": last + 1, "state": state}
    )
    if rater.adjudicates != adjudicates:
        Rater.objects.filter(pk=rater.pk).update(adjudicates=adjudicates)
        rater.refresh_from_db()
    return rater


def admit_rater(*, rater: Rater, reason: str) -> bool:
    """Staff's decision that the marks count, whatever the known items said. False where they do."""
    return _decide(rater, RaterState.RATING, reason)


def dismiss_rater(*, rater: Rater, reason: str) -> bool:
    """Nothing more is handed out, and the marks count no longer; they stay on record. Items that
    lack a rater by that go to others."""
    return _decide(rater, RaterState.DISMISSED, reason)


@transaction.atomic
def _decide(rater: Rater, state: RaterState, reason: str) -> bool:
    if not reason.strip():
        raise ValidationError(_("Say why: the reason stays on record."))
    want_results(campaign=rater.campaign)
    moved = Rater.objects.filter(pk=rater.pk).exclude(state=state)
    changed = moved.update(state=state, reason=reason, tried=Coalesce("tried", Now()))
    rater.refresh_from_db()
    return bool(changed)


def want_results(*, campaign: Campaign) -> None:
    """Notes that something of the results has changed; holds the campaign's row until the end
    of the transaction."""
    Campaign.objects.filter(pk=campaign.pk).update(wanted=F("wanted") + 1, rung=None)


def _hold(campaign: Campaign, states: Iterable[str]) -> None:
    """Locks the row and looks at its state. Raises NotNow."""
    row = Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)
    if row.state not in tuple(states):
        words = {"state": row.get_state_display()}
        raise NotNow(_("This cannot be done while the campaign is: %(state)s.") % words)
