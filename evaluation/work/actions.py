"""Actions that people start from the pages or the command line. Each function takes its step, and
rings the bell after the commit. False means that the object was in another state."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from typing import ParamSpec, TypeVar

from django.core.files.base import File
from django.db import transaction
from django.db.models import F, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from evaluation.engine.errors import UploadError
from evaluation.models import Evaluation, EvaluationState
from evaluation.state import scheduling
from evaluation.work import bells
from leaderboard.accounts.audit import record_change
from leaderboard.accounts.models import Team, User
from leaderboard.annotation.results import has_marks, open_rated_evaluation
from leaderboard.benchmarks.models import Revision
from leaderboard.generation import runs
from leaderboard.generation.models import Run
from leaderboard.generation.runs import Made
from leaderboard.leases import ClaimLost
from leaderboard.mail.models import Event
from leaderboard.scores.boards import leave_board, want_board
from leaderboard.scores.models import Board
from leaderboard.scores.receipts import supersede
from leaderboard.submissions import intake, publishing
from leaderboard.submissions.events import note_event
from leaderboard.submissions.members import Destination
from leaderboard.submissions.models import (
    Copy,
    CopyState,
    Submission,
    Upload,
    UploadState,
    Visibility,
)
from leaderboard.submissions.parts import Write
from leaderboard.submissions.quotas import require_room

P = ParamSpec("P")
Received = TypeVar("Received", bound=Upload | list[Upload])


def _checked(receive: Callable[P, Received]) -> Callable[P, Received]:
    """As `receive`, and has the files checked."""

    @wraps(receive)
    def submit(*arguments: P.args, **options: P.kwargs) -> Received:
        received = receive(*arguments, **options)
        for upload in received if isinstance(received, list) else [received]:
            bells.ring_after_commit(upload)
        return received

    return submit


submit_file, submit_zip = _checked(intake.receive_upload), _checked(intake.receive_zip)


@transaction.atomic
def confirm_upload(*, upload: Upload) -> bool:
    """Has the upload judged. Also False if the benchmark no longer accepts submissions. Raises
    UploadError if its team has no room for it now."""
    benchmark = upload.revision.benchmark
    if not benchmark.accepts:
        return False
    # Locked, so that two files do not take the same room.
    team = Team.objects.select_for_update(no_key=True).get(pk=upload.entrant.team_id)
    if not intake.move_upload(upload=upload, state=UploadState.CHECKED, to=UploadState.CONFIRMED):
        return False
    rated = benchmark.family.is_rated
    require_room(team=team, waiting=0 if rated else scheduling.waiting_generations(team))
    upload.refresh_from_db()
    bells.ring_after_commit(upload)
    return True


def discard_upload(*, upload: Upload) -> bool:
    states = (UploadState.CHECKED, UploadState.REFUSED)
    moved = any(
        intake.move_upload(upload=upload, state=s, to=UploadState.DISCARDED) for s in states
    )
    if moved:
        intake.forget_file(upload=upload)
    return moved


@runs.hides_key
@transaction.atomic
def order_run(*, run: Run, key: str) -> Run:
    """Raises UploadError, EndpointError with a message."""
    run = runs.order_run(run=run, key=key)
    bells.ring_after_commit(run)
    return run


@runs.hides_key
@transaction.atomic
def resume_run(*, run: Run, key: str) -> bool:
    """Continues a run that ended early. Raises UploadError, EndpointError."""
    if not runs.resume_run(run=run, key=key):
        return False
    run.refresh_from_db()
    bells.ring_after_commit(run)
    return True


def submit_made(*, run: Run, made: Made) -> Upload | None:
    """Submits a run's answers like a file. None if the claim was lost. Raises UploadError."""
    board = Destination(run.revision.benchmark, run.setting)
    try:
        with (
            made.path.open("rb") as content,
            intake.stored_file(
                user=run.user,
                entrant=run.entrant,
                board=board,
                file=File(content, name=f"{run.model}.jsonl"),
                asked_here=True,
            ) as stored,
            transaction.atomic(),
        ):
            declaration = runs.declaration_of(run)
            upload = intake.enter_upload(
                stored=stored, revision=run.revision, declaration=declaration
            )
            if not runs.finish_run(run=run, upload=upload, lost=made.lost):
                raise ClaimLost
    except ClaimLost:
        made.path.unlink(missing_ok=True)
        return None
    bells.ring_after_commit(upload)
    made.path.unlink(missing_ok=True)
    if not made.lost:
        runs.journal_path(run).unlink(missing_ok=True)
    return upload


def confirm_made(*, uploads: QuerySet[Upload]) -> int:
    """Confirms the uploads of complete runs that were ordered with judging, as far as their teams
    have room. Returns how many."""
    whole = uploads.filter(state=UploadState.CHECKED, runs__judge=True, runs__lost=0)
    done = 0
    for upload in whole.filter(revision__benchmark__accepts=True):
        with suppress(UploadError):
            done += confirm_upload(upload=upload)
    return done


