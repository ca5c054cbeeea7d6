"""Results of a submission by task, the groups by which pages count and filter verdicts, and the
file of all verdicts."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import Case, Exists, F, FilteredRelation, OuterRef, Q, QuerySet, When
from django.http import Http404, HttpRequest, StreamingHttpResponse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_safe

from evaluation.engine.conversations.matrices import CA
from evaluation.engine.metrics.tally import PASS
from evaluation.engine.records import Integrity, Status, counts
from evaluation.models import Evaluation, Verdict
from evaluation.state.progress import group_of
from evaluation.state.rights import Rights, verdict_lines, visible_submission
from leaderboard.benchmarks.models import Task
from leaderboard.pages.shared.drawing import MARKS_SHOWN
from leaderboard.pages.shared.record import Short
from leaderboard.scores.models import TaskResult
from leaderboard.submissions.models import Generation, Submission

TASKS_PER_PAGE = 50
# For fewer generations, a share adds nothing to the marks.
SHARE_OF_AT_LEAST = 3
# In addresses: the tasks without generations, next to the names of groups of verdicts.
MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Group:
    """A group of verdicts. Status and integrity give it its mark and words."""

    name: str
    status: str
    integrity: str = ""

    @property
    def verdicts(self) -> Q:
        """The verdicts that evaluation.state.progress counts in this group."""
        verdicts = Q(pk__in=())
        for status in Status:
            kinds = [kind.value for kind in Integrity if group_of(status, kind) == self.name]
            if kinds:
                verdicts |= Q(status=status.value, integrity__in=kinds)
        return verdicts


GROUPS = (
    Group("passed", Status.PASSED.value),
    Group("wrong", Status.FAILED.value),
    Group("error", Status.RUNTIME_ERROR.value),
    Group("slow", Status.TIMEOUT.value),
    Group("review", Status.PASSED.value, Integrity.SUSPECT.value),
    Group("infrastructure", Status.NOT_RUN.value),
)
BY_NAME = {group.name: group for group in GROUPS}


class JudgedGeneration(NamedTuple):
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
    generations: Sequence[JudgedGeneration]
    remark: str

    @property
    def marks(self) -> Short:
        return Short.of(self.generations, MARKS_SHOWN)

    @property
    def passed(self) -> int:
        return sum(generation.counts for generation in self.generations)

    @property
    def judged(self) -> int:
        return sum(generation.status is not None for generation in self.generations)

    @property
    def median_ms(self) -> float | None:
        durations = (generation.duration_ms for generation in self.generations)
        times = [duration for duration in durations if duration is not None]
        return median(times) if times else None


def tasks_page(
    submission: Submission, evaluation: Evaluation | None, group: str, number: str | None
) -> Page[Task]:
    """A page of the revision's tasks: all, those with a failure first, or those with a verdict of
    the `group`, or those without generations (MISSING)."""
    tasks = Task.objects.filter(revision=submission.revision_id).select_related("exclusion")
    tasks = tasks.order_by("number")
    if not group and evaluation is not None:
        is_failed = When(pk__in=failed_tasks(evaluation).values("pk"), then=0)
        tasks = tasks.order_by(Case(is_failed, default=1), "number")
    if group == MISSING:
        tasks = without_generations(tasks, submission)
    elif group in BY_NAME and evaluation is not None:
        verdicts = Verdict.objects.of_generations().filter(evaluation=evaluation)
        in_group = verdicts.filter(BY_NAME[group].verdicts)
        tasks = tasks.filter(pk__in=in_group.values("generation__task"))
    return Paginator(tasks, TASKS_PER_PAGE).get_page(number)


def failed_of(evaluation: Evaluation | None) -> QuerySet[Verdict]:
    failed = BY_NAME["wrong"].verdicts | BY_NAME["error"].verdicts | BY_NAME["slow"].verdicts
    return Verdict.objects.of_generations().filter(failed, evaluation=evaluation)


def failed_tasks(evaluation: Evaluation | None) -> QuerySet[Task]:
    """The tasks that cost points: by verdicts, and once there are scores also by what these count:
    missing generations, and turns that fail an instruction's tests."""
    costs = Q(metric=PASS, c__lt=F("n") - F("open")) | Q(metric=CA.name, open=0, value__lt=1)
    results = TaskResult.objects.filter(costs, evaluation=evaluation, overall=True)
    verdicts = failed_of(evaluation).values("generation__task")
    failed = Q(pk__in=verdicts) | Q(pk__in=results.values("task"))
    return Task.objects.filter(failed, exclusion=None)


