"""The work of a chunk: the engine's pipeline on generations from the database.

Verdicts are stored batch by batch under the chunk's claim, so that what was judged stays
judged if this process dies, and a process that lost its claim can write nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.engine import records
from evaluation.engine.pipeline import Judge
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.session import Session
from evaluation.engine.sandbox.slots import Slots
from evaluation.models import Chunk, Verdict, VerdictOutput
from evaluation.scheduling import (
    finish_chunk,
    generations_of,
    judged_by,
    note_image,
    renew_lease,
    running,
)
from leaderboard.benchmarks.records import task_records
from leaderboard.leases import Pulse, lease_end
from leaderboard.submissions.models import NO_TURN, Generation
from leaderboard.text import storable

# A batch is closed, and its verdicts are stored, after so many generations or seconds.
BATCH_CASES, BATCH_SECONDS = 64, 5.0


class ClaimLost(Exception):
    """The chunk is somebody else's by now, or was cancelled: nothing more is written."""


def judge_chunk(*, chunk: Chunk, stop: threading.Event) -> None:
    """Judges what of the chunk has no verdict yet and ends it.

    Raises ClaimLost; SandboxError, also where `stop` was set from outside: then the chunk
    is the caller's to give back.
    """
    with Pulse(partial(renew_lease, chunk=chunk), stop):
        _judge_all(chunk, _judge(chunk, stop), stop)


def _judge_all(chunk: Chunk, judge: Judge, stop: threading.Event) -> None:
    watch = threading.Thread(target=_abort_on, args=(stop, judge), daemon=True)
    watch.start()
    try:
        cases = _Cases(chunk)
        while not cases.over:
            verdicts = judge.batch(cases.batch())
            store_verdicts(chunk=chunk, verdicts=verdicts, generations=cases.keys)
        if not finish_chunk(chunk=chunk):
            raise ClaimLost
    finally:
        judge.close()
        stop.set()
        watch.join()


def _abort_on(stop: threading.Event, judge: Judge) -> None:
    stop.wait()
    judge.abort()


def _judge(chunk: Chunk, stop: threading.Event) -> Judge:
    """Raises SandboxError, ClaimLost."""
    evaluation = chunk.evaluation
    judged = judged_by(evaluation.submission.revision.benchmark)
    limits = records.Limits(**evaluation.limits)
    docker.sweep()
    image = images.ensure(docker.client(), judged.image)
    if not note_image(chunk=chunk, reference=image.reference, digest=image.digest):
        raise ClaimLost
    labels = {
        "assay.installation": str(settings.DATA_DIR),
        "assay.chunk": str(chunk.pk),
        "assay.attempt": str(chunk.attempt),
    }

    def open_sandbox() -> Session:
        return Session(
            image.reference,
            limits,
            runners=judged.runners,
            warm=judged.warm,
            runtime=settings.SANDBOX_RUNTIME,
            labels=labels,
        )

    return Judge(judged, open_sandbox, Slots(), limits=limits, stopped=stop.is_set)


class _Cases:
    """The chunk's open generations as cases, in batches; each is taken when asked for."""

    def __init__(self, chunk: Chunk) -> None:
        submission = chunk.evaluation.submission
        self._rows = iter(generations_of(chunk))
        self._setting = submission.setting
        self._tasks = task_records(submission.revision)
        self.keys: dict[records.Key, int] = {}
        self.over = False

    def batch(self) -> Iterator[records.Case]:
        """The next batch; `over` is set where nothing comes after it."""
        self.keys = {}
        began = time.monotonic()
        while len(self.keys) < BATCH_CASES and time.monotonic() - began < BATCH_SECONDS:
            row = next(self._rows, None)
            if row is None:
                self.over = True
                return
            case = records.Case(self._tasks[row.task_id], self._record(row), self._setting)
            self.keys[case.generation.key] = row.pk
            yield case

    def _record(self, row: Generation) -> records.Generation:
        turn = None if row.turn == NO_TURN else row.turn
        task_id = self._tasks[row.task_id].id
        key = records.Key(task_id, row.sample, row.requirement or None, turn)
        return records.Generation(key, row.text)


@transaction.atomic
def store_verdicts(
    *, chunk: Chunk, verdicts: Sequence[records.Verdict], generations: dict[records.Key, int]
) -> None:
    """The verdicts of a batch, all or nothing. Raises ClaimLost."""
    mine = running(chunk).update(
        judged=F("judged") + len(verdicts), tries=0, lease_until=lease_end()
    )
    if not mine:
        raise ClaimLost
    rows = Verdict.objects.bulk_create(
        _row(chunk, generations[verdict.key], verdict) for verdict in verdicts
    )
    expires = timezone.now() + timedelta(days=settings.OUTPUT_DAYS)
    VerdictOutput.objects.bulk_create(
        VerdictOutput(verdict=row, text=excerpt(verdict.output), expires=expires)
        for row, verdict in zip(rows, verdicts, strict=True)
        if verdict.output
    )


def _row(chunk: Chunk, generation: int, verdict: records.Verdict) -> Verdict:
    return Verdict(
        evaluation_id=chunk.evaluation_id,
        generation_id=generation,
        test_set=verdict.test_set,
        status=verdict.status.value,
        integrity=verdict.integrity.value,
        tests_passed=verdict.tests_passed,
        tests_total=verdict.tests_total,
        duration_ms=verdict.duration_ms,
        peak_memory_kib=verdict.peak_memory_kib,
        flags=[storable(flag) for flag in verdict.flags],
        evidence=verdict.evidence,
    )


def excerpt(output: str) -> str:
    """The end of what was printed, where the error is: at most OUTPUT_MOST_BYTES of it."""
    encoded = output.encode("utf-8", "surrogatepass")
    if len(encoded) <= settings.OUTPUT_MOST_BYTES:
        return output
    return encoded[-settings.OUTPUT_MOST_BYTES :].decode("utf-8", "replace")


def forget_outputs() -> int:
    """Deletes output excerpts that were kept long enough; how many."""
    return VerdictOutput.objects.filter(expires__lt=Now()).delete()[0]
