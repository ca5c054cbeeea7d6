"""One task of a submission: every generation with its verdicts, and a mark for each. Also the
generations of two to four entrants, for readers who may see all of these texts."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from evaluation.engine.records import counts
from evaluation.models import Evaluation, Verdict
from evaluation.state.rights import Rights, visible_submission
from leaderboard.annotation.results import campaign_of
from leaderboard.benchmarks.models import Task
from leaderboard.boards.rows import Row
from leaderboard.fields import turn_of
from leaderboard.pages.boards.views.compare import compare_page
from leaderboard.pages.boards.views.selection import Selected
from leaderboard.pages.shared.code import Budget, rule_of
from leaderboard.pages.shared.crumbs import Crumb
from leaderboard.pages.shared.public import Field, fields_in
from leaderboard.pages.shared.record import render_page
from leaderboard.pages.shared.samples import Sample, in_order, with_verdicts
from leaderboard.pages.submissions.queries import previous_result
from leaderboard.pages.submissions.views.rated import single_marks
from leaderboard.pages.submissions.views.results import failed_tasks
from leaderboard.submissions.models import Generation, Submission

PER_PAGE = 25


class SampleMark(NamedTuple):
    """`status` is "" without a verdict. `page` is the page that shows it."""

    pk: int
    number: int
    status: str
    integrity: str
    page: int


class SlotMarks(NamedTuple):
    """A mark per number, None where the sample is missing."""

    turn: int | None
    requirement: str
    marks: Sequence[SampleMark | None]


@dataclass(frozen=True, slots=True)
class TaskMarks:
    """A task's verdicts, aligned by sample, whatever page its generations are on. `first` is the
    first generation that fails a requirement: the pages begin with it."""

    numbers: Sequence[int]
    rows: Sequence[SlotMarks]
    first: int | None

    @property
    def shown(self) -> bool:
        marks = [mark for row in self.rows for mark in row.marks if mark]
        return len(marks) > 1 and any(mark.status for mark in marks)


class Neighbours(NamedTuple):
    """The nearest places before and after a page's, None at an end: numbers of tasks, or keys of
    conversations."""

    before: Any
    after: Any


@dataclass(frozen=True, kw_only=True)
class OfSubmissionTask:
    """The common part of the pages of a task and of its conversations. `failures` are the nearest
    places that cost points."""

    submission: Submission
    task: Task
    rights: Rights
    nearest: Neighbours
    failures: Neighbours

    @property
    def rule(self) -> str:
        return rule_of(self.submission.revision.benchmark)


@dataclass(frozen=True, kw_only=True)
class SubmissionTaskPage(OfSubmissionTask):
    fields: list[Field]
    page: Page[Generation]
    marks: TaskMarks
    samples: list[Sample]


@require_safe
def submission_task(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    submission = visible_submission(request, pk)
    task = get_object_or_404(Task, revision=submission.revision_id, number=number)
    rights = Rights.of(request, submission)
    evaluation = submission.evaluations.filter(current=True).first()
    marks = task_marks(submission, task, evaluation)
    generations = Generation.objects.filter(submission=submission, task=task)
    evaluations = [evaluation.pk if evaluation else None]
    rows = in_order(with_verdicts(generations, evaluations, rights), marks.first)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    campaign = campaign_of(submission) if submission.is_rated else None
    ratings = single_marks(request.user, page, campaign)
    # The texts of the team's previous submission, by turn, requirement and sample.
    earlier: dict[tuple[int, str, int], str] = {}
    if rights.own and (previous := previous_result(submission)):
        texts = previous.submission.generations.filter(
            task=task, sample__in={row.sample for row in page}
        )
        columns = texts.values_list("turn", "requirement", "sample", "text")
        earlier = {(turn, name, sample): text for turn, name, sample, text in columns}
    samples, budget = [], Budget()
    for row in page:
        text, shown = earlier.get((row.turn, row.requirement, row.sample)), ratings.get(row.pk, ())
        samples.append(Sample.of(row, submission, task, rights, shown, text, budget=budget))
    record = SubmissionTaskPage(
        submission=submission,
        task=task,
        rights=rights,
        nearest=_neighbours(task, Task.objects.all()),
        failures=_neighbours(task, failed_tasks(evaluation)),
        fields=fields_in(task.public),
        page=page,
        marks=marks,
        samples=samples,
    )
    return render_page(request, "submissions/task.html", record)


@require_safe
def answer(request: HttpRequest, pk: int, generation: int) -> HttpResponse:
    """A whole generation as a file. Raises Http404 unless the reader may see it."""
    submission = visible_submission(request, pk)
    row = get_object_or_404(Generation, submission=submission, pk=generation)
    if not Rights.of(request, submission).reads(row, submission):
        raise Http404
    response = HttpResponse(row.text.encode("utf-8", "replace"), "text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="answer-{row.pk}.txt"'
    return response


class Side(NamedTuple):
    """An entrant's generations. `more` of them are not shown; `other` is the side before."""

    entry: Row
    rights: Rights
    samples: list[Sample]
    more: int
    other: Row | None


