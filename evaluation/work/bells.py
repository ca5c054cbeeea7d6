"""The doorbell: tells workers that there is something to do. What is to do stands in the
database, so a bell that is not heard, or heard twice, changes nothing.

A job's id carries the attempt that it is for, so that the queue can be asked whether it has
it already.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import timedelta
from functools import partial
from typing import NamedTuple, TypeAlias

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django_rq import get_queue
from redis.exceptions import RedisError

from evaluation.models import Chunk, Evaluation
from evaluation.state.scheduling import to_be_scored, waiting_chunks
from leaderboard.annotation.models import Campaign
from leaderboard.generation.models import Run
from leaderboard.leases import Leased
from leaderboard.scores.models import Board
from leaderboard.submissions.models import Upload, UploadState

log = logging.getLogger(__name__)

# What waits to be done is noted on it, with when it was rung for.
Waiting: TypeAlias = Leased | Board | Campaign

INTAKE, SCORING, GENERATION = "intake", "scoring", "generation"
# So many chunks of an evaluation stand in the queue at a time: the others of the site take
# turns with it, whatever its size.
AHEAD = 4
# A bell that was rung so long ago and whose job the queue does not have was lost.
UNHEARD_SECONDS = 5
# Where one was rung twice, rq trips over a job that the other has ended and that is gone.
FINISHED_SECONDS, FAILED_SECONDS = 3600, 86400


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


def campaign_bell(campaign: Campaign) -> Bell:
    return Bell(SCORING, "campaign", campaign.pk, campaign.wanted)


def run_bell(run: Run) -> Bell:
    return Bell(GENERATION, "generate", run.pk, run.attempt + 1)


def ring_after_commit(row: Waiting, bell: Bell) -> None:
    """Rings once what is to be done can be read by others. Never fails."""
    transaction.on_commit(partial(ring, [(row, bell)]))


def unheard() -> Q:
    """Of rows that wait: those that were not rung for lately."""
    return Q(rung__isnull=True) | Q(rung__lt=Now() - timedelta(seconds=UNHEARD_SECONDS))


def ring(rows: Iterable[tuple[Waiting, Bell]]) -> bool:
    """Rings now and notes when. False where the queue is away: the reconciler rings again."""
    for row, bell in rows:
        this = type(row)._default_manager.filter(pk=row.pk)
        # Of several who want to ring, the one that notes it first does.
        if not this.filter(unheard()).update(rung=Now()):
            continue
        try:
            _enqueue(bell)
        except RedisError as error:
            this.update(rung=None)
            log.warning("The queue does not answer; what waits is rung for again later. %s", error)
            return False
    return True


def _enqueue(bell: Bell) -> None:
    get_queue(bell.queue).enqueue_call(
        f"evaluation.jobs.{bell.name}",
        args=(bell.key,),
        job_id=bell.job_id,
        timeout=-1,
        result_ttl=FINISHED_SECONDS,
        failure_ttl=FAILED_SECONDS,
    )


def ring_next(evaluation: int) -> bool:
    """For the scoring where nothing is left to be run, else for further chunks.

    To be called outside any transaction, after what came before was committed.
    """
    found = to_be_scored().filter(pk=evaluation).first()
    if found is not None:
        return ring([(found, scoring_bell(found))])
    return ring_next_chunks(evaluation)


def ring_next_chunks(evaluation: int) -> bool:
    """Has the evaluation's share of the queue filled up with chunks that wait."""
    waiting = waiting_chunks().filter(evaluation=evaluation).order_by("number")[:AHEAD]
    return ring([(chunk, chunk_bell(chunk)) for chunk in waiting if chunk.rung is None])


def queued_ids(queue: str) -> set[str]:
    """The ids that stand in a queue. Raises RedisError where it is away."""
    return set(get_queue(queue).get_job_ids())
