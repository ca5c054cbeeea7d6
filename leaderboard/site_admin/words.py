"""Words for the codes of states, settings and queues, as columns and filters of lists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
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
from leaderboard.pages.shared.public import tests_words
from leaderboard.site_admin.bases import column

if TYPE_CHECKING:
    _Filter = admin.FieldListFilter
else:
    _Filter = object

# The work that a queue is for.
QUEUE_WORDS = {
    "generation": _("runs at endpoints"),
    "intake": _("uploads"),
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
    return str(QUEUE_WORDS.get(name) or programming_language(name))


def served_words(worker: Worker) -> str:
    return ", ".join(map(queue_words, worker.queues))


def status_words(status: str) -> str:
    return str(MARK_WORDS.get(status, status))


def integrity_words(integrity: str) -> str:
    return str(INTEGRITY_WORDS.get(integrity, integrity))


def slice_words(name: str) -> str:
    return gettext("all tasks") if name == "overall" else slice_name(name)


setting = column("setting", _("setting"), setting_words)
status = column("status", _("status"), status_words)
integrity = column("integrity", _("integrity"), integrity_words)
queue = column("queue", _("queue"), queue_words)
reference = column("name", _("name"), reference_words)
tests = column("test_set", _("tests"), tests_words)
language = column("language", _("language"), programming_language)


@admin.display(description=_("part of the tasks"), ordering="slice")
def part(row: Any) -> str:
    value = slice_value(row.slice, row.slice_value)
    return f"{slice_words(row.slice)}: {value}" if value else slice_words(row.slice)


class _InWords(_Filter):
    words: staticmethod[[str], str]

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        every, *others = super().choices(changelist)
        yield every
        for one in others:
            code, space, count = str(one["display"]).partition(" ")
            yield {**one, "display": self.words(code) + space + count}


def _in_words(words: Callable[[str], str], base: type = admin.AllValuesFieldListFilter) -> Any:
    return type("InWords", (_InWords, base), {"words": staticmethod(words)})


SettingFilter = _in_words(setting_words)
LanguageFilter = _in_words(programming_language)
NaturalLanguageFilter = _in_words(natural_language)
SliceFilter = _in_words(slice_words)
QueueFilter = _in_words(queue_words)
ReferenceFilter = _in_words(reference_words)
StatusFilter = _in_words(status_words, admin.ChoicesFieldListFilter)
IntegrityFilter = _in_words(integrity_words, admin.ChoicesFieldListFilter)
