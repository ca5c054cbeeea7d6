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
from leaderboard.annotation.scoring import campaign_of
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
from leaderboard.pages.shared.flag_words import flag_words
from leaderboard.pages.shared.public import fields_of, task_title
from leaderboard.pages.submissions.queries import previous_result
from leaderboard.pages.submissions.views.conversations import tests_called
from leaderboard.pages.submissions.views.groups import BY_NAME
from leaderboard.pages.submissions.views.marks import in_order, marks_of
from leaderboard.pages.submissions.views.rated import single_marks
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
class Sample:
    """`lines` are the part of the text that is judged; `whole` is the text if it has more.
    `changes` compares it with the team's previous submission."""

    pk: int
    number: int
    requirement: str
    turn: int | None
    lines: Sequence[SafeString] | None
    whole: str
    changes: SafeString | None
    cut: bool
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
    found = visible_submission(request, pk)
    task = get_object_or_404(Task, revision=found.revision_id, number=number)
    rights = Rights.of(request.user, found, task)
    evaluation = found.evaluations.filter(current=True).first()
    marks = marks_of(found, task, evaluation, PER_PAGE)
    rows = in_order(generations_of(found, task, evaluation, rights), marks.first)
    page = Paginator(rows, PER_PAGE).get_page(request.GET.get("page"))
    before, after = _neighbours(task, Task.objects.all())
    fields = fields_of(task)
    rated = found.is_rated
    given = single_marks(request.user, page, campaign_of(found)) if rated else {}
    context = {
        "submission": found,
        "benchmark": found.revision.benchmark,
        "setting": setting_words(found.setting),
        "crumbs": submission_crumbs(found, own=rights.own),
        "task": task,
        "title": task_title(task),
        "fields": [field for field in fields if field.kind != "fact"],
        "facts": [field for field in fields if field.kind == "fact"],
        "before": before,
        "after": after,
        "rights": rights,
        "page": page,
        "rated": rated,
        "conversing": has_conversations(found.setting),
        "marks": marks if marks.shown else None,
        "rule": rule_of(found.revision.benchmark),
        "samples": _samples(list(page), found, task, rights, given),
        **_failures(task, evaluation),
    }
    return render(request, "submissions/task.html", context)


def generations_of(
    found: Submission, task: Task, evaluation: Evaluation | None, rights: Rights
) -> Any:
    """Generations with their verdicts as `said`, without texts that the reader may not see."""
    verdicts = Verdict.objects.filter(evaluation=evaluation).order_by("test_set", "pk")
    if not (rights.staff or rights.plain.statuses):
        verdicts = verdicts.defer("evidence")
    if rights.output:
        kept = VerdictOutput.objects.filter(expires__gt=timezone.now())
        verdicts = verdicts.prefetch_related(Prefetch("excerpt", queryset=kept))
    rows = in_order(Generation.objects.filter(submission=found, task=task))
    rows = rows.prefetch_related(Prefetch("verdicts", queryset=verdicts, to_attr="said"))
    if rights.own:
        return rows
    return rows.defer("asked") if rights.consent else rows.defer("text", "asked")


def _samples(
    page: Sequence[Generation],
    found: Submission,
    task: Task,
    rights: Rights,
    given: Mapping[int, Sequence[str]],
) -> list[Sample]:
    previous = _previous_texts(found, task, page) if rights.own else {}
    return [sample_of(one, found, task, rights, given.get(one.pk, ()), previous) for one in page]


def _previous_texts(
    found: Submission, task: Task, page: Sequence[Generation]
) -> Mapping[_Slot, str]:
    previous = previous_result(found)
    if previous is None:
        return {}
    rows = Generation.objects.filter(
        submission=previous.submission, task=task, sample__in={one.sample for one in page}
    )
    return {_Slot(*slot): text for *slot, text in rows.values_list(*_Slot._fields, "text")}


def sample_of(
    generation: Generation,
    found: Submission,
    task: Task,
    rights: Rights,
    marks: Sequence[str] = (),
    previous: Mapping[_Slot, str] = MappingProxyType({}),
) -> Sample:
    readable = rights.reads(generation, found)
    text = generation.text if readable else ""
    asked = generation.asked if rights.own else ""
    code = judged_part(generation, task, found) if readable else ""
    before = previous.get(_Slot(generation.turn, generation.requirement, generation.sample))
    said: list[Verdict] = generation.said  # type: ignore[attr-defined]  # prefetched
    return Sample(
        pk=generation.pk,
        number=generation.sample + 1,
        requirement=generation.requirement,
        turn=turn_of(generation.turn),
        lines=code_lines(code, task) if readable else None,
        whole=shown_text(text[:TEXT_SHOWN]) if code.strip() != text.strip() else "",
        changes=None if before is None else text_difference(before, text),
        cut=len(code) > TEXT_SHOWN,
        verdicts=[_said(verdict, rights) for verdict in said],
        marks=marks,
        asked=shown_text(asked[:TEXT_SHOWN]),
    )


def text_difference(before: str, after: str) -> SafeString | None:
    """Empty if the texts are the same; None if their difference cannot be shown."""
    if before == after:
        return SafeString()
    return difference(shown_text(before[:TEXT_SHOWN]), shown_text(after[:TEXT_SHOWN])) or None


def _said(verdict: Verdict, rights: Rights) -> Said:
    memory = verdict.peak_memory_kib
    excerpt = getattr(verdict, "excerpt", None) if rights.output else None
    told = rights.staff or verdict.status in rights.plain.statuses
    passed = verdict.status == Status.PASSED
    flags = [flag for flag in verdict.flags if rights.details or flag in rights.plain.flags]
    return Said(
        verdict=verdict,
        tests=tests_called(verdict.test_set),
        tests_passed=verdict.tests_passed if rights.details else None,
        tests_total=verdict.tests_total if rights.details else None,
        memory_mib=memory / 1024 if rights.details and memory is not None else None,
        flags=[flag_words(flag) for flag in flags],
        evidence=shown_text(verdict.evidence) if told and not passed else "",
        reasons=evidence_in(shown_text(verdict.evidence)) if told and passed else (),
        output=shown_text(excerpt.text) if excerpt else None,
    )


def failed_of(evaluation: Evaluation | None) -> QuerySet[Verdict]:
    failed = BY_NAME["wrong"].verdicts | BY_NAME["error"].verdicts | BY_NAME["slow"].verdicts
    return Verdict.objects.of_generations().filter(failed, evaluation=evaluation)


def _failures(task: Task, evaluation: Evaluation | None) -> dict[str, int | None]:
    """The nearest tasks with a generation that did not pass."""
    tasks = Task.objects.filter(pk__in=failed_of(evaluation).values("generation__task"))
    before, after = _neighbours(task, tasks)
    return {"failure_before": before, "failure_after": after}


def _neighbours(task: Task, tasks: QuerySet[Task]) -> tuple[int | None, int | None]:
    numbers = tasks.filter(revision=task.revision_id).values_list("number", flat=True)
    before = numbers.filter(number__lt=task.number).order_by("-number").first()
    return before, numbers.filter(number__gt=task.number).order_by("number").first()
