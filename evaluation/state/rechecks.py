"""Rechecks: a share of the chunks is judged a second time when nothing else waits, to learn how
often verdicts differ. States: docs/contributors/states.md.

The draw uses tasks and never verdicts: it takes the chunk with the task that was drawn least often.
So the rate of verdicts that differ is not biased, and each task has its m-th recheck after about
m / share submissions. A test that fails a right answer with probability p gives two verdicts
that differ with probability 2p(1 - p), so m second judgements show it with probability
1 - (1 - 2p(1 - p)) ** m: 95.4 % for p = 1/5 and m = 8. Of passes alone it would be
1 - (1 - p) ** m, 83 %."""

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, Min, Q, QuerySet
from django.db.models.functions import Now

from evaluation.engine import ENGINE_VERSION, records
from evaluation.engine.metrics.intervals import Interval, mean_interval
from evaluation.engine.records import Integrity, Status
from evaluation.models import Chunk, ChunkState, Evaluation, Recheck, RecheckedTask, Verdict
from evaluation.state.expected_end import living_workers
from evaluation.state.scheduling import MOST_TRIES, waiting_chunks
from evaluation.state.units import verdicts_of
from leaderboard.benchmarks.models import Revision
from leaderboard.leases import claimed, held, lease_end
from leaderboard.submissions.models import Generation


def draw_rechecks(*, evaluation: Evaluation) -> None:
    """Draws the evaluation's share of chunks. Draws no more when it is called again. Call it in the
    transaction that ends the scoring, which locks the revision."""
    lot = Random(evaluation.pk)  # noqa: S311  # the same draw at each call
    wanted = math.floor(settings.RECHECKED_SHARE * evaluation.chunks.count() + lot.random())
    wanted -= Recheck.objects.filter(chunk__evaluation=evaluation).count()
    if wanted <= 0 or evaluation.engine_version != ENGINE_VERSION:
        return
    rows = Generation.objects.filter(submission=evaluation.submission_id).order_by("pk")
    generations = list(rows.values_list("pk", "task", "task__project"))
    tasks = {}
    for chunk in evaluation.chunks.filter(state=ChunkState.DONE, recheck=None):
        first = bisect_left(generations, (chunk.first_generation,))
        end = bisect_left(generations, (chunk.last_generation + 1,))
        tasks[chunk.pk] = {
            task for _, task, project in generations[first:end] if chunk.project in ("", project)
        }
    present = RecheckedTask.objects.filter(engine_version=ENGINE_VERSION)
    of_revision = present.filter(task__revision=evaluation.submission.revision_id)
    drawn = Counter(dict(of_revision.values_list("task", "drawn")))
    for pk in least_drawn(tasks, drawn, wanted, lot):
        Recheck.objects.create(chunk_id=pk)
        RecheckedTask.objects.bulk_create(
            (RecheckedTask(task_id=task, engine_version=ENGINE_VERSION) for task in tasks[pk]),
            ignore_conflicts=True,
        )
        present.filter(task__in=tasks[pk]).update(drawn=F("drawn") + 1)


def least_drawn(
    tasks: Mapping[int, Collection[int]], drawn: Counter[int], wanted: int, lot: Random
) -> list[int]:
    """Returns at most `wanted` of the chunks, first those with the task that was drawn least often,
    and by lot among equal ones. `tasks` are by chunk. Counts them in `drawn`."""
    left, chosen = [pk for pk in sorted(tasks) if tasks[pk]], list[int]()
    while left and len(chosen) < wanted:
        chunk = min(left, key=lambda pk: (min(drawn[t] for t in tasks[pk]), lot.random()))
        left.remove(chunk)
        chosen.append(chunk)
        drawn.update(tasks[chunk])
    return chosen


def due_rechecks() -> QuerySet[Recheck]:
    """None while a chunk waits. Verdicts of another version of the engine are not comparable."""
    return Recheck.objects.filter(
        Q(lease_until__isnull=True) | Q(lease_until__lt=Now()),
        ~Exists(waiting_chunks()),
        finished=None,
        tries__lt=MOST_TRIES,
        chunk__evaluation__engine_version=ENGINE_VERSION,
    )


