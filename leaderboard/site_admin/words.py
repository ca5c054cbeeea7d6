"""Words for the codes of states, settings and queues, as columns and filters of lists."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evaluation.engine.records import Integrity
from evaluation.models import Worker
from leaderboard.pages.boards.words import (
    natural_language,
    programming_language,
    reference_words,
    setting_words,
    slice_name,
    slice_value,
)
from leaderboard.pages.shared.mark_words import MARK_WORDS
from leaderboard.pages.submissions.views.conversations import tests_called

if TYPE_CHECKING:
    _Filter = admin.FieldListFilter
else:
    _Filter = object

# The work that a queue is for.
QUEUE_WORDS = {
    "generation": _("runs at endpoints"),
    "intake": _("uploads"),
    "java": _("Java"),
    "python": _("Python functions"),
    "repository": _("projects"),
    "scoring": _("scores and boards"),
}
INTEGRITY_WORDS = {
    Integrity.CLEAN.value: _("not suspect"),
    Integrity.SUSPECT.value: MARK_WORDS["review"],
    Integrity.CLEARED.value: _("counted after review"),
    Integrity.CONFIRMED.value: MARK_WORDS["discounted"],
}


def queue_words(name: str) -> str:
    return str(QUEUE_WORDS.get(name, name))


def served_words(worker: Worker) -> str:
    return ", ".join(map(queue_words, worker.queues))


def status_words(status: str) -> str:
    return str(MARK_WORDS.get(status, status))


def integrity_words(integrity: str) -> str:
    return str(INTEGRITY_WORDS.get(integrity, integrity))


@admin.display(description=_("setting"), ordering="setting")
def setting(row: Any) -> str:
    return setting_words(row.setting)


@admin.display(description=_("status"), ordering="status")
def status(row: Any) -> str:
    return status_words(row.status)


@admin.display(description=_("integrity"), ordering="integrity")
def integrity(row: Any) -> str:
    return integrity_words(row.integrity)


@admin.display(description=_("queue"), ordering="queue")
def queue(row: Any) -> str:
    return queue_words(row.queue)


@admin.display(description=_("name"), ordering="name")
def reference(row: Any) -> str:
    return reference_words(row.name)


@admin.display(description=_("tests"), ordering="test_set")
def tests(row: Any) -> str:
    return tests_called(row.test_set)


def slice_words(name: str) -> str:
    return gettext("all tasks") if name == "overall" else slice_name(name)


@admin.display(description=_("part of the tasks"), ordering="slice")
def part(row: Any) -> str:
    value = slice_value(row.slice, row.slice_value)
    return f"{slice_words(row.slice)}: {value}" if value else slice_words(row.slice)


@admin.display(description=_("language"), ordering="language")
def language(row: Any) -> str:
    return programming_language(row.language)


class _InWords(_Filter):
    words: staticmethod[[str], str]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        every, *others = super().choices(changelist)
        yield every
        for one in others:
            code, space, count = str(one["display"]).partition(" ")
            yield {**one, "display": self.words(code) + space + count}


class SettingFilter(_InWords, admin.AllValuesFieldListFilter):
    words = staticmethod(setting_words)


class LanguageFilter(_InWords, admin.AllValuesFieldListFilter):
    words = staticmethod(programming_language)


class NaturalLanguageFilter(_InWords, admin.AllValuesFieldListFilter):
    words = staticmethod(natural_language)


class SliceFilter(_InWords, admin.AllValuesFieldListFilter):
    words = staticmethod(slice_words)


class QueueFilter(_InWords, admin.AllValuesFieldListFilter):
    words = staticmethod(queue_words)


class ReferenceFilter(_InWords, admin.AllValuesFieldListFilter):
    words = staticmethod(reference_words)


class StatusFilter(_InWords, admin.ChoicesFieldListFilter):
    words = staticmethod(status_words)


class IntegrityFilter(_InWords, admin.ChoicesFieldListFilter):
    words = staticmethod(integrity_words)
