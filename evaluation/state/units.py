"""The work of an evaluation: each generation with each of its test sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from django.db.models import Q, QuerySet

from evaluation.models import Chunk, Verdict
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.public import public_record
from leaderboard.submissions.models import Generation, Submission

# Returns all test sets that judge a generation.
SetsOf: TypeAlias = Callable[[Generation], tuple[str, ...]]


class OpenUnit(NamedTuple):
    generation: Generation
    test_set: str


def sets_of(submission: Submission) -> SetsOf:
    """Reads the tasks, in one query, only if generations have further test sets."""
    judged, setting = submission.revision.benchmark.family.by_execution(), submission.setting
    if judged.test_sets is None:
        return lambda _: ("",)
    rows = Task.objects.filter(revision=submission.revision_id)
    tasks = {row.pk: public_record(row) for row in rows}

    def sets(row: Generation) -> tuple[str, ...]:
        task = tasks[row.task_id]
        return judged.sets_of(task, row.key_of(task.id), setting)

    return sets


def generations_of(chunk: Chunk) -> QuerySet[Generation]:
    """The chunk's generations in file order."""
    own = Q(task__project=chunk.project) if chunk.project else Q()
    return Generation.objects.filter(
        own,
        submission=chunk.evaluation.submission_id,
        pk__range=(chunk.first_generation, chunk.last_generation),
    ).order_by("pk")


def open_units(chunk: Chunk, *, texts: bool = False) -> list[OpenUnit]:
    """Units without a verdict, in file order. Loads texts only if `texts` is set."""
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
