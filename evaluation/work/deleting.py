"""Deletion of private submissions, and of entrants without a published result. The ledger and the
declarations stay. Everything is hidden and stopped at once; the reconciler removes rows and files.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now
from django.utils.crypto import get_random_string
from django.utils.translation import gettext as _

from evaluation.models import Evaluation
from evaluation.state import scheduling
from leaderboard.accounts.audit import record_deletion
from leaderboard.accounts.models import Entrant, Team
from leaderboard.annotation.models import Item
from leaderboard.generation import runs
from leaderboard.generation.models import Run, RunState
from leaderboard.submissions.models import Submission, Upload, UploadState, Visibility

SEEN = Q(visibility=Visibility.PUBLISHED) | Q(was_published=True)


class NotDeletable(Exception):
    """The text tells the team why."""


def lasting(submissions: QuerySet[Submission]) -> QuerySet[Submission]:
    """Submissions that were published once, or that people rate."""
    rated = Item.objects.filter(generation__submission__in=submissions)
    return submissions.filter(SEEN | Q(pk__in=rated.values("generation__submission")))


def hindrance(submissions: QuerySet[Submission]) -> str:
    """Why their team cannot delete the submissions, or ""."""
    if submissions.filter(SEEN).exists():
        reason = _(
            "A published result is not deleted, not even after it was withdrawn: others may have "
            "cited it."
        )
        advice = _("Withdraw it to make it private.")
        public = submissions.filter(visibility=Visibility.PUBLISHED)
        return f"{reason} {advice}" if public.exists() else reason
    if lasting(submissions).exists():
        return _(
            "People rate its generations. It can be deleted if the organisers take it out of their "
            "campaign, which they can do until somebody has rated it."
        )
    begun = Submission.objects.filter(base__in=submissions).exclude(pk__in=submissions)
    if number := begun.values_list("pk", flat=True).first():
        return _(
            "The conversations of submission %(number)d begin with its answers. Delete that one "
            "first."
        ) % {"number": number}
    return ""


@transaction.atomic
def delete_submissions(submissions: QuerySet[Submission]) -> None:
    """Raises NotDeletable."""
    # Locked: no campaign adds them, and nobody publishes them, between the check and the deletion.
    rows = list(submissions.select_for_update(of=("self",)).order_by("pk"))
    if reason := hindrance(submissions):
        raise NotDeletable(reason)
    for row in rows:
        record_deletion(row)
    remove_submissions(Submission.objects.filter(pk__in=[row.pk for row in rows]))


@transaction.atomic
def delete_entrant(entrant: Entrant) -> None:
    """With its submissions, files and runs. Raises NotDeletable."""
    end_work(Upload.objects.filter(entrant=entrant), Run.objects.filter(entrant=entrant))
    delete_submissions(Submission.objects.filter(entrant=entrant))
    record_deletion(entrant)
    empty_entrants(Entrant.objects.filter(pk=entrant.pk))


def end_work(uploads: QuerySet[Upload], orders: QuerySet[Run]) -> None:
    """Nothing of these becomes a submission any more."""
    for run in orders:
        runs.stop_run(run=run)
    orders.update(expires=Now())
    uploads.exclude(state=UploadState.STORED).update(state=UploadState.DISCARDED)
    uploads.update(expires=Now())


@transaction.atomic
def remove_submissions(submissions: QuerySet[Submission]) -> None:
    """With their files and their runs' answers. Lasting ones stay, and what these begin with."""
    list(submissions.select_for_update(of=("self",)).order_by("pk"))
    staying = lasting(submissions).values_list("pk", "base")
    submissions = submissions.exclude(pk__in={key for keys in staying for key in keys if key})
    for evaluation in Evaluation.objects.filter(submission__in=submissions):
        scheduling.cancel(evaluation=evaluation)
    uploads = Upload.objects.filter(submissions__in=submissions)
    Run.objects.filter(upload__in=uploads).update(expires=Now())
    # The rows stay, as of any discarded file: other files of a zip refer to them.
    uploads.update(state=UploadState.DISCARDED, report=None, expires=Now())
    # Hidden at once; `intake.remove_leftovers` removes them, part by part.
    submissions.update(storing=0)


def empty_entrants(entrants: QuerySet[Entrant]) -> None:
    """Hides the entrants and clears their fields at once."""
    for entrant in entrants:
        name = f"deleted-{get_random_string(12).lower()}"
        identity = {"pk": entrant.pk, "team_id": entrant.team_id, "created": entrant.created}
        Entrant(**identity, name=name, slug=name, deleted=True).save()


def remove_entrants() -> None:
    """Removes deleted entrants, once their submissions and files are gone, and empty teams. A
    single query while these are still there: every write of an upload counts as a public change."""
    files, rows = Upload.objects.exclude(file=""), Submission.with_unfinished.all()
    # What arrived while the entrant was deleted. The rest has ended.
    late_files = files.filter(expires__gt=Now())
    late_runs = Run.objects.filter(Q(state__in=RunState.moving()) | Q(expires__gt=Now()))
    late_rows = Submission.objects.all()
    here = {"entrant": OuterRef("pk")}
    late = Q(Exists(late_files.filter(**here))) | Q(Exists(late_runs.filter(**here)))
    late |= Q(Exists(late_rows.filter(**here)))
    present = Q(Exists(files.filter(**here))) | Q(Exists(rows.filter(**here)))
    for entrant in Entrant.with_deleted.filter(late | ~present, deleted=True):
        end_work(late_files.filter(entrant=entrant), late_runs.filter(entrant=entrant))
        remove_submissions(late_rows.filter(entrant=entrant))
        if not any(part.filter(entrant=entrant).exists() for part in (files, rows)):
            entrant.delete()
            empty = Team.objects.filter(members=None, entrants=None, ledger=None, declarations=None)
            empty.filter(pk=entrant.team_id).delete()
