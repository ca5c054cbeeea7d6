"""Puts results on the public board and takes them off, as their team decides."""

from __future__ import annotations

from django.db.models.functions import Now

from leaderboard.submissions.models import Submission, Visibility


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
