"""Admin of runs. Only the team sees endpoint, model and answers; the key is visible to no one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from evaluation.work.actions import stop_run
from leaderboard.generation.models import Run
from leaderboard.site_admin.words import setting

if TYPE_CHECKING:
    _RunAdmin = admin.ModelAdmin[Run]
else:
    _RunAdmin = admin.ModelAdmin


@admin.action(description=_("Stop"), permissions=["change"])
def stop_runs(admin_page: RunAdmin, request: HttpRequest, chosen: QuerySet[Run]) -> None:
    stopped = sum(stop_run(run=run) for run in chosen)
    admin_page.message_user(
        request,
        ngettext("%(number)d run was stopped.", "%(number)d runs were stopped.", stopped)
        % {"number": stopped},
    )


@admin.register(Run)
class RunAdmin(_RunAdmin):
    list_display = ("id", "entrant", "revision", setting, "state", "created", "finished")
    list_filter = ("state", "revision__benchmark", "created")
    list_select_related = ("entrant", "revision__benchmark")
    search_fields = ("=id", "entrant__name", "entrant__team__name", "user__username")
    actions = (stop_runs,)
    fields = (
        ("entrant", "revision", "setting", "user"),
        ("state", "tries", "upload"),
        ("created", "started", "finished", "until", "expires"),
        ("owner", "attempt", "lease_until", "rung"),
    )
    readonly_fields: ClassVar = (
        *("entrant", "revision", "setting", "user", "state", "tries", "upload"),
        *("created", "started", "finished", "until", "expires"),
        *("owner", "attempt", "lease_until", "rung"),
    )

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: object = None) -> bool:
        return False
