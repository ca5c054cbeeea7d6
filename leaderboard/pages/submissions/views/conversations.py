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
    """`shown` is by default the conversation with most forgotten instructions, the first of equals.

    `without_base` counts the conversations without Base, `of` all of them.
    """

    shown: Conversation
    kept: Forgetting | None
    without_base: int
    of: int


@dataclass(frozen=True, slots=True)
class KeptLine:
    """`cells` has for each step the share kept (None if undefined) and its counts as text."""

    name: str
    cells: Sequence[tuple[float | None, str]]
    every: bool


def talks_of(found: Submission, evaluation: Evaluation | None) -> Talks | None:
    """Returns None if the result is not scored or the setting has no conversations."""
    if not has_conversations(found.setting):
        return None
    if evaluation is None or evaluation.state != EvaluationState.DONE:
        return None
    assert evaluation.finished is not None, "what is done was finished at some time"
    key = f"conversations.{evaluation.pk}.{evaluation.finished.timestamp()}"
    known: tuple[Talks | None] | None = cache.get(key)
    if known is None:
        known = (_talks(found, evaluation),)
        cache.set(key, known, KEEP)
    return known[0]


def _talks(found: Submission, evaluation: Evaluation) -> Talks | None:
    """Leaves out tasks that are excluded from scores."""
    tasks = Task.objects.filter(revision=found.revision_id, exclusion=None)
    every = conversations_of(found, evaluation, tasks)
    if not every:
        return None
    without = 0 if counts_from_one(found.setting) else sum(one.first > 0 for one in every)
    shown = max(every, key=lambda one: one.forgotten)
    return Talks(shown, forgetting(every), without, len(every))


@dataclass(frozen=True, slots=True)
class Talk:
    """What templates/submissions/_conversations.html shows."""

    talks: Talks
    columns: list[str]
    counting: str
    kept_title: str
    kept_lines: list[KeptLine]


def talk_of(found: Submission, evaluation: Evaluation | None) -> Talk | None:
    """None without conversations."""
    talks = talks_of(found, evaluation)
    if talks is None:
        return None
    return Talk(
        talks,
        [called(name) for name in talks.shown.names],
        counting_words(found.setting, talks.without_base, talks.of),
        _kept_title(talks.kept) if talks.kept else "",
        _kept_lines(talks.kept) if talks.kept else [],
    )


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
    told = ngettext(
        "Turn 0 is Base; %(number)s conversation has none and starts at turn 1.",
        "Turn 0 is Base; %(number)s conversations have none and start at turn 1.",
        without_base,
    )
    return told % {"number": without_base}


def _kept_title(kept: Forgetting) -> str:
    every = kept.every
    told = ngettext(
        "%(kept)s of %(followed)s followed instruction is kept at the next turn",
        "%(kept)s of %(followed)s followed instructions are kept at the next turn",
        every.followed,
    )
    return told % {"kept": number_format(every.kept), "followed": number_format(every.followed)}


def _kept_lines(kept: Forgetting) -> list[KeptLine]:
    return [
        KeptLine(
            _("all") if line.every else called(line.name),
            [
                (step.share, f"{number_format(step.kept)}/{number_format(step.followed)}")
                for step in line.steps
            ],
            line.every,
        )
        for line in kept.lines
    ]
