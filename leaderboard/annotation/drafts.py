"""What a rater has entered, kept while it is entered.

Nothing here asks for a lease: a draft is the rater's whoever has the item meanwhile.
"""

from __future__ import annotations

from collections.abc import Mapping

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from leaderboard.annotation.holding import hold_item
from leaderboard.annotation.models import Assignment, Draft

MOST_COMMENT = 5_000
# A clock that runs on while nobody is there says nothing about the work.
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
    """Keeps what is entered; `version` is that of the draft that the page began with, 0 for none,
    and `seconds` what was worked since then.

    None where another tab has written meanwhile: then nothing is changed. What is entered need
    not be complete, nor right: that is looked at when it is saved as ratings. Raises TakenOut
    where the item is gone.
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
