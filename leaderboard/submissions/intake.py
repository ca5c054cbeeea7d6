"""Takes a file to a submission: received, checked, stored. Knows nothing of queues.

If the process that took a step dies, another process can repeat the step."""

import hashlib
import json
import logging
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import timedelta
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from pathlib import Path
from shutil import rmtree
from typing import Any, Self

from django.conf import settings
from django.core.files.base import File
from django.db import transaction
from django.db.models import Exists, OuterRef, ProtectedError, Q, QuerySet
from django.db.models.functions import Length, Now
from django.utils import timezone

from evaluation.engine import uploads
from evaluation.engine.errors import UploadError
from evaluation.engine.records import Problem
from evaluation.engine.records import Task as TaskRecord
from evaluation.engine.registry import FAMILIES
from leaderboard import messages
from leaderboard.accounts.models import Entrant, Person, User
from leaderboard.benchmarks.models import Benchmark, Revision, Task
from leaderboard.benchmarks.public import public_record
from leaderboard.benchmarks.records import task_records
from leaderboard.fields import stored_turn
from leaderboard.leases import ClaimLost, claimed, held, lease_end, run_out
from leaderboard.submissions import declaring
from leaderboard.submissions.copies import compare
from leaderboard.submissions.members import Destination, SortedMembers, sort_members
from leaderboard.submissions.models import (
    MEMBER_CHARACTERS,
    Copy,
    CopyState,
    Declaration,
    Generation,
    Provenance,
    Submission,
    Upload,
    UploadState,
)
from leaderboard.submissions.parts import PART_ROWS, in_parts, paced
from leaderboard.submissions.quotas import ROW_BYTES, require_room
from leaderboard.text import storable

log = logging.getLogger(__name__)

# The state in which an upload waits for a step, and the state during the step.
STEPS = {UploadState.RECEIVED: UploadState.CHECKING, UploadState.CONFIRMED: UploadState.STORING}
# Consecutive failures of a step on our side after which the upload is refused.
MOST_TRIES = 3
ORPHAN_SECONDS = 24 * 3600
# How long a file that is only checked is kept, if its check never ends.
CHECK_KEPT = timedelta(hours=1)
_NOT_STORED = ("filled", "unknown")


@dataclass(frozen=True)
class Understood(uploads.UploadReport):
    """The report on an upload, as it is stored and pages show it."""

    tasks_total: int = 0

    @classmethod
    def from_upload(cls, upload: Upload) -> Self:
        """Only for uploads that have been checked."""
        stored = dict(upload.report)
        problems = tuple(Problem(**problem) for problem in stored["problems"])
        for name in ("warnings", "confirmations", "missing"):
            stored[name] = tuple(stored[name])
        return cls(**stored | {"problems": problems, "repeats": dict(stored["repeats"])})

    @classmethod
    def from_report(cls, report: uploads.UploadReport, tasks_total: int) -> Self:
        values = {column.name: getattr(report, column.name) for column in fields(report)}
        empty = dict.fromkeys(_NOT_STORED, frozenset[Any]())
        return cls(**values | empty | {"tasks_total": tasks_total})

    @property
    def stored(self) -> dict[str, Any]:
        values = {name: value for name, value in asdict(self).items() if name not in _NOT_STORED}
        # As pairs, since only values are stored as messages.
        return values | {"repeats": list(self.repeats.items())}


def open_benchmarks(user: Person) -> list[Benchmark]:
    """The benchmarks that accept submissions, of families that this engine knows."""
    rows = Benchmark.objects.visible_to(user).filter(accepts=True, current__isnull=False)
    return list(rows.filter(family_slug__in=[*FAMILIES]).select_related("current"))


def submission_of(row: Upload) -> Submission | None:
    return row.submissions.order_by("pk").first() if row.state == UploadState.STORED else None


