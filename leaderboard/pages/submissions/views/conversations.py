"""Conversations: on a submission's page one matrix and the instructions kept by turn, cached; on a
page of its own each with its turns' messages, code and verdicts."""

from __future__ import annotations

from typing import Any

from django.core.cache import cache
from django.db.models import F, Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from evaluation.models import Evaluation, EvaluationState
from evaluation.state.rights import Rights, visible_submission
from leaderboard.benchmarks.models import Task
from leaderboard.pages.shared.code import Budget
from leaderboard.pages.shared.conversations.reading import (
    conversations_of,
    counts_from_one,
    has_conversations,
)
from leaderboard.pages.shared.conversations.shown import (
    AFTER_END,
    APART,
    UNSOUND,
    Conversation,
    Forgetting,
    Turn,
    forgetting,
)
from leaderboard.pages.shared.public import instruction_words
from leaderboard.pages.shared.samples import Answer
from leaderboard.pages.submissions.views.results import failed_of
from leaderboard.pages.submissions.views.tasks import task_context
from leaderboard.submissions.models import Generation, Submission

# Seconds. A new scoring has another key.
KEEP = 3600
NOTES = {
    APART: _("An extension is judged only by its own tests and counts in no other metric."),
    UNSOUND: _("This instruction's tests cannot be used for judging: the turn has no metrics."),
    AFTER_END: _("By the rules the conversation had ended before this turn."),
}


def talks_of(submission: Submission, evaluation: Evaluation | None) -> dict[str, Any] | None:
    """What templates/submissions/_conversations.html shows. Leaves out excluded tasks. None before
    the scores, or if the setting has no conversations."""
    setting = submission.setting
    if not has_conversations(setting):
        return None
    if evaluation is None or evaluation.state != EvaluationState.DONE:
        return None
    assert evaluation.finished is not None, "what is done was finished at some time"
    key = f"conversations.{evaluation.pk}.{evaluation.finished.timestamp()}"
    # Without words: readers have several languages.
    stored: tuple[Conversation | None, Forgetting | None, int, int] | None = cache.get(key)
    if stored is None:
        tasks = Task.objects.filter(revision=submission.revision_id, exclusion=None)
        talks = conversations_of(submission, evaluation, tasks)
        without = 0 if counts_from_one(setting) else sum(talk.first > 0 for talk in talks)
        # The conversation with most forgotten instructions, the first of equals.
        most = max(talks, key=lambda talk: talk.forgotten, default=None)
        stored = (most, forgetting(talks) if talks else None, without, len(talks))
        cache.set(key, stored, KEEP)
    shown, kept, without_base, of = stored
    if shown is None:
        return None
    kept_title = ""
    if kept is not None:
        words = ngettext(
            "%(kept)s of %(followed)s followed instruction is kept at the next turn",
            "%(kept)s of %(followed)s followed instructions are kept at the next turn",
            kept.every.followed,
        )
        numbers = {"kept": kept.every.kept, "followed": kept.every.followed}
        kept_title = words % {name: number_format(number) for name, number in numbers.items()}
    return {
        "shown": shown,
        "columns": [instruction_words(name) for name in shown.names],
        "counting": counting_words(setting, without_base, of),
        "kept": kept,
        "kept_title": kept_title,
        # For all instructions (True), and for each: its name, and for each step the share that is
        # kept (None if undefined) with its counts as text.
        "kept_lines": [
            (
                line.every,
                gettext("all") if line.every else instruction_words(line.name),
                [
                    (step.share, f"{number_format(step.kept)}/{number_format(step.followed)}")
                    for step in line.steps
                ],
            )
            for line in (kept.lines if kept else ())
        ],
    }


