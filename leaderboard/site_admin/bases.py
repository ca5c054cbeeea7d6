"""Base classes of admin classes, by what staff may do with the rows; and the parts of lists, which
show the codes of states, settings and queues in words."""

from collections.abc import Callable, Iterable, Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.views.main import ChangeList
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet, TextField
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.functional import cached_property
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from evaluation.engine.records import Integrity
from evaluation.models import Worker
from leaderboard.accounts.audit import record_access
from leaderboard.pages.boards.words import (
    natural_language,
    programming_language,
    reference_words,
    setting_words,
    slice_name,
    slice_value,
)
from leaderboard.pages.shared.code import shown_text
from leaderboard.pages.shared.mark_words import MARK_WORDS
from leaderboard.pages.shared.public import tests_words

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
    _Filter = admin.FieldListFilter
else:
    Admin, _Filter = admin.ModelAdmin, object


def column(
    name: str, description: Any, words: Callable[[Any], str] | None = None
) -> Callable[[Any], Any]:
    """A list's column: an attribute of the row or, with dots, of what it refers to. If it is shown
    in `words`, the list can be ordered by it."""

    @admin.display(description=description, ordering=name if words else None)
    def shown(row: Any) -> Any:
        value = attrgetter(name)(row)
        return words(value) if words else value

    shown.__name__ = name.replace(".", "_")
    return shown


REVISION = column("task.revision", _("revision"))
REASON = column("reason", _("reason"), shown_text)


class ReasonForm(forms.Form):
    reason = forms.CharField(
        label=_("Reason"), widget=forms.Textarea(attrs={"rows": 3, "cols": 80})
    )

    def __init__(self, *args: Any, help_text: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].help_text = help_text


class WithPages(Admin):
    """`pages`: addresses of the class's own pages, with their methods and names."""

    pages: tuple[tuple[str, str, str], ...] = ()

    def get_urls(self) -> list[URLPattern]:
        pages = [
            path(address, self.admin_site.admin_view(getattr(self, method)), name=name)
            for address, method, name in self.pages
        ]
        return [*pages, *super().get_urls()]

    def page(
        self, request: HttpRequest, template: str, title: str, **context: Any
    ) -> TemplateResponse:
        frame = self.admin_site.each_context(request)
        frame |= {"opts": self.opts, "title": title, "media": self.media}
        return TemplateResponse(request, f"admin/{template}.html", frame | context)


def shown_rows(action: str, rows: Iterable[int]) -> dict[str, str]:
    """The hidden fields of the page on which an action asks for a reason. One of them names all
    rows: Django refuses a form with more than 1,000."""
    shown = ",".join(map(str, rows))
    return {"action": action, ACTION_CHECKBOX_NAME: "0", "select_across": "1", "shown": shown}


class MadeByTheSite(WithPages):
    """Rows that only the site creates and deletes. `is_private`: access by staff is recorded."""

    show_full_result_count = False
    is_private = False
    list_per_page = 50

    def get_object(self, request: HttpRequest, object_id: str, from_field: Any = None) -> Any:
        if not self.has_view_or_change_permission(request):
            raise PermissionDenied
        row = super().get_object(request, object_id, from_field)
        if row is not None and self.is_private:
            record_access(request, row)
        return row

    def response_action(self, request: HttpRequest, queryset: Any, *more: Any) -> Any:
        if shown := request.POST.get("shown"):
            queryset = queryset.filter(pk__in=shown.split(","))
        elif request.POST.get("select_across") != "1":
            queryset = queryset.filter(pk__in=request.POST.getlist(ACTION_CHECKBOX_NAME))
        # Read before the action, which may change what the list's filters select.
        rows = list(queryset.all()) if self.is_private and request.POST.get("action") else []
        response = super().response_action(request, queryset, *more)
        if response is not None:  # None: no action was chosen
            record_access(request, *rows)
        return response

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False


class ReadOnly(MadeByTheSite):
    """Rows that the site computes. Staff view them, and change them only by actions."""

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        buttons = {"show_save": False, "show_save_and_continue": False}
        return super().change_view(request, object_id, form_url, (extra_context or {}) | buttons)

    @cached_property
    def columns(self) -> dict[str, Any]:
        """By field: its name. A text, which people may have written, has a column that marks its
        unseen characters."""
        return {
            field.name: column(field.name, field.verbose_name, shown_text)
            if type(field) is TextField
            else field.name
            for field in self.opts.fields
        }

    def get_fields(self, _request: HttpRequest, _obj: Any = None) -> list[Any]:
        return [*(self.fields or (*self.readonly_fields, *self.columns.values()))]

    def get_readonly_fields(self, _request: HttpRequest, _obj: Any = None) -> list[Any]:
        return [*self.readonly_fields, *self.columns, *self.columns.values()]


class PartlyHidden(ReadOnly):
    """All columns but `replaced`, then `shown`, and `hidden` for staff who may change rows: it may
    quote hidden tests."""

    replaced = ""
    shown: tuple[str, ...] = ()
    hidden: str

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        columns = [shown for name, shown in self.columns.items() if name != self.replaced]
        hidden = [self.hidden] if self.has_change_permission(request, obj) else []
        return [*columns, *self.shown, *hidden]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        return self.get_fields(request, obj)


class Deletable(ReadOnly):
    """Rows that staff do not change, but may delete."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return Admin.has_delete_permission(self, request, obj)


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
    words: "staticmethod[[str], str]"

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        every, *others = super().choices(changelist)
        yield every
        for choice in others:
            code, space, count = str(choice["display"]).partition(" ")
            yield {**choice, "display": self.words(code) + space + count}


def _in_words(words: Callable[[str], str], base: type = admin.AllValuesFieldListFilter) -> Any:
    return type("InWords", (_InWords, base), {"words": staticmethod(words)})


class WaitingFilter(admin.SimpleListFilter):
    """Rows that wait for a decision of staff, by `waiting` of the model's manager. `words` name
    them."""

    words: Any

    def lookups(self, *_args: Any) -> list[tuple[str, Any]]:
        return [("waits", self.words)]

    def queryset(self, _request: HttpRequest, rows: QuerySet[Any]) -> QuerySet[Any]:
        waiting = rows.model.objects.waiting().values("pk")
        return rows.filter(pk__in=waiting) if self.value() == "waits" else rows


SettingFilter = _in_words(setting_words)
LanguageFilter = _in_words(programming_language)
NaturalLanguageFilter = _in_words(natural_language)
SliceFilter = _in_words(slice_words)
QueueFilter = _in_words(queue_words)
ReferenceFilter = _in_words(reference_words)
StatusFilter = _in_words(status_words, admin.ChoicesFieldListFilter)
IntegrityFilter = _in_words(integrity_words, admin.ChoicesFieldListFilter)