def report_of(row: Upload) -> Understood | None:
    """None before the check is over."""
    unreported = (UploadState.RECEIVED, UploadState.CHECKING)
    reported = row.report is not None and row.state not in unreported
    return Understood.from_upload(row) if reported else None


def receive_upload(
    *,
    user: User | None,
    entrant: Entrant,
    revision: Revision,
    setting: str,
    file: "File[bytes]",
    only_check: bool = False,
    entered: Callable[[Upload], object] = str,
) -> Upload:
    """Stores the file as an upload that waits for its check. If runs have to be declared, the
    upload is bound to the oldest open declaration. If it is `only_check`, it is discarded after its
    check, or after an hour. `entered` is called in the transaction that saves the upload. Raises
    UploadError as `stored_file` does, and if the run was not declared."""
    board = Destination(revision.benchmark, setting)
    with stored_file(user=user, entrant=entrant, board=board, file=file) as stored:
        if only_check:
            stored.only_check, stored.expires = True, timezone.now() + CHECK_KEPT
        with transaction.atomic():
            enter_upload(stored=stored, revision=revision, declaration=None)
            entered(stored)
        return stored


def receive_zip(
    *,
    user: User | None,
    entrant: Entrant,
    chosen: Destination,
    file: "File[bytes]",
    benchmarks: Sequence[Benchmark],
    declaration: Declaration | None = None,
) -> list[Upload]:
    """Makes an upload for each file of a zip whose name identifies its board, if any file is for
    another board than the chosen one. Any other file becomes one upload, as by `receive_upload`.

    `benchmarks` have to accept submissions. Raises UploadError like `receive_upload`."""
    shared = ("entrant", "user", "name", "size", "sha256", "expires")
    entered, refusal = list[Upload](), None
    with stored_file(user=user, entrant=entrant, board=chosen, file=file) as stored:
        members = _members(stored, benchmarks, chosen)
        left_out = [*members.left_out]
        with transaction.atomic():
            for name, board in members.boards.items():
                upload = Upload(
                    **{column: getattr(stored, column) for column in shared},
                    file=stored.file.name,
                    setting=board.setting,
                    member=name,
                )
                revision = board.benchmark.current
                assert revision is not None, "benchmarks that accept submissions have a revision"
                declared = declaration if board == chosen else None
                try:
                    enter_upload(stored=upload, revision=revision, declaration=declared)
                except UploadError as error:
                    refusal = error
                    left_out.append((name, error.problems[0].sentence))
                else:
                    entered.append(upload)
            if not entered and refusal:
                raise refusal
            if left_out or len(entered) > 1:
                # The first upload is the batch of all, and has the reasons of the other files.
                first = entered[0]
                first.left_out = [
                    (storable(name)[:MEMBER_CHARACTERS], why) for name, why in left_out
                ]
                first.save(update_fields=["left_out"])
                for upload in entered:
                    upload.batch = first
                    upload.save(update_fields=["batch"])
    return entered


@contextmanager
def stored_file(
    *,
    user: User | None,
    entrant: Entrant,
    board: Destination,
    file: "File[bytes]",
    asked_here: bool = False,
) -> Iterator[Upload]:
    """Hashes and stores the file, and yields its upload, which is not saved. Removes the file if
    the block raises. `asked_here`: a run of this site made the file. Call it outside transactions,
    because they block other writers on SQLite.

    Raises UploadError if the board accepts no submissions, or the file or all that the team stores
    is larger than allowed; OSError."""
    board.require_open()
    if (file.size or 0) > settings.UPLOAD_MOST_BYTES:
        most = settings.UPLOAD_MOST_BYTES // 2**20
        raise UploadError(messages.FILE_LARGE(most=most))
    require_room(team=entrant.team, more=file.size or 0)
    upload = Upload(
        entrant=entrant,
        setting=board.setting,
        user=user,
        name=shown_name(file.name or ""),
        size=file.size or 0,
        sha256=file_sha256(file),
        asked_here=asked_here,
        expires=timezone.now() + timedelta(days=settings.UPLOAD_DAYS),
    )
    # The user's file name is only for display; we name the stored file, before it is written: on a
    # full disk, a part of it must be removed.
    name = f"{timezone.now():%Y/%m}/predictions-{secrets.token_hex(8)}"
    try:
        upload.file.name = upload.file.storage.save(name, file)
        yield upload
    except BaseException:
        upload.file.storage.delete(name)
        raise


