"""Admin of benchmarks, revisions and tasks, with the page that imports a revision; and of reference
verdicts, where staff find unsound tasks and exclude them."""

import json
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib import admin, messages
from django.contrib.admin.models import ADDITION, LogEntry
from django.core.exceptions import PermissionDenied
from django.db import models
from django.db.models import Count, Exists, OuterRef, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from evaluation.engine.registry import FAMILIES
from evaluation.models import ReferenceVerdict
from evaluation.work.exclusions import effects, leave_out, take_in_again
from leaderboard.accounts.audit import record_access
from leaderboard.benchmarks.importing import SHOWS_OUTPUT
from leaderboard.benchmarks.models import Benchmark, Revision, Task, TaskExclusion, TaskHidden
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import framed
from leaderboard.site_admin import bases
from leaderboard.site_admin.benchmark_forms import BenchmarkForm, ImportForm


def formatted(value: Any) -> SafeString:
    return framed(json.dumps(value, indent=2, ensure_ascii=False))


@admin.register(Benchmark)
class BenchmarkAdmin(bases.WithPages):
    form = BenchmarkForm
    list_display = ("title", "slug", "family_title", "current", "accepts", "listed")
    list_select_related = ("current__benchmark",)
    list_filter = ("listed", "accepts")
    search_fields = ("title", "slug", "family_slug")
    actions = None
    pages = (
        ("import/", "import_page", "benchmarks_benchmark_import"),
        ("<int:pk>/list/", "list_page", "benchmarks_benchmark_list"),
    )
    change_list_template = "admin/benchmarks/benchmark_list.html"
    readonly_fields = ("family_slug",)
    formfield_overrides: ClassVar = {models.URLField: {"assume_scheme": "https"}}

    @admin.display(description=gettext_lazy("family"), ordering="family_slug")
    def family_title(self, row: Benchmark) -> str:
        family = FAMILIES.get(row.family_slug)
        return family.title if family else row.family_slug

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False  # the import of its first revision creates a benchmark

    def has_delete_permission(self, _request: HttpRequest, _obj: Any = None) -> bool:
        return False  # scores refer to it; staff can unlist it instead

    def formfield_for_foreignkey(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name == "current":
            match = request.resolver_match
            pk = match.kwargs.get("object_id") if match else None
            kwargs["queryset"] = Revision.objects.filter(benchmark=pk).select_related("benchmark")
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

    def import_page(self, request: HttpRequest) -> HttpResponse:
        if not request.user.has_perms(["benchmarks.add_revision", "benchmarks.change_benchmark"]):
            raise PermissionDenied
        form = ImportForm(request.POST or None, request.FILES or None)
        if request.method == "POST" and form.is_valid():
            imported = form.imported()
            if imported is not None:
                facts = {"revision": str(imported.revision), "tasks": imported.tasks}
                words = _(
                    "Nothing to do: %(revision)s was already imported from the same files, "
                    "%(tasks)d tasks."
                )
                sentence = words % facts
                if not imported.already:
                    sentence = _("Imported: %(revision)s, %(tasks)d tasks.") % facts
                    if imported.benchmark.shows_output:
                        sentence = f"{sentence} {SHOWS_OUTPUT}"
                    self.log_change(request, imported.benchmark, sentence)
                messages.success(request, sentence)
                query = urlencode({"revision": imported.revision.label})
                return redirect(f"{imported.benchmark.get_absolute_url()}?{query}")
        return self.page(request, "benchmarks/import", _("Import a revision"), form=form)

    def list_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Makes the benchmark public. Its preview, the board, posts here."""
        benchmark = get_object_or_404(Benchmark, pk=pk)
        if request.method != "POST" or not self.has_change_permission(request):
            raise PermissionDenied
        benchmark.listed = True
        benchmark.save(update_fields=["listed"])
        self.log_change(request, benchmark, _("Listed"))
        link = reverse("admin:benchmarks_benchmark_change", args=[pk])
        words = _("The benchmark is public.")
        undo = _("To undo this, clear “Listed” on its page.")
        messages.success(request, format_html('{} <a href="{}">{}</a>', words, link, undo))
        return redirect(benchmark)

    def save_model(self, request: HttpRequest, obj: Benchmark, form: Any, change: bool) -> None:
        super().save_model(request, obj, form, change)
        if "listed" in form.changed_data:
            hidden = _("Only staff see this board and its tasks: the benchmark is not listed.")
            messages.info(request, _("The benchmark is public.") if obj.listed else hidden)


@admin.register(Revision)
class RevisionAdmin(bases.ReadOnly):
    list_display = (
        *("label", "benchmark", bases.column("tasks_there", gettext_lazy("tasks")), "imported"),
        "short_sha256",
    )
    list_filter = ("benchmark",)
    search_fields = ("label", "sha256")
    fields = ("benchmark", "label", "sha256", "imported", "wording")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Revision]:
        rows: QuerySet[Revision] = super().get_queryset(request)
        return rows.select_related("benchmark").annotate(tasks_there=Count("tasks"))

    @admin.display(description=gettext_lazy("prompts"), empty_value="-")
    def wording(self, row: Revision) -> SafeString | None:
        return None if row.prompts is None else formatted(row.prompts)

    @admin.display(description="SHA-256")
    def short_sha256(self, row: Revision) -> str:
        return row.sha256[:12]


def leave_out_page(
    page: bases.WithPages, request: HttpRequest, tasks: QuerySet[Task], **context: Any
) -> HttpResponse | None:
    """The form with the effects, until it has a reason. None once the tasks are left out. The form
    may be sent twice."""
    help_text = gettext_lazy("Everyone can read it on the task's page.")
    form = bases.ReasonForm(request.POST if "reason" in request.POST else None, help_text=help_text)
    if not form.is_valid():
        context |= {"form": form, "tasks": tasks.order_by("revision", "number")}
        title = _("Leave tasks out of all results")
        return page.page(request, "evaluation/leave_out", title, effects=effects(tasks), **context)
    user, reason = signed_in(request), form.cleaned_data["reason"]
    exclusions = leave_out(tasks=tasks, reason=reason, user=user)
    if not exclusions:
        messages.info(request, _("These tasks are already left out."))
        return None
    LogEntry.objects.log_actions(user.pk, exclusions, ADDITION, reason)
    done = ngettext(
        "%(count)d task is left out; the results are being computed again.",
        "%(count)d tasks are left out; the results are being computed again.",
        len(exclusions),
    )
    messages.success(request, done % {"count": len(exclusions)})
    return None


@admin.register(Task)
class TaskAdmin(bases.PartlyHidden):
    """Public facts of a task. A separate page, behind a link, shows the hidden ones."""

    list_display = ("number", "external_id", "revision", bases.language, "level", "category")
    list_display_links = ("external_id",)
    list_select_related = ("revision__benchmark",)
    list_filter = (
        "revision__benchmark",
        ("language", bases.LanguageFilter),
        ("natural_language", bases.NaturalLanguageFilter),
    )
    search_fields = ("external_id", "=revision__label")
    pages = (
        ("<int:pk>/hidden/", "hidden_page", "benchmarks_task_hidden"),
        ("<int:pk>/leave-out/", "leave_out_page", "benchmarks_task_leave_out"),
    )
    replaced, shown, hidden = "public", ("public_formatted",), "hidden_link"

    @admin.display(description=gettext_lazy("public"))
    def public_formatted(self, task: Task) -> SafeString:
        return formatted(task.public)

    @admin.display(description=gettext_lazy("hidden"))
    def hidden_link(self, task: Task) -> SafeString:
        address = reverse("admin:benchmarks_task_hidden", args=[task.pk])
        return format_html('<a href="{}">{}</a>', address, _("Show data hidden from entrants"))

    def hidden_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        if not self.has_change_permission(request):
            raise PermissionDenied
        rows = TaskHidden.objects.select_related("task__revision__benchmark")
        row = get_object_or_404(rows, pk=pk)
        record_access(request, row.task)
        title, hidden = _("Data hidden from entrants"), formatted(row.hidden)
        return self.page(request, "benchmarks/hidden", title, task=row.task, hidden=hidden)

    def leave_out_page(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Leaves the task out of all results, or counts it again. A form says which of both, since
        the task may have changed after its page was shown."""
        rows = Task.objects.select_related("revision__benchmark", "exclusion")
        task = get_object_or_404(rows, pk=pk)
        exclusion = getattr(task, "exclusion", None)
        again = "count_again" in request.POST if request.method == "POST" else exclusion is not None
        right = "delete" if again else "add"
        if not request.user.has_perm(f"benchmarks.{right}_taskexclusion"):
            raise PermissionDenied
        if not again:
            page = leave_out_page(self, request, rows.filter(pk=pk))
            if page is not None:
                return page
        elif request.method != "POST":
            title = _("Count the task again")
            return self.page(request, "evaluation/leave_out", title, exclusion=exclusion)
        elif take_in_again(exclusions=[exclusion] if exclusion else []):
            messages.success(request, _("The task counts again; the results are being computed."))
        else:
            messages.info(request, _("The task counts already."))
        revision = task.revision
        address = reverse("task", args=[revision.benchmark.slug, task.number])
        return redirect(f"{address}?{urlencode({'revision': revision.label})}")


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
class ReferenceVerdictAdmin(bases.PartlyHidden):
    list_display = (
        *("task", bases.REVISION, bases.reference, bases.status, "tests"),
        *("unsound", "left_out", "seen"),
    )
    list_select_related = ("task__revision__benchmark", "task__exclusion")
    list_filter = (
        Unsound,
        "task__revision__benchmark",
        ("name", bases.ReferenceFilter),
        ("status", bases.StatusFilter),
        "engine_version",
    )
    search_fields = ("=task__external_id", "task__project")
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
        return formatted({"passed": rest.passed, "facts": rest.facts}) + framed(rest.output)

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
        hidden = bases.shown_rows("leave_tasks_out", rows.values_list("pk", flat=True))
        return leave_out_page(self, request, tasks, hidden=hidden)


@admin.register(TaskExclusion)
class TaskExclusionAdmin(bases.Deletable):
    """Deleting a row revokes the decision."""

    list_display = ("task", bases.REVISION, bases.REASON, "decided_by", "decided_at")
    list_select_related = ("task__revision__benchmark", "decided_by")
    list_filter = ("task__revision__benchmark",)
    ordering = ("-decided_at",)
    search_fields = ("=task__external_id", "reason")

    def delete_model(self, _request: HttpRequest, row: TaskExclusion) -> None:
        take_in_again(exclusions=[row])

    def delete_queryset(self, _request: HttpRequest, rows: QuerySet[TaskExclusion]) -> None:
        take_in_again(exclusions=rows)
