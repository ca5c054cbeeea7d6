"""Cuts an evaluation's generations into parts, each about one chunk of work. Reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest
from typing import NamedTuple

from django.conf import settings
from django.db.models import F

from evaluation.engine.family import ByExecution
from evaluation.engine.records import Limits
from evaluation.state.references import seconds_by_project
from evaluation.state.units import sets_of
from leaderboard.submissions.models import Generation, Submission

# A trivial generation takes a hundredth of the limit, an endless one all of it. Chunks are
# planned by a tenth, which affects their size only.
EXPECTED_SHARE = 0.1
# Seconds for a generation inside a project, with its container and its control, until the
# project's references have been timed. IN_TURNS projects are interleaved.
PROJECT_SECONDS = 10.0
IN_TURNS = 4


class Part(NamedTuple):
    """The work of a chunk: primary keys of generations, number of runs, and the project, if any."""

    generations: Sequence[int]
    runs: int
    project: str = ""


class _Weighed(NamedTuple):
    """A generation and the number of test sets that judge it."""

    generation: int
    runs: int


def parts(submission: Submission, judged: ByExecution, limits: Limits) -> Iterator[Part]:
    """Interleaves IN_TURNS projects at a time. Workers that begin together then prepare different
    projects, and a project's chunks run soon after it was prepared."""
    by_project: dict[str, list[_Weighed]] = defaultdict(list)
    sets = sets_of(submission)
    rows = Generation.with_unfinished.filter(submission=submission).order_by("pk").defer("text")
    for row in rows.annotate(project=F("task__project")).iterator(2000):
        project = row.project if judged.projects else ""
        by_project[project].append(_Weighed(row.pk, len(sets(row))))
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


def _cut(generations: Sequence[_Weighed], seconds: float, project: str = "") -> Iterator[Part]:
    """Yields parts of about CHUNK_SECONDS; `seconds` is the expected time of one run."""
    most = max(1, round(settings.CHUNK_SECONDS / seconds))
    part: list[int] = []
    runs = 0
    for weighed in generations:
        if part and runs + weighed.runs > most:
            yield Part(part, runs, project)
            part, runs = [], 0
        part.append(weighed.generation)
        runs += weighed.runs
    if part:
        yield Part(part, runs, project)
