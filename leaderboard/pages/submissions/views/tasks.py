"""One task of a submission: every generation with its verdicts, and a mark for each. Also the
generations of two to four entrants, for readers who may see all of these texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.db.models import Case, Prefetch, QuerySet, When
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from evaluation.engine.records import Status, counts, evidence_in
from evaluation.models import Evaluation, Review, Verdict, VerdictOutput
from evaluation.state.rights import Rights, visible_submission
from leaderboard.annotation.results import campaign_of
from leaderboard.benchmarks.models import Task
from leaderboard.fields import turn_of
from leaderboard.pages.boards.views.compare import compare_page
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.shared.code import (
    TEXT_SHOWN,
    Budget,
    code_lines,
    difference,
    judged_part,
    rule_of,
)
from leaderboard.pages.shared.conversations.reading import has_conversations
from leaderboard.pages.shared.crumbs import Crumb, submission_crumbs
from leaderboard.pages.shared.mark_words import flag_words
from leaderboard.pages.shared.public import fields_in, tests_words
from leaderboard.pages.submissions.queries import previous_result
from leaderboard.pages.submissions.views.rated import single_marks
from leaderboard.pages.submissions.views.results import failed_of
from leaderboard.submissions.models import Generation, Submission

PER_PAGE = 25


@dataclass(frozen=True, slots=True)
class Answer:
    """`lines` are the part of a generation that is judged; `whole` is its text if it has more. If
    either was cut, `cut` is set, and the file at `download` has all.
    `changes` is the difference from an earlier text: empty if they are the same, None if there is
    no earlier text or the difference cannot be shown."""

    lines: Sequence[SafeString]
    cut: bool
    whole: str
    changes: SafeString | None
    download: str

    @classmethod
    def to_task(
        cls,
        task: Task,
        generation: Generation,
        submission: Submission,
        earlier: str | None,
        budget: Budget,
    ) -> Answer:
        text, code = generation.text, judged_part(generation, task, submission)
        changes: SafeString | None = None
        if earlier == text:
            changes = SafeString()
        elif earlier is not None:
            changes = difference(earlier[:TEXT_SHOWN], text[:TEXT_SHOWN]) or None
        lines, cut = code_lines(code, task, budget)
        whole = budget.plain(text) if code.strip() != text.strip() else ""
        cut = cut or budget.size < 0 or (whole != "" and len(text) > TEXT_SHOWN)
        if changes and not budget.take(changes):
            changes = None
        download = reverse("answer", args=[submission.pk, generation.pk])
        return cls(lines, cut, whole, changes, download)


@dataclass(frozen=True, slots=True)
class Sample:
    """`answer` is None for readers who may not see it, and so is `asked`, the message."""

    pk: int
    number: int
    requirement: str
    turn: int | None
    answer: Answer | None
    verdicts: Sequence[ShownVerdict]
    marks: Sequence[str]
    asked: str

    @classmethod
    def of(
        cls,
        generation: Generation,
        submission: Submission,
        task: Task,
        rights: Rights,
        marks: Sequence[str] = (),
        earlier: str | None = None,
        *,
        budget: Budget,
    ) -> Sample:
        """`generation` is one of `generations_of`; `earlier` is the text that it replaces."""
        readable = rights.reads(generation, submission)
        verdicts: list[Verdict] = generation.judged  # type: ignore[attr-defined]  # prefetched
        answer = Answer.to_task(task, generation, submission, earlier, budget) if readable else None
        return cls(
            pk=generation.pk,
            number=generation.sample + 1,
            requirement=generation.requirement,
            turn=turn_of(generation.turn),
            answer=answer,
            verdicts=[ShownVerdict.of(verdict, rights, budget) for verdict in verdicts],
            marks=marks,
            asked=budget.plain(generation.asked) if rights.own else "",
        )


@dataclass(frozen=True, slots=True)
class ShownVerdict:
    """Values that the reader may not see are None or empty."""

    verdict: Verdict
    tests: str
    tests_passed: int | None
    tests_total: int | None
    memory_mib: float | None
    flags: Sequence[str]
    evidence: str
    reasons: Sequence[str]
    output: str | None
    # Staff's decision that the pass does not count.
    refusal: Review | None

    @classmethod
    def of(cls, verdict: Verdict, rights: Rights, budget: Budget) -> ShownVerdict:
        memory = verdict.peak_memory_kib
        excerpt = getattr(verdict, "excerpt", None) if rights.output else None
        review: Review | None = getattr(verdict, "review", None) if rights.own else None
        sees_evidence = rights.staff or verdict.status in rights.plain.statuses
        evidence = verdict.evidence if sees_evidence else ""
        passed = verdict.status == Status.PASSED
        flags = [flag for flag in verdict.flags if rights.details or flag in rights.plain.flags]
        return cls(
            verdict=verdict,
            tests=tests_words(verdict.test_set),
            tests_passed=verdict.tests_passed if rights.details else None,
            tests_total=verdict.tests_total if rights.details else None,
            memory_mib=memory / 1024 if rights.details and memory is not None else None,
            flags=[flag_words(flag) for flag in flags],
            evidence="" if passed else budget.plain(evidence),
            reasons=[budget.plain(str(reason)) for reason in evidence_in(evidence)]
            if passed
            else (),
            output=budget.plain(excerpt.text) if excerpt else None,
            refusal=review if review and not review.fine else None,
        )


@require_safe
def submission_task(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    submission = visible_submission(request, pk)
    task = get_object_or_404(Task, revision=submission.revision_id, number=number)
    rights = Rights.of(request, submission, task)
    evaluation = submission.evaluations.filter(current=True).first()
    marks = marks_of(submission, task, evaluation)
    rows = in_order(generations_of(submission, task, evaluation, rights), marks.first)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    before, after = _neighbours(task, Task.objects.all())
    failed = failed_of(evaluation).values("generation__task")
    failure_before, failure_after = _neighbours(task, Task.objects.filter(pk__in=failed))
    fields = fields_in(task.public)
    rated = submission.is_rated
    ratings = single_marks(request.user, page, campaign_of(submission)) if rated else {}
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
    context = {
        **task_context(submission, task, rights),
        "fields": [field for field in fields if field.kind != "fact"],
        "facts": [field for field in fields if field.kind == "fact"],
        "before": before,
        "after": after,
        "failure_before": failure_before,
        "failure_after": failure_after,
        "page": page,
        "rated": rated,
        "conversing": has_conversations(submission.setting),
        "marks": marks if marks.shown else None,
        "samples": samples,
    }
    return render(request, "submissions/task.html", context)


@require_safe
def answer(request: HttpRequest, pk: int, generation: int) -> HttpResponse:
    """A whole generation as a file. Raises Http404 unless the reader may see it."""
    submission = visible_submission(request, pk)
    row = get_object_or_404(Generation, submission=submission, pk=generation)
    if not Rights.of(request, submission, row.task).reads(row, submission):
        raise Http404
    response = HttpResponse(row.text.encode("utf-8", "replace"), "text/plain; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="answer-{row.pk}.txt"'
    return response


@require_safe
def codes(request: HttpRequest, slug: str, number: int) -> HttpResponse:
    """Raises Http404 unless the reader may see the code of at least two of the entrants."""
    compared = compare_page(request, slug)
    selected, readable = compared.selected, compared.readable(number)
    if len(readable) < 2:
        raise Http404
    task = get_object_or_404(Task, revision=selected.revision, number=number)
    visible = Submission.objects.visible_to(selected.user).select_related("revision__benchmark")
    sides, budget = [], Budget()
    for entry in readable:
        submission = get_object_or_404(visible, pk=entry.submission)
        rights = Rights.of(request, submission, task)
        evaluation = submission.evaluations.filter(current=True).first()
        rows = generations_of(submission, task, evaluation, rights)[:PER_PAGE]
        samples = [Sample.of(row, submission, task, rights, budget=budget) for row in rows]
        sides.append({"entry": entry, "rights": rights, "samples": samples})
    context = {
        "selected": selected,
        "benchmark": selected.benchmark,
        "task": task,
        "rule": rule_of(selected.benchmark),
        "sides": sides,
        "crumbs": [
            Crumb(gettext("Compare"), reverse("compare")),
            Crumb(selected.title, reverse("compare-board", args=[slug]) + compared.query()),
            Crumb(task.external_id),
        ],
        "selection_query": selected.query,
    }
    return render(request, "submissions/codes.html", context)


def task_context(submission: Submission, task: Task, rights: Rights) -> dict[str, Any]:
    """What the pages of a task and of its conversations have in common."""
    return {
        "submission": submission,
        "benchmark": submission.revision.benchmark,
        "setting": setting_words(submission.setting),
        "crumbs": submission_crumbs(submission, own=rights.own),
        "task": task,
        "rule": rule_of(submission.revision.benchmark),
        "rights": rights,
    }


def generations_of(
    submission: Submission, task: Task, evaluation: Evaluation | None, rights: Rights
) -> Any:
    """Generations with their verdicts as `judged`, without texts that the reader may not see."""
    verdicts = Verdict.objects.filter(evaluation=evaluation).order_by("test_set", "pk")
    if not (rights.staff or rights.plain.statuses):
        verdicts = verdicts.defer("evidence")
    if rights.own:
        verdicts = verdicts.select_related("review")
    if rights.output:
        outputs = VerdictOutput.objects.filter(expires__gt=timezone.now())
        verdicts = verdicts.prefetch_related(Prefetch("excerpt", queryset=outputs))
    rows = in_order(Generation.objects.filter(submission=submission, task=task))
    rows = rows.prefetch_related(Prefetch("verdicts", queryset=verdicts, to_attr="judged"))
    if rights.own:
        return rows
    return rows.defer("asked") if rights.consent else rows.defer("text", "asked")


def in_order(rows: QuerySet[Generation], first: int | None = None) -> QuerySet[Generation]:
    leads = [] if first is None else [Case(When(pk=first, then=0), default=1)]
    return rows.order_by(*leads, "turn", "requirement", "sample")


def _neighbours(task: Task, tasks: QuerySet[Task]) -> tuple[int | None, int | None]:
    numbers = tasks.filter(revision=task.revision_id).values_list("number", flat=True)
    before = numbers.filter(number__lt=task.number).order_by("-number").first()
    return before, numbers.filter(number__gt=task.number).order_by("number").first()


class Mark(NamedTuple):
    """`status` is "" without a verdict. `page` is the page that shows it."""

    pk: int
    number: int
    status: str
    integrity: str
    page: int


class MarksRow(NamedTuple):
    """A mark per number, None where the sample is missing."""

    turn: int | None
    requirement: str
    marks: Sequence[Mark | None]


@dataclass(frozen=True, slots=True)
class Marks:
    """A task's verdicts, aligned by sample, whatever page its generations are on. `first` is the
    first generation that fails a requirement: the pages begin with it."""

    numbers: Sequence[int]
    rows: Sequence[MarksRow]
    first: int | None

    @property
    def shown(self) -> bool:
        marks = [mark for row in self.rows for mark in row.marks if mark]
        return len(marks) > 1 and any(mark.status for mark in marks)


def marks_of(submission: Submission, task: Task, evaluation: Evaluation | None) -> Marks:
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
        (turn, name, sample): Mark(
            pk, sample + 1, *verdicts.get(pk, ("", "")), page=place // PER_PAGE + 1
        )
        for place, (turn, name, sample, pk) in enumerate(
            sorted(slots, key=lambda slot: slot[-1] != first)
        )
    }
    samples = sorted({sample for _, _, sample, _ in slots})
    lines = [
        MarksRow(turn_of(turn), name, [marks.get((turn, name, sample)) for sample in samples])
        for (turn, name), _ in groupby(slots, lambda slot: slot[:2])
    ]
    return Marks([sample + 1 for sample in samples], lines, first)