def counting_words(setting: str, without_base: int, of: int) -> str:
    """How turns are counted, and how many of `of` conversations have no Base."""
    if counts_from_one(setting):
        return gettext("Turns are counted from 1.")
    if not without_base:
        return gettext("Turn 0 is Base.")
    if without_base == of:
        return gettext("There is no Base completion: turns start at 1.")
    words = ngettext(
        "Turn 0 is Base; %(number)s conversation has none and starts at turn 1.",
        "Turn 0 is Base; %(number)s conversations have none and start at turn 1.",
        without_base,
    )
    return words % {"number": without_base}


def _turn_shown(
    turn: Turn,
    task: Task,
    submission: Submission,
    rights: Rights,
    generation: Generation | None,
    before: Generation | None,
    *,
    budget: Budget,
) -> dict[str, Any]:
    """`asked` is the transcript's message, for its team; without it, `message` is the benchmark's
    own text. `answer` is compared with that of the turn before; the reader may read both."""
    requirements: Any = task.public.get("requirements")
    requirements = requirements if isinstance(requirements, dict) else {}
    texts: list[Any] = [
        task.public.get("prompt") if name is None else requirements.get(name) for name in turn.asked
    ]
    message = "\n".join(text for text in texts if text and isinstance(text, str))
    asked = generation.asked if generation and rights.own else ""
    earlier, answer = before.text if before else None, None
    if generation:
        answer = Answer.to_task(task, generation, submission, earlier, budget)
    return {
        "turn": turn,
        "title": ", ".join(map(instruction_words, turn.asked)),
        "message": "" if asked else budget.plain(message),
        "asked": budget.plain(asked),
        "note": str(NOTES.get(turn.note, "")),
        "forgotten": [instruction_words(name) for name in turn.forgotten],
        "counted": [(instruction_words(cell.name), cell) for cell in turn.counted],
        "answer": answer,
    }


@require_safe
def conversation(request: HttpRequest, pk: int, number: int, sample: int) -> HttpResponse:
    """`sample` counts from 1. Raises Http404."""
    submission = visible_submission(request, pk)
    if not has_conversations(submission.setting):
        raise Http404
    task = get_object_or_404(Task, revision=submission.revision_id, number=number)
    evaluation = submission.evaluations.filter(current=True).first()
    conversations = conversations_of(submission, evaluation, [task], sample=sample - 1)
    if not conversations:
        raise Http404
    talk = conversations[0]
    rights = Rights.of(request, submission)
    generations = Generation.objects.filter(submission=submission)
    texts = generations.filter(task=task, sample=talk.sample)
    rows = {row.pk: row for row in texts if rights.reads(row, submission)}
    answers = [rows.get(turn.generation or 0) for turn in talk.turns]
    failed = generations.filter(pk__in=failed_of(evaluation).values("generation"))
    before, after = _nearest(generations, number, sample)
    failure_before, failure_after = _nearest(failed, number, sample)
    budget = Budget()
    context = {
        **task_context(submission, task, rights),
        "conversation": talk,
        "columns": [instruction_words(name) for name in talk.names],
        "counting": counting_words(submission.setting, int(talk.first > 0), 1),
        "sample": sample,
        "turns": [
            _turn_shown(turn, task, submission, rights, *pair, budget=budget)
            for turn, *pair in zip(talk.turns, answers, (None, *answers), strict=False)
        ],
        "before": before,
        "after": after,
        "failure_before": failure_before,
        "failure_after": failure_after,
    }
    return render(request, "submissions/conversation.html", context)


def _nearest(generations: QuerySet[Generation], number: int, sample: int) -> list[Any]:
    """The conversations before and after the one about the task with the number; None if there is
    none. Samples are `counted` from 1."""
    same, rows = Q(task__number=number), generations.values("task__number", counted=F("sample") + 1)
    before = rows.filter(Q(task__number__lt=number) | same & Q(sample__lt=sample - 1))
    after = rows.filter(Q(task__number__gt=number) | same & Q(sample__gt=sample - 1))
    return [
        before.order_by("-task__number", "-sample").first(),
        after.order_by("task__number", "sample").first(),
    ]
