"""An evaluation's generations in parts, each about the work of a chunk. Reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import NamedTuple

from django.conf import settings
from django.db.models import F

from evaluation.engine.family import ByExecution
from evaluation.engine.records import Limits
from evaluation.state.references import seconds_by_project
from evaluation.state.units import sets_of
from leaderboard.submissions.models import Generation, Submission

# Trivial generations take a hundredth of the limit, endless ones all of it: a tenth is what
# chunks are planned by. It decides about their size only.
EXPECTED_SHARE = 0.1
# For a generation inside a project, with its container and its control, until the project's
# references tell better; and how many projects are taken in turns.
PROJECT_SECONDS = 10.0
IN_TURNS = 4


class Part(NamedTuple):
    """The work of a chunk: generations by their keys, in so many runs; of one project, where
    there are any."""

    generations: Sequence[int]
    runs: int
    project: str = ""


class _Weighed(NamedTuple):
    """A generation, and by how many sets of tests it is judged."""

    generation: int
    runs: int


def parts(submission: Submission, judged: ByExecution, limits: Limits) -> Iterator[Part]:
    """All of the submission's generations."""
    found = _by_project(submission)
    if judged.projects is None:
        every = [one for own in found.values() for one in own]
        return _cut(every, limits.cpu_seconds * EXPECTED_SHARE)
    return _in_turns(found, seconds_by_project(submission.revision))


def _by_project(submission: Submission) -> dict[str, list[_Weighed]]:
    found: dict[str, list[_Weighed]] = defaultdict(list)
    sets = sets_of(submission)
    rows = Generation.with_unfinished.filter(submission=submission).order_by("pk").defer("text")
    for row in rows.annotate(project=F("task__project")).iterator(2000):
        found[row.project].append(_Weighed(row.pk, len(sets(row))))
    return found


def _in_turns(
    found: Mapping[str, Sequence[_Weighed]], seconds: Mapping[str, float]
) -> Iterator[Part]:
    """Some projects in turns, then the next: workers that begin at once prepare one project
    each, and none is asked for again long after it was made."""
    cut = (
        list(_cut(own, seconds.get(project) or PROJECT_SECONDS, project))
        for project, own in found.items()
    )
    while some := list(islice(cut, IN_TURNS)):
        for turn in zip_longest(*some):
            yield from (part for part in turn if part is not None)


def _cut(found: Sequence[_Weighed], seconds: float, project: str = "") -> Iterator[Part]:
    """Parts of about a chunk's length, where each run takes so many seconds."""
    most = max(1, round(settings.CHUNK_SECONDS / seconds))
    part: list[int] = []
    runs = 0
    for one in found:
        if part and runs + one.runs > most:
            yield Part(part, runs, project)
            part, runs = [], 0
        part.append(one.generation)
        runs += one.runs
    if part:
        yield Part(part, runs, project)
