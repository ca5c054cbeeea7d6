"""When the judging of an evaluation probably ends: reads the queue around it, and keeps forecasts
to learn how far they are off."""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Case, Count, F, FloatField, Max, Min, Q, QuerySet, Sum, When
from django.db.models.functions import Cast, Now
from django.utils import timezone

from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Forecast, Worker
from evaluation.state.forecast import (
    Interval,
    Load,
    Pace,
    Past,
    Running,
    interval,
    phase_of,
    seconds_left,
)

# Seconds after which a silent worker no longer counts as alive.
WORKER_SILENT_SECONDS = 45
# The speed is learnt from this many chunks of the queue, the interval from this many forecasts.
RECENT_CHUNKS, RECENT_FORECASTS = 300, 30
# Shorter times count as this long.
LEAST_SECONDS = 0.1

_BENCHMARK = "evaluation__submission__revision__benchmark"
_JUDGED_RUNS = F("runs") * Cast("judged", FloatField()) / F("size")


class Place(NamedTuple):
    """The place of an evaluation in its queue.

    `workers` serve the queue. `others` is the number of evaluations that take turns with it, and
    `ahead` that of their chunks before its next one. `seconds` until the end of judging are None
    without workers or open runs; until the speed of its benchmark is `known`, they are a plan.
    """

    queue: str
    workers: int
    others: int
    ahead: int
    seconds: float | None
    known: bool


NOWHERE = Place("", 0, 0, 0, None, known=False)


class _Group(NamedTuple):
    """The open chunks of another evaluation: all that wait, or one that runs."""

    queue: str
    evaluation: int
    before: int
    load: Load


def living_workers(queue: str) -> list[Sequence[str]]:
    """The queues of each worker that serves this queue and was seen in the last
    WORKER_SILENT_SECONDS."""
    seen = Worker.objects.filter(seen__gt=Now() - timedelta(seconds=WORKER_SILENT_SECONDS))
    return [worker.queues for worker in seen if queue in worker.queues]


def chunks_of(evaluation: Evaluation) -> list[Any]:
    """The evaluation's chunks in order, with the attribute `benchmark`, a primary key."""
    return list(_with_benchmark().filter(evaluation=evaluation).order_by("number"))


def place_of(evaluation: Evaluation, chunks: Sequence[Any]) -> Place:
    """`chunks` are those of `chunks_of`, at least one. Three queries."""
    now, queue = timezone.now(), chunks[0].queue
    serving = living_workers(queue)
    groups = list(_others(evaluation, chunks, now))
    near = [group for group in groups if group.queue == queue]
    paces = _paces(evaluation, queue, near)
    loads = [group.load for group in near]
    mine = _own(chunks, now)
    # A worker takes turns between its queues.
    busy = {queue, *(group.queue for group in groups)}
    share = sum(1 / len(busy.intersection(queues)) for queues in serving)
    left = None
    if (mine.runs or any(one.judged < one.runs for one in mine.running)) and serving:
        left = seconds_left(mine, loads, paces, workers=share, chunk_seconds=settings.CHUNK_SECONDS)
    return Place(
        queue=queue,
        workers=len(serving),
        others=len({group.evaluation for group in near}),
        ahead=sum(group.before for group in near),
        seconds=left,
        known=bool(mine.pace.runs or paces.get(mine.benchmark, Pace()).runs),
    )


def time_left(evaluation: Evaluation, place: Place) -> Interval | None:
    """Runs two queries."""
    if place.seconds is None:
        return None
    phase = phase_of(_since(evaluation.created, timezone.now()), place.seconds)
    return interval(place.seconds, _past(evaluation, place.queue, phase) if place.known else ())


def keep_forecast() -> None:
    """Forecasts the end of an evaluation that is being judged, chosen by lot. Keeps one forecast of
    each phase of an evaluation, again by lot. Several callers at once do no harm."""
    judging = Evaluation.objects.filter(state=EvaluationState.JUDGING, judging_ended=None)
    keys = list(judging.order_by("pk").values_list("pk", flat=True))
    if not keys:
        return
    evaluation = judging.filter(pk=random.choice(keys)).first()  # noqa: S311  # no secret
    chunks = chunks_of(evaluation) if evaluation else []
    if evaluation is None or not chunks:
        return
    place = place_of(evaluation, chunks)
    if place.seconds is None or not place.known:
        return
    now = timezone.now()
    told: dict[str, Any] = {"made": now, "seconds": place.seconds}
    row, new = Forecast.objects.get_or_create(
        evaluation=evaluation,
        phase=phase_of(_since(evaluation.created, now), place.seconds),
        defaults={"queue": place.queue, **told},
    )
    if not new:
        stays = random.random() * (row.seen + 1) >= 1  # noqa: S311  # no secret
        changes = {} if stays else told
        Forecast.objects.filter(pk=row.pk).update(seen=F("seen") + 1, **changes)


def _with_benchmark() -> QuerySet[Chunk]:
    return Chunk.objects.annotate(benchmark=F(_BENCHMARK)).order_by()