@transaction.atomic
def enter_upload(*, stored: Upload, revision: Revision, declaration: Declaration | None) -> Upload:
    """Saves the upload of a stored file. Raises UploadError if its run was not declared."""
    stored.revision = revision
    stored.save()
    if revision.benchmark.declared and not stored.only_check:
        declaring.bind(upload=stored, declaration=declaration)
    return stored


def _members(stored: Upload, benchmarks: Sequence[Benchmark], chosen: Destination) -> SortedMembers:
    """The files of a zip for several boards; for any other file, "" stands for the whole file."""
    whole = SortedMembers({"": chosen}, [])
    takes = chosen.benchmark.family.member
    try:
        names = uploads.member_names(Path(stored.file.path))
    except UploadError:
        return whole  # the check says why
    if len(names) < 2 or (takes and any(takes(name) is not None for name in names)):
        return whole
    members = sort_members(names, benchmarks, chosen)
    if [*members.boards.values()] == [chosen]:
        return SortedMembers(members.boards, [])
    return members if members.boards else whole


def shown_name(name: str) -> str:
    """Without folders, and without characters that cannot be stored or shown."""
    last = name.replace("\\", "/").rsplit("/", 1)[-1]
    printable = "".join(sign for sign in last if sign.isprintable())
    return printable.encode("utf-8", "replace").decode()[:200] or "predictions"


def file_sha256(file: "File[bytes]") -> str:
    file.seek(0)
    digest = hashlib.file_digest(file, "sha256")
    file.seek(0)
    return digest.hexdigest()


def claim_upload(*, pk: int, owner: str, state: UploadState) -> Upload | None:
    """`state` is RECEIVED or CONFIRMED."""
    return claimed(Upload.objects.filter(state=state), pk=pk, owner=owner, state=STEPS[state])


def claim_other(*, owner: str) -> Upload | None:
    """Claims the first waiting upload whose team and whose person have none in a step. Not one
    whose step failed before."""
    in_step = Upload.objects.filter(state__in=STEPS.values())
    busy = Q(entrant__team=OuterRef("entrant__team")) | Q(user=OuterRef("user"))
    waiting = Upload.objects.filter(~Exists(in_step.filter(busy)), state__in=STEPS, tries=0)
    first = waiting.order_by("pk").first()
    return first and claim_upload(pk=first.pk, owner=owner, state=UploadState(first.state))


def renew_lease(*, upload: Upload) -> bool:
    """Returns False if the claim was lost."""
    mine = held(Upload.objects.filter(state=upload.state), upload)
    return bool(mine.update(lease_until=lease_end()))


@contextmanager
def under_claim(*, upload: Upload) -> Iterator[None]:
    """A transaction of the upload's step. Raises ClaimLost before anything is written in it."""
    with transaction.atomic():
        # Locks the row on PostgreSQL: no process takes the upload back before the commit.
        if not renew_lease(upload=upload):
            raise ClaimLost
        yield


