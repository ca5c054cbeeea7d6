"""The Base completions that an entrant's conversations begin with, from other submissions."""

from django.db import transaction
from django.db.models import BooleanField, ExpressionWrapper, Q
from django.utils.translation import gettext as _

from leaderboard.submissions.models import Generation, Submission, Visibility
from leaderboard.submissions.parts import Write, in_pages, in_parts, paced

# Turn 0 is Base in every setting with a fixed course.
FIRST = 0


def take_base(*, submission: Submission, write: Write = transaction.atomic) -> None:
    """Adds the entrant's Base completions, all from one submission, as turn 0 of conversations.

    They are written in parts; if a call ends half-way, another call writes the rest."""
    begins = submission.revision.benchmark.family.begins.get(submission.setting)
    if begins is None:
        return
    places = _talks(submission) - _talks(submission, turn=FIRST)
    if submission.base_id is None:
        # The entrant's submissions in the setting: published ones first, and the newest first.
        submissions = Submission.objects.filter(
            entrant=submission.entrant_id, revision=submission.revision_id, setting=begins
        )
        published = Q(visibility=Visibility.PUBLISHED)
        base = submissions.order_by(
            ExpressionWrapper(published, BooleanField()).desc(), "-created", "-pk"
        ).first()
        if base is None or not places & _talks(base):
            return
        with write():
            # The second of two concurrent calls takes the base of the first.
            Submission.with_unfinished.filter(pk=submission.pk, base=None).update(base=base)
        submission.refresh_from_db(fields=["base"])
    copies = (
        Generation(
            submission=submission, task_id=row.task_id, sample=row.sample, turn=FIRST, text=row.text
        )
        for row in (
            in_pages(Generation.objects.filter(submission=submission.base_id)) if places else ()
        )
        if (row.task_id, row.sample) in places
    )
    for rows in paced(in_parts(copies, lambda row: len(row.text))):
        with write():
            Generation.objects.bulk_create(rows, ignore_conflicts=True)


def _talks(submission: Submission, **where: int) -> set[tuple[int, int]]:
    rows = Generation.with_unfinished.filter(submission=submission, **where)
    return set(rows.values_list("task", "sample"))


def may_be_copy(turn: int, submission: Submission) -> bool:
    """Whether its generations at the turn may be copies of another submission's, which may be
    private. The row does not say so: `base` is empty if that submission was deleted."""
    begins = submission.revision.benchmark.family.begins
    return turn == FIRST and submission.setting in begins


def beginning_words(submission: Submission) -> str:
    """The source of the conversations' turn 0 in words; "" if there are no conversations."""
    if submission.revision.benchmark.family.begins.get(submission.setting) is None:
        return ""
    first = submission.generations.filter(turn=FIRST).count()
    if not first:
        return _(
            "The conversations begin at turn 1: when the submission was judged, the entrant "
            "had no Base completions, neither in the file nor in a separate submission."
        )
    # generations_count excludes taken generations; their source may be deleted by now.
    taken = submission.generations.count() - submission.generations_count
    if taken == first:
        words = _(
            "Turn 0 is the entrant's Base completions, which were submitted separately and are "
            "judged again here."
        )
    elif taken:
        words = _(
            "Turn 0 is the Base completions of the same file. Where the file has none, turn 0 "
            "is the entrant's Base completions, which were submitted separately and are judged "
            "again here."
        )
    else:
        words = _("Turn 0 is the Base completions of the same file.")
    if first < len(_talks(submission)):
        words += " " + _("Conversations without one begin at turn 1.")
    return words