def _own(chunks: Sequence[Any], now: datetime) -> Load:
    open_runs, running, pace = list[float](), list[Running](), Pace()
    for chunk in chunks:
        runs, judged = chunk.runs, min(chunk.runs, chunk.runs * chunk.judged / chunk.size)
        spent = _seconds(chunk.worked)
        if chunk.state == ChunkState.WAITING:
            open_runs.append(runs - judged)
        elif chunk.state == ChunkState.RUNNING:
            spent += _since(chunk.claimed, now)
            running.append(Running(runs, judged, spent))
        if spent and judged:
            pace = pace.with_(spent, judged)
    return Load(
        benchmark=chunks[0].benchmark,
        chunks=len(open_runs) + len(running),
        runs=sum(open_runs),
        longest=max(open_runs, default=0.0),
        running=running,
        whole=max(chunk.runs for chunk in chunks),
        ahead=0,
        pace=pace,
    )


def _seconds(worked: timedelta | None) -> float:
    return worked.total_seconds() if worked else 0.0


def _since(begun: datetime | None, now: datetime) -> float:
    return max(0.0, (now - begun).total_seconds()) if begun else 0.0


def _others(evaluation: Evaluation, chunks: Sequence[Any], now: datetime) -> Iterator[_Group]:
    """Groups of all queues. The waiting chunks of an evaluation are one row, because a page asks
    every two seconds and there may be thousands."""
    waiting = [c.rung for c in chunks if c.state == ChunkState.WAITING]
    rung = [one for one in waiting if one] or [now]
    running = Q(state=ChunkState.RUNNING)
    # If this evaluation has no waiting chunk, other chunks take no worker from it.
    before = Q(rung__lt=min(rung)) if waiting else Q(pk=None)
    ahead = running | Q(rung__lt=max(rung)) if waiting else Q(pk=None)
    rows = (
        _with_benchmark()
        .filter(state__in=ChunkState.moving(), evaluation__state=EvaluationState.JUDGING)
        .exclude(evaluation=evaluation)
        .annotate(running=Case(When(running, then=F("pk"))), judged_runs=_JUDGED_RUNS)
        .values_list("queue", "evaluation", "benchmark", "running")
        .annotate(
            number=Count("pk"),
            before=Count("pk", filter=before & ~running),
            ahead=Count("pk", filter=ahead),
            open_runs=Sum(F("runs") - F("judged_runs")),
            longest=Max(F("runs") - F("judged_runs")),
            whole=Max("runs"),
            done=Sum("judged_runs"),
            worked_on=Sum("worked"),
            begun=Min("claimed"),
        )
    )
    for row in rows:
        queue, key, benchmark, run, number, near, ahead_of, runs, longest, whole, done, *times = row
        worked, begun = times
        spent = _seconds(worked) + (_since(begun, now) if run else 0.0)
        load = Load(
            benchmark=benchmark,
            chunks=number,
            runs=0.0 if run else runs,
            longest=0.0 if run else longest,
            running=[Running(whole, done, spent)] if run else [],
            whole=whole,
            ahead=ahead_of,
            pace=Pace(spent, done) if spent and done else Pace(),
        )
        yield _Group(queue, key, near, load)


def _paces(evaluation: Evaluation, queue: str, near: Sequence[_Group]) -> dict[int, Pace]:
    """By benchmark, from recent chunks and from those that are open."""
    paces: dict[int, Pace] = defaultdict(Pace)
    for group in near:
        paces[group.load.benchmark] = paces[group.load.benchmark].with_(*group.load.pace)
    last = Chunk.objects.filter(queue=queue, state=ChunkState.DONE, worked__isnull=False)
    recent = last.exclude(evaluation=evaluation).order_by("-pk").values("pk")[:RECENT_CHUNKS]
    rows = Chunk.objects.filter(pk__in=recent).order_by().values_list(_BENCHMARK)
    for benchmark, worked, runs in rows.annotate(Sum("worked"), Sum("runs")):
        paces[benchmark] = paces[benchmark].with_(_seconds(worked), runs)
    return paces


def _past(evaluation: Evaluation, queue: str, phase: int) -> list[Past]:
    """The newest forecasts of evaluations that were judged to the end, and of those still being
    judged."""
    rows = Forecast.objects.filter(queue=queue, phase=phase).exclude(evaluation=evaluation)
    columns = ("made", "seconds", "evaluation__judging_ended")
    over = rows.filter(evaluation__judging_ended__isnull=False).order_by(
        "-evaluation__judging_ended"
    )
    still = rows.filter(
        evaluation__judging_ended=None, evaluation__state=EvaluationState.JUDGING
    ).order_by("-pk")
    found = [
        *over.values_list(*columns)[:RECENT_FORECASTS],
        *still.values_list(*columns)[:RECENT_FORECASTS],
    ]
    now = timezone.now()
    return [
        Past(
            math.log(max(LEAST_SECONDS, _since(made, judged or now)) / max(LEAST_SECONDS, seconds)),
            over=judged is not None,
        )
        for made, seconds, judged in found
    ]
