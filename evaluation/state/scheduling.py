"""Moves evaluations and their chunks from one state to the next (docs/contributors/states.md).
Every step is a conditional update whose row count says whether it succeeded, so any number of
workers and reconcilers may try at once. Functions on a chunk return False if the claim was lost."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import DurationField, Exists, F, OuterRef, Q, QuerySet, Sum, Value
from django.db.models.functions import Coalesce, Now
from django.utils import timezone

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.records import Limits, Status
from evaluation.engine.texts import Message
from evaluation.models import (
    BASE_CHARACTERS,
    Chunk,
    ChunkState,
    Evaluation,
    EvaluationState,
    Verdict,
)
from evaluation.state.expected_end import WORKER_SILENT_SECONDS
from evaluation.state.units import open_units, parts
from leaderboard import messages
from leaderboard.accounts.models import Team, User
from leaderboard.benchmarks.models import Benchmark
from leaderboard.leases import claimed, held, lease_end, run_out
from leaderboard.mail.models import Event
from leaderboard.mail.outbox import mail_users
from leaderboard.submissions.bases import take_base
from leaderboard.submissions.events import note_event
from leaderboard.submissions.models import Generation, Submission, Upload, UploadState
from leaderboard.submissions.parts import Write
from leaderboard.submissions.publishing import note_judging
from leaderboard.text import storable

# Consecutive machinery failures after which a chunk is lost, seconds until a lost chunk is
# retried, and seconds to wait after 0, 1, 2, ... counted failures.
MOST_TRIES = 5
RETRY_LOST_SECONDS = 3600
BACK_OFF_SECONDS = (0, 5, 20, 60)
# A running chunk without a verdict after this many times its planned length is stuck.
STUCK = 10
# Scoring does not renew its lease, so the lease grows with the number of generations.
SCORED_PER_SECOND = 500
# Maximum departures from the rules that are stored; the others are only counted.
MOST_DEPARTURES = 100
# Shorter evaluations send no mail at their end: the person is still there.
LONG = timedelta(minutes=5)


def limits_of(benchmark: Benchmark, setting: str = "") -> Limits:
    return replace(benchmark.family.by_execution().limits_in(setting), **benchmark.limits)


def plan_evaluation(
    *, submission: Submission, write: Write = transaction.atomic
) -> Callable[[], Evaluation]:
    """Adds the base completions in parts by `write`, and cuts chunks. Returns a function that
    writes the evaluation in a short transaction: it reads no generations. The evaluation is
    current if the submission has no other."""
    benchmark = submission.revision.benchmark
    judged, limits = benchmark.family.by_execution(), limits_of(benchmark, submission.setting)
    take_base(submission=submission, write=write)
    cut = list(parts(submission, judged, limits))

    @transaction.atomic
    def write_evaluation() -> Evaluation:
        evaluation = Evaluation.objects.create(
            submission=submission,
            engine_version=ENGINE_VERSION,
            limits=limits.stored(),
            current=not submission.evaluations.exists(),
        )
        Chunk.objects.bulk_create(
            Chunk(
                evaluation=evaluation,
                number=number,
                queue=judged.image,
                project=part.project,
                first_generation=part.generations[0],
                last_generation=part.generations[-1],
                size=len(part.generations),
                runs=part.runs,
            )
            for number, part in enumerate(cut)
        )
        return evaluation

    return write_evaluation


def waiting_chunks() -> QuerySet[Chunk]:
    due = Q(not_before__isnull=True) | Q(not_before__lte=Now())
    return Chunk.objects.filter(
        due, state=ChunkState.WAITING, evaluation__state=EvaluationState.JUDGING
    )


def returned_chunks() -> QuerySet[Chunk]:
    """Chunks that wait after a failure of the machinery."""
    return Chunk.objects.filter(state=ChunkState.WAITING, tries__gt=0)


def stuck_chunks() -> QuerySet[Chunk]:
    since = Now() - timedelta(seconds=STUCK * settings.CHUNK_SECONDS)
    return Chunk.objects.filter(state=ChunkState.RUNNING, judged=0, claimed__lt=since)


def abandoned_chunks() -> QuerySet[Chunk]:
    """Chunks that have lost their worker and that no reconciler took back."""
    since = Now() - timedelta(seconds=WORKER_SILENT_SECONDS)
    return Chunk.objects.filter(state=ChunkState.RUNNING, lease_until__lt=since)


def claim_chunk(*, pk: int, owner: str, host: str) -> Chunk | None:
    """Takes a waiting chunk under a lease. Returns None if another worker was faster."""
    columns: dict[str, Any] = {"state": ChunkState.RUNNING, "wait": None, "claimed": Now()}
    columns["started"] = Coalesce("started", Now())
    chunk = claimed(waiting_chunks(), pk=pk, owner=owner, host=host, **columns)
    if chunk is not None:
        fresh = Evaluation.objects.filter(pk=chunk.evaluation_id, started__isnull=True)
        for evaluation in fresh.select_related("submission__entrant"):
            note_judging(submission=evaluation.submission)
            fresh.update(started=Now())
    return chunk


def running(chunk: Chunk) -> QuerySet[Chunk]:
    return held(Chunk.objects.filter(state=ChunkState.RUNNING), chunk)


def renew_lease(
    *, chunk: Chunk, waits_for: Message | None = None, shares: Sequence[str] = ()
) -> bool:
    """On False the worker stops. `shares` hold the slots that the chunk's runs wait for."""
    # The column takes any JSON, which the type checker does not know.
    wait: Any = waits_for and {"said": waits_for, "shares": list(shares)}
    return bool(running(chunk).update(lease_until=lease_end(), wait=wait))


