"""Admin of runs. Only the team sees endpoint, model and answers; the key is visible to no one."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from evaluation.work.actions import stop_run
from leaderboard.generation.models import Run
from leaderboard.site_admin.bases import ReadOnly
from leaderboard.site_admin.words import setting


@admin.action(description=_("Stop"), permissions=["change"])
def stop_runs(admin_page: RunAdmin, request: HttpRequest, chosen: QuerySet[Run]) -> None:
    stopped = sum(stop_run(run=run) for run in chosen)
    admin_page.message_user(
        request,
        ngettext("%(number)d run was stopped.", "%(number)d runs were stopped.", stopped)
        % {"number": stopped},
    )


@admin.register(Run)
class RunAdmin(ReadOnly):
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
