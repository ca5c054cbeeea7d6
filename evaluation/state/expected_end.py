"""When the judging of an evaluation probably ends: reads the queue around it, and keeps forecasts
to learn how far they are off."""

import math
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db.models import Case, Count, F, FloatField, Max, Min, Q, Sum, When
from django.db.models.functions import Cast, Now
from django.utils import timezone

from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState, Forecast, Worker
from evaluation.state.forecast import Interval, Pace, Past, Work, interval, phase_of, seconds_left

# Seconds after which a silent worker no longer counts as alive.
WORKER_SILENT_SECONDS = 60
# The speed is learnt from this many chunks of the queue, the interval from this many forecasts.
RECENT_CHUNKS, RECENT_FORECASTS = 300, 30
# Weights in chunks: of the planned speed in the benchmark's estimate, and of the benchmark's
# estimate in the evaluation's own.
PLAN_WEIGHT, BENCHMARK_WEIGHT = 0.5, 0.5
# Shorter times count as this long.
LEAST_SECONDS = 0.1

_BENCHMARK = "evaluation__submission__revision__benchmark"
_JUDGED_RUNS = F("runs") * Cast("judged", FloatField()) / F("size")


class Place(NamedTuple):
    """The place of an evaluation in its queue. `workers` serve the queue. `others` is the number of
    evaluations that take turns with it, and `ahead` that of their chunks before its next one.
    `seconds` until the end of judging are None without workers or open runs; until the speed of its
    benchmark is `known`, they are a plan."""

    queue: str
    workers: int
    others: int
    ahead: int
    seconds: float | None
    known: bool


NOWHERE = Place("", 0, 0, 0, None, known=False)


def living_workers(queue: str) -> list[Worker]:
    """The workers that serve this queue and are not silent."""
    alive = Worker.objects.filter(seen__gt=Now() - timedelta(seconds=WORKER_SILENT_SECONDS))
    return [worker for worker in alive if queue in worker.queues]


def chunks_of(evaluation: Evaluation) -> list[Any]:
    """The evaluation's chunks in order, with the attribute `benchmark`, a primary key."""
    rows = Chunk.objects.filter(evaluation=evaluation).annotate(benchmark=F(_BENCHMARK))
    return list(rows.order_by("number"))


def place_of(evaluation: Evaluation, chunks: Sequence[Any]) -> Place:
    """`chunks` are those of `chunks_of`, at least one. Three queries."""
    now, queue, benchmark = timezone.now(), chunks[0].queue, chunks[0].benchmark
    serving = living_workers(queue)
    groups = _open_chunks_of_others(evaluation, chunks, now)
    # A worker takes turns between its queues.
    busy = {queue, *(group["queue"] for group in groups)}
    share = sum(1 / len(busy.intersection(worker.queues)) for worker in serving)
    near = [group for group in groups if group["queue"] == queue]
    paces = _recent_paces(evaluation, queue)
    for group in near:
        if group["spent"] and group["done"]:
            pace = paces[group["benchmark"]]
            paces[group["benchmark"]] = pace.with_(group["spent"], group["done"])

    def usual(benchmark: int, whole: float) -> float:
        """Seconds per run. A whole chunk of the benchmark has `whole` runs."""
        return paces[benchmark].per_run(settings.CHUNK_SECONDS / whole, PLAN_WEIGHT * whole)

    works, pace = list[Work](), Pace()
    for chunk in chunks:
        judged = min(chunk.runs, chunk.runs * chunk.judged / chunk.size)
        spent = _seconds(chunk.worked)
        if chunk.state == ChunkState.WAITING:
            works.append(Work(chunk.runs - judged))
        elif chunk.state == ChunkState.RUNNING:
            spent += _since(chunk.claimed, now)
            works.append(Work(chunk.runs - judged, judged, spent))
        if spent and judged:
            pace = pace.with_(spent, judged)
    left = None
    if serving and any(work.runs for work in works):
        whole = max(chunk.runs for chunk in chunks)
        per_run = pace.per_run(usual(benchmark, whole), BENCHMARK_WEIGHT * whole)
        theirs: dict[int, list[float]] = defaultdict(lambda: [0.0, 0.0])
        # Without a waiting chunk, it needs no further turn.
        rivals = near if any(c.state == ChunkState.WAITING for c in chunks) else []
        for group in rivals:
            speed = usual(group["benchmark"], group["whole"])
            begun = (group["done"], group["spent"]) if group["running"] else ()
            work = Work(group["open"], *begun)
            theirs[group["evaluation"]][0] += work.seconds_left(speed)
            theirs[group["evaluation"]][1] += group["before"] * speed * group["whole"]
        left = seconds_left(
            [work.seconds_left(per_run) for work in works],
            [(total, before) for total, before in theirs.values()],
            workers=share,
        )
    return Place(
        queue=queue,
        workers=len(serving),
        others=len({group["evaluation"] for group in near}),
        ahead=sum(group["before"] for group in near),
        seconds=left,
        known=bool(pace.runs or paces[benchmark].runs),
    )


