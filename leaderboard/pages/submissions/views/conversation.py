"""The page of one conversation: its matrix, and its turns with message, code and verdicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from evaluation.models import Evaluation
from leaderboard.benchmarks.models import Task
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.shared.code import TEXT_SHOWN, code_lines, judged_part, rule_of, shown_text
from leaderboard.pages.shared.conversations.reading import conversations_of, has_conversations
from leaderboard.pages.shared.conversations.shown import (
    AFTER_END,
    APART,
    UNSOUND,
    Cell,
    Name,
    Turn,
)
from leaderboard.pages.shared.crumbs import submission_crumbs
from leaderboard.pages.submissions.views.conversations import called, counting_words
from leaderboard.pages.submissions.views.rights import Rights
from leaderboard.pages.submissions.views.submission import visible_submission
from leaderboard.pages.submissions.views.tasks import failed_of, text_difference
from leaderboard.submissions.models import Generation, Submission


@dataclass(frozen=True, slots=True)
class ConversationKey:
    """The task's number, and the sample counted from 1."""

    number: int
    sample: int


@dataclass(frozen=True, slots=True)
class TurnShown:
    """`asked` is the transcript's message; without it, `message` is the benchmark's own text.
    `lines` are the part of the answer that is judged; `whole` is the answer if it has more."""

    turn: Turn
    title: str
    message: str
    asked: str
    note: str
    forgotten: Sequence[str]
    counted: Sequence[tuple[str, Cell]]
    lines: Sequence[SafeString] | None
    whole: str
    # The difference from the turn before.
    changes: SafeString | None
    cut: bool


@require_safe
def conversation(request: HttpRequest, pk: int, number: int, sample: int) -> HttpResponse:
    """`sample` counts from 1. Only the team and staff see texts. Raises Http404."""
    found = visible_submission(request, pk)
    if not has_conversations(found.setting):
        raise Http404
    task = get_object_or_404(Task, revision=found.revision_id, number=number)
    evaluation = found.evaluations.filter(current=True).first()
    told = conversations_of(found, evaluation, [task], sample=sample - 1)
    if not told:
        raise Http404
    rights = Rights.of(request.user, found)
    answers = _answers(found, task, told[0].sample) if rights.own else {}
    return render(
        request,
        "submissions/conversation.html",
        {
            "submission": found,
            "benchmark": found.revision.benchmark,
            "setting": setting_words(found.setting),
            "crumbs": submission_crumbs(found, own=rights.own),
            "task": task,
            "conversation": told[0],
            "columns": [called(name) for name in told[0].names],
            "counting": counting_words(found.setting, int(told[0].first > 0), 1),
            "sample": sample,
            "rule": rule_of(found.revision.benchmark),
            "rights": rights,
            "turns": [
                _shown(turn, before, found, task, answers)
                for before, turn in zip((None, *told[0].turns), told[0].turns, strict=False)
            ],
            **_neighbours(found, evaluation, ConversationKey(number, sample)),
        },
    )


def _answers(found: Submission, task: Task, sample: int) -> dict[int, Generation]:
    rows = Generation.objects.filter(submission=found, task=task, sample=sample)
    return {row.pk: row for row in rows}


def _shown(
    turn: Turn,
    before: Turn | None,
    found: Submission,
    task: Task,
    answers: Mapping[int, Generation],
) -> TurnShown:
    said = answers.get(turn.generation or 0)
    earlier = answers.get(before.generation or 0) if before else None
    asked = (said.asked or "") if said else ""
    code = judged_part(said, task, found) if said else ""
    more = said is not None and code.strip() != said.text.strip()
    return TurnShown(
        turn=turn,
        title=", ".join(called(name) for name in turn.asked),
        message="" if asked else shown_text(_message(task, turn)),
        asked=shown_text(asked[:TEXT_SHOWN]),
        note=_note(turn),
        forgotten=[called(name) for name in turn.forgotten],
        counted=[(called(cell.name), cell) for cell in turn.counted],
        lines=None if said is None else code_lines(code, task),
        whole=shown_text(said.text[:TEXT_SHOWN]) if said and more else "",
        changes=text_difference(earlier.text, said.text) if earlier and said else None,
        cut=len(code) > TEXT_SHOWN,
    )


def _message(task: Task, turn: Turn) -> str:
    return "\n".join(filter(None, (_text_of(task, name) for name in turn.asked)))


def _text_of(task: Task, name: Name) -> str:
    found: Any = task.public.get("prompt")
    if name is not None:
        requirements: Any = task.public.get("requirements")
        found = requirements.get(name) if isinstance(requirements, dict) else ""
    return found if isinstance(found, str) else ""


def _note(turn: Turn) -> str:
    notes = {
        APART: _("An extension is judged only by its own tests and counts in no other metric."),
        UNSOUND: _("This instruction's tests cannot be used for judging: the turn has no metrics."),
        AFTER_END: _("By the rules the conversation had ended before this turn."),
    }
    return notes.get(turn.note, "")


def _neighbours(
    found: Submission, evaluation: Evaluation | None, here: ConversationKey
) -> dict[str, ConversationKey | None]:
    """The nearest conversations, and the nearest with an answer that did not pass."""
    every = Generation.objects.filter(submission=found)
    failed = every.filter(pk__in=failed_of(evaluation).values("generation"))
    before, after = _nearest(every, here)
    failure_before, failure_after = _nearest(failed, here)
    return {
        "before": before,
        "after": after,
        "failure_before": failure_before,
        "failure_after": failure_after,
    }


def _nearest(
    generations: QuerySet[Generation], here: ConversationKey
) -> tuple[ConversationKey | None, ConversationKey | None]:
    rows = generations.values_list("task__number", "sample")
    same, sample = Q(task__number=here.number), here.sample - 1
    before = rows.filter(Q(task__number__lt=here.number) | same & Q(sample__lt=sample))
    after = rows.filter(Q(task__number__gt=here.number) | same & Q(sample__gt=sample))
    return (
        _place(before.order_by("-task__number", "-sample").first()),
        _place(after.order_by("task__number", "sample").first()),
    )


def _place(row: tuple[int, int] | None) -> ConversationKey | None:
    return None if row is None else ConversationKey(row[0], row[1] + 1)