def task_rows(
    tasks: Iterable[Task], submission: Submission, evaluation: Evaluation | None
) -> list[TaskRow]:
    generations = (
        Generation.objects.filter(submission=submission, task__in=list(tasks))
        .annotate(
            judged=FilteredRelation(
                "verdicts", condition=Q(verdicts__evaluation=evaluation, verdicts__test_set="")
            )
        )
        .order_by("task", "turn", "requirement", "sample")
        .values_list("task", F("judged__status"), F("judged__integrity"), F("judged__duration_ms"))
    )
    by_task: dict[int, list[JudgedGeneration]] = defaultdict(list)
    for fared in map(JudgedGeneration._make, generations):
        by_task[fared.task].append(fared)
    cpu_seconds = evaluation.limits.get("cpu_seconds") if evaluation else None
    rows = []
    for task in tasks:
        if hasattr(task, "exclusion"):
            remark = _("Left out of the scores.")
        else:
            # Each project has its own limits.
            limit = None if task.project else cpu_seconds
            remark = remark_on(by_task[task.pk], cpu_seconds=limit)
        rows.append(TaskRow(task, by_task[task.pk], remark))
    return rows


def without_generations(tasks: QuerySet[Task], submission: Submission) -> QuerySet[Task]:
    """The tasks that count in the scores and have no generation in the submission."""
    generations = Generation.objects.filter(submission=submission, task=OuterRef("pk"))
    return tasks.filter(~Exists(generations), exclusion=None)


def remark_on(generations: Sequence[JudgedGeneration], *, cpu_seconds: float | None) -> str:
    """Notable results in words; empty if there are none."""
    n, remarks = len(generations), []
    number = Counter(generation.status for generation in generations)
    if reviewed := sum(
        (row.status, row.integrity) == (Status.PASSED, Integrity.SUSPECT) for row in generations
    ):
        words = ngettext(
            "%(number)d pass is under review.", "%(number)d passes are under review.", reviewed
        )
        remarks.append(words % {"number": reviewed})
    if lost := number[Status.NOT_RUN]:
        words = ngettext(
            "%(number)d could not be run yet because of a failure on our side.",
            "%(number)d could not be run yet because of a failure on our side.",
            lost,
        )
        remarks.append(words % {"number": lost})
    if n >= SHARE_OF_AT_LEAST:
        if (slow := number[Status.TIMEOUT]) * 2 > n and cpu_seconds:
            counts = {"count": slow, "n": n, "seconds": f"{cpu_seconds:g}"}
            remarks.append(_("%(count)d of %(n)d ran past %(seconds)s s.") % counts)
        if (broken := number[Status.COMPILE_ERROR]) * 2 > n:
            remarks.append(_("%(count)d of %(n)d do not compile.") % {"count": broken, "n": n})
    return " ".join(remarks)


@require_safe
def submission_verdicts(request: HttpRequest, pk: int) -> StreamingHttpResponse:
    """The verdicts as JSON Lines, in the order of the upload. Raises Http404 before an
    evaluation."""
    submission = visible_submission(request, pk)
    evaluation = submission.evaluations.filter(current=True).first()
    if evaluation is None:
        raise Http404
    lines = verdict_lines(evaluation, details=Rights.of(request, submission).details)
    slug, setting = submission.revision.benchmark.slug, submission.setting
    parts = (submission.entrant.slug, slug, setting, str(submission.pk))
    name = "-".join(slugify(part) or "x" for part in parts)
    return StreamingHttpResponse(
        lines,
        content_type="application/jsonl; charset=utf-8",
        headers={
            "Content-Disposition": f'attachment; filename="{name}-verdicts.jsonl"',
            "Cache-Control": "private, no-store",
        },
    )