def check_upload(*, upload: Upload) -> bool:
    """Reads the whole file and stores the report. Returns False if the claim was lost."""
    index = _index(upload, task_records(upload.revision).values())
    report = uploads.check(Path(upload.file.path), index, **_selected(upload))
    understood = Understood.from_report(report, len(index.offers))
    # A run of this site may have lost answers, but cannot have asked for more than were declared.
    if not upload.asked_here:
        declarations = Declaration.objects.filter(upload=upload)
        declared = declarations.values_list("samples", flat=True).first()
        samples = understood.samples_max
        if declared is not None and samples is not None and samples != declared:
            problem = Problem(messages.DECLARED_OTHERWISE(samples=samples, declared=declared))
            understood = replace(understood, problems=(*understood.problems, problem))
        others = _other_benchmarks(upload, report)
        title, total = min(others.items(), key=itemgetter(1), default=("", 0))
        if others and report.unknown:
            problem = Problem(messages.FITS_OTHER(benchmarks=", ".join(others)))
            understood = replace(understood, problems=(problem, *understood.problems))
        # The file has the same tasks in both, so they are a larger share of fewer.
        elif others and total < (tasks := len(index.offers)):
            fits = messages.FITS_BETTER(
                benchmark=title, seen=report.tasks_seen, tasks=tasks, total=total
            )
            understood = replace(understood, confirmations=(*understood.confirmations, fits))
        elif others:
            warning = messages.FITS_ALSO(benchmarks=", ".join(others))
            understood = replace(understood, warnings=(*understood.warnings, warning))
    state = UploadState.CHECKED if understood.ok else UploadState.REFUSED
    if understood.ok and upload.only_check:
        state = UploadState.DISCARDED
    mine = held(Upload.objects.filter(state=UploadState.CHECKING), upload)
    done = {
        "generations_count": report.generations,
        "generations_bytes": report.size + ROW_BYTES * report.generations,
        "cause": "",
        "tries": 0,
        "lease_until": None,
    }
    if not mine.update(state=state, report=understood.stored, **done):
        return False
    if upload.only_check:
        forget_file(upload=upload)
    return True


def uploads_ahead(upload: Upload) -> int:
    """Workers take waiting uploads in the order of their bells."""
    waiting = (UploadState.RECEIVED, UploadState.CONFIRMED)
    if upload.state not in waiting:
        return 0
    rows = Upload.objects.filter(state__in=waiting, rung__isnull=False).exclude(pk=upload.pk)
    return (rows.filter(rung__lt=upload.rung) if upload.rung else rows).count()


def generations_stored(upload: Upload) -> int:
    """While the upload is being stored."""
    if upload.state != UploadState.STORING:
        return 0
    # The last step may have ended since the upload was read.
    mine = Q(storing=upload.attempt) | Q(storing=None)
    rows = Submission.with_unfinished.filter(mine, upload=upload)
    return rows.values_list("generations_count", flat=True).first() or 0


def _selected(upload: Upload) -> dict[str, Any]:
    """The arguments that select the upload's file in a zip."""
    family = upload.revision.benchmark.family
    if upload.member:
        return {"family": upload.member}
    return {"family": family.slug, "member": family.member}


def _other_benchmarks(upload: Upload, report: uploads.UploadReport) -> dict[str, int]:
    """Listed ones that have all tasks and requirements of the file, with their number of tasks."""
    titles: dict[str, int] = {}
    ids = {task for task, _ in report.filled} | report.unknown
    transcribed = upload.revision.benchmark.family.transcripts_in(upload.setting) is not None
    rows = Benchmark.objects.filter(listed=True, accepts=True, current__isnull=False)
    # Not those of another release of this site.
    others = rows.filter(family_slug__in=[*FAMILIES]).exclude(pk=upload.revision.benchmark_id)
    for benchmark in others if ids else ():
        tasks = Task.objects.filter(revision=benchmark.current_id)
        if not ids <= {*tasks.values_list("external_id", flat=True)}:
            continue
        family, records = benchmark.family, [public_record(task) for task in tasks]
        indexes = (
            uploads.SlotIndex.for_setting(family, records, setting)
            for setting in family.settings
            if (family.transcripts_in(setting) is not None) == transcribed
        )
        if any(all(index.find(*slot) for slot in report.filled) for index in indexes):
            titles[benchmark.title] = len(records)
    return titles


