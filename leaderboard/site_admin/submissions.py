"""Admin of uploads, submissions and runs, read-only: deletion would load every generation."""

from statistics import fmean
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.timezone import localtime
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _

from evaluation.work.actions import decide_on_copies, judge_again
from leaderboard.accounts.audit import record_access
from leaderboard.accounts.models import staff_may
from leaderboard.benchmarks.models import Task
from leaderboard.generation.models import Run
from leaderboard.generation.runs import stop_run
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.code import framed, judged_part, shown_text
from leaderboard.scores.models import TaskResult
from leaderboard.site_admin.bases import (
    MadeByTheSite,
    ReadOnly,
    ReasonForm,
    SettingFilter,
    WaitingFilter,
    setting,
)
from leaderboard.submissions.copies import pairs_alike, tasks_alike
from leaderboard.submissions.models import (
    Copy,
    CopyState,
    Declaration,
    Generation,
    LedgerEntry,
    Submission,
    Upload,
)

TEXT_SHOWN = 100_000
# Tasks whose answers are shown side by side, and characters of each.
PAIRS_SHOWN, CODE_SHOWN = 8, 10_000


@admin.register(Upload)
class UploadAdmin(MadeByTheSite):
    is_private = True
    list_display = ("name", "entrant", "revision", setting, "state", "size", "created")
    list_filter = ("state", "revision__benchmark", "created")
    list_select_related = ("entrant", "revision__benchmark")
    search_fields = ("name", "=sha256", "entrant__name", "entrant__team__name", "user__username")
    fields = (
        ("name", "member", "size", "sha256"),
        ("entrant", "revision", "setting", "user"),
        ("state", "cause", "tries"),
        ("created", "expires"),
        ("owner", "attempt", "lease_until", "rung"),
    )
    raw_id_fields = ("user",)
    readonly_fields: ClassVar = (
        *("name", "member", "size", "sha256", "entrant", "revision", "setting", "state", "cause"),
        *("tries", "created", "owner", "attempt", "lease_until", "rung"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Upload]:
        return super().get_queryset(request).defer("report", "left_out")


@admin.register(Submission)
class SubmissionAdmin(MadeByTheSite):
    is_private = True
    list_display = (
        *("id", "entrant", "revision", setting, "generations_count", "visibility", "created"),
    )
    list_filter = ("visibility", "revision__benchmark", ("setting", SettingFilter), "created")
    actions = ("judge_submissions_again",)
    list_select_related = ("entrant", "revision__benchmark")
    search_fields = ("=id", "=digest", "entrant__name", "entrant__team__name", "user__username")
    raw_id_fields = ("user",)
    readonly_fields: ClassVar = (
        *("entrant", "revision", "setting", "upload", "generations_count", "digest"),
        *("visibility", "created", "published"),
    )

    @admin.action(description=_("Judge again"), permissions=["change"])
    def judge_submissions_again(self, request: HttpRequest, rows: QuerySet[Submission]) -> None:
        """Starts another evaluation of each. It replaces the current one when done."""
        for submission in rows:
            judge_again(submission=submission)
        done = ngettext(
            "%(number)d submission is being judged again. Its current result is kept until then.",
            "%(number)d submissions are being judged again. Their current results are kept "
            "until then.",
            len(rows),
        )
        messages.info(request, done % {"number": len(rows)})


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnly):
    list_display = ("id", "team", "revision", setting, "submission_id", "created")
    list_filter = ("revision__benchmark", ("setting", SettingFilter), "created")
    list_select_related = ("team", "revision__benchmark")
    search_fields = ("team__name", "=submission__id")
    ordering: ClassVar = ("-id",)


@admin.register(Declaration)
class DeclarationAdmin(ReadOnly):
    list_display = ("id", "team", "revision", setting, "model", "samples", "created", "withdrawn")
    list_filter = ("revision__benchmark", ("setting", SettingFilter), "created")
    list_select_related = ("team", "revision__benchmark")
    search_fields = ("team__name", "model")
    ordering: ClassVar = ("-id",)


@admin.register(Generation)
class GenerationAdmin(MadeByTheSite):
    is_private = True
    list_display = ("id", "submission_id", "task", "sample", "requirement", "turn")
    list_select_related = ("task",)
    search_fields = ("=submission__id", "=task__external_id")
    search_help_text = _("The number of a submission, or a task's id.")
    ordering: ClassVar = ("-id",)
    fields = ("submission", "task", "sample", "requirement", "turn", "shown_text")
    readonly_fields: ClassVar = ("sample", "requirement", "turn", "shown_text")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Generation]:
        return super().get_queryset(request).defer("text")

    def has_change_permission(self, _request: HttpRequest, _obj: Generation | None = None) -> bool:
        return False

    @admin.display(description=_("text"))
    def shown_text(self, generation: Generation) -> SafeString:
        return framed(str(generation.text)[:TEXT_SHOWN])


@admin.register(Run)
class RunAdmin(ReadOnly):
    """Only the team sees endpoint, model and answers; the key is visible to no one."""

    is_private = True
    list_display = ("id", "entrant", "revision", setting, "state", "created", "finished")
    list_filter = ("state", "revision__benchmark", "created")
    list_select_related = ("entrant", "revision__benchmark")
    search_fields = ("=id", "entrant__name", "entrant__team__name", "user__username")
    actions = ("stop_runs",)
    fields = (
        ("entrant", "revision", "setting", "user"),
        ("state", "tries", "upload"),
        ("created", "started", "finished", "until", "expires"),
        ("owner", "attempt", "lease_until", "rung"),
    )

    @admin.action(description=_("Stop"), permissions=["change"])
    def stop_runs(self, request: HttpRequest, rows: QuerySet[Run]) -> None:
        stopped = sum(stop_run(run=run) for run in rows)
        done = ngettext("%(number)d run was stopped.", "%(number)d runs were stopped.", stopped)
        messages.info(request, done % {"number": stopped})


