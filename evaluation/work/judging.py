"""The work of a chunk: the engine's pipeline on generations from the database.

Verdicts are stored batch by batch under the chunk's claim, so that what was judged stays
judged if this process dies, and a process that lost its claim can write nothing.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, closing
from datetime import timedelta
from functools import partial
from typing import NamedTuple, Self

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from evaluation.engine import records
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import Canary, InProjects
from evaluation.engine.pipeline import Judge, Sandbox, portion
from evaluation.engine.preparation.preparing import joined
from evaluation.engine.preparation.workplaces import Workplace, open_workplace
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.session import opener
from evaluation.engine.sandbox.slots import Slots
from evaluation.models import Chunk, Verdict, VerdictOutput
from evaluation.state.projects import is_known_to_fail, options
from evaluation.state.references import keep_failure, keep_references
from evaluation.state.scheduling import (
    finish_chunk,
    lose_chunk,
    note_image,
    note_project,
    renew_lease,
    running,
)
from evaluation.state.units import judged_by, open_units
from leaderboard.benchmarks.models import Revision
from leaderboard.benchmarks.records import task_records
from leaderboard.leases import Pulse, lease_end
from leaderboard.submissions.models import Generation
from leaderboard.text import storable


class ClaimLost(Exception):
    """The chunk is somebody else's by now, or was cancelled: nothing more is written."""


def judge_chunk(*, chunk: Chunk, stop: threading.Event) -> None:
    """Judges what of the chunk has no verdict yet and ends it: it is done, or where the
    benchmark itself is wrong, lost.

    Raises ClaimLost; SandboxError, also where `stop` was set from outside: then the chunk
    is the caller's to give back.
    """
    with Pulse(partial(renew_lease, chunk=chunk), stop):
        try:
            with _Judging(chunk, stop) as work:
                work.judge()
            over = finish_chunk(chunk=chunk)
        except BenchmarkError as error:
            over = lose_chunk(chunk=chunk, cause=str(error))
        if not over:
            raise ClaimLost