@transaction.atomic
def cancel_evaluation(*, evaluation: Evaluation) -> bool:
    """Orders the board again if the evaluation is published, which is possible while it is judged
    or scored again. Returns False if it was already over."""
    if not scheduling.cancel(evaluation=evaluation):
        return False
    if evaluation.current and evaluation.submission.visibility == Visibility.PUBLISHED:
        _order_board(evaluation.submission)
    return True


@transaction.atomic
def publish_submission(*, submission: Submission) -> None:
    """Raises NotPublishable if there is no result yet, or if it may be a copy."""
    # A decision on a copy comes before this or after it.
    Submission.objects.select_for_update().filter(pk=submission.pk).order_by("pk").first()
    if not submission.evaluations.filter(current=True, state=EvaluationState.DONE).exists():
        raise publishing.NotPublishable(
            _("There is no finished result to publish yet. Try again when judging is finished.")
        )
    if submission.is_rated and not has_marks(submission):
        raise publishing.NotPublishable(
            _("Nobody has rated it yet. Publish it when it has marks: its page says how many.")
        )
    if hold := publishing.hold_words(submission):
        raise publishing.NotPublishable(hold)
    if publishing.publish(submission=submission):
        _order_board(submission)


@transaction.atomic
def decide_on_copies(
    *, copies: QuerySet[Copy], state: CopyState, reason: str, user: User
) -> list[Copy]:
    """A refusal takes a published result off its board. Returns the copies."""
    new = list(copies.order_by("pk"))
    concerned = Submission.objects.filter(pk__in=[copy.submission_id for copy in new])
    submissions = list(
        concerned.select_related("revision__benchmark")
        .select_for_update(of=("self",))
        .order_by("pk")
    )
    Copy.objects.filter(pk__in=[copy.pk for copy in new]).update(
        state=state, reason=reason, decided_by=user, decided_at=Now()
    )
    for copy in new:
        record_change(copy, state=(copy.state, state), reason=(copy.reason, reason))
        # Of others its team knows nothing.
        if copy.held or CopyState.REFUSED in (copy.state, state):
            decision = "refused" if state == CopyState.REFUSED else "accepted"
            note_event(
                submission=copy.submission, event=Event.REVIEWED, of="copies", decision=decision
            )
    if state == CopyState.REFUSED:
        for submission in submissions:
            withdraw_submission(submission=submission)
    return new


@transaction.atomic
def withdraw_submission(*, submission: Submission) -> None:
    if publishing.withdraw(submission=submission):
        _order_board(submission)


def _order_board(submission: Submission) -> None:
    bells.ring_after_commit(want_board(submission=submission))


def order_boards(*, boards: QuerySet[Board]) -> None:
    """Has the boards computed again, for example after a change of facts that are not results."""
    boards.update(wanted=F("wanted") + 1)
    for board in boards:
        bells.ring_after_commit(board)


def rescore(*, evaluation: Evaluation, outdated: bool = False) -> bool:
    """Recomputes scores after verdicts or tasks changed, as `scheduling.score_again`."""
    if not scheduling.score_again(evaluation=evaluation, outdated=outdated):
        return False
    evaluation.refresh_from_db()
    bells.ring_after_commit(evaluation)
    return True


@transaction.atomic
def discount(*, evaluation: Evaluation) -> None:
    """Takes the row off the board at once, until its scores are computed again."""
    # Waits for an order that is being stored: it would add a row that the deletion below misses.
    Revision.objects.select_for_update(no_key=True).get(pk=evaluation.submission.revision_id)
    rescore(evaluation=evaluation, outdated=True)
    supersede(evaluation=evaluation)
    board = leave_board(evaluation=evaluation)
    if board is not None:
        bells.ring_after_commit(board)


def retry_lost(*, evaluation: Evaluation) -> bool:
    """Returns False if no chunk was lost."""
    again = scheduling.retry_lost(evaluation=evaluation)
    transaction.on_commit(lambda: bells.ring_next_chunks(evaluation.pk))
    return again


def plan_evaluation(
    *, submission: Submission, write: Write = transaction.atomic
) -> Callable[[], Evaluation]:
    """Returns a function that writes the evaluation: with chunks to run or, if people judge, based
    on their marks. `write` as in `scheduling.plan_evaluation`."""
    if submission.is_rated:
        return partial(open_rated_evaluation, submission=submission)
    return scheduling.plan_evaluation(submission=submission, write=write)


def open_evaluation(*, submission: Submission) -> Evaluation:
    return plan_evaluation(submission=submission)()


def judge_again(*, submission: Submission) -> Evaluation:
    """Opens a further evaluation, which becomes the current one when it is done."""
    evaluation = open_evaluation(submission=submission)
    transaction.on_commit(lambda: bells.ring_next(evaluation.pk))
    return evaluation
