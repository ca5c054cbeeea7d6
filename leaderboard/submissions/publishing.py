"""What a team declares and publishes: puts results on the public board and takes them off, as their
team decides; runs that were announced, and the ledger of what teams had judged."""

from __future__ import annotations

from collections.abc import Iterable

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from evaluation.engine.errors import UploadError
from leaderboard import messages
from leaderboard.accounts.audit import record_change
from leaderboard.accounts.models import Entrant, Person, User
from leaderboard.benchmarks.models import Revision, ShownTask
from leaderboard.submissions.members import Destination
from leaderboard.submissions.models import (
    Consent,
    CopyState,
    Declaration,
    LedgerEntry,
    Licence,
    Submission,
    Upload,
    Visibility,
)


class NotPublishable(Exception):
    """The submission has no result to show yet; the text tells its team why."""


@transaction.atomic
def publish(
    *,
    submission: Submission,
    licence: Licence | None = None,
    shown: Iterable[int] = (),
    user: User | None = None,
) -> bool:
    """Publishes the submission. With a licence, everyone may read its generations of the ShownTasks
    `shown` (primary keys) from now on. Returns False if it was already public: then nothing more is
    shown either."""
    private = Submission.objects.filter(pk=submission.pk, visibility=Visibility.PRIVATE)
    if not private.update(visibility=Visibility.PUBLISHED, published=Now()):
        return False
    record_change(submission, visibility=(Visibility.PRIVATE, Visibility.PUBLISHED))
    if licence:
        marked = offered_tasks(submission, user).filter(pk__in=shown)
        Consent.objects.bulk_create(
            Consent(submission=submission, shown=one, licence=licence, user=user) for one in marked
        )
    return True


def offered_tasks(submission: Submission, user: Person | None) -> QuerySet[ShownTask]:
    """The tasks whose generations the user may show by publishing the submission. Only members of
    its team may: staff cannot license the work of others."""
    marked = ShownTask.objects.in_force().filter(task__revision=submission.revision_id)
    if user is None or not submission.entrant.team.memberships.filter(user=user.pk).exists():
        return marked.none()
    return marked


def hide_generations(*, submission: Submission) -> bool:
    """Returns False if none were shown."""
    return bool(submission.consents.all().delete()[0])


@transaction.atomic
def withdraw(*, submission: Submission) -> bool:
    """Hides its generations, too. Returns False if it was not public."""
    public = Submission.objects.filter(pk=submission.pk, visibility=Visibility.PUBLISHED)
    moved = public.update(visibility=Visibility.PRIVATE, published=None)
    # After the update, which waits for a publication that is under way.
    hide_generations(submission=submission)
    if moved:
        record_change(submission, visibility=(Visibility.PUBLISHED, Visibility.PRIVATE))
    return bool(moved)


def hold_words(submission: Submission) -> str:
    """Why its team cannot publish it now, or "". Never reveals whose answers it equals."""
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
        rows = Declaration.objects.filter(upload__submissions=submission.pk, evaluated=None)
        Declaration.objects.filter(pk__in=rows.values("pk")).update(evaluated=Now())


def anything_published() -> bool:
    return Submission.objects.filter(visibility=Visibility.PUBLISHED).exists()


# --- Declared runs, for benchmarks that require them. A declaration is never deleted: boards count
# those that were withdrawn or never uploaded. ---


def declare(
    *,
    user: User | None,
    entrant: Entrant,
    revision: Revision,
    setting: str,
    samples: int,
    model: str,
) -> Declaration:
    """Declares a run with `samples` of each task by `model`. Raises UploadError if the benchmark
    accepts no submissions or has no such setting."""
    Destination(revision.benchmark, setting).require_open()
    return Declaration.objects.create(
        team_id=entrant.team_id,
        entrant=entrant,
        revision=revision,
        setting=setting,
        samples=samples,
        model=model,
        user=user,
    )


@transaction.atomic
def withdraw_declaration(*, declaration: Declaration, user: User) -> bool:
    """Returns False if it was withdrawn before, or if a file is bound to it."""
    Declaration.objects.select_for_update().filter(pk=declaration.pk).first()
    mine = Declaration.objects.open().filter(pk=declaration.pk)
    return bool(mine.update(withdrawn=Now(), withdrawn_by=user))


def bind(*, upload: Upload, declaration: Declaration | None = None) -> None:
    """Binds the upload to this declaration, or to the oldest open one that fits. A run of this site
    is declared by its order. Call it in the transaction that stores the upload. Raises UploadError
    if none fits."""
    fitting = Declaration.objects.filter(
        entrant=upload.entrant, revision=upload.revision, setting=upload.setting
    ).order_by("pk")
    # Locked before they are read: two uploads, or an upload and a withdrawal, take turns.
    list(fitting.select_for_update().values_list("pk"))
    chosen = fitting.open()
    if declaration is not None:
        chosen = chosen.filter(pk=declaration.pk)
    found = chosen.first()
    if found is None:
        raise UploadError(messages.DECLARE_FIRST(benchmark=str(upload.revision.benchmark)))
    Declaration.objects.filter(pk=found.pk).update(upload=upload)


def declared_samples(upload: Upload) -> int | None:
    """The number of samples of each task that its team declared."""
    rows = Declaration.objects.filter(upload=upload)
    return rows.values_list("samples", flat=True).first()
