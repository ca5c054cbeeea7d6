"""One task of a submission: every generation with its verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from django.core.paginator import Paginator
from django.db.models import Prefetch, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.safestring import SafeString
from django.views.decorators.http import require_safe

from evaluation.engine.records import Evidence, Status, evidence_in
from evaluation.models import Evaluation, Verdict, VerdictOutput
from leaderboard.annotation.results import campaign_of
from leaderboard.benchmarks.models import Task
from leaderboard.fields import turn_of
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.shared.code import (
    TEXT_SHOWN,
    code_lines,
    difference,
    judged_part,
    rule_of,
    shown_text,
)
from leaderboard.pages.shared.conversations.reading import has_conversations
from leaderboard.pages.shared.crumbs import submission_crumbs
from leaderboard.pages.shared.mark_words import flag_words
from leaderboard.pages.shared.public import fields_of, task_title
from leaderboard.pages.submissions.queries import previous_result
from leaderboard.pages.submissions.views.conversations import tests_called
from leaderboard.pages.submissions.views.marks import in_order, marks_of
from leaderboard.pages.submissions.views.rated import single_marks
from leaderboard.pages.submissions.views.results import BY_NAME
from leaderboard.pages.submissions.views.rights import Rights
from leaderboard.pages.submissions.views.submission import visible_submission
from leaderboard.submissions.models import Generation, Submission

PER_PAGE = 25


class _Slot(NamedTuple):
    """A generation of a task; the names are the columns'."""

    turn: int
    requirement: str
    sample: int


@dataclass(frozen=True, slots=True)
class Answer:
    """`lines` are the part of a generation that is judged; `whole` is its text if it has more.
    `changes` is the difference from an earlier text: empty if they are the same, None if there is
    no earlier text or the difference cannot be shown."""

    lines: Sequence[SafeString]
    cut: bool
    whole: str
    changes: SafeString | None

    @classmethod
    def to_task(
        cls, task: Task, generation: Generation, submission: Submission, earlier: str | None
    ) -> Answer:
        text, code = generation.text, judged_part(generation, task, submission)
        changes: SafeString | None = None
        if earlier == text:
            changes = SafeString()
        elif earlier is not None:
            before, after = (shown_text(one[:TEXT_SHOWN]) for one in (earlier, text))
            changes = difference(before, after) or None
        whole = shown_text(text[:TEXT_SHOWN]) if code.strip() != text.strip() else ""
        return cls(code_lines(code, task), len(code) > TEXT_SHOWN, whole, changes)


@dataclass(frozen=True, slots=True)
class Sample:
    """`answer` is None for readers who may not see it, and so is `asked`, the message."""

    pk: int
    number: int
    requirement: str
    turn: int | None
    answer: Answer | None
    verdicts: Sequence[Said]
    marks: Sequence[str] = ()
    asked: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """A verdict; values that the reader may not see are None or empty."""

    verdict: Verdict
    tests: str
    tests_passed: int | None
    tests_total: int | None
    memory_mib: float | None
    flags: Sequence[str]
    evidence: str
    reasons: tuple[Evidence, ...]
    output: str | None


