"""The conversations on a submission's page: one matrix, and instructions kept by turn. Cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.cache import cache
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.engine.instructions import name_of
from evaluation.models import Evaluation, EvaluationState
from leaderboard.benchmarks.models import Task
from leaderboard.pages.shared.conversations.forgetting import Forgetting, forgetting
from leaderboard.pages.shared.conversations.reading import (
    conversations_of,
    counts_from_one,
    has_conversations,
)
from leaderboard.pages.shared.conversations.shown import Conversation, Name
from leaderboard.pages.shared.public import category_words
from leaderboard.submissions.models import Submission

# Seconds. A new scoring has another key.
KEEP = 3600


@dataclass(frozen=True, slots=True)
class Talks:
    """What templates/submissions/_conversations.html shows; worded only when it is read.

    `shown` is by default the conversation with most forgotten instructions, the first of equals.
    `without_base` counts the conversations without Base, `of` all of them.
    """

    shown: Conversation
    kept: Forgetting | None
    setting: str
    without_base: int
    of: int

    @property
    def columns(self) -> list[str]:
        return [called(name) for name in self.shown.names]

    @property
    def counting(self) -> str:
        return counting_words(self.setting, self.without_base, self.of)

    @property
    def kept_title(self) -> str:
        if self.kept is None:
            return ""
        every = self.kept.every
        words = ngettext(
            "%(kept)s of %(followed)s followed instruction is kept at the next turn",
            "%(kept)s of %(followed)s followed instructions are kept at the next turn",
            every.followed,
        )
        numbers = {"kept": number_format(every.kept), "followed": number_format(every.followed)}
        return words % numbers

    @property
    def kept_lines(self) -> list[tuple[bool, str, Sequence[tuple[float | None, str]]]]:
        """For all instructions (True), and for each: its name, and for each step the share that is
        kept (None if undefined) with its counts as text."""
        return [
            (
                line.every,
                _("all") if line.every else called(line.name),
                [
                    (step.share, f"{number_format(step.kept)}/{number_format(step.followed)}")
                    for step in line.steps
                ],
            )
            for line in (self.kept.lines if self.kept else ())
        ]


def talks_of(submission: Submission, evaluation: Evaluation | None) -> Talks | None:
    """Returns None if the result is not scored or the setting has no conversations. Leaves out
    tasks that are excluded from scores."""
    setting = submission.setting
    if not has_conversations(setting):
        return None
    if evaluation is None or evaluation.state != EvaluationState.DONE:
        return None
    assert evaluation.finished is not None, "what is done was finished at some time"
    key = f"conversations.{evaluation.pk}.{evaluation.finished.timestamp()}"
    stored: tuple[Talks | None] | None = cache.get(key)
    if stored is None:
        tasks = Task.objects.filter(revision=submission.revision_id, exclusion=None)
        talks = conversations_of(submission, evaluation, tasks)
        without = 0 if counts_from_one(setting) else sum(talk.first > 0 for talk in talks)
        shown = max(talks, key=lambda talk: talk.forgotten, default=None)
        stored = (Talks(shown, forgetting(talks), setting, without, len(talks)) if shown else None,)
        cache.set(key, stored, KEEP)
    return stored[0]


def called(name: Name) -> str:
    return _("Base") if name is None else category_words(name)


def tests_called(test_set: str) -> str:
    """The name of a set of tests; "" for the set that setting and slot imply."""
    return called(name_of(test_set)) if test_set else ""


def counting_words(setting: str, without_base: int, of: int) -> str:
    """How turns are counted, and how many of `of` conversations have no Base."""
    if counts_from_one(setting):
        return _("Turns are counted from 1.")
    if not without_base:
        return _("Turn 0 is Base.")
    if without_base == of:
        return _("There is no Base completion: turns start at 1.")
    words = ngettext(
        "Turn 0 is Base; %(number)s conversation has none and starts at turn 1.",
        "Turn 0 is Base; %(number)s conversations have none and start at turn 1.",
        without_base,
    )
    return words % {"number": without_base}
