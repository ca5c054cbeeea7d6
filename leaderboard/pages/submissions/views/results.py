"""Results of a submission by task: one query for a page of tasks, one for their verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import Exists, F, FilteredRelation, OuterRef, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.engine.records import Integrity, Status, counts
from evaluation.models import Evaluation, Verdict
from leaderboard.benchmarks.models import Task
from leaderboard.pages.shared.drawing import MARKS_SHOWN
from leaderboard.pages.shared.public import task_title
from leaderboard.pages.submissions.views.groups import BY_NAME
from leaderboard.submissions.models import Generation, Submission

TASKS_PER_PAGE = 50
# For fewer generations, a share adds nothing to the marks.
SHARE_OF_AT_LEAST = 3
# In addresses: the tasks without generations, next to the names of groups of verdicts.
MISSING = "missing"


class Fared(NamedTuple):
    task: int
    status: str | None
    integrity: str | None
    duration_ms: int | None

    @property
    def counts(self) -> bool:
        return counts(self.status, self.integrity)


@dataclass(frozen=True, slots=True)
class TaskRow:
    task: Task
    generations: Sequence[Fared]
    remark: str

    @property
    def title(self) -> str:
        return task_title(self.task)

    @property
    def marked(self) -> Sequence[Fared]:
        """The generations whose marks are shown; `unmarked` counts the others."""
        return self.generations[:MARKS_SHOWN]

    @property
    def unmarked(self) -> int:
        return len(self.generations) - len(self.marked)

    @property
    def passed(self) -> int:
        return sum(one.counts for one in self.generations)

    @property
    def judged(self) -> int:
        return sum(one.status is not None for one in self.generations)

    @property
    def median_ms(self) -> float | None:
        times = [one.duration_ms for one in self.generations if one.duration_ms is not None]
        return median(times) if times else None


def results_page(
    submission: Submission, evaluation: Evaluation | None, *, group: str, number: str | None
) -> tuple[Page[Task], list[TaskRow]]:
    """A page of the revision's tasks in the dataset's order, with their results.

    `group` keeps tasks with a verdict of that group, or those without generations (MISSING).
    """
    page = Paginator(_tasks(submission, evaluation, group), TASKS_PER_PAGE).get_page(number)
    tasks = list(page)
    fared = _fared(submission, evaluation, tasks)
    limit = evaluation.limits.get("cpu_seconds") if evaluation else None
    rows = [TaskRow(task, fared[task.pk], _remark(task, fared[task.pk], limit)) for task in tasks]
    return page, rows


def _tasks(submission: Submission, evaluation: Evaluation | None, group: str) -> QuerySet[Task]:
    every = Task.objects.filter(revision=submission.revision_id).select_related("exclusion")
    tasks = every.order_by("number")
    if group == MISSING:
        return without_generations(tasks, submission)
    if group in BY_NAME and evaluation is not None:
        own = Verdict.objects.of_generations().filter(evaluation=evaluation)
        found = own.filter(BY_NAME[group].verdicts)
        tasks = tasks.filter(pk__in=found.values("generation__task"))
    return tasks


def without_generations(tasks: QuerySet[Task], submission: Submission) -> QuerySet[Task]:
    """The tasks that count in the scores and have no generation in the submission."""
    own = Generation.objects.filter(submission=submission, task=OuterRef("pk"))
    return tasks.filter(~Exists(own), exclusion=None)


def _fared(
    submission: Submission, evaluation: Evaluation | None, tasks: Sequence[Task]
) -> dict[int, list[Fared]]:
    found: dict[int, list[Fared]] = {task.pk: [] for task in tasks}
    rows = (
        Generation.objects.filter(submission=submission, task__in=tasks)
        .annotate(
            judged=FilteredRelation(
                "verdicts",
                condition=Q(
                    verdicts__evaluation=evaluation,
                    verdicts__test_set="",
                ),
            ),
        )
        .order_by("task", "turn", "requirement", "sample")
        .values_list("task", F("judged__status"), F("judged__integrity"), F("judged__duration_ms"))
    )
    for row in rows:
        one = Fared(*row)
        found[one.task].append(one)
    return found


def _remark(task: Task, generations: Sequence[Fared], cpu_seconds: float | None) -> str:
    if hasattr(task, "exclusion"):
        return _("Left out of the scores.")
    # Each project has its own limits.
    return remark_on(generations, cpu_seconds=None if task.project else cpu_seconds)


def remark_on(generations: Sequence[Fared], *, cpu_seconds: float | None) -> str:
    """Notable results in words; empty if there are none."""
    return " ".join(_remarks(generations, cpu_seconds))


def _remarks(generations: Sequence[Fared], cpu_seconds: float | None) -> Iterator[str]:
    n = len(generations)
    number = Counter(one.status for one in generations if one.status)
    reviewed = sum(
        one.status == Status.PASSED and one.integrity == Integrity.SUSPECT for one in generations
    )
    if reviewed:
        yield ngettext(
            "%(number)d pass is under review.", "%(number)d passes are under review.", reviewed
        ) % {"number": reviewed}
    if lost := number[Status.NOT_RUN]:
        yield ngettext(
            "%(number)d could not be run yet because of a failure on our side.",
            "%(number)d could not be run yet because of a failure on our side.",
            lost,
        ) % {"number": lost}
    if n < SHARE_OF_AT_LEAST:
        return
    if (slow := number[Status.TIMEOUT]) * 2 > n and cpu_seconds:
        words = {"count": slow, "n": n, "seconds": f"{cpu_seconds:g}"}
        yield _("%(count)d of %(n)d ran past %(seconds)s s.") % words
    if (broken := number[Status.COMPILE_ERROR]) * 2 > n:
        yield _("%(count)d of %(n)d do not compile.") % {"count": broken, "n": n}
