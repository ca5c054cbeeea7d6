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
    as turn 0, to be judged with them, unless its file brought some or it has been given them."""
    begins = submission.revision.benchmark.family.begins.get(submission.setting)
    if begins is None or submission.generations.filter(turn=FIRST).exists():
        return
    base = _bases(submission, begins).first()
    if base is None:
        return
    # Two at once take the same.
    Generation.objects.bulk_create(
        _taken(submission, base), batch_size=ROWS_AT_ONCE, ignore_conflicts=True
    )
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
    """A row for each conversation that there is, of the same task and sample."""
    there = set(submission.generations.values_list("task", "sample"))
    return [
        Generation(
            submission=submission, task_id=row.task_id, sample=row.sample, turn=FIRST, text=row.text
        )
        for row in base.generations.order_by("pk").iterator(ROWS_AT_ONCE)
        if (row.task_id, row.sample) in there
    ]


def beginning_words(submission: Submission) -> str:
    """Where the conversations' turn 0 is from, in words; "" where there are no conversations."""
    if submission.revision.benchmark.family.begins.get(submission.setting) is None:
        return ""
    if submission.base_id is not None:
        return _(
            "Turn 0 is the entrant's Base completions, which were submitted by themselves and "
            "are judged here again."
        )
    if submission.generations.filter(turn=FIRST).exists():
        return _("Turn 0 is the Base completions of the same file.")
    return _(
        "The conversations begin at turn 1: there were no Base completions of this entrant, "
        "neither in the file nor in a submission of their own, when it was judged."
    )
