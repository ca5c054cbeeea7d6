"""The jobs of workers. A job claims a row by its key, and gives it back if the machinery fails."""

import logging
import signal
import socket
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from functools import partial
from types import FrameType

from django.db import connection, transaction

from evaluation.engine.errors import EngineAway, EngineError, SandboxError, UploadError
from evaluation.engine.generation.session import Stopped
from evaluation.engine.texts import Message
from evaluation.models import Chunk, Evaluation, Recheck
from evaluation.state import rechecks, scheduling
from evaluation.work import bells, chunks, generating
from evaluation.work.actions import confirm_made, plan_evaluation, submit_made
from leaderboard import messages
from leaderboard.annotation import results
from leaderboard.annotation.panels import CampaignMarks
from leaderboard.annotation.results import campaign_of, score_rated
from leaderboard.boards.means import store_means
from leaderboard.generation import runs
from leaderboard.leases import ClaimLost, Pulse, owner
from leaderboard.scores import boards, receipts, scoring
from leaderboard.scores.models import Board
from leaderboard.submissions import intake
from leaderboard.submissions.models import Upload, UploadState

log = logging.getLogger(__name__)

# Seconds for which a worker without Docker takes no job.
AWAY_SECONDS = 3.0
# Seconds of a step after which uploads of other teams take turns with it, how many at most, and
# seconds between two looks for further ones.
SHARE_SECONDS, SHARED_UPLOADS, LOOK_SECONDS = 2.0, 3, 0.5


def check_upload(key: int) -> None:
    _attend(intake.claim_upload(pk=key, owner=owner(), state=UploadState.RECEIVED))


def store_upload(key: int) -> None:
    _attend(intake.claim_upload(pk=key, owner=owner(), state=UploadState.CONFIRMED))


def _attend(upload: Upload | None) -> None:
    """Takes the step of a claimed upload. If that takes long, uploads of other teams take turns
    with it, each in a thread: the interpreter divides the processor between them."""
    if upload is None:
        return
    over = threading.Event()
    others = threading.Thread(target=_attend_others, args=(over,))
    others.start()
    try:
        _STEPS[UploadState(upload.state)](upload)
    finally:
        over.set()
        others.join()


def _attend_others(over: threading.Event) -> None:
    """Claims none once `over` is set, and returns when no thread is left."""

    def attend(upload: Upload) -> None:
        with closing(connection):
            _STEPS[UploadState(upload.state)](upload)  # a failed one has the cause

    over.wait(SHARE_SECONDS)
    steps: set[Future[None]] = set()
    with ThreadPoolExecutor(SHARED_UPLOADS) as pool, closing(connection):
        while not over.is_set():
            steps = {step for step in steps if not step.done()}
            if len(steps) < SHARED_UPLOADS and (other := intake.claim_other(owner=owner())):
                steps.add(pool.submit(attend, other))
            else:
                over.wait(LOOK_SECONDS)


def _check(upload: Upload) -> None:
    try:
        with Pulse(partial(intake.renew_lease, upload=upload), threading.Event()):
            intake.check_upload(upload=upload)
    except Exception as error:
        intake.take_back_upload(upload=upload, cause=_fault(error))
        raise
    confirm_made(uploads=Upload.objects.filter(pk=upload.pk))


def _store(upload: Upload) -> None:
    try:
        with Pulse(partial(intake.renew_lease, upload=upload), threading.Event()):
            evaluation = open_submission(upload=upload)
    except ClaimLost:
        log.info("Upload %s has another owner now", upload.pk)
        return
    except UploadError as error:
        intake.refuse_upload(upload=upload, problems=error.problems)
        return
    except Exception as error:
        intake.take_back_upload(upload=upload, cause=_fault(error))
        raise
    bells.ring_next(evaluation.pk)


_STEPS = {UploadState.CHECKING: _check, UploadState.STORING: _store}


def open_submission(*, upload: Upload) -> Evaluation:
    """Stores the submission and its evaluation; both become visible at the same moment. Raises
    ClaimLost, UploadError."""
    submission = intake.store_generations(upload=upload)
    write_evaluation = plan_evaluation(
        submission=submission, write=partial(intake.under_claim, upload=upload)
    )
    with transaction.atomic():
        intake.finish_submission(upload=upload, submission=submission)
        return write_evaluation()


def generate(key: int) -> None:
    run = runs.claim_run(pk=key, owner=owner())
    if run is None:
        return
    stop = threading.Event()
    event = _asked_to_end(stop)
    try:
        submit_made(run=run, made=generating.generate(run=run, stop=stop))
    except Stopped:
        # If a person stopped it, the claim is gone and this does nothing.
        runs.give_back_run(run=run)
    except EngineAway as error:
        log.warning("Run %s is postponed: %s", run.pk, error)
        runs.give_back_run(run=run, cause=error.message)
        # A worker of another host may judge its turns meanwhile.
        _pause(event)
    except SandboxError as error:
        runs.take_back_run(run=run, cause=error.message)
    except EngineError as error:
        runs.fail_run(run=run, cause=error.message)
    except Exception as error:
        runs.take_back_run(run=run, cause=_fault(error))
        raise


