"""Judges a chunk, for the first or the second time: runs the engine's driver on generations from
the database. Verdicts are stored batch by batch under the chunk's claim, differences of a recheck
at its end under the recheck's: a process that lost it cannot write."""

import threading
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import partial

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from evaluation.engine import records
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import InProjects
from evaluation.engine.preparation.preparing import joined
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import Workplace, open_workplaces, required
from evaluation.engine.runs import judge_cases
from evaluation.engine.sandbox.slots import Slots, kind_of
from evaluation.models import Chunk, Recheck, Verdict, VerdictOutput
from evaluation.state import rechecks, scheduling
from evaluation.state.projects import BUILDS, agreed_dry_run, is_known_to_fail, options
from evaluation.state.references import keep_failure, keep_references
from evaluation.state.units import JudgedUnit, open_units, units_of
from leaderboard.benchmarks.models import Revision
from leaderboard.benchmarks.records import task_records
from leaderboard.leases import ClaimLost, Pulse, lease_end
from leaderboard.text import storable

# After this many times its planned length a chunk lets other evaluations take its worker.
TURN = 2.0
# Signs of life per lease: with each one, a page learns what the chunk waits for.
RENEWALS = 12


class _TurnOver(Exception):
    """The chunk took long, and other evaluations wait for a worker."""


def judge_chunk(*, chunk: Chunk, stop: threading.Event) -> None:
    """Judges the chunk's open units, or as many as its turn allows, or marks it lost if the
    benchmark is wrong. Raises ClaimLost, and SandboxError, also if `stop` was set from outside; the
    caller then gives the chunk back."""
    slots = slots_for(chunk, share=f"submission {chunk.evaluation.submission_id}")
    until = time.monotonic() + TURN * settings.CHUNK_SECONDS
    left = 0

    def renew() -> bool:
        wait = slots.wait
        if wait is None:
            return scheduling.renew_lease(chunk=chunk)
        return scheduling.renew_lease(chunk=chunk, waits_for=wait.message, shares=wait.shares)

    def note(workplace: Workplace) -> None:
        image, digest, prepared = workplace.image, workplace.digest, workplace.prepared
        base = None if prepared is None else prepared.base
        if not scheduling.note_image(chunk=chunk, image=image, digest=digest, base=base):
            raise ClaimLost

    def store(verdicts: list[records.Verdict], generations: Mapping[records.Key, int]) -> None:
        nonlocal left
        store_verdicts(chunk=chunk, verdicts=verdicts, generations=generations)
        left -= len(verdicts)
        others = scheduling.waiting_chunks().exclude(evaluation=chunk.evaluation_id)
        if left and time.monotonic() > until and others.exists():
            raise _TurnOver

    with Pulse(renew, stop, every=settings.LEASE_SECONDS / RENEWALS):
        try:
            units = open_units(chunk, texts=True)
            left = len(units)
            _judge(chunk, units, slots, stop, note, store)
            over = scheduling.finish_chunk(chunk=chunk)
        except _TurnOver:
            over = scheduling.end_turn(chunk=chunk)
        except BenchmarkError as error:
            over = scheduling.lose_chunk(chunk=chunk, cause=storable(str(error)))
        if not over:
            raise ClaimLost


def judge_recheck(*, recheck: Recheck, stop: threading.Event) -> None:
    """Judges all units of the chunk, and stores at the end what differs. Raises ClaimLost, and
    SandboxError, also if `stop` was set because a chunk waits."""
    chunk, verdicts, generations = recheck.chunk, list[records.Verdict](), dict[records.Key, int]()

    def store(batch: list[records.Verdict], keys: Mapping[records.Key, int]) -> None:
        verdicts.extend(batch)
        generations.update(keys)

    renew = partial(rechecks.renew_lease, recheck=recheck)
    with Pulse(renew, stop, every=settings.LEASE_SECONDS / RENEWALS):
        try:
            units, slots = units_of(chunk, texts=True), slots_for(chunk, share="rechecks")
            _judge(chunk, units, slots, stop, lambda _: None, store)
            over = rechecks.finish_recheck(
                recheck=recheck, verdicts=verdicts, generations=generations
            )
        except BenchmarkError as error:
            cause = storable(str(error))
            over = rechecks.give_back_recheck(recheck=recheck, cause=cause, counts=True)
        if not over:
            raise ClaimLost


def slots_for(chunk: Chunk, *, share: str) -> Slots:
    judged = chunk.evaluation.submission.revision.benchmark.family.by_execution()
    return Slots(kind=kind_of(judged), share=share)


