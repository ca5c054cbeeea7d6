"""Repairs dropped work: one pass over everything unfinished. A process that died leaves rows in a
state that says what to do next. Safe to run anywhere, any number of times at once."""

import logging
from collections import defaultdict
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django.contrib.sessions.models import Session
from django.db.models import QuerySet
from django.db.models.functions import Now
from django_rq import get_queue
from redis.exceptions import RedisError

from evaluation.models import Worker
from evaluation.state import rechecks, scheduling
from evaluation.state.expected_end import keep_forecast
from evaluation.work import bells
from evaluation.work.actions import confirm_made
from evaluation.work.bells import Waiting, bell_of
from evaluation.work.deleting import remove_entrants
from leaderboard import messages
from leaderboard.accounts.names import mark_entrants
from leaderboard.annotation.campaigns import close_due_campaigns
from leaderboard.annotation.results import stale_campaigns
from leaderboard.generation import runs
from leaderboard.generation.models import Run, RunState
from leaderboard.leases import run_out
from leaderboard.scores.boards import due_boards
from leaderboard.scores.receipts import unsigned_boards
from leaderboard.submissions.intake import STEPS, remove_leftovers, take_back_upload
from leaderboard.submissions.models import Upload, UploadState

log = logging.getLogger(__name__)

WORKER_FORGOTTEN_DAYS = 1
# Maximum parts of unfinished submissions that one pass removes, so that removals do not delay its
# other repairs.
LEFTOVER_PARTS = 10


def reconcile() -> int:
    """Runs one pass. Returns the number of jobs announced. Never raises if the queue is away."""
    for key in scheduling.take_back_run_out():
        log.warning("A worker of evaluation %s stopped answering; its chunk waits", key)
    for upload in run_out(Upload.objects.filter(state__in=STEPS.values())):
        take_back_upload(upload=upload, cause=messages.WORKER_SILENT(), late=True)
    scheduling.name_silent_scorers()
    remove_leftovers(most=LEFTOVER_PARTS)
    remove_entrants()
    for run in runs.taken_back_late():
        log.warning("A worker of run %s stopped answering", run.pk)
    runs.end_overdue()
    confirm_made(uploads=Upload.objects.all())
    for evaluation in scheduling.lost_and_due():
        scheduling.retry_lost(evaluation=evaluation)
    close_due_campaigns()
    mark_entrants()
    waiting: dict[str, list[Waiting]] = defaultdict(list)
    for row in unheard_rows():
        waiting[bell_of(row).queue].append(row)
    rung = 0
    for queue, rows in waiting.items():
        try:
            queued = set(get_queue(queue).get_job_ids())
        except RedisError:
            log.warning("The queue does not answer; %d entries wait for it", len(rows))
            break
        missing = [row for row in rows if bell_of(row).job_id not in queued]
        rung += len(missing) if bells.ring(missing) else 0
    bells.ring_for_room()
    keep_forecast()
    return rung


def unheard_rows() -> Iterator[Waiting]:
    """Rows that wait for a worker. The message about them may be lost."""
    arriving = (UploadState.RECEIVED, UploadState.CONFIRMED)
    waiting: tuple[QuerySet[Any], ...] = (
        Upload.objects.filter(state__in=arriving),
        Run.objects.filter(state=RunState.WAITING),
        # ring_for_room rings for chunks that were never rung for.
        scheduling.waiting_chunks().filter(rung__isnull=False),
        rechecks.next_rechecks(),
        scheduling.to_be_scored(),
        due_boards(),
        unsigned_boards(),
        stale_campaigns(),
    )
    for rows in waiting:
        yield from rows.filter(bells.unheard())


def forget_workers() -> None:
    """Deletes workers that were not seen for a day."""
    Worker.objects.filter(seen__lt=Now() - timedelta(days=WORKER_FORGOTTEN_DAYS)).delete()


def forget_sessions() -> None:
    """Deletes expired sessions, some at a time: SQLite has one writer."""
    expired = Session.objects.filter(expire_date__lt=Now())
    while keys := list(expired.values_list("pk", flat=True)[:1000]):
        Session.objects.filter(pk__in=keys).delete()