@dataclass(frozen=True, slots=True)
class CodesPage:
    selected: Selected
    task: Task
    rule: str
    sides: list[Side]
    crumbs: list[Crumb]


@require_safe
def codes(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """The last side has the difference from the one before. Raises Http404 unless the reader may
    see the code of two of the entrants, or of the one that is chosen."""
    compared = compare_page(request, slug)
    selected, readable = compared.selected, compared.readable
    if len(readable) < (1 if len(compared.slugs) == 1 else 2):
        raise Http404
    task = get_object_or_404(Task, revision=selected.revision, number=number)
    visible = Submission.objects.visible_to(selected.user).select_related("revision__benchmark")
    sides: list[Side] = []
    budget = Budget()
    before: dict[tuple[int, str, int], str] = {}
    for entry in readable:
        submission = get_object_or_404(visible, pk=entry.submission)
        rights = Rights.of(request, submission)
        generations = in_order(Generation.objects.filter(submission=submission, task=task))
        rows = with_verdicts(generations, [entry.evaluation], rights)[:PER_PAGE]
        samples, texts = [], {}
        for row in rows:
            key = row.turn, row.requirement, row.sample
            earlier = before.get(key)
            samples.append(Sample.of(row, submission, task, rights, (), earlier, budget=budget))
            if rights.reads(row, submission):
                texts[key] = row.text
        other = sides[-1].entry if sides else None
        sides.append(Side(entry, rights, samples, generations.count() - len(samples), other))
        before = texts
    crumbs = [
        Crumb(gettext("Compare"), reverse("compare")),
        Crumb(selected.title, reverse("compare-board", args=[slug]) + compared.query()),
        Crumb(task.external_id),
    ]
    page = CodesPage(selected, task, rule_of(selected.benchmark), sides, crumbs)
    return render_page(request, "submissions/codes.html", page)


def _neighbours(task: Task, tasks: QuerySet[Task]) -> Neighbours:
    numbers = tasks.filter(revision=task.revision_id).values_list("number", flat=True)
    before = numbers.filter(number__lt=task.number).order_by("-number").first()
    return Neighbours(before, numbers.filter(number__gt=task.number).order_by("number").first())


def task_marks(submission: Submission, task: Task, evaluation: Evaluation | None) -> TaskMarks:
    """Runs two queries."""
    rows = Verdict.objects.of_generations().filter(evaluation=evaluation, generation__task=task)
    verdicts = {
        pk: (status, integrity)
        for pk, status, integrity in rows.values_list("generation", "status", "integrity")
    }
    generations = in_order(Generation.objects.filter(submission=submission, task=task))
    slots = list(generations.values_list("turn", "requirement", "sample", "pk"))
    failing = (
        pk
        for _, requirement, _, pk in slots
        if requirement and pk in verdicts and not counts(*verdicts[pk])
    )
    first = next(failing, None)
    marks = {
        (turn, name, sample): SampleMark(
            pk, sample + 1, *verdicts.get(pk, ("", "")), page=place // PER_PAGE + 1
        )
        for place, (turn, name, sample, pk) in enumerate(
            sorted(slots, key=lambda slot: slot[-1] != first)
        )
    }
    samples = sorted({sample for _, _, sample, _ in slots})
    lines = [
        SlotMarks(turn_of(turn), name, [marks.get((turn, name, sample)) for sample in samples])
        for (turn, name), _ in groupby(slots, lambda slot: slot[:2])
    ]
    return TaskMarks([sample + 1 for sample in samples], lines, first)
