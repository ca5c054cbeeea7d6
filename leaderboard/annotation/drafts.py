"""Stores a rater's unsaved marks and comments.

No lease is needed: a draft belongs to the rater, even if another rater holds the item.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.annotation.campaigns import hold_item
from leaderboard.annotation.models import Assignment, Draft

MOST_COMMENT = 5_000
# The page's timer also runs while the rater is away.
MOST_SECONDS_AT_ONCE = 900


@transaction.atomic
def save_draft(
    *,
    assignment: Assignment,
    version: int,
    marks: Mapping[str, int],
    comments: Mapping[str, str] | None = None,
    seconds: int = 0,
) -> Draft | None:
    """Stores the form's content. `version` is the draft's version that the page loaded, 0 if there
    was none; `seconds` is the work since then.

    Returns None and changes nothing if another tab wrote since. Marks may be incomplete or invalid:
    they are checked when they are saved as ratings. Raises TakenOut if the item is gone.
    """
    hold_item(assignment.item_id)
    if version == 0:
        Draft.objects.get_or_create(assignment_id=assignment.pk)
    written = Draft.objects.filter(assignment=assignment, version=version).update(
        marks=dict(marks),
        comments={name: text[:MOST_COMMENT] for name, text in (comments or {}).items()},
        seconds=F("seconds") + min(max(0, seconds), MOST_SECONDS_AT_ONCE),
        version=F("version") + 1,
        changed=timezone.now(),
    )
    return Draft.objects.get(assignment=assignment) if written else None
