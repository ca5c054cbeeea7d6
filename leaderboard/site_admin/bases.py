"""Base classes of admin classes, by what staff may do with the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext_lazy

if TYPE_CHECKING:
    _Admin = admin.ModelAdmin[Any]
else:
    _Admin = admin.ModelAdmin


class MadeByTheSite(_Admin):
    """Rows that only the site creates and deletes."""

    show_full_result_count = False
    list_per_page = 50

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


class Deletable(ReadOnly):
    """Rows that staff do not change, but may delete."""

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return _Admin.has_delete_permission(self, request, obj)


class DecidedOfTask(Deletable):
    """Decisions of staff on tasks; deleting a row revokes the decision."""

    list_select_related = ("task__revision__benchmark", "decided_by")
    list_filter = ("task__revision__benchmark",)
    raw_id_fields = ("task", "decided_by")
    ordering = ("-decided_at",)

    @admin.display(description=gettext_lazy("revision"))
    def revision(self, row: Any) -> str:
        return str(row.task.revision)
