"""The work of an evaluation: each generation with each of its test sets, and its parts, each about
one chunk of work. Reads only."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from typing import NamedTuple, TypeAlias

from django.conf import settings
from django.db.models import F, Q, QuerySet

from evaluation.engine.family import ByExecution
from evaluation.engine.records import Limits
from evaluation.models import Chunk, Verdict
from evaluation.state.references import seconds_by_project
from leaderboard.benchmarks.models import Task
from leaderboard.benchmarks.public import public_record
from leaderboard.submissions.models import Generation, Submission

# A trivial generation takes a hundredth of the limit, an endless one all of it. Chunks are
# planned by a tenth, which affects their size only.
EXPECTED_SHARE = 0.1
# Seconds for a generation inside a project, with its container and its control, until the
# project's references have been timed. IN_TURNS projects are interleaved.
PROJECT_SECONDS = 10.0
IN_TURNS = 4

# Returns all test sets that judge a generation.
SetsOf: TypeAlias = Callable[[Generation], tuple[str, ...]]


class JudgedUnit(NamedTuple):
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
    of_project = Q(task__project=chunk.project) if chunk.project else Q()
    return Generation.objects.filter(
        of_project,
        submission=chunk.evaluation.submission_id,
        pk__range=(chunk.first_generation, chunk.last_generation),
    ).order_by("pk")


def verdicts_of(chunk: Chunk) -> QuerySet[Verdict]:
    """Of the chunk's range of generations, which chunks of other projects share."""
    return Verdict.objects.filter(
        evaluation=chunk.evaluation_id,
        generation__gte=chunk.first_generation,
        generation__lte=chunk.last_generation,
    )


def units_of(chunk: Chunk, *, texts: bool = False) -> Iterator[JudgedUnit]:
    """In file order. Loads texts only if `texts` is set."""
    rows = generations_of(chunk)
    sets = sets_of(chunk.evaluation.submission)
    for row in rows if texts else rows.defer("text"):
        yield from (JudgedUnit(row, test_set) for test_set in sets(row))


def open_units(chunk: Chunk, *, texts: bool = False) -> list[JudgedUnit]:
    """Units without a verdict."""
    there = set(verdicts_of(chunk).values_list("generation", "test_set"))
    units = units_of(chunk, texts=texts)
    return [unit for unit in units if (unit.generation.pk, unit.test_set) not in there]


class Part(NamedTuple):
    """The work of a chunk: primary keys of generations, number of runs, and the project, if any."""

    generations: Sequence[int]
    runs: int
    project: str = ""


def parts(submission: Submission, judged: ByExecution, limits: Limits) -> Iterator[Part]:
    """Interleaves IN_TURNS projects at a time. Workers that begin together then prepare different
    projects, and a project's chunks run soon after it was prepared."""
    # Pairs of a generation and the number of test sets that judge it.
    by_project: dict[str, list[tuple[int, int]]] = defaultdict(list)
    sets = sets_of(submission)
    rows = Generation.with_unfinished.filter(submission=submission).order_by("pk").defer("text")
    for row in rows.annotate(project=F("task__project")).iterator(2000):
        project = row.project if judged.projects else ""
        by_project[project].append((row.pk, len(sets(row))))
    if judged.projects is None:
        yield from _cut(by_project[""], limits.cpu_seconds * EXPECTED_SHARE)
        return
    seconds = seconds_by_project(submission.revision)
    cut = (
        list(_cut(generations, seconds.get(project) or PROJECT_SECONDS, project))
        for project, generations in by_project.items()
    )
    while some := list(islice(cut, IN_TURNS)):
        for turn in zip_longest(*some):
            yield from (part for part in turn if part is not None)


def _cut(weighed: Sequence[tuple[int, int]], seconds: float, project: str = "") -> Iterator[Part]:
    """Yields parts of about CHUNK_SECONDS; `seconds` is the expected time of one run."""
    most = max(1, round(settings.CHUNK_SECONDS / seconds))
    part, runs = list[int](), 0
    for generation, sets in weighed:
        if part and runs + sets > most:
            yield Part(part, runs, project)
            part, runs = [], 0
        part.append(generation)
        runs += sets
    if part:
        yield Part(part, runs, project)
