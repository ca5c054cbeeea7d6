"""The Base completions that an entrant's conversations begin with, where they came by
themselves."""

from __future__ import annotations

from django.db.models import BooleanField, ExpressionWrapper, Q, QuerySet
from django.utils.translation import gettext as _

from leaderboard.submissions.models import Generation, Submission, Visibility

# Turn 0 is Base in every setting whose course is fixed.
FIRST = 0
ROWS_AT_ONCE = 1000


def take_base(*, submission: Submission) -> None:
    """Gives the submission's conversations the entrant's Base completions on the same revision
    as turn 0, to be judged with them: those that have none in its file, unless it has been given
    some before."""
    begins = submission.revision.benchmark.family.begins.get(submission.setting)
    if begins is None or submission.base_id is not None:
        return
    base = _bases(submission, begins).first()
    if base is None:
        return
    taken = _taken(submission, base)
    if taken:
        # Two at once take the same.
        Generation.objects.bulk_create(taken, batch_size=ROWS_AT_ONCE, ignore_conflicts=True)
        submission.base = base
        submission.save(update_fields=["base"])


def _bases(submission: Submission, setting: str) -> QuerySet[Submission]:
    """The entrant's own, published ones before others and the newest first."""
    own = Submission.objects.filter(
        entrant=submission.entrant_id, revision=submission.revision_id, setting=setting
    )
    published = Q(visibility=Visibility.PUBLISHED)
    return own.order_by(ExpressionWrapper(published, BooleanField()).desc(), "-created", "-pk")


def _taken(submission: Submission, base: Submission) -> list[Generation]:
    """A row for each conversation without one, of the same task and sample."""
    open_ones = _talks(submission) - _talks(submission, turn=FIRST)
    return [
        Generation(
            submission=submission, task_id=row.task_id, sample=row.sample, turn=FIRST, text=row.text
        )
        for row in base.generations.order_by("pk").iterator(ROWS_AT_ONCE)
        if (row.task_id, row.sample) in open_ones
    ]


def _talks(submission: Submission, **where: int) -> set[tuple[int, int]]:
    """Task and sample of each conversation that has generations of that kind."""
    return set(submission.generations.filter(**where).values_list("task", "sample"))


def beginning_words(submission: Submission) -> str:
    """Where the conversations' turn 0 is from, in words; "" where there are no conversations."""
    if submission.revision.benchmark.family.begins.get(submission.setting) is None:
        return ""
    first = submission.generations.filter(turn=FIRST).count()
    if not first:
        return _(
            "The conversations begin at turn 1: there were no Base completions of this entrant, "
            "neither in the file nor in a submission of their own, when it was judged."
        )
    # What was taken does not count among what was sent; where from may be gone by now.
    taken = submission.generations.count() - submission.generations_count
    if taken == first:
        words = _(
            "Turn 0 is the entrant's Base completions, which were submitted by themselves and "
            "are judged here again."
        )
    elif taken:
        words = _(
            "Turn 0 is the Base completions of the same file and, where it has none, the "
            "entrant's, which were submitted by themselves and are judged here again."
        )
    else:
        words = _("Turn 0 is the Base completions of the same file.")
    if first < len(_talks(submission)):
        words += " " + _("Conversations without one begin at turn 1.")
    return words
