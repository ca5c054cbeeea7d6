"""Runs that teams declare before they upload them, for benchmarks that require it. A declaration is
never deleted: boards count those that were withdrawn or never uploaded."""

from django.db import transaction
from django.db.models.functions import Now

from evaluation.engine.errors import UploadError
from leaderboard import messages
from leaderboard.accounts.models import Entrant, User
from leaderboard.benchmarks.models import Revision
from leaderboard.submissions.members import Destination
from leaderboard.submissions.models import Declaration, Upload


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
    bound = chosen.first()
    if bound is None:
        raise UploadError(messages.DECLARE_FIRST(benchmark=str(upload.revision.benchmark)))
    Declaration.objects.filter(pk=bound.pk).update(upload=upload)
