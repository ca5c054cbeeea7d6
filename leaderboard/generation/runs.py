"""Runs from order to end. Knows nothing of queues, and asks no model.

Every step that ends a run deletes its key in the same transaction."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from cryptography.fernet import InvalidToken
from django.conf import settings
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils import timezone
from django.views.decorators.debug import sensitive_variables

from evaluation.engine.errors import EndpointError, UploadError
from evaluation.engine.family import Asking
from evaluation.engine.generation.guard import allowed_origin, is_key
from evaluation.engine.instructions import DYNAMIC
from leaderboard import messages
from leaderboard.accounts.models import Person, Team
from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.generation import keys
from leaderboard.generation.models import Run, RunKey, RunState
from leaderboard.leases import claimed, held, lease_end, run_out
from leaderboard.mail.webhooks import allowed
from leaderboard.submissions.declaring import declare
from leaderboard.submissions.models import Declaration, Upload

# Maximum runs of a team that wait or run, so that other teams get a turn.
MOST_MOVING = 4
# Consecutive failures on our side, without an answer in between, after which a run fails.
MOST_TRIES = 3
KEY_CHARACTERS = 4096
# Keeps the argument `key` out of error reports, also from the frame of `atomic` (`kwds`).
hides_key = sensitive_variables("key", "kwds")


@dataclass(frozen=True, slots=True)
class Made:
    """A file of predictions, and the number of messages that got no answer."""

    path: Path
    lost: int


def are_allowed() -> bool:
    return bool(settings.ENDPOINT_RUNS)


def asked_settings(benchmark: Benchmark) -> tuple[str, ...]:
    """The settings in which a model can be asked here."""
    asking = benchmark.family.asking
    if asking is None:
        return ()
    return tuple(name for name in benchmark.family.settings if name != DYNAMIC or asking.talks)


def open_runs(user: Person) -> QuerySet[Run]:
    """Runs of the person's teams that are in progress or resumable, the newest first."""
    rows = Run.objects.visible_to(user).select_related("entrant", "revision__benchmark")
    return rows.filter(pk__in=(Run.objects.moving() | Run.objects.resumable()).values("pk"))


def asking_of(revision: Revision) -> Asking:
    """Raises UploadError if the revision's family does not ask models."""
    asking = revision.benchmark.family.asking
    if asking is None:
        raise UploadError(messages.NO_PROMPTS())
    return asking


@hides_key
@transaction.atomic
def order_run(*, run: Run, key: str) -> Run:
    """`key` is "" if the endpoint needs none. Raises UploadError, EndpointError."""
    _require_allowed(run)
    if run.setting not in asked_settings(run.revision.benchmark):
        raise UploadError(messages.NO_SETTING())
    if run.setting == DYNAMIC and run.sampling["samples"] != 1:
        raise UploadError(messages.ONE_SAMPLE())
    run.endpoint = run.endpoint.rstrip("/")
    run.has_key, run.until = bool(key), _latest()
    run.save()
    _keep_key(run, key)
    if run.revision.benchmark.declared:
        declare(user=run.user, **_declared(run))
    return run


def _declared(run: Run) -> dict[str, Any]:
    board = {"entrant": run.entrant, "revision": run.revision, "setting": run.setting}
    return {**board, "samples": run.sampling["samples"], "model": run.model[:200]}


def declaration_of(run: Run) -> Declaration | None:
    """An open declaration that fits the run; None if its benchmark needs none. A run that was
    ordered before the benchmark needed declarations is declared now."""
    if not run.revision.benchmark.declared:
        return None
    fitting = Declaration.objects.open().filter(**_declared(run)).order_by("pk")
    return fitting.first() or declare(user=run.user, **_declared(run))


@hides_key
@transaction.atomic
def resume_run(*, run: Run, key: str) -> bool:
    """Returns False if the run is not resumable. Raises UploadError, EndpointError."""
    _require_allowed(run)
    changes = {"state": RunState.WAITING, "tries": 0, "has_key": bool(key), "cause": ""}
    times = {"until": _latest(), "finished": None, "expires": None, "rung": None}
    if not Run.objects.resumable().filter(pk=run.pk).update(**changes, **times):
        return False
    _keep_key(run, key)
    return True


def _require_allowed(run: Run) -> None:
    if not are_allowed():
        raise UploadError(messages.NO_RUNS())
    if not run.revision.benchmark.accepts:
        raise UploadError(messages.NO_SUBMISSIONS(benchmark=str(run.revision.benchmark)))
    allowed_origin(run.endpoint, allowed())
    # Locked, so that two orders at once do not both find room.
    Team.objects.select_for_update().get(pk=run.entrant.team_id)
    if Run.objects.moving().filter(entrant__team=run.entrant.team_id).count() >= MOST_MOVING:
        raise UploadError(messages.MANY_RUNS(most=MOST_MOVING))


def _latest() -> Any:
    return timezone.now() + timedelta(hours=settings.RUN_HOURS)