def store_generations(*, upload: Upload) -> Submission:
    """Stores the upload's generations in an unfinished submission, each part under the claim, and
    compares them with those of other teams.

    Raises ClaimLost; UploadError if the file is no longer the one that was checked."""
    remove_leftovers(upload=upload)
    with upload.file.open("rb") as file:
        if file_sha256(file) != upload.sha256:
            raise UploadError(messages.FILE_CHANGED())
    submission = Submission(
        upload=upload,
        entrant=upload.entrant,
        revision=upload.revision,
        setting=upload.setting,
        user=upload.user,
        asked_here=upload.asked_here,
        generations_count=0,
        storing=upload.attempt,
    )
    with under_claim(upload=upload):
        submission.save()
    records = task_records(upload.revision)
    index = _index(upload, records.values())
    tasks = {record.id: pk for pk, record in records.items()}
    # The sum of a number for each row does not depend on the order of the file.
    total = 0

    def generations() -> Iterator[Generation]:
        nonlocal total
        for generation in uploads.read(Path(upload.file.path), index, **_selected(upload)):
            key = generation.key
            row = Generation(
                submission=submission,
                task_id=tasks[key.task_id],
                sample=key.sample,
                requirement=key.requirement or "",
                turn=stored_turn(key.turn),
                text=generation.text,
                asked=generation.asked or "",
            )
            parts = [row.task_id, row.sample, row.requirement, row.turn, row.text]
            text = json.dumps([*parts, row.asked] if row.asked else parts)
            total += int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
            yield row

    for rows in paced(in_parts(generations(), lambda row: len(row.text) + len(row.asked))):
        with under_claim(upload=upload):
            Generation.objects.bulk_create(rows)
            submission.generations_count += len(rows)
            submission.save(update_fields=["generations_count"])
    submission.digest = f"{total % 2**256:064x}"
    compare(submission=submission, write=partial(under_claim, upload=upload))
    return submission


@transaction.atomic
def finish_submission(*, upload: Upload, submission: Submission) -> None:
    """Makes a completely stored submission visible. Raises ClaimLost."""
    mine = held(Upload.objects.filter(state=UploadState.STORING), upload)
    if not mine.update(state=UploadState.STORED, cause="", tries=0, lease_until=None):
        raise ClaimLost
    submission.storing = None
    submission.save(update_fields=["generations_count", "digest", "storing"])
    header: Any = Understood.from_upload(upload).header  # mypy's plugin infers a text field
    if header is not None:
        Provenance.objects.create(submission=submission, said=header)


def remove_leftovers(*, upload: Upload | None = None, most: int | None = None) -> None:
    """Removes deleted submissions, and unfinished ones that no process writes to any more, of the
    upload, or of all uploads, in at most `most` parts."""
    under_way = Upload.objects.filter(
        pk=OuterRef("upload"), state=UploadState.STORING, attempt=OuterRef("storing")
    )
    left = Submission.with_unfinished.exclude(storing=None).filter(~Exists(under_way))
    ordered = left.order_by("pk").values_list("pk", flat=True)
    unfinished = ordered if upload is None else ordered.filter(upload=upload)
    protected = set[int]()
    keys = iter(lambda: unfinished.exclude(pk__in=protected).first(), None)
    for key in paced(islice(keys, most)):
        rows = Generation.with_unfinished.filter(submission=key)
        sizes = rows.order_by("pk").values_list("pk", Length("text") + Length("asked"))
        part = [pk for pk, _size in next(in_parts(sizes[:PART_ROWS], itemgetter(1)), [])]
        with suppress(ProtectedError), transaction.atomic():
            # Without this lock, two workers that remove the same rows would each lock some of them.
            locked = Submission.with_unfinished.select_for_update().filter(pk=key)
            if locked.values("pk").first():
                # An answer that equals one of a submission that was never finished is no copy.
                # One that was deleted has storing=0.
                copies = Copy.objects.filter(other=key, other__storing__gt=0)
                copies.filter(state=CopyState.OPEN).delete()
                (rows.filter(pk__in=part).only("pk") if part else locked).delete()
            continue
        log.error("Submission %d was deleted, but a campaign has its generations", key)
        protected.add(key)


