"""The work of a chunk: the engine's pipeline on generations from the database.

Verdicts are stored batch by batch under the chunk's claim, so that what was judged stays
judged if this process dies, and a process that lost its claim can write nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.engine import records
from evaluation.engine.pipeline import Judge, portion
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.session import opener
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
from leaderboard.text import storable


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
        cases = _open_cases(chunk)
        keys = {case.generation.key: generation for generation, case in cases.items()}
        left = deque(cases.values())
        while left:
            verdicts = judge.batch(portion(left))
            store_verdicts(chunk=chunk, verdicts=verdicts, generations=keys)
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
    open_sandbox = opener(
        judged, image.reference, limits, runtime=settings.SANDBOX_RUNTIME, labels=labels
    )
    return Judge(judged, open_sandbox, Slots(), limits=limits, stopped=stop.is_set)


def _open_cases(chunk: Chunk) -> dict[int, records.Case]:
    """What of the chunk has no verdict yet, by generation, in the order of the file."""
    submission = chunk.evaluation.submission
    tasks = task_records(submission.revision)
    return {
        row.pk: records.Case(
            tasks[row.task_id],
            records.Generation(row.key_of(tasks[row.task_id].id), row.text),
            submission.setting,
        )
        for row in generations_of(chunk)
    }


@transaction.atomic
def store_verdicts(
    *, chunk: Chunk, verdicts: Sequence[records.Verdict], generations: Mapping[records.Key, int]
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
