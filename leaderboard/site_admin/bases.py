"""Base classes of admin classes, by what staff may do with the rows, and the parts of lists."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import URLPattern, path
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.audit import record_access

if TYPE_CHECKING:
    Admin = admin.ModelAdmin[Any]
else:
    Admin = admin.ModelAdmin


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


class MadeByTheSite(WithPages):
    """Rows that only the site creates and deletes. `is_private`: that staff open one, or act on
    it, is recorded."""

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
        if request.POST.get("select_across") != "1":
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
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        buttons = {"show_save": False, "show_save_and_continue": False}
        return super().change_view(request, object_id, form_url, (extra_context or {}) | buttons)

    def get_readonly_fields(self, _request: HttpRequest, _obj: Any = None) -> list[str]:
        return [*self.readonly_fields, *(field.name for field in self.opts.fields)]


class PartlyHidden(ReadOnly):
    """All columns but `replaced`, then `shown`, and `hidden` for staff who may change rows: it may
    quote hidden tests."""

    replaced = ""
    shown: tuple[str, ...] = ()
    hidden: str

    def get_fields(self, request: HttpRequest, obj: Any = None) -> list[Any]:
        columns = [field.name for field in self.opts.fields if field.name != self.replaced]
        hidden = [self.hidden] if self.has_change_permission(request, obj) else []
        return [*columns, *self.shown, *hidden]

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:
        return self.get_fields(request, obj)


class Deletable(ReadOnly):
    """Rows that staff do not change, but may delete."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return Admin.has_delete_permission(self, request, obj)


class DecidedOfTask(Deletable):
    """Decisions of staff on tasks; deleting a row revokes the decision."""

    list_select_related = ("task__revision__benchmark", "decided_by")
    list_filter = ("task__revision__benchmark",)
    raw_id_fields = ("task", "decided_by")
    ordering = ("-decided_at",)