def note_image(*, chunk: Chunk, image: str, digest: str, base: str | None) -> bool:
    """`base` is that of a project's image. Otherwise the first chunk's image counts for the
    evaluation."""
    if base is None:
        Evaluation.objects.filter(pk=chunk.evaluation_id, image="").update(image=image)
    base = storable(base or "")[:BASE_CHARACTERS]
    return bool(running(chunk).update(image_digest=digest, base=base))


def note_bases(*, evaluation: Evaluation) -> None:
    bases = set(evaluation.chunks.exclude(base="").values_list("base", flat=True))
    if bases:
        image = "; ".join(sorted(bases))[: Evaluation._meta.get_field("image").max_length]
        Evaluation.objects.filter(pk=evaluation.pk).update(image=image)


def finish_chunk(*, chunk: Chunk) -> bool:
    """Call it when all generations have verdicts."""
    columns = {"finished": Now(), "tries": 0, "not_before": None}
    return _end_claim(running(chunk), ChunkState.DONE, **columns)


def end_turn(*, chunk: Chunk) -> bool:
    """Lets the chunk wait for its next turn. It keeps its verdicts."""
    columns = {"not_before": None, "rung": None, "wait": None}
    return _end_claim(running(chunk), ChunkState.WAITING, **columns)


def _end_claim(still: QuerySet[Chunk], state: ChunkState, **columns: Any) -> bool:
    none = Value(timedelta(), DurationField())
    worked = Coalesce(Coalesce("worked", none) + (Now() - F("claimed")), "worked")
    return bool(still.update(state=state, worked=worked, lease_until=None, **columns))


def give_back_chunk(*, chunk: Chunk, cause: str, counts: bool) -> bool:
    """After a machinery failure, lets the chunk wait for a retry, or marks it lost for now.
    `counts` is False if the cause is unrelated to the chunk, such as a host that stops."""
    return _give_back(running(chunk), chunk, cause, counts=counts)


def _give_back(still: QuerySet[Chunk], chunk: Chunk, cause: str, *, counts: bool) -> bool:
    tries = chunk.tries + counts
    if tries >= MOST_TRIES:
        return _lose(still, chunk, cause)
    pause = BACK_OFF_SECONDS[min(tries, len(BACK_OFF_SECONDS) - 1)]
    not_before = Now() + timedelta(seconds=pause)
    columns = {"tries": tries, "cause": cause, "not_before": not_before, "rung": None}
    return _end_claim(still, ChunkState.WAITING, given_back=Now(), **columns)


def lose_chunk(*, chunk: Chunk, cause: str) -> bool:
    """Marks the chunk lost because the benchmark is wrong; only staff can start its retry."""
    return _lose(running(chunk), chunk, cause, again=None)


