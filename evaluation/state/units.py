"""What an evaluation has to judge: each generation by each of its sets of tests. Reads only."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from django.db.models import Q, QuerySet

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.family import ByExecution
from evaluation.models import Chunk, Verdict
from leaderboard.benchmarks.models import Benchmark, Task
from leaderboard.benchmarks.public import public_record
from leaderboard.submissions.models import Generation, Submission

# Of a generation all sets of tests that it is judged by.
SetsOf: TypeAlias = Callable[[Generation], tuple[str, ...]]


class OpenUnit(NamedTuple):
    """A generation that one of its sets of tests has not judged yet."""

    generation: Generation
    test_set: str


def judged_by(benchmark: Benchmark) -> ByExecution:
    """How the benchmark's generations are run. Raises BenchmarkError where people judge."""
    judged = benchmark.family.judged
    if not isinstance(judged, ByExecution):
        raise BenchmarkError(f"{benchmark.family.slug} is rated by people: nothing is run.")
    return judged


def sets_of(submission: Submission) -> SetsOf:
    """One query, where generations have further sets at all."""
    judged, setting = judged_by(submission.revision.benchmark), submission.setting
    if judged.test_sets is None:
        return lambda _: ("",)
    rows = Task.objects.filter(revision=submission.revision_id)
    tasks = {row.pk: public_record(row) for row in rows}

    def sets(row: Generation) -> tuple[str, ...]:
        task = tasks[row.task_id]
        return judged.sets_of(task, row.key_of(task.id), setting)

    return sets


def generations_of(chunk: Chunk) -> QuerySet[Generation]:
    """The chunk's generations, in the order of the file."""
    own = Q(task__project=chunk.project) if chunk.project else Q()
    return Generation.objects.filter(
        own,
        submission=chunk.evaluation.submission_id,
        pk__range=(chunk.first_generation, chunk.last_generation),
    ).order_by("pk")


def open_units(chunk: Chunk, *, texts: bool = False) -> list[OpenUnit]:
    """What of the chunk has no verdict yet, in the order of the file; with the generations'
    `texts` only where these are asked for."""
    rows = generations_of(chunk)
    verdicts = Verdict.objects.filter(
        evaluation=chunk.evaluation_id,
        generation__gte=chunk.first_generation,
        generation__lte=chunk.last_generation,
    )
    there = set(verdicts.values_list("generation", "test_set"))
    sets = sets_of(chunk.evaluation.submission)
    return [
        OpenUnit(row, test_set)
        for row in (rows if texts else rows.defer("text"))
        for test_set in sets(row)
        if (row.pk, test_set) not in there
    ]
