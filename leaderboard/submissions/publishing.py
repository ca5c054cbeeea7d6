"""Whether a result stands on the public board is its team's to say."""

from __future__ import annotations

from django.db.models.functions import Now

from leaderboard.submissions.models import Submission, Visibility


class NotPublishable(Exception):
    """The submission has no result to show yet; the text says why, for its team."""


def publish(*, submission: Submission) -> bool:
    """False where it was public already."""
    return bool(
        Submission.objects.filter(pk=submission.pk, visibility=Visibility.PRIVATE).update(
            visibility=Visibility.PUBLISHED, published=Now()
        )
    )


def withdraw(*, submission: Submission) -> bool:
    """False where it was not public."""
    return bool(
        Submission.objects.filter(pk=submission.pk, visibility=Visibility.PUBLISHED).update(
            visibility=Visibility.PRIVATE, published=None
        )
    )