def refuse_upload(*, upload: Upload, problems: tuple[Problem, ...]) -> None:
    report = {**upload.report, "problems": [asdict(problem) for problem in problems]}
    held(Upload.objects.filter(state=UploadState.STORING), upload).update(
        state=UploadState.REFUSED, report=report, cause="", lease_until=None
    )
    remove_leftovers(upload=upload)


def take_back_upload(*, upload: Upload, cause: str, late: bool = False) -> bool:
    """After a failure on our side, has the step repeated, or refuses the upload after MOST_TRIES.
    `late`: its lease expired. Returns False if the claim was lost."""
    before = {in_it: waiting for waiting, in_it in STEPS.items()}[UploadState(upload.state)]
    rows = Upload.objects.filter(pk=upload.pk, state=upload.state, attempt=upload.attempt)
    mine = run_out(rows) if late else held(rows, upload)
    tries = upload.tries + 1
    changes = {"tries": tries, "cause": cause, "lease_until": None, "rung": None}
    if tries < MOST_TRIES:
        return bool(mine.update(state=before, **changes))
    report = upload.report or Understood().stored
    report = {**report, "problems": [asdict(Problem(messages.FAILED_HERE(cause=cause)))]}
    return bool(mine.update(state=UploadState.REFUSED, report=report, **changes))


def move_upload(*, upload: Upload, state: UploadState, to: UploadState) -> bool:
    """A person's step. Returns False if the upload is no longer in `state`."""
    return bool(Upload.objects.filter(pk=upload.pk, state=state).update(state=to, rung=None))


def _index(upload: Upload, tasks: Iterable[TaskRecord]) -> uploads.SlotIndex:
    family = upload.revision.benchmark.family
    return uploads.SlotIndex.for_setting(
        family, tuple(tasks), upload.setting, upload.revision.prompts
    )


def expired_uploads() -> QuerySet[Upload]:
    """Uploads whose file nothing needs any more."""
    old = Upload.objects.filter(expires__lt=Now()).exclude(file="")
    return old.exclude(state__in=UploadState.moving())


def forget_file(*, upload: Upload) -> None:
    """Deletes the file unless another upload of the same zip needs it."""
    Upload.objects.filter(pk=upload.pk).update(file="")
    batch = Upload.objects.filter(batch=upload.batch_id).exclude(file="")
    if upload.batch_id is None or not batch.exists():
        upload.file.delete(save=False)


def forget_files() -> int:
    """Deletes the files of expired uploads. Returns how many."""
    expired = list(expired_uploads())
    for upload in expired:
        forget_file(upload=upload)
        Upload.objects.filter(pk=upload.pk, state=UploadState.CHECKED).update(
            state=UploadState.DISCARDED
        )
    return len(expired)


def forget_orphans() -> None:
    """Deletes files that no upload names, and all temporary ones, if nobody has written to them for
    ORPHAN_SECONDS: the process that wrote them is gone."""
    root, before, old = Path(settings.MEDIA_ROOT), time.time() - ORPHAN_SECONDS, set[Path]()
    temporary = settings.FILE_UPLOAD_TEMP_DIR.glob("*")
    for path in chain(root.glob("[0-9]*/[0-9]*/predictions*"), temporary):
        with suppress(FileNotFoundError):  # it was stored or deleted meanwhile
            if path.stat().st_mtime < before:
                old.add(path)
    names = Upload.objects.values_list("file", flat=True)
    for path in old.difference(root / name for name in names):
        if path.is_dir():  # of an import
            rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)
