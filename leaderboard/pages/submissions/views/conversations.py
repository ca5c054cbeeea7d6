"""Conversations: on a submission's page one matrix and the instructions kept by turn, cached; on a
page of its own each with its turns' messages, code and verdicts."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

from django.core.cache import cache
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.formats import number_format
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from evaluation.models import Evaluation, EvaluationState
from evaluation.state.rights import Rights, visible_submission
from leaderboard.benchmarks.models import Task
from leaderboard.pages.shared.code import Budget
from leaderboard.pages.shared.conversations import (
    AFTER_END,
    APART,
    UNSOUND,
    Forgetting,
    JudgedConversation,
    JudgedTurn,
    conversations_of,
    counts_from_one,
    forgetting,
    has_conversations,
)
from leaderboard.pages.shared.public import instruction_words
from leaderboard.pages.shared.record import render_page
from leaderboard.pages.shared.samples import ShownAnswer
from leaderboard.pages.submissions.views.results import failed_of
from leaderboard.pages.submissions.views.tasks import Neighbours, OfSubmissionTask
from leaderboard.submissions.models import Generation, Submission

# Seconds. A new scoring has another key.
KEEP = 3600
NOTES = {
    APART: _("An extension is judged only by its own tests and counts in no other metric."),
    UNSOUND: _("This instruction's tests cannot be used for judging: the turn has no metrics."),
    AFTER_END: _("By the rules the conversation had ended before this turn."),
}


@dataclass(frozen=True, slots=True)
class TalkSummary:
    """What templates/submissions/_conversations.html shows; worded only when it is read.

    `shown` is by default the conversation with most forgotten instructions, the first of equals.
    `without_base` counts the conversations without Base, `of` all of them.
    """

    shown: JudgedConversation
    retention: Forgetting | None
    setting: str
    without_base: int
    of: int

    @property
    def counting(self) -> str:
        return counting_words(self.setting, self.without_base, self.of)

    @property
    def retention_title(self) -> str:
        if self.retention is None:
            return ""
        every = self.retention.every
        words = ngettext(
            "%(kept)s of %(followed)s followed instruction is kept at the next turn",
            "%(kept)s of %(followed)s followed instructions are kept at the next turn",
            every.followed,
        )
        numbers = {"kept": number_format(every.still), "followed": number_format(every.followed)}
        return words % numbers

    @property
    def retention_lines(self) -> list[tuple[bool, str, Sequence[tuple[float | None, str]]]]:
        """For all instructions (True), and for each: its name, and for each step the share that is
        kept (None if undefined) with its counts as text."""
        return [
            (
                line.every,
                gettext("all") if line.every else instruction_words(line.name),
                [
                    (step.share, f"{number_format(step.still)}/{number_format(step.followed)}")
                    for step in line.steps
                ],
            )
            for line in (self.retention.lines if self.retention else ())
        ]


def talk_summary(submission: Submission, evaluation: Evaluation | None) -> TalkSummary | None:
    """Leaves out excluded tasks. None before the scores, or if the setting has no conversations."""
    setting = submission.setting
    if not has_conversations(setting):
        return None
    if evaluation is None or evaluation.state != EvaluationState.DONE:
        return None
    assert evaluation.finished is not None, "what is done was finished at some time"
    key = f"talks.{evaluation.pk}.{evaluation.finished.timestamp()}"
    stored: tuple[TalkSummary | None] | None = cache.get(key)
    if stored is None:
        tasks = Task.objects.filter(revision=submission.revision_id, exclusion=None)
        talks = conversations_of(submission, evaluation, tasks)
        without = 0 if counts_from_one(setting) else sum(talk.first > 0 for talk in talks)
        shown = max(talks, key=lambda talk: talk.forgotten, default=None)
        stored = (
            TalkSummary(shown, forgetting(talks), setting, without, len(talks)) if shown else None,
        )
        cache.set(key, stored, KEEP)
    return stored[0]


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


class ConversationKey(NamedTuple):
    """The task's number, and the sample counted from 1."""

    number: int
    sample: int


@dataclass(frozen=True, slots=True)
class TurnShown:
    """`message` is the benchmark's own text, or for its team the transcript's. `answer` is compared
    with that of the turn before; the reader may read both."""

    turn: JudgedTurn
    message: str
    note: str
    answer: ShownAnswer | None

    @classmethod
    def of(
        cls,
        turn: JudgedTurn,
        task: Task,
        submission: Submission,
        rights: Rights,
        generation: Generation | None,
        before: Generation | None,
        *,
        budget: Budget,
    ) -> Self:
        requirements: Any = task.public.get("requirements")
        requirements = requirements if isinstance(requirements, dict) else {}
        texts: list[Any] = [
            task.public.get("prompt") if name is None else requirements.get(name)
            for name in turn.names
        ]
        transcript_message = generation.asked if generation and rights.own else ""
        message = "\n".join(text for text in texts if text and isinstance(text, str))
        earlier = before.text if before else None
        answer = None
        if generation:
            answer = ShownAnswer.to_task(task, generation, submission, earlier, budget)
        return cls(
            turn=turn,
            message=budget.plain(transcript_message or message),
            note=str(NOTES.get(turn.note, "")),
            answer=answer,
        )


@dataclass(frozen=True, kw_only=True)
class ConversationPage(OfSubmissionTask):
    """`sample` counts from 1."""

    conversation: JudgedConversation
    sample: int
    turns: list[TurnShown]

    @property
    def counting(self) -> str:
        return counting_words(self.submission.setting, int(self.conversation.first > 0), 1)


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
    here, budget = ConversationKey(number, sample), Budget()
    page = ConversationPage(
        submission=submission,
        task=task,
        rights=rights,
        nearest=_nearest(generations, here),
        failures=_nearest(failed, here),
        conversation=talk,
        sample=sample,
        turns=[
            TurnShown.of(turn, task, submission, rights, *pair, budget=budget)
            for turn, *pair in zip(talk.turns, answers, (None, *answers), strict=False)
        ],
    )
    return render_page(request, "submissions/conversation.html", page)


def _nearest(generations: QuerySet[Generation], here: ConversationKey) -> Neighbours:
    rows = generations.values_list("task__number", "sample")
    same, sample = Q(task__number=here.number), here.sample - 1
    before = rows.filter(Q(task__number__lt=here.number) | same & Q(sample__lt=sample))
    after = rows.filter(Q(task__number__gt=here.number) | same & Q(sample__gt=sample))
    nearest = (
        before.order_by("-task__number", "-sample").first(),
        after.order_by("task__number", "sample").first(),
    )
    return Neighbours(*(row and ConversationKey(row[0], row[1] + 1) for row in nearest))
