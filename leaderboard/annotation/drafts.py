"""Stores a rater's unsaved marks and comments. A draft needs no lease."""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.annotation.campaigns import hold_item
from leaderboard.annotation.models import Assignment, AssignmentState, Draft

MOST_COMMENT = 5_000
# Maximum seconds per draft: the page's timer also runs while the rater is away.
MOST_SECONDS_AT_ONCE = 900


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
    """Stores the form's content, valid or not. `version` is the one that the page loaded, else 0.

    `leaving`: the page was left, and its `version` includes a draft that it sent just before; if
    that draft arrives later, it is out of date. Returns None and changes nothing if another tab
    wrote since. Raises TakenOut.
    """
    hold_item(assignment.item_id)
    known = {version, version - leaving}
    if version == 0 or (0 in known and assignment.state not in AssignmentState.over()):
        Draft.objects.get_or_create(assignment_id=assignment.pk)
    written = Draft.objects.filter(assignment=assignment, version__in=known).update(
        marks=dict(marks),
        comments=dict(comments or {}),
        seconds=F("seconds") + min(max(0, seconds), MOST_SECONDS_AT_ONCE),
        version=version + 1,
        changed=timezone.now(),
    )
    return Draft.objects.get(assignment=assignment) if written else None