def time_left(evaluation: Evaluation, place: Place) -> Interval | None:
    """Runs two queries."""
    if place.seconds is None:
        return None
    past, now = list[Past](), timezone.now()
    if place.known:
        phase = phase_of(_since(evaluation.created, now), place.seconds)
        rows = Forecast.objects.filter(queue=place.queue, phase=phase)
        rows = rows.exclude(evaluation=evaluation).annotate(ended=F("evaluation__judging_ended"))
        judging = Q(ended=None, evaluation__state=EvaluationState.JUDGING)
        for newest in (
            rows.filter(ended__isnull=False).order_by("-ended"),
            rows.filter(judging).order_by("-pk"),
        ):
            for row in newest[:RECENT_FORECASTS]:
                real = max(LEAST_SECONDS, _since(row.made, row.ended or now))
                ratio = real / max(LEAST_SECONDS, row.seconds)
                past.append(Past(math.log(ratio), over=row.ended is not None))
    return interval(place.seconds, past)


def keep_forecast() -> None:
    """Forecasts the end of an evaluation that is being judged, chosen by lot. Keeps the first
    forecast of each phase of an evaluation. Several callers at once do no harm."""
    judging = Evaluation.objects.filter(state=EvaluationState.JUDGING, judging_ended=None)
    evaluation = judging.order_by("?").first()
    chunks = chunks_of(evaluation) if evaluation else []
    if evaluation is None or not chunks:
        return
    place, now = place_of(evaluation, chunks), timezone.now()
    if place.seconds is None or not place.known:
        return
    Forecast.objects.get_or_create(
        evaluation=evaluation,
        phase=phase_of(_since(evaluation.created, now), place.seconds),
        defaults={"queue": place.queue, "made": now, "seconds": place.seconds},
    )


def _seconds(worked: timedelta | None) -> float:
    return worked.total_seconds() if worked else 0.0


def _since(begun: datetime | None, now: datetime) -> float:
    return max(0.0, (now - begun).total_seconds()) if begun else 0.0


def _open_chunks_of_others(
    evaluation: Evaluation, chunks: Sequence[Any], now: datetime
) -> list[dict[str, Any]]:
    """Chunks in all queues: one row for each running chunk, and one for all waiting chunks of an
    evaluation. There may be thousands, and a page asks every two seconds. `open` and `done` are
    runs, `spent` are seconds, `before` is the number of chunks before the next one of `chunks`."""
    running = Q(state=ChunkState.RUNNING)
    waiting = [chunk.rung for chunk in chunks if chunk.state == ChunkState.WAITING]
    before = Q(rung__lt=min(filter(None, waiting), default=now)) if waiting else Q(pk=None)
    rows = (
        Chunk.objects.filter(
            state__in=ChunkState.moving(), evaluation__state=EvaluationState.JUDGING
        )
        .exclude(evaluation=evaluation)
        .annotate(
            benchmark=F(_BENCHMARK),
            running=Case(When(running, then=F("pk"))),
            judged_runs=_JUDGED_RUNS,
        )
        .order_by()
        .values("queue", "evaluation", "benchmark", "running")
        .annotate(
            before=Count("pk", filter=before & ~running),
            whole=Max("runs"),
            open=Sum(F("runs") - F("judged_runs")),
            done=Sum("judged_runs"),
            begun=Min("claimed"),
            worked_on=Sum("worked"),
        )
    )
    groups: list[dict[str, Any]] = [{**row} for row in rows]
    for group in groups:
        at_work = _since(group["begun"], now) if group["running"] else 0.0
        group["spent"] = _seconds(group["worked_on"]) + at_work
    return groups


def _recent_paces(evaluation: Evaluation, queue: str) -> dict[int, Pace]:
    """By benchmark."""
    done = Chunk.objects.filter(queue=queue, state=ChunkState.DONE, worked__isnull=False)
    recent = done.exclude(evaluation=evaluation).order_by("-pk").values("pk")[:RECENT_CHUNKS]
    rows = Chunk.objects.filter(pk__in=recent).order_by().values_list(_BENCHMARK)
    paces: dict[int, Pace] = defaultdict(Pace)
    for benchmark, worked, runs in rows.annotate(Sum("worked"), Sum("runs")):
        paces[benchmark] = Pace(_seconds(worked), runs)
    return paces
