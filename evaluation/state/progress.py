"""Progress of an evaluation, in figures and in text for pages; lengths of the queues."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Aggregate, Count, Max, Min, Q
from django.utils import timezone
from django.utils.formats import time_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.engine.records import Integrity, Status, Tier
from evaluation.engine.records import counts as counts_as_pass
from evaluation.models import Chunk, ChunkState, Evaluation, EvaluationState
from evaluation.state import expected_end
from evaluation.state.forecast import Interval
from evaluation.state.scheduling import due_for_scoring
from leaderboard.generation.models import Run, RunState
from leaderboard.messages import in_readers_language
from leaderboard.submissions.models import Upload, UploadState

SCORING = "scoring"
# The groups of verdicts that pages distinguish, in display order.
GROUPS = ("passed", "wrong", "error", "slow", "review", "infrastructure")
_GROUPS_BY_STATUS = {
    Status.PASSED: "passed",
    Status.FAILED: "wrong",
    Status.TIMEOUT: "slow",
    Status.NOT_RUN: "infrastructure",
}


def group_of(status: str, integrity: str) -> str:
    """A suspect pass is under review; one whose suspicion was confirmed is wrong."""
    if status == Status.PASSED and integrity == Integrity.SUSPECT:
        return "review"
    if status == Status.PASSED and integrity == Integrity.CONFIRMED:
        return "wrong"
    return _GROUPS_BY_STATUS.get(Status(status), "error")


@dataclass(frozen=True, slots=True)
class Progress:
    """Counts are generations and times are seconds. `runs` exceeds the generations if several test
    sets judge each of them."""

    state: EvaluationState
    total: int
    judged: int
    runs: int
    runs_done: int
    chunks: tuple[Chunk, ...]
    counts: dict[str, int]
    # Passes that count and were not decided out of the candidate's reach.
    shared: int
    workers: int
    # Other evaluations that take turns with this one, and their chunks before its next one.
    others: int
    ahead: int
    left: Interval | None
    started: datetime | None
    waited_seconds: int
    remarks: tuple[str, ...]
    # Owners of the runs that hold the slots that chunks wait for; for staff.
    holders: tuple[str, ...] = ()
    # Number of living workers that compute scores, if only the score is missing; else None.
    scorers: int | None = None

    @property
    def outside(self) -> int:
        """Passes that count and were decided out of the candidate's reach."""
        return self.counts["passed"] - self.shared


class QueueLength(NamedTuple):
    """The numbers of entries that wait and that run, and since when the oldest waits."""

    queue: str
    waiting: int
    running: int
    oldest: datetime | None


def queue_lengths() -> Iterator[QueueLength]:
    """The queues of chunks have a length only if they are not empty."""
    chunks = Chunk.objects.filter(
        state__in=ChunkState.moving(), evaluation__state=EvaluationState.JUDGING
    )
    counts = _lengths(Q(state=ChunkState.WAITING), "evaluation__created")
    yield from map(QueueLength._make, chunks.order_by().values_list("queue").annotate(**counts))
    uploads = Upload.objects.filter(state__in=UploadState.moving())
    waits = Q(state__in=(UploadState.RECEIVED, UploadState.CONFIRMED))
    yield QueueLength("intake", **uploads.aggregate(**_lengths(waits, "created")))
    runs = Run.objects.filter(state__in=RunState.moving())
    waits = Q(state=RunState.WAITING)
    yield QueueLength("generation", **runs.aggregate(**_lengths(waits, "created")))
    judged = due_for_scoring().annotate(ended=Max("chunks__finished"))
    waits = Q(state=EvaluationState.JUDGING)
    yield QueueLength(SCORING, **judged.aggregate(**_lengths(waits, "ended")))


def _lengths(waits: Q, since: str) -> dict[str, Aggregate]:
    return {
        "waiting": Count("pk", filter=waits),
        "running": Count("pk", filter=~waits),
        "oldest": Min(since, filter=waits),
    }