@transaction.atomic
def _lose(
    still: QuerySet[Chunk], chunk: Chunk, cause: str, *, again: int | None = RETRY_LOST_SECONDS
) -> bool:
    """Gives the open units verdicts of NOT_RUN, outside every score, until the retry: after `again`
    seconds, or when staff start it if None."""
    lost = still.update(
        state=ChunkState.LOST,
        tries=MOST_TRIES,
        cause=cause,
        given_back=Now(),
        not_before=None if again is None else Now() + timedelta(seconds=again),
        lease_until=None,
    )
    if lost:
        Verdict.objects.bulk_create(
            Verdict(
                evaluation_id=chunk.evaluation_id,
                generation=unit.generation,
                test_set=unit.test_set,
                status=Status.NOT_RUN.value,
            )
            for unit in open_units(chunk)
        )
    return bool(lost)


def take_back_run_out() -> list[int]:
    """Lets chunks whose worker is silent wait again. Returns their evaluations' primary keys."""
    concerned = []
    for chunk in run_out(Chunk.objects.filter(state=ChunkState.RUNNING)):
        still = run_out(Chunk.objects.filter(pk=chunk.pk, attempt=chunk.attempt)).filter(
            state=ChunkState.RUNNING
        )
        if _give_back(still, chunk, "", counts=True):
            concerned.append(chunk.evaluation_id)
    return concerned


def name_silent_scorers() -> None:
    """Boards do not wait for evaluations that have a cause."""
    silent = run_out(Evaluation.objects.filter(state=EvaluationState.SCORING, cause=""))
    silent.update(cause=messages.WORKER_SILENT())


@transaction.atomic
def retry_lost(*, evaluation: Evaluation) -> bool:
    """Returns False if no chunk is lost, or if the evaluation is being scored or was cancelled."""
    lost = Chunk.objects.filter(evaluation=evaluation, state=ChunkState.LOST)
    # The evaluation first: a scorer waits for this row's lock, then sees that chunks wait.
    opened = Evaluation.objects.filter(
        Exists(lost),
        pk=evaluation.pk,
        state__in=(EvaluationState.JUDGING, *EvaluationState.scored()),
    ).update(state=EvaluationState.JUDGING, finished=None)
    if opened:
        # Pages show the cause of a waiting chunk, but this cause may be for staff only.
        fresh = {"tries": 0, "not_before": None, "rung": None, "cause": "", "given_back": None}
        lost.update(state=ChunkState.WAITING, **fresh)
        evaluation.verdicts.filter(status=Status.NOT_RUN.value).delete()
    return bool(opened)


def lost_with(benchmark: Benchmark) -> QuerySet[Chunk]:
    """Lost chunks that wait for staff to fix the benchmark."""
    return Chunk.objects.filter(
        state=ChunkState.LOST,
        not_before=None,
        evaluation__submission__revision__benchmark=benchmark,
    ).exclude(evaluation__state=EvaluationState.CANCELLED)


def lost_and_due() -> QuerySet[Evaluation]:
    due = Chunk.objects.filter(state=ChunkState.LOST, not_before__lte=Now())
    return Evaluation.objects.filter(pk__in=due.values("evaluation")).exclude(
        state=EvaluationState.CANCELLED
    )


def cancel(*, evaluation: Evaluation) -> bool:
    """Existing verdicts stay. Returns False if the evaluation was already over."""
    with transaction.atomic():
        stopped = Evaluation.objects.filter(
            pk=evaluation.pk, state__in=EvaluationState.moving()
        ).update(state=EvaluationState.CANCELLED, finished=Now())
        if stopped:
            evaluation.chunks.filter(state__in=(*ChunkState.moving(), ChunkState.LOST)).update(
                state=ChunkState.CANCELLED, lease_until=None
            )
            _tell_end(evaluation=evaluation, state=EvaluationState.CANCELLED)
    return bool(stopped)


def _tell_end(*, evaluation: Evaluation, state: EvaluationState) -> None:
    """Tells a team's webhooks, and the person who submitted. Call it in the transaction that ends
    the evaluation. Says nothing of what people judge: its scores change with every mark."""
    submission = evaluation.submission
    if submission.is_rated:
        return
    note_event(submission=submission, event=Event.ENDED, state=state.value)
    if timezone.now() - evaluation.created > LONG:
        members = User.objects.filter(teams__entrants=submission.entrant_id)
        wanted = members.filter(submissions=submission, mail_when_judged=True)
        subject = f"Assay: judging of {submission.entrant} is over"
        text = f"{submission} in the setting {submission.setting}: {state.value}.\n\nYour account's"
        mail_users(wanted, subject, f"{text} page asks for this message.\n")