def next_rechecks() -> QuerySet[Recheck]:
    """One of each queue in which none runs, so that they never fill a queue."""
    running = Recheck.objects.filter(finished=None, lease_until__gt=Now())
    free = due_rechecks().exclude(chunk__queue__in=running.values("chunk__queue"))
    first = free.order_by().values("chunk__queue").annotate(first=Min("pk")).values("first")
    return Recheck.objects.filter(pk__in=first).select_related("chunk")


def claim_recheck(*, pk: int, owner: str, host: str) -> Recheck | None:
    """Returns None if it is not due, or if it is left to another host: any other than the first
    judgement's, if a living worker there serves the queue."""
    chunk = Chunk.objects.filter(recheck=pk).first()
    if chunk is None:
        return None
    hosts = {worker.host for worker in living_workers(chunk.queue)}
    if host == chunk.host and hosts - {host}:
        return None
    return claimed(due_rechecks(), pk=pk, owner=owner, host=host, tries=F("tries") + 1, rung=None)


def running(recheck: Recheck) -> QuerySet[Recheck]:
    return held(Recheck.objects.filter(finished=None), recheck)


def renew_lease(*, recheck: Recheck) -> bool:
    """Returns False also if a chunk waits: the worker stops and gives the recheck back."""
    idle = running(recheck).filter(~Exists(waiting_chunks()))
    return bool(idle.update(lease_until=lease_end()))


def give_back_recheck(*, recheck: Recheck, cause: str, counts: bool) -> bool:
    """As `scheduling.give_back_chunk`. After MOST_TRIES that count it is not tried again."""
    tries = F("tries") - (0 if counts else 1)
    return bool(running(recheck).update(tries=tries, cause=cause, lease_until=None))


@transaction.atomic
def finish_recheck(
    *, recheck: Recheck, verdicts: Sequence[records.Verdict], generations: Mapping[records.Key, int]
) -> bool:
    """Stores what differs from the chunk's verdicts. Returns False if the claim was lost."""
    second = {(generations[v.key], v.test_set): v for v in verdicts if v.status != Status.NOT_RUN}
    # The draw holds this lock too.
    revision = recheck.chunk.evaluation.submission.revision_id
    Revision.objects.select_for_update(no_key=True).get(pk=revision)
    first = verdicts_of(recheck.chunk).exclude(status=Status.NOT_RUN.value)
    columns = ("generation", "test_set", "status", "integrity")
    differences, judged, differing = list[list[Any]](), Counter[int](), Counter[int]()
    for verdict in first.only(*columns).annotate(task=F("generation__task")):
        unit = (verdict.generation_id, verdict.test_set)
        if unit in second:
            judged[verdict.task] += 1
            if differs(verdict, second[unit]):
                differing[verdict.task] += 1
                differences.append([*unit, second[unit].status, second[unit].integrity])
    done = {"finished": Now(), "lease_until": None, "cause": "", "differences": differences}
    if not running(recheck).update(**done):
        return False
    counts = RecheckedTask.objects.filter(task__in=judged, engine_version=ENGINE_VERSION)
    for row in counts:
        row.judged += judged[row.task_id]
        row.differing += differing[row.task_id]
    RecheckedTask.objects.bulk_update(counts, ["judged", "differing"])
    return True


def differs(first: Verdict, second: records.Verdict) -> bool:
    """Compares status and integrity, never times. A person's decision on a pass is not compared."""
    decided = first.integrity in (Integrity.CLEARED, Integrity.CONFIRMED)
    same_integrity = decided or first.integrity == second.integrity
    return first.status != second.status or not same_integrity


def differing_tasks() -> QuerySet[RecheckedTask]:
    """Tasks of current revisions that count, with verdicts of this engine that differ."""
    return RecheckedTask.objects.filter(
        differing__gt=0,
        engine_version=ENGINE_VERSION,
        task__exclusion=None,
        task__revision=F("task__revision__benchmark__current"),
    )


def rate_of(revision: Revision) -> Interval:
    """The share of this engine's second verdicts that differ; a task is a cluster. Without tasks
    that are left out."""
    rows = RecheckedTask.objects.filter(
        task__revision=revision, task__exclusion=None, engine_version=ENGINE_VERSION, judged__gt=0
    )
    counts = rows.values_list("judged", "differing")
    return mean_interval([[1.0] * differ + [0.0] * (judged - differ) for judged, differ in counts])
