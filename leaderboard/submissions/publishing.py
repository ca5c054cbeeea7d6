"""Puts results on the public board and takes them off, as their team decides. Keeps the ledger of
what teams had judged."""

from __future__ import annotations

from django.db.models.functions import Now

from leaderboard.submissions.declaring import note_evaluation
from leaderboard.submissions.models import LedgerEntry, Submission, Visibility


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