class _Judging:
    """The work of one claim, which ends within seconds when `stop` is set; leaving it sets it."""

    def __init__(self, chunk: Chunk, stop: threading.Event) -> None:
        self._chunk, self._stop = chunk, stop
        self._submission = chunk.evaluation.submission
        self._judged = judged_by(self._submission.revision.benchmark)
        self._limits = records.Limits(**chunk.evaluation.limits)
        self._slots = Slots()
        self._judge: Judge | None = None
        self._labels = {
            "assay.installation": str(settings.DATA_DIR),
            "assay.chunk": str(chunk.pk),
            "assay.attempt": str(chunk.attempt),
        }
        self._watch = threading.Thread(target=self._abort_on_stop, daemon=True)

    def __enter__(self) -> Self:
        self._watch.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._watch.join()

    def _abort_on_stop(self) -> None:
        self._stop.wait()
        judge = self._judge
        if judge is not None:
            judge.abort()

    def judge(self) -> None:
        """Raises ClaimLost, SandboxError, BenchmarkError."""
        docker.sweep()
        if self._judged.projects is None:
            self._judge_in_image()
        else:
            self._judge_in_projects(self._judged.projects)

    def _judge_in_image(self) -> None:
        image = images.ensure(docker.client(), self._judged.image)
        if not note_image(chunk=self._chunk, reference=image.reference, digest=image.digest):
            raise ClaimLost
        open_sandbox = opener(
            self._judged,
            image.reference,
            self._limits,
            runtime=settings.SANDBOX_RUNTIME,
            labels=self._labels,
            kit=self._submission.revision.packed_kit(),
        )
        cases = self._cases(task_records(self._submission.revision))
        self._judge_cases(cases, open_sandbox, self._judged.canaries)

    def _judge_in_projects(self, in_projects: InProjects) -> None:
        """A chunk is of one project; of several only where the engine tells them apart by now
        that it did not when the revision was imported."""
        projects = projects_of(self._submission.revision, in_projects)
        cases = self._cases({pk: task for own in projects.values() for pk, task in own.items()})
        for project, tasks in projects.items():
            ids = {task.id for task in tasks.values()}
            own = [one for one in cases if one.case.task.id in ids]
            if own:
                self._judge_in_project(project, tasks, own)

    def _judge_in_project(
        self,
        project: records.Project,
        tasks: Mapping[int, records.Task],
        cases: Sequence[_Case],
    ) -> None:
        asked = {one.case.task.id for one in cases}
        with ExitStack() as stack:
            try:
                place = stack.enter_context(self._workplace(project, tasks, asked))
            except BenchmarkError as error:
                if is_known_to_fail(project):
                    keep_failure(tasks=tasks, cause=str(error))
                raise
            found = {pk: place.references[t.id] for pk, t in tasks.items() if t.id in asked}
            keep_references(prepared=place.prepared, found=found)
            built = place.prepared
            if not note_project(chunk=self._chunk, digest=built.digest, base=built.base):
                raise ClaimLost
            filled = [one._replace(case=place.filled(one.case)) for one in cases]
            self._judge_cases(filled, place.open_sandbox, place.canaries)

    def _workplace(
        self,
        project: records.Project,
        tasks: Mapping[int, records.Task],
        asked: Collection[records.TaskId],
    ) -> AbstractContextManager[Workplace]:
        return open_workplace(
            self._judged,
            project,
            [task for task in tasks.values() if task.id in asked],
            options(),
            self._slots,
            limits=self._limits,
            runtime=settings.SANDBOX_RUNTIME,
            labels=self._labels,
            stopped=self._stop.is_set,
        )

    def _cases(self, tasks: Mapping[int, records.Task]) -> list[_Case]:
        """What of the chunk has no verdict yet, in the order of the file."""
        return [
            _Case(
                unit.generation.pk,
                records.Case(
                    tasks[unit.generation.task_id],
                    _record(unit.generation, tasks[unit.generation.task_id]),
                    self._submission.setting,
                    unit.test_set,
                ),
            )
            for unit in open_units(self._chunk, texts=True)
        ]

    def _judge_cases(
        self,
        cases: Sequence[_Case],
        open_sandbox: Callable[[], Sandbox],
        canaries: Sequence[Canary],
    ) -> None:
        keys = {one.case.generation.key: one.generation for one in cases}
        left = deque(one.case for one in cases)
        with closing(self._new_judge(open_sandbox, canaries)) as judge:
            while left:
                verdicts = judge.batch(portion(left, self._judged.batch_seconds))
                store_verdicts(chunk=self._chunk, verdicts=verdicts, generations=keys)

    def _new_judge(self, open_sandbox: Callable[[], Sandbox], canaries: Sequence[Canary]) -> Judge:
        self._judge = Judge(
            self._judged,
            open_sandbox,
            self._slots,
            limits=self._limits,
            canaries=canaries,
            stopped=self._stop.is_set,
        )
        return self._judge


class _Case(NamedTuple):
    """A case, and the row of its generation."""

    generation: int
    case: records.Case


def _record(row: Generation, task: records.Task) -> records.Generation:
    return records.Generation(row.key_of(task.id), row.text)


def projects_of(
    revision: Revision, in_projects: InProjects
) -> dict[records.Project, dict[int, records.Task]]:
    """The revision's projects, each with its tasks by primary key. All of the tasks: what one
    of them withholds is kept from the runs of every other."""
    tasks = task_records(revision)
    keys = {task.id: pk for pk, task in tasks.items()}
    groups = joined(tasks.values(), in_projects)
    return {project: {keys[task.id]: task for task in found} for project, found in groups.items()}


@transaction.atomic
def store_verdicts(
    *, chunk: Chunk, verdicts: Sequence[records.Verdict], generations: Mapping[records.Key, int]
) -> None:
    """The verdicts of a batch, all or nothing. Raises ClaimLost."""
    mine = running(chunk).update(
        judged=F("judged") + sum(not verdict.test_set for verdict in verdicts),
        tries=0,
        lease_until=lease_end(),
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
        control_ms=verdict.control_ms,
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