@require_safe
def submission_task(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    submission = visible_submission(request, pk)
    task = get_object_or_404(Task, revision=submission.revision_id, number=number)
    rights = Rights.of(request.user, submission, task)
    evaluation = submission.evaluations.filter(current=True).first()
    marks = marks_of(submission, task, evaluation, PER_PAGE)
    rows = in_order(generations_of(submission, task, evaluation, rights), marks.first)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    before, after = _neighbours(task, Task.objects.all())
    failed = failed_of(evaluation).values("generation__task")
    failure_before, failure_after = _neighbours(task, Task.objects.filter(pk__in=failed))
    fields = fields_of(task)
    rated = submission.is_rated
    ratings = single_marks(request.user, page, campaign_of(submission)) if rated else {}
    earlier = _earlier_texts(submission, task, list(page)) if rights.own else {}
    context = {
        **task_context(submission, task, rights),
        "title": task_title(task),
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
        "samples": [
            sample_of(row, submission, task, rights, ratings.get(row.pk, ()), earlier)
            for row in page
        ],
    }
    return render(request, "submissions/task.html", context)


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
    """Generations with their verdicts as `said`, without texts that the reader may not see."""
    verdicts = Verdict.objects.filter(evaluation=evaluation).order_by("test_set", "pk")
    if not (rights.staff or rights.plain.statuses):
        verdicts = verdicts.defer("evidence")
    if rights.output:
        outputs = VerdictOutput.objects.filter(expires__gt=timezone.now())
        verdicts = verdicts.prefetch_related(Prefetch("excerpt", queryset=outputs))
    rows = in_order(Generation.objects.filter(submission=submission, task=task))
    rows = rows.prefetch_related(Prefetch("verdicts", queryset=verdicts, to_attr="said"))
    if rights.own:
        return rows
    return rows.defer("asked") if rights.consent else rows.defer("text", "asked")


def _earlier_texts(
    submission: Submission, task: Task, page: Sequence[Generation]
) -> Mapping[_Slot, str]:
    """The texts of the team's previous submission."""
    previous = previous_result(submission)
    if previous is None:
        return {}
    samples = {row.sample for row in page}
    rows = previous.submission.generations.filter(task=task, sample__in=samples)
    return {_Slot(*slot): text for *slot, text in rows.values_list(*_Slot._fields, "text")}


def sample_of(
    generation: Generation,
    submission: Submission,
    task: Task,
    rights: Rights,
    marks: Sequence[str] = (),
    earlier: Mapping[_Slot, str] = MappingProxyType({}),
) -> Sample:
    before = earlier.get(_Slot(generation.turn, generation.requirement, generation.sample))
    readable = rights.reads(generation, submission)
    verdicts: list[Verdict] = generation.said  # type: ignore[attr-defined]  # prefetched
    return Sample(
        pk=generation.pk,
        number=generation.sample + 1,
        requirement=generation.requirement,
        turn=turn_of(generation.turn),
        answer=Answer.to_task(task, generation, submission, before) if readable else None,
        verdicts=[_said(verdict, rights) for verdict in verdicts],
        marks=marks,
        asked=shown_text(generation.asked[:TEXT_SHOWN]) if rights.own else "",
    )


def _said(verdict: Verdict, rights: Rights) -> Said:
    memory = verdict.peak_memory_kib
    excerpt = getattr(verdict, "excerpt", None) if rights.output else None
    sees_evidence = rights.staff or verdict.status in rights.plain.statuses
    evidence = shown_text(verdict.evidence) if sees_evidence else ""
    passed = verdict.status == Status.PASSED
    flags = [flag for flag in verdict.flags if rights.details or flag in rights.plain.flags]
    return Said(
        verdict=verdict,
        tests=tests_called(verdict.test_set),
        tests_passed=verdict.tests_passed if rights.details else None,
        tests_total=verdict.tests_total if rights.details else None,
        memory_mib=memory / 1024 if rights.details and memory is not None else None,
        flags=[flag_words(flag) for flag in flags],
        evidence="" if passed else evidence,
        reasons=evidence_in(evidence) if passed else (),
        output=shown_text(excerpt.text) if excerpt else None,
    )


def failed_of(evaluation: Evaluation | None) -> QuerySet[Verdict]:
    failed = BY_NAME["wrong"].verdicts | BY_NAME["error"].verdicts | BY_NAME["slow"].verdicts
    return Verdict.objects.of_generations().filter(failed, evaluation=evaluation)


def _neighbours(task: Task, tasks: QuerySet[Task]) -> tuple[int | None, int | None]:
    """The numbers of the nearest of the tasks."""
    numbers = tasks.filter(revision=task.revision_id).values_list("number", flat=True)
    before = numbers.filter(number__lt=task.number).order_by("-number").first()
    return before, numbers.filter(number__gt=task.number).order_by("number").first()
