"""The doorbell: tells workers that there is something to do. What is to do stands in the
database, so a bell that is not heard, or heard twice, changes nothing.

A job's id carries the attempt that it is for, so that the queue can be asked whether it has
it already.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from django.db import transaction
from django.db.models.functions import Now
from django_rq import get_queue
from redis.exceptions import RedisError

from evaluation.models import Chunk, ChunkState, Evaluation
from evaluation.scheduling import waiting_chunks
from leaderboard.leases import Leased
from leaderboard.scores.models import Board
from leaderboard.submissions.models import Upload, UploadState

log = logging.getLogger(__name__)

INTAKE, SCORING = "intake", "scoring"
# So many chunks of an evaluation stand in the queue at a time: the others of the site take
# turns with it, whatever its size.
AHEAD = 4
FAILED_DAYS = 1


class Bell(NamedTuple):
    """A job for the queue: a function of evaluation.jobs and the row that it is for."""

    queue: str
    name: str
    key: int
    attempt: int

    @property
    def job_id(self) -> str:
        return f"{self.name}-{self.key}-{self.attempt}"


def upload_bell(upload: Upload) -> Bell:
    step = "check" if upload.state == UploadState.RECEIVED else "store"
    return Bell(INTAKE, f"{step}_upload", upload.pk, upload.attempt + 1)


def chunk_bell(chunk: Chunk) -> Bell:
    return Bell(chunk.queue, "chunk", chunk.pk, chunk.attempt + 1)


def scoring_bell(evaluation: Evaluation) -> Bell:
    return Bell(SCORING, "score", evaluation.pk, evaluation.attempt + 1)


def board_bell(board: Board) -> Bell:
    return Bell(SCORING, "board", board.pk, board.wanted)


def ring_after_commit(row: Leased | Board, bell: Bell) -> None:
    """Rings once what is to be done can be read by others. Never fails."""
    transaction.on_commit(partial(ring, [(row, bell)]))


def ring(rows: Iterable[tuple[Leased | Board, Bell]]) -> bool:
    """Rings now and notes when. False where the queue is away: the reconciler rings again."""
    try:
        for row, bell in rows:
            _enqueue(bell)
            type(row)._default_manager.filter(pk=row.pk).update(rung=Now())
    except RedisError as error:
        log.warning("The queue does not answer; what waits is rung for again later. %s", error)
        return False
    return True


def _enqueue(bell: Bell) -> None:
    get_queue(bell.queue).enqueue_call(
        f"evaluation.jobs.{bell.name}",
        args=(bell.key,),
        job_id=bell.job_id,
        timeout=-1,
        # What came of it stands in the database.
        result_ttl=0,
        failure_ttl=FAILED_DAYS * 86400,
    )


def ring_next_chunks(evaluation: int) -> bool:
    """Fills the evaluation's share of the queue up with chunks that wait."""
    waiting = waiting_chunks().filter(evaluation=evaluation).order_by("number")
    rung = Chunk.objects.filter(
        evaluation=evaluation, state=ChunkState.WAITING, rung__isnull=False
    ).count()
    room = max(0, AHEAD - rung)
    return ring([(chunk, chunk_bell(chunk)) for chunk in waiting.filter(rung=None)[:room]])


def queued_ids(queue: str) -> set[str]:
    """The ids that stand in a queue. Raises RedisError where it is away."""
    return set(get_queue(queue).get_job_ids())