# All of them: what checks and encrypts the key holds it under other names.
@sensitive_variables()
def _keep_key(run: Run, key: str) -> None:
    if not is_key(key) or len(key) > KEY_CHARACTERS:
        raise EndpointError(messages.ODD_KEY())
    RunKey.objects.filter(run=run).delete()
    if key:
        RunKey.objects.create(run=run, sealed=keys.seal(run=run.pk, key=key))


def key_of(run: Run) -> str:
    """Only for the worker. Raises EndpointError if the key can no longer be decrypted."""
    if not run.has_key:
        return ""
    row = RunKey.objects.filter(run=run).first()
    try:
        return keys.unseal(run=run.pk, sealed=row.sealed if row else "")
    except InvalidToken:
        raise EndpointError(messages.KEY_UNREADABLE()) from None


def journal_path(run: Run) -> Path:
    """Creates the folder."""
    folder = Path(settings.MEDIA_ROOT) / "runs"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder / f"{run.pk}.journal"


def claim_run(*, pk: int, owner: str) -> Run | None:
    """Takes a waiting run. Returns None if another worker was faster."""
    waiting = Run.objects.filter(state=RunState.WAITING)
    return claimed(waiting, pk=pk, owner=owner, state=RunState.RUNNING, started=Now())


def note_progress(*, run: Run, progress: Mapping[str, Any]) -> bool:
    """Stores the progress and renews the lease. Returns False if the claim was lost."""
    changes: dict[str, Any] = {"lease_until": lease_end(), "progress": dict(progress)}
    if progress.get("new"):
        changes |= {"tries": 0, "cause": ""}
    lost = int(progress.get("lost", 0))
    return bool(_mine(run).update(lost=lost, total=progress.get("total", 0), **changes))


@transaction.atomic
def finish_run(*, run: Run, upload: Upload, lost: int) -> bool:
    """Ends a run that has all available answers. Returns False if the claim was lost."""
    return _end(_mine(run), RunState.FINISHED, cause="", upload=upload, lost=lost)


def fail_run(*, run: Run, cause: str) -> bool:
    """Ends a run that needs a change by a person. Returns False if the claim was lost."""
    return _end(_mine(run), RunState.FAILED, cause=cause)


def give_back_run(*, run: Run, cause: str = "") -> bool:
    """Lets another worker continue, without a failure. Returns False if the claim was lost."""
    changes = {"lease_until": None, "rung": None, "cause": cause}
    return bool(_mine(run).update(state=RunState.WAITING, **changes))


def take_back_run(*, run: Run, cause: str, late: bool = False) -> bool:
    """After a failure on our side, lets the run continue, or ends it after MOST_TRIES failures.
    `late`: its lease expired. Returns False if the claim was lost."""
    tries = run.tries + 1
    rows = Run.objects.filter(pk=run.pk, state=RunState.RUNNING, attempt=run.attempt)
    mine = run_out(rows) if late else held(rows, run)
    changes = {"tries": tries, "rung": None, "cause": cause}
    if tries < MOST_TRIES:
        return bool(mine.update(state=RunState.WAITING, lease_until=None, **changes))
    return _end(mine, RunState.FAILED, **changes)


def stop_run(*, run: Run) -> bool:
    """A person's step. Answers are kept until `expires`. Returns False if it was already over."""
    return _end(Run.objects.moving().filter(pk=run.pk), RunState.STOPPED, cause="")


def end_overdue() -> int:
    """Fails runs that are past their deadline. Returns how many."""
    late = Run.objects.moving().filter(until__lt=Now())
    cause = messages.RUN_OVERDUE()
    return sum(_end(late.filter(pk=run.pk), RunState.FAILED, cause=cause) for run in late)


def taken_back_late() -> list[Run]:
    """Takes back the runs whose worker stopped answering, and returns them."""
    late = run_out(Run.objects.filter(state=RunState.RUNNING))
    cause = messages.WORKER_SILENT()
    return [run for run in late if take_back_run(run=run, cause=cause, late=True)]


def forget_journals() -> None:
    """Deletes the answers of expired runs, and of runs that were deleted."""
    old = Run.objects.filter(expires__lt=Now()).exclude(state__in=RunState.moving())
    for run in old:
        journal_path(run).unlink(missing_ok=True)
        Run.objects.filter(pk=run.pk, expires=run.expires).update(expires=None)
    for path in (Path(settings.MEDIA_ROOT) / "runs").glob("*.journal"):
        if not Run.objects.filter(pk=path.stem).exists():
            path.unlink(missing_ok=True)


def _mine(run: Run) -> QuerySet[Run]:
    return held(Run.objects.filter(state=RunState.RUNNING), run)


@transaction.atomic
def _end(rows: QuerySet[Run], state: RunState, **changes: Any) -> bool:
    """The only way to end a run: it deletes the key."""
    pks = list(rows.values_list("pk", flat=True))
    expires = timezone.now() + timedelta(days=settings.UPLOAD_DAYS)
    ended = {"finished": Now(), "expires": expires, "lease_until": None, "rung": None}
    done = rows.filter(pk__in=pks).update(**{**ended, **changes, "state": state})
    if done:
        RunKey.objects.filter(run__in=pks).delete()
    return bool(done)