def _judge(
    chunk: Chunk,
    units: Iterable[JudgedUnit],
    slots: Slots,
    stop: threading.Event,
    note: Callable[[Workplace], None],
    store: Callable[[list[records.Verdict], Mapping[records.Key, int]], None],
) -> None:
    """Calls `note` before each workplace's work, and `store` with each batch and the primary keys
    of its generations. Raises what these raise, SandboxError and BenchmarkError."""
    submission = chunk.evaluation.submission
    revision = submission.revision
    judged = revision.benchmark.family.by_execution()
    tasks = task_records(revision)
    cases, rows = list[records.Case](), dict[records.Key, int]()
    for row, test_set in units:
        task = tasks[row.task_id]
        generation = records.Generation(row.key_of(task.id), row.text)
        rows[generation.key] = row.pk
        cases.append(records.Case(task, generation, submission.setting, test_set))

    def unready(project: records.Project, _: object, error: BenchmarkError) -> None:
        keep_unready(revision, project, error)
        raise error

    labels = {"assay.chunk": str(chunk.pk), "assay.attempt": str(chunk.attempt)}
    limits = records.Limits(**chunk.evaluation.limits)
    setup = replace(site_setup(limits, slots, labels), stopped=stop.is_set, unready=unready)
    every, kit = list(tasks.values()), revision.packed_kit()
    open_ids = {case.task.id for case in cases}
    open_tasks = [task for task in every if task.id in open_ids]
    with open_workplaces(judged, open_tasks, every, setup, kit=kit) as workplaces:
        for workplace in workplaces:
            if workplace.prepared is not None:
                references = workplace.references
                by_task = {pk: references[t.id] for pk, t in tasks.items() if t.id in references}
                keep_references(prepared=workplace.prepared, found=by_task)
            note(workplace)
            judge_cases(workplace, workplace.cases(cases), lambda batch: store(batch, rows))


def site_setup(limits: records.Limits, slots: Slots, labels: Mapping[str, str]) -> Setup:
    return Setup(
        limits,
        slots,
        options,
        runtime=settings.SANDBOX_RUNTIME,
        builds=BUILDS,
        labels={"assay.installation": str(settings.DATA_DIR), **labels},
        dry_run=agreed_dry_run,
    )


def projects_of(
    revision: Revision, in_projects: InProjects
) -> dict[records.Project, dict[int, records.Task]]:
    """Includes all tasks, because what one task withholds is kept from the runs of every other."""
    tasks = task_records(revision)
    keys = {task.id: pk for pk, task in tasks.items()}
    groups = joined(tasks.values(), in_projects)
    return {project: {keys[task.id]: task for task in group} for project, group in groups.items()}


def keep_unready(
    revision: Revision, project: records.Project, error: BenchmarkError
) -> Collection[int]:
    """Returns the primary keys of all the project's tasks."""
    tasks = projects_of(revision, required(revision.benchmark.family.by_execution()))[project]
    if is_known_to_fail(project):
        keep_failure(tasks=tasks, cause=str(error))
    return tasks


@transaction.atomic
def store_verdicts(
    *, chunk: Chunk, verdicts: Sequence[records.Verdict], generations: Mapping[records.Key, int]
) -> None:
    """Stores a batch, all or nothing. Raises ClaimLost."""
    mine = scheduling.running(chunk).update(
        judged=F("judged") + sum(not verdict.test_set for verdict in verdicts),
        tries=0,
        lease_until=lease_end(),
    )
    if not mine:
        raise ClaimLost
    rows = Verdict.objects.bulk_create(
        Verdict(
            evaluation_id=chunk.evaluation_id,
            generation_id=generations[verdict.key],
            test_set=verdict.test_set,
            status=verdict.status.value,
            integrity=verdict.integrity.value,
            tier=verdict.tier.value,
            tests_passed=verdict.tests_passed,
            tests_total=verdict.tests_total,
            duration_ms=verdict.duration_ms,
            control_ms=verdict.control_ms,
            peak_memory_kib=verdict.peak_memory_kib,
            flags=[storable(flag) for flag in verdict.flags],
            evidence=verdict.evidence,
            dependencies=verdict.dependencies,
        )
        for verdict in verdicts
    )
    expires = timezone.now() + timedelta(days=settings.OUTPUT_DAYS)
    VerdictOutput.objects.bulk_create(
        VerdictOutput(verdict=row, text=excerpt(verdict.output), expires=expires)
        for row, verdict in zip(rows, verdicts, strict=True)
        if verdict.output
    )


def excerpt(output: str) -> str:
    """The last OUTPUT_MOST_BYTES of the output, where the error is."""
    encoded = output.encode("utf-8", "surrogatepass")
    if len(encoded) <= settings.OUTPUT_MOST_BYTES:
        return output
    return encoded[-settings.OUTPUT_MOST_BYTES :].decode("utf-8", "replace")


def forget_outputs() -> int:
    """Deletes expired output excerpts. Returns how many."""
    return VerdictOutput.objects.filter(VerdictOutput.EXPIRED).delete()[0]
