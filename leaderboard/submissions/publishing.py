"""Puts results on the public board and takes them off, as their team decides. Keeps the ledger of
what teams had judged."""

from __future__ import annotations

from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from leaderboard.submissions.declaring import note_evaluation
from leaderboard.submissions.models import CopyState, LedgerEntry, Submission, Visibility


class NotPublishable(Exception):
    """The submission has no result to show yet; the text tells its team why."""


def publish(*, submission: Submission) -> bool:
    """Returns False if it was already public."""
    return bool(
        Submission.objects.filter(pk=submission.pk, visibility=Visibility.PRIVATE).update(
            visibility=Visibility.PUBLISHED, published=Now()
        )
    )


def withdraw(*, submission: Submission) -> bool:
    """Returns False if it was not public."""
    return bool(
        Submission.objects.filter(pk=submission.pk, visibility=Visibility.PUBLISHED).update(
            visibility=Visibility.PRIVATE, published=None
        )
    )


def hold_words(submission: Submission) -> str:
    """The reason why its team cannot publish it now; "" if it can. Never tells whose answers it
    equals."""
    waits = Q(state=CopyState.OPEN, held=True) | Q(state=CopyState.REFUSED)
    states = set(submission.copies.filter(waits).values_list("state", flat=True))
    if CopyState.REFUSED in states:
        return _(
            "The site's staff decided that this result is not published, because most of its "
            "answers equal answers that another team submitted before. Write to the staff if you "
            "disagree."
        )
    if states:
        return _(
            "This result cannot be published yet: most of its answers equal answers that another "
            "team submitted before. The site's staff look at both and decide. Tell them how your "
            "team made the answers."
        )
    if not submission.compared:
        return _(
            "This submission is still being compared with those of other teams. Publish it in a "
            "few minutes."
        )
    return ""


def note_judging(*, submission: Submission) -> None:
    """Enters the submission into the ledger, once: its team may see verdicts from now on."""
    _entry, entered = LedgerEntry.objects.get_or_create(
        submission=submission,
        defaults={
            "team_id": submission.entrant.team_id,
            "revision_id": submission.revision_id,
            "setting": submission.setting,
        },
    )
    if entered:
        note_evaluation(submission=submission)


def anything_published() -> bool:
    return Submission.objects.filter(visibility=Visibility.PUBLISHED).exists()
