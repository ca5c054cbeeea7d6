"""A generation with its verdicts, as a reader may see them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

from django.db.models import Case, Prefetch, QuerySet, When
from django.urls import reverse
from django.utils.safestring import SafeString

from evaluation.engine.family import Plain
from evaluation.engine.records import Status, evidence_in
from evaluation.models import Review, Verdict, VerdictOutput
from evaluation.state.rights import Rights
from leaderboard.benchmarks.models import Task
from leaderboard.fields import turn_of
from leaderboard.pages.shared.code import TEXT_SHOWN, Budget, code_lines, judged_part, text_changes
from leaderboard.pages.shared.mark_words import flag_words
from leaderboard.pages.shared.public import tests_words
from leaderboard.submissions.models import Generation, Submission


@dataclass(frozen=True, slots=True)
class ShownAnswer:
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
    ) -> Self:
        text, code = generation.text, judged_part(generation, task, submission)
        changes: SafeString | None = None
        if earlier == text:
            changes = SafeString()
        elif earlier is not None:
            changes = text_changes(earlier[:TEXT_SHOWN], text[:TEXT_SHOWN]) or None
        lines, cut = code_lines(code, task, budget)
        whole = budget.plain(text) if code.strip() != text.strip() else ""
        cut = cut or budget.size < 0 or (whole != "" and len(text) > TEXT_SHOWN)
        if changes and not budget.take(changes):
            changes = None
        download = reverse("answer", args=[submission.pk, generation.pk])
        return cls(lines, cut, whole, changes, download)


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
    def of(cls, verdict: Verdict, rights: Rights, readable: bool, budget: Budget) -> Self:
        """`readable`: whether the reader may read the generation."""
        memory = verdict.peak_memory_kib
        excerpt = getattr(verdict, "excerpt", None) if rights.output and readable else None
        review: Review | None = getattr(verdict, "review", None) if rights.own else None
        plain = rights.plain if readable else Plain()
        sees_evidence = rights.staff or verdict.status in plain.statuses
        evidence = verdict.evidence if sees_evidence else ""
        passed = verdict.status == Status.PASSED
        flags = [flag for flag in verdict.flags if rights.details or flag in plain.flags]
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


@dataclass(frozen=True, slots=True)
class Sample:
    """`answer` is None for readers who may not see it, and so is the `message`."""

    pk: int
    number: int
    requirement: str
    turn: int | None
    answer: ShownAnswer | None
    verdicts: Sequence[ShownVerdict]
    marks: Sequence[str]
    message: str

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
    ) -> Self:
        """`generation` is one of `with_verdicts`; `earlier` is the text that it replaces."""
        readable = rights.reads(generation, submission)
        verdicts: list[Verdict] = generation.judged  # type: ignore[attr-defined]  # prefetched
        answer = (
            ShownAnswer.to_task(task, generation, submission, earlier, budget) if readable else None
        )
        return cls(
            pk=generation.pk,
            number=generation.sample + 1,
            requirement=generation.requirement,
            turn=turn_of(generation.turn),
            answer=answer,
            verdicts=[ShownVerdict.of(verdict, rights, readable, budget) for verdict in verdicts],
            marks=marks,
            message=budget.plain(generation.asked) if rights.own else "",
        )


def with_verdicts(
    rows: QuerySet[Generation], evaluations: Iterable[int | None], rights: Rights
) -> Any:
    """Adds the verdicts of the evaluations (primary keys) as `judged`. Leaves out texts that the
    reader may not see."""
    keys = [key for key in evaluations if key]
    verdicts = Verdict.objects.filter(evaluation__in=keys).order_by("test_set", "pk")
    if not (rights.staff or rights.plain.statuses):
        verdicts = verdicts.defer("evidence")
    if rights.own:
        verdicts = verdicts.select_related("review")
    if rights.output:
        outputs = VerdictOutput.objects.exclude(VerdictOutput.EXPIRED)
        verdicts = verdicts.prefetch_related(Prefetch("excerpt", queryset=outputs))
    rows = rows.prefetch_related(Prefetch("verdicts", queryset=verdicts, to_attr="judged"))
    if rights.own:
        return rows
    return rows.defer("asked") if rights.consent else rows.defer("text", "asked")


def in_order(rows: QuerySet[Generation], first: int | None = None) -> QuerySet[Generation]:
    leads = [] if first is None else [Case(When(pk=first, then=0), default=1)]
    return rows.order_by(*leads, "turn", "requirement", "sample")