def chunk(key: int) -> None:
    claimed = scheduling.claim_chunk(pk=key, owner=owner(), host=socket.gethostname())
    if claimed is None:
        return
    bells.ring_next_chunks(claimed.evaluation_id)
    judge = partial(chunks.judge_chunk, chunk=claimed)
    _judge(claimed, judge, partial(scheduling.give_back_chunk, chunk=claimed))
    # Outside any transaction, after the commit of the chunk's end.
    bells.ring_next(claimed.evaluation_id)


def recheck(key: int) -> None:
    claimed = rechecks.claim_recheck(pk=key, owner=owner(), host=socket.gethostname())
    if claimed is None:
        return
    judge = partial(chunks.judge_recheck, recheck=claimed)
    _judge(claimed, judge, partial(rechecks.give_back_recheck, recheck=claimed))


def _judge(
    claimed: Chunk | Recheck, judge: Callable[..., None], give_back: Callable[..., bool]
) -> None:
    stop = threading.Event()
    event = _asked_to_end(stop)
    try:
        judge(stop=stop)
    except ClaimLost:
        log.info("%s %s has another owner now", type(claimed).__name__, claimed)
    except SandboxError as error:
        stopping, away = event.is_set(), isinstance(error, EngineAway)
        if not stop.is_set():
            log.warning(
                "%s %s is returned to the queue: %s", type(claimed).__name__, claimed, error
            )
        give_back(
            cause=messages.WORKER_STOPPED() if stopping else error.message,
            # Neither a worker that stops or makes room nor an absent Docker says anything about
            # the chunk.
            counts=not stop.is_set() and not away,
        )
        if away:
            # Another host may take the chunk at once. Here, further chunks would only fail too.
            _pause(event)
    except Exception as error:
        give_back(cause=_fault(error), counts=True)
        raise


def _pause(event: threading.Event) -> None:
    """Does not wait for the event: its lock would be held when the signal's handler sets it."""
    end = time.monotonic() + AWAY_SECONDS
    while not event.is_set() and time.monotonic() < end:
        time.sleep(0.1)


def _fault(error: Exception) -> Message:
    """A fault in the site itself, in words for a page. The queue keeps the traceback."""
    return messages.FAULT(kind=type(error).__name__)


def _asked_to_end(stop: threading.Event) -> threading.Event:
    """SIGTERM stops the work; the caller gives it back, so it is not lost."""
    event = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        # A second signal would wait for the lock of an event that this one is setting.
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        event.set()
        stop.set()

    signal.signal(signal.SIGTERM, end)
    return event


def score(key: int) -> None:
    marks = None
    evaluation = scheduling.to_be_scored().filter(pk=key).first()
    if evaluation is not None and evaluation.submission.is_rated:
        rated_in = campaign_of(evaluation.submission)
        marks = CampaignMarks(rated_in) if rated_in else None
    _score(key, marks)
    if marks is not None:
        _score_others(marks)
    bells.ring(boards.due_boards())


def _score(key: int, marks: CampaignMarks | None = None) -> None:
    evaluation = scheduling.claim_scoring(pk=key, owner=owner())
    if evaluation is None:
        return
    try:
        if evaluation.submission.is_rated:
            written = score_rated(evaluation=evaluation, marks=marks)
        else:
            written = scoring.score_evaluation(evaluation=evaluation)
    except Exception as error:
        Evaluation.objects.filter(pk=key).update(cause=_fault(error))
        raise
    if not written and scheduling.give_back_scoring(evaluation=evaluation):
        bells.ring_next(key)


def campaign(key: int) -> None:
    stale = results.stale_campaigns().filter(pk=key).first()
    marks = results.make_results(campaign=stale) if stale else None
    if marks is None:
        return
    _score_others(marks)
    bells.ring(boards.due_boards())


def _score_others(marks: CampaignMarks) -> None:
    """Scores every waiting evaluation of the campaign in this job: with a job for each, the
    campaign's marks would be read each time."""
    for evaluation in scheduling.to_be_scored().filter(submission__in=marks.by_submission):
        try:
            _score(evaluation.pk, marks)
        except Exception:  # The evaluation has the cause; the others are scored.
            log.exception("Evaluation %s could not be scored", evaluation.pk)


def board(key: int) -> None:
    claimed = boards.claim_board(pk=key, owner=owner())
    if claimed is None:
        return
    with Pulse(partial(boards.renew_lease, board=claimed), threading.Event()):
        if boards.make_board(board=claimed):
            claimed.refresh_from_db()
            show_board(claimed)
        try:
            receipts.make_receipts(claimed)
        except Exception:  # The reconciler rings for them.
            log.exception("Receipts of board %s could not be made", claimed.pk)
    boards.release_board(board=claimed)


def sign(key: int) -> None:
    """Makes the missing receipts of a board. The board's order does not change. Needs no lease."""
    receipts.make_receipts(Board.objects.get(pk=key))


def show_board(made: Board) -> None:
    """Stores what the board's pages and the home page show. The reconciler draws charts that are
    missing; a page computes means that are missing."""
    # Imports pandas and plotly, which nothing else here needs.
    from leaderboard.pages.boards.board_charts import store

    for step in (partial(store, made), store_means):
        try:
            step()
        except Exception:  # The board is made; the other step does not depend on this one.
            log.exception("What pages show of board %s could not be stored", made.pk)
