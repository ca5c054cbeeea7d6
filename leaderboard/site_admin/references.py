"""Admin of reference verdicts: find unsound tasks and exclude them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin, messages
from django.contrib.admin.helpers import ACTION_CHECKBOX_NAME
from django.contrib.admin.models import ADDITION, LogEntry
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from evaluation.models import ReferenceVerdict
from evaluation.work.exclusions import leave_out, take_in_again
from leaderboard.benchmarks.models import Task, TaskExclusion
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import framed
from leaderboard.site_admin.bases import REVISION, DecidedOfTask, PartlyHidden, ReasonForm
from leaderboard.site_admin.benchmarks import formatted
from leaderboard.site_admin.words import ReferenceFilter, StatusFilter, reference, status


class Unsound(admin.SimpleListFilter):
    title = gettext_lazy("soundness")
    parameter_name = "tasks"

    def lookups(self, _request: HttpRequest, _page: Any) -> list[tuple[str, Any]]:
        return [
            ("unsound", gettext_lazy("unsound tasks")),
            ("open", gettext_lazy("unsound tasks that are not left out")),
        ]

    def queryset(
        self, _request: HttpRequest, rows: QuerySet[ReferenceVerdict]
    ) -> QuerySet[ReferenceVerdict]:
        if self.value() is None:
            return rows
        rows = rows.exclude(unsound="")
        return rows if self.value() == "unsound" else rows.filter(task__exclusion=None)


@admin.register(ReferenceVerdict)
class ReferenceVerdictAdmin(PartlyHidden):
    list_display = ("task", REVISION, reference, status, "tests", "unsound", "left_out", "seen")
    list_select_related = ("task__revision__benchmark", "task__exclusion")
    list_filter = (
        Unsound,
        "task__revision__benchmark",
        ("name", ReferenceFilter),
        ("status", StatusFilter),
        "engine_version",
    )
    search_fields = ("=task__external_id", "task__project")
    raw_id_fields = ("task",)
    ordering = ("task", "id")
    actions = ("leave_tasks_out",)
    hidden = "hidden_facts_shown"

    @admin.display(description=gettext_lazy("tests"))
    def tests(self, row: ReferenceVerdict) -> str:
        words = {"passed": row.tests_passed, "total": row.tests_total}
        return _("%(passed)d of %(total)d") % words

    @admin.display(description=gettext_lazy("left out"), boolean=True)
    def left_out(self, row: ReferenceVerdict) -> bool:
        return hasattr(row.task, "exclusion")

    @admin.display(description=gettext_lazy("data hidden from entrants"))
    def hidden_facts_shown(self, row: ReferenceVerdict) -> SafeString:
        rest = row.hidden_facts
        told = formatted({"passed": rest.passed, "facts": rest.facts})
        return told + framed(rest.output)

    def has_leave_out_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("benchmarks.add_taskexclusion")

    @admin.action(
        description=gettext_lazy("Leave their tasks out of all results…"), permissions=["leave_out"]
    )
    def leave_tasks_out(
        self, request: HttpRequest, rows: QuerySet[ReferenceVerdict]
    ) -> HttpResponse | None:
        chosen = Exists(rows.filter(task=OuterRef("pk")))
        tasks = Task.objects.filter(chosen, exclusion=None).select_related("revision__benchmark")
        if not tasks.exists():
            messages.info(request, _("These tasks are already left out."))
            return None
        help_text = gettext_lazy("Everyone can read it on the task's page.")
        posted = request.POST if "reason" in request.POST else None
        form = ReasonForm(posted, help_text=help_text)
        if not form.is_valid():
            return self.page(
                request,
                "evaluation/leave_out",
                _("Leave tasks out of all results"),
                form=form,
                tasks=tasks.order_by("revision", "number"),
                chosen=rows.values_list("pk", flat=True),
                checkbox=ACTION_CHECKBOX_NAME,
            )
        user, reason = signed_in(request), form.cleaned_data["reason"]
        exclusions = leave_out(tasks=tasks, reason=reason, user=user)
        LogEntry.objects.log_actions(user.pk, exclusions, ADDITION, reason)
        done = ngettext(
            "%(count)d task is left out; the results are being computed again.",
            "%(count)d tasks are left out; the results are being computed again.",
            len(exclusions),
        )
        messages.success(request, done % {"count": len(exclusions)})
        return None


@admin.register(TaskExclusion)
class TaskExclusionAdmin(DecidedOfTask):
    list_display = ("task", REVISION, "reason", "decided_by", "decided_at")
    search_fields = ("=task__external_id", "reason")

    def delete_model(self, _request: HttpRequest, row: TaskExclusion) -> None:
        take_in_again(exclusions=[row])

    def delete_queryset(self, _request: HttpRequest, rows: QuerySet[TaskExclusion]) -> None:
        take_in_again(exclusions=rows)