class DecisionFilter(WaitingFilter):
    title, parameter_name, words = _("decision"), "decision", _("to be decided, or answered since")


@admin.register(Copy)
class CopyAdmin(ReadOnly):
    """Staff decide here whether a submission that is like another team's may be published."""

    list_display = (
        *("id", "copy", "earlier", "alike", "alike_among_rare", "held", "state", "answered"),
    )
    list_filter = (DecisionFilter, "state", "held", "submission__revision__benchmark")
    list_select_related = tuple(
        f"{side}__{related}"
        for side in ("submission", "other")
        for related in ("entrant__team", "upload", "revision__benchmark")
    )
    search_fields = ("submission__entrant__name", "submission__entrant__team__name", "reason")
    ordering: ClassVar = ("-id",)

    def change_view(self, request: HttpRequest, object_id: str, *_more: Any) -> HttpResponse:
        """The evidence, with the code of both side by side, and two buttons for the decision."""
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        form = ReasonForm(request.POST or None, help_text=_("The team reads it."))
        if request.method == "POST":
            if not self.has_change_permission(request):
                raise PermissionDenied
            states = {"refuse": CopyState.REFUSED, "allow": CopyState.ALLOWED}
            state = next((states[button] for button in states if button in request.POST), None)
            if state and form.is_valid():
                user, reason = signed_in(request), form.cleaned_data["reason"]
                decided = decide_on_copies(
                    copies=Copy.objects.filter(pk=row.pk), state=state, reason=reason, user=user
                )
                LogEntry.objects.log_actions(user.pk, decided, CHANGE, f"{state.label}: {reason}")
                messages.success(request, _("The decision is stored."))
                return redirect("admin:submissions_copy_changelist")
        tasks, pairs = tasks_alike(row), []
        if staff_may(signed_in(request), "submissions.view_generation"):
            record_access(request, *filter(None, (row.submission, row.other)))
            for pair in pairs_alike(row, tasks[:PAIRS_SHOWN]):
                task = pair[0].task
                codes = (judged_part(answer, task, row.submission)[:CODE_SHOWN] for answer in pair)
                pairs.append((task, *map(shown_text, codes)))
        return self.page(
            request,
            "submissions/copy",
            gettext("Is it a copy?"),
            row=row,
            form=form if self.has_change_permission(request) else None,
            facts={
                gettext("submission"): self.copy(row),
                gettext("submitted before"): self.earlier(row),
                gettext("alike"): self.alike(row),
                gettext("alike among rare answers"): self.alike_among_rare(row),
                gettext("results"): _same_results(row),
            },
            tasks=Task.objects.filter(pk__in=tasks).order_by("number"),
            pairs=pairs,
        )

    @admin.display(description=_("submission"))
    def copy(self, row: Copy) -> SafeString:
        return _with_time(row.submission)

    @admin.display(description=_("submitted before"))
    def earlier(self, row: Copy) -> str:
        return gettext("deleted") if row.other is None else _with_time(row.other)

    @admin.display(description=_("alike"))
    def alike(self, row: Copy) -> str:
        return _of_tasks(row.share, row.tasks)

    @admin.display(description=_("alike among rare answers"))
    def alike_among_rare(self, row: Copy) -> str:
        return _of_tasks(row.rare_share, row.rare_tasks)


def _same_results(row: Copy) -> str:
    """On how many tasks both have the same result. A hint only: it holds nothing."""
    counted = TaskResult.objects.filter(evaluation__current=True, overall=True, value=None)
    columns = "task", "metric", "category", "turn", "c", "n"
    mine, theirs = (
        {
            tuple(slot): c == n
            for *slot, c, n in counted.filter(evaluation__submission=pk).values_list(*columns)
        }
        for pk in (row.submission_id, row.other_id)
    )
    slots = mine.keys() & theirs.keys()
    if not slots:
        return ""
    first, second = (fmean(passed[slot] for slot in slots) for passed in (mine, theirs))
    chance = first * second + (1 - first) * (1 - second)
    words = gettext("The same result on %(same)d of %(tasks)d; by chance about %(chance)d.")
    same = sum(mine[slot] == theirs[slot] for slot in slots)
    return words % {"same": same, "tasks": len(slots), "chance": round(chance * len(slots))}


def _with_time(submission: Submission) -> SafeString:
    """The submission with its team and the time of its upload, which is earlier than its own."""
    received = submission.upload.created if submission.upload else submission.created
    return format_html(
        '<a href="{}">{}</a>, {}, {}',
        submission.get_absolute_url(),
        submission,
        submission.entrant.team,
        localtime(received).strftime("%Y-%m-%d %H:%M:%S"),
    )


def _of_tasks(share: float, tasks: int) -> str:
    # Rounded down: 89.9 % does not hold a submission.
    words = {"percent": int(100 * share), "tasks": tasks}
    return gettext("%(percent)d %% of %(tasks)d tasks") % words
