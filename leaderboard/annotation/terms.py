"""Changes a campaign's terms after its creation and records each change.

The terms that decide which marks count are fixed once an item is rated or skipped: otherwise
organisers could choose a threshold by its effect."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from leaderboard.accounts.models import User
from leaderboard.annotation.campaigns import required_reason, want_results
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import (
    Assignment,
    AssignmentState,
    Campaign,
    CampaignChange,
    Item,
    RaterState,
    Trial,
)

TERMS = (
    *("title", "per_item", "trial", "most_apart"),
    *("fewest_ratings", "least_agreement", "constant_marks", "closes"),
)
# Terms that decide which marks count and whether a mean is published.
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
            old=_plain(before[name]),
            new=_plain(value),
            user=user,
            reason=reason,
        )
        for name, value in changed.items()
    ]


def _plain(value: Any) -> Any:
    """The closing time becomes a text."""
    return DjangoJSONEncoder().default(value) if isinstance(value, datetime) else value
