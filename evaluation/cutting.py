"""An evaluation's generations in parts, each about the work of a chunk. Reads only."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice, zip_longest

from django.conf import settings

from evaluation.engine.family import ByExecution
from evaluation.engine.records import Limits
from evaluation.references import seconds_by_project
from leaderboard.submissions.models import Submission

# Trivial generations take a hundredth of the limit, endless ones all of it: a tenth is what
# chunks are planned by. It decides about their size only.
EXPECTED_SHARE = 0.1
# For a generation inside a project, with its container and its control, until the project's
# references tell better; and how many projects are taken in turns.
PROJECT_SECONDS = 10.0
IN_TURNS = 4


def parts(
    submission: Submission, judged: ByExecution, limits: Limits
) -> Iterator[tuple[str, Sequence[int]]]:
    """Projects, where there are any, and keys of generations."""
    if judged.projects is not None:
        return _parts_by_project(submission)
    keys = list(submission.generations.order_by("pk").values_list("pk", flat=True))
    return (("", part) for part in _cut(keys, limits.cpu_seconds * EXPECTED_SHARE))


def _parts_by_project(submission: Submission) -> Iterator[tuple[str, Sequence[int]]]:
    """Some projects in turns, then the next: workers that begin at once prepare one project
    each, and none is asked for again long after it was made."""
    seconds = seconds_by_project(submission.revision)
    keys: dict[str, list[int]] = defaultdict(list)
    rows = submission.generations.order_by("pk").values_list("task__project", "pk")
    for project, key in rows:
        keys[project].append(key)
    cut = (
        [(project, part) for part in _cut(found, seconds.get(project) or PROJECT_SECONDS)]
        for project, found in keys.items()
    )
    while some := list(islice(cut, IN_TURNS)):
        for turn in zip_longest(*some):
            yield from (part for part in turn if part is not None)


def _cut(keys: Sequence[int], seconds: float) -> Iterator[Sequence[int]]:
    """Parts of about a chunk's length, where each generation takes so many seconds."""
    size = max(1, round(settings.CHUNK_SECONDS / seconds))
    return (keys[start : start + size] for start in range(0, len(keys), size))