def progress(evaluation: Evaluation) -> Progress:
    """Runs a constant number of queries, whatever the evaluation's size."""
    chunks = expected_end.chunks_of(evaluation)
    counts, shared, runs_done = dict.fromkeys(GROUPS, 0), 0, 0
    verdicts = evaluation.verdicts.values_list("test_set", "status", "integrity", "tier")
    for test_set, status, integrity, tier, number in verdicts.annotate(Count("pk")).order_by():
        runs_done += number if status != Status.NOT_RUN else 0
        if not test_set:
            counts[group_of(status, integrity)] += number
            if tier == Tier.SHARED and counts_as_pass(status, integrity):
                shared += number
    total = sum(chunk.size for chunk in chunks)
    moving = bool(chunks) and evaluation.state == EvaluationState.JUDGING
    place = expected_end.place_of(evaluation, chunks) if moving else expected_end.NOWHERE
    judging = moving and any(chunk.state in ChunkState.moving() for chunk in chunks)
    unscored = evaluation.state in EvaluationState.moving() and not judging
    scorers = len(expected_end.living_workers(SCORING)) if unscored else None
    remarks = list(_remarks(evaluation, chunks, place, scorers))
    states = {chunk.state for chunk in chunks} if moving else set()
    if not remarks and ChunkState.WAITING in states and ChunkState.RUNNING not in states:
        line = _("Its next chunk is the next in line: it waits for a worker that is free.")
        if place.ahead:
            line = ngettext(
                "Its next chunk waits for its turn: %(number)d chunk of other submissions is "
                "ahead.",
                "Its next chunk waits for its turn: %(number)d chunks of other submissions are "
                "ahead.",
                place.ahead,
            ) % {"number": place.ahead}
        remarks.append(line)
    until = evaluation.started or evaluation.finished or timezone.now()
    return Progress(
        state=EvaluationState(evaluation.state),
        total=total,
        judged=sum(counts.values()) - counts["infrastructure"],
        runs=sum(chunk.runs for chunk in chunks),
        runs_done=runs_done,
        chunks=tuple(chunks),
        counts=counts,
        shared=shared,
        workers=place.workers,
        others=place.others,
        ahead=place.ahead,
        left=expected_end.time_left(evaluation, place),
        started=evaluation.started,
        waited_seconds=round((until - evaluation.created).total_seconds()),
        remarks=tuple(remarks),
        holders=tuple(
            sorted({share for chunk in _waiting(chunks) for share in chunk.wait["shares"]})
        ),
        scorers=scorers,
    )


def _remarks(
    evaluation: Evaluation, chunks: list[Any], place: expected_end.Place, scorers: int | None
) -> Iterator[str]:
    if evaluation.state == EvaluationState.CANCELLED:
        return
    judging = evaluation.state == EvaluationState.JUDGING
    states = Counter(chunk.state for chunk in chunks)
    waiting = judging and states[ChunkState.WAITING]
    if waiting and not place.workers:
        yield _(
            "No worker is running for this benchmark. Judging resumes automatically when "
            "one starts."
        )
    if returned := [chunk for chunk in chunks if chunk.is_returned]:
        yield _returned(returned)
    preparing = sum(
        bool(chunk.project) and chunk.state == ChunkState.RUNNING and not chunk.judged
        for chunk in chunks
    )
    if preparing:
        yield ngettext(
            "%(number)d chunk is starting. If its project is new to the worker's host, the project "
            "is built and its reference solution is run first, which takes minutes.",
            "%(number)d chunks are starting. If a project is new to a worker's host, it is built "
            "and its reference solution is run first, which takes minutes.",
            preparing,
        ) % {"number": preparing}
    yield from dict.fromkeys(in_readers_language(c.wait["said"]) for c in _waiting(chunks))
    # Lost chunks without a retry time wait for staff.
    retried = [c for c in chunks if c.state == ChunkState.LOST and c.not_before is not None]
    if retried:
        words = ngettext(
            "%(number)d chunk could not be judged because of a failure on our side. It is retried "
            "within the hour; until then the score excludes its generations.",
            "%(number)d chunks could not be judged because of a failure on our side. They are "
            "retried within the hour; until then the score excludes their generations.",
            len(retried),
        ) % {"number": len(retried)}
        yield f"{words} {retried[0].why}"
    if unfit := states[ChunkState.LOST] - len(retried):
        # Without the cause, which may quote hidden parts of the benchmark; the admin shows it.
        yield ngettext(
            "%(number)d chunk could not be judged because the benchmark's project could not be "
            "prepared. The site's staff have to fix it; until then the score excludes its "
            "generations.",
            "%(number)d chunks could not be judged because the benchmark's projects could not be "
            "prepared. The site's staff have to fix them; until then the score excludes their "
            "generations.",
            unfit,
        ) % {"number": unfit}
    if evaluation.cause and evaluation.state == EvaluationState.SCORING:
        yield _("Scoring failed on our side and will be retried.")
    if scorers == 0:
        yield _(
            "All chunks are over, but no worker that computes scores is running. Scoring starts "
            "automatically when one starts."
        )


def _returned(chunks: list[Chunk]) -> str:
    at, cause = max(
        (chunk.given_back, in_readers_language(chunk.cause)) for chunk in chunks if chunk.given_back
    )
    if cause:
        words = ngettext(
            "%(number)d chunk was returned to the queue at %(time)s and runs again; nothing is "
            "lost. Cause: %(cause)s",
            "%(number)d chunks were returned to the queue, the last at %(time)s, and run "
            "again; nothing is lost. Cause: %(cause)s",
            len(chunks),
        )
    else:
        words = ngettext(
            "%(number)d chunk was returned to the queue when its worker stopped answering at "
            "%(time)s. It runs again; nothing is lost.",
            "%(number)d chunks were returned to the queue when their workers stopped "
            "answering, the last at %(time)s. They run again; nothing is lost.",
            len(chunks),
        )
    time = time_format(timezone.localtime(at), "H:i:s")
    return words % {"number": len(chunks), "time": time, "cause": cause}


def _waiting(chunks: list[Chunk]) -> list[Chunk]:
    return [chunk for chunk in chunks if chunk.state == ChunkState.RUNNING and chunk.wait]
