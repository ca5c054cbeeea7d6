"""The doorbell: notifies workers of work. The work is in the database, so a bell that is lost, or
rings twice, changes nothing. A job's id contains its attempt, so that the queue can be asked
whether it already has the job."""

import logging
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import NamedTuple, TypeAlias

from django.db import transaction
from django.db.models import Case, F, Q, When, Window
from django.db.models.functions import Now, RowNumber
from django_rq import get_queue
from redis.exceptions import RedisError

from evaluation.models import Chunk, Evaluation, Recheck
from evaluation.state.scheduling import to_be_scored, waiting_chunks
from leaderboard.annotation.models import Campaign
from leaderboard.generation.models import Run
from leaderboard.logs import request_id
from leaderboard.scores.models import Board
from leaderboard.submissions.models import Upload, UploadState

log = logging.getLogger(__name__)

# Rows that wait for a worker; each stores when its bell was last rung.
Waiting: TypeAlias = Upload | Chunk | Recheck | Evaluation | Board | Run | Campaign

INTAKE, SCORING, GENERATION = "intake", "scoring", "generation"
# Maximum queued chunks per evaluation, so that evaluations of any size take turns.
AHEAD = 4
# Seconds after which a bell whose job is not in the queue counts as lost.
UNHEARD_SECONDS = 5
# Seconds that ended jobs are kept: rq fails on a duplicate job that has already expired.
FINISHED_SECONDS, FAILED_SECONDS = 3600, 86400


class Bell(NamedTuple):
    queue: str
    name: str
    key: int
    attempt: int

    @property
    def job_id(self) -> str:
        return f"{self.name}-{self.key}-{self.attempt}"


def bell_of(row: Waiting) -> Bell:
    match row:
        case Upload():
            step = "check" if row.state == UploadState.RECEIVED else "store"
            return Bell(INTAKE, f"{step}_upload", row.pk, row.attempt + 1)
        case Chunk():
            return Bell(row.queue, "chunk", row.pk, row.attempt + 1)
        case Recheck():
            return Bell(row.chunk.queue, "recheck", row.pk, row.attempt + 1)
        case Evaluation():
            return Bell(SCORING, "score", row.pk, row.attempt + 1)
        case Board():
            step = "board" if row.made < row.wanted else "sign"
            return Bell(SCORING, step, row.pk, row.attempt + 1)
        case Run():
            return Bell(GENERATION, "generate", row.pk, row.attempt + 1)
        case Campaign():
            return Bell(SCORING, "campaign", row.pk, row.wanted)


def ring_after_commit(row: Waiting) -> None:
    """Rings when other connections can read the row. Never fails."""
    transaction.on_commit(partial(ring, [row]))


def unheard() -> Q:
    return Q(rung__isnull=True) | Q(rung__lt=Now() - timedelta(seconds=UNHEARD_SECONDS))


def ring(rows: Iterable[Waiting]) -> bool:
    """Returns False if the queue is away: the reconciler rings again."""
    for row in rows:
        bell = bell_of(row)
        this = type(row)._default_manager.filter(pk=row.pk)
        # Several callers may get here: only the one that notes the time first rings.
        if not this.filter(unheard()).update(rung=Now()):
            continue
        try:
            get_queue(bell.queue).enqueue_call(
                f"evaluation.jobs.{bell.name}",
                args=(bell.key,),
                job_id=bell.job_id,
                meta={"request": request_id()},
                timeout=-1,
                result_ttl=FINISHED_SECONDS,
                failure_ttl=FAILED_SECONDS,
            )
        except RedisError as error:
            this.update(rung=None)
            log.warning(
                "The queue does not answer; pending work is announced again later. %s", error
            )
            return False
    return True


def ring_next(evaluation: int) -> bool:
    """Rings for scoring if nothing is left to run. Call it outside any transaction, after the
    commit of the previous step."""
    if due := to_be_scored().filter(pk=evaluation):
        return ring(due)
    return ring_next_chunks(evaluation)


def ring_for_room() -> bool:
    """As `ring_next_chunks` for every evaluation. One query, unless there is something to ring."""
    place = Window(RowNumber(), partition_by=F("evaluation"), order_by=F("number").asc())
    # Chunks that were rung for take a place too, so a filter must not remove them before the
    # numbering.
    unrung = waiting_chunks().annotate(place=Case(When(rung=None, then=place)))
    return ring(unrung.filter(place__lte=AHEAD).order_by("evaluation", "number"))


def ring_next_chunks(evaluation: int) -> bool:
    waiting = waiting_chunks().filter(evaluation=evaluation).order_by("number")[:AHEAD]
    return ring(chunk for chunk in waiting if chunk.rung is None)
