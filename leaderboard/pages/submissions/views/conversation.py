"""The page of one conversation: its matrix, and its turns with message, code and verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from leaderboard.benchmarks.models import Task
from leaderboard.pages.shared.code import TEXT_SHOWN, shown_text
from leaderboard.pages.shared.conversations.reading import conversations_of, has_conversations
from leaderboard.pages.shared.conversations.shown import AFTER_END, APART, UNSOUND, Cell, Turn
from leaderboard.pages.submissions.views.conversations import called, counting_words
from leaderboard.pages.submissions.views.rights import Rights
from leaderboard.pages.submissions.views.submission import visible_submission
from leaderboard.pages.submissions.views.tasks import Answer, failed_of, task_context
from leaderboard.submissions.models import Generation, Submission

NOTES = {
    APART: _("An extension is judged only by its own tests and counts in no other metric."),
    UNSOUND: _("This instruction's tests cannot be used for judging: the turn has no metrics."),
    AFTER_END: _("By the rules the conversation had ended before this turn."),
}


class ConversationKey(NamedTuple):
    """The task's number, and the sample counted from 1."""

    number: int
    sample: int


@dataclass(frozen=True, slots=True)
class TurnShown:
    """`asked` is the transcript's message; without it, `message` is the benchmark's own text.
    `answer` is compared with that of the turn before."""

    turn: Turn
    title: str
    message: str
    asked: str
    note: str
    forgotten: Sequence[str]
    counted: Sequence[tuple[str, Cell]]
    answer: Answer | None


@require_safe
def conversation(request: HttpRequest, pk: int, number: int, sample: int) -> HttpResponse:
    """`sample` counts from 1. Only the team and staff see texts. Raises Http404."""
    submission = visible_submission(request, pk)
    if not has_conversations(submission.setting):
        raise Http404
    task = get_object_or_404(Task, revision=submission.revision_id, number=number)
    evaluation = submission.evaluations.filter(current=True).first()
    conversations = conversations_of(submission, evaluation, [task], sample=sample - 1)
    if not conversations:
        raise Http404
    talk = conversations[0]
    rights = Rights.of(request.user, submission)
    generations = Generation.objects.filter(submission=submission)
    own = generations.filter(task=task, sample=talk.sample) if rights.own else generations.none()
    rows = {row.pk: row for row in own}
    answers = [rows.get(turn.generation or 0) for turn in talk.turns]
    failed = generations.filter(pk__in=failed_of(evaluation).values("generation"))
    here = ConversationKey(number, sample)
    nearest, nearest_failures = _nearest(generations, here), _nearest(failed, here)
    context = {
        **task_context(submission, task, rights),
        "conversation": talk,
        "columns": [called(name) for name in talk.names],
        "counting": counting_words(submission.setting, int(talk.first > 0), 1),
        "sample": sample,
        "turns": [
            _shown(turn, task, submission, *pair)
            for turn, *pair in zip(talk.turns, answers, (None, *answers), strict=False)
        ],
        "before": nearest[0],
        "after": nearest[1],
        "failure_before": nearest_failures[0],
        "failure_after": nearest_failures[1],
    }
    return render(request, "submissions/conversation.html", context)


def _shown(
    turn: Turn,
    task: Task,
    submission: Submission,
    generation: Generation | None,
    before: Generation | None,
) -> TurnShown:
    requirements: Any = task.public.get("requirements")
    texts: list[Any] = [
        task.public.get("prompt")
        if name is None
        else (requirements.get(name) if isinstance(requirements, dict) else "")
        for name in turn.asked
    ]
    message = "\n".join(text for text in texts if text and isinstance(text, str))
    asked = generation.asked if generation else ""
    earlier = before.text if before else None
    answer = Answer.to_task(task, generation, submission, earlier) if generation else None
    return TurnShown(
        turn=turn,
        title=", ".join(called(name) for name in turn.asked),
        message="" if asked else shown_text(message),
        asked=shown_text(asked[:TEXT_SHOWN]),
        note=str(NOTES.get(turn.note, "")),
        forgotten=[called(name) for name in turn.forgotten],
        counted=[(called(cell.name), cell) for cell in turn.counted],
        answer=answer,
    )


def _nearest(
    generations: QuerySet[Generation], here: ConversationKey
) -> list[ConversationKey | None]:
    """The nearest conversations before and after this one."""
    rows = generations.values_list("task__number", "sample")
    same, sample = Q(task__number=here.number), here.sample - 1
    before = rows.filter(Q(task__number__lt=here.number) | same & Q(sample__lt=sample))
    after = rows.filter(Q(task__number__gt=here.number) | same & Q(sample__gt=sample))
    nearest = (
        before.order_by("-task__number", "-sample").first(),
        after.order_by("task__number", "sample").first(),
    )
    return [row and ConversationKey(row[0], row[1] + 1) for row in nearest]