def due_for_scoring() -> QuerySet[Evaluation]:
    """Evaluations without scores whose chunks are all over."""
    unfinished = Chunk.objects.filter(evaluation=OuterRef("pk"), state__in=ChunkState.moving())
    return Evaluation.objects.filter(~Exists(unfinished), state__in=EvaluationState.moving())


def waiting_generations(team: Team) -> int:
    """Those to be stored, and those of current results that have no verdict yet."""
    uploads = Upload.objects.filter(entrant__team=team, state__in=UploadState.submitted())
    moving = Chunk.objects.filter(state__in=ChunkState.moving(), evaluation__current=True)
    unjudged = moving.filter(evaluation__submission__entrant__team=team)
    to_be_stored: int = uploads.aggregate(sum=Sum("generations_count", default=0))["sum"]
    to_be_judged: int = unjudged.aggregate(sum=Sum(F("size") - F("judged"), default=0))["sum"]
    return to_be_stored + to_be_judged


def to_be_scored() -> QuerySet[Evaluation]:
    """Evaluations that are due for scoring and that no worker is scoring."""
    free = Q(state=EvaluationState.JUDGING) | Q(
        state=EvaluationState.SCORING, lease_until__lt=Now()
    )
    return due_for_scoring().filter(free)


def claim_scoring(*, pk: int, owner: str) -> Evaluation | None:
    """Returns None if another caller got it. Call it after the chunk's commit, in a separate
    transaction: two chunks that end together would otherwise each see the other as unfinished, and
    nobody would score."""
    size = Generation.objects.filter(submission__evaluations=pk).count()
    seconds = settings.LEASE_SECONDS + size / SCORED_PER_SECOND
    ended, state = Coalesce("judging_ended", Now()), EvaluationState.SCORING
    return claimed(
        to_be_scored(), pk=pk, owner=owner, seconds=seconds, state=state, judging_ended=ended
    )


def _scored_by_us(evaluation: Evaluation) -> QuerySet[Evaluation]:
    return held(Evaluation.objects.filter(state=EvaluationState.SCORING), evaluation)


def refuse(*, evaluation: Evaluation, departures: Mapping[int, str]) -> bool:
    """Ends the evaluation without a score, because by our verdicts these tasks' transcripts depart
    from the rules. Returns False if the claim was lost."""
    return _end_scoring(evaluation, EvaluationState.REFUSED, departures)


def _end_scoring(
    evaluation: Evaluation, state: EvaluationState, departures: Mapping[int, str], **columns: Any
) -> bool:
    """Tells of the end, unless the evaluation was only scored again. Returns False if the claim was
    lost."""
    listed = list(departures.items())[:MOST_DEPARTURES]
    columns |= {"departures": listed, "more_departures": len(departures) - len(listed)}
    columns |= {"state": state, "finished": Now(), "lease_until": None, "cause": ""}
    ended = bool(_scored_by_us(evaluation).update(**columns))
    if ended and evaluation.finished is None:
        _tell_end(evaluation=evaluation, state=state)
    return ended


def finish_scoring(*, evaluation: Evaluation) -> bool:
    """Makes the evaluation the current one. Returns False if the claim was lost. Call it in the
    transaction that writes the scores; on False the caller must roll back."""
    done = _end_scoring(evaluation, EvaluationState.DONE, {}, outdated=False)
    if done and not evaluation.current:
        before = Evaluation.objects.filter(submission=evaluation.submission_id, current=True)
        before.update(current=False)
        Evaluation.objects.filter(pk=evaluation.pk).update(current=True)
    return done


def give_back_scoring(*, evaluation: Evaluation) -> bool:
    """For inputs that changed in the meantime. Returns False if the claim was lost."""
    again = {"state": EvaluationState.JUDGING, "lease_until": None, "rung": None}
    return bool(_scored_by_us(evaluation).update(**again))


def score_again(*, evaluation: Evaluation, outdated: bool = False) -> bool:
    """Takes the claim from a worker that is scoring now. Returns False if scoring has not begun.
    `outdated`: until it ends, no remade board may show the present results."""
    this = Evaluation.objects.filter(pk=evaluation.pk)
    if outdated:
        this.update(outdated=True)
    begun = this.filter(state__in=(EvaluationState.SCORING, *EvaluationState.scored()))
    return bool(begun.update(state=EvaluationState.JUDGING, lease_until=None, rung=None))
