"""Admin of uploads and submissions, read-only: deletion would load every generation to confirm."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from evaluation.work.actions import judge_again
from leaderboard.site_admin.benchmarks import ReadOnly
from leaderboard.submissions.models import (
    Declaration,
    Generation,
    LedgerEntry,
    Submission,
    Upload,
)

if TYPE_CHECKING:
    _UploadAdmin = admin.ModelAdmin[Upload]
    _SubmissionAdmin = admin.ModelAdmin[Submission]
    _GenerationAdmin = admin.ModelAdmin[Generation]
else:
    _UploadAdmin = _SubmissionAdmin = _GenerationAdmin = admin.ModelAdmin

TEXT_SHOWN = 100_000


@admin.action(description=_("Judge again"), permissions=["change"])
def judge_submissions_again(
    admin_page: SubmissionAdmin, request: HttpRequest, chosen: QuerySet[Submission]
) -> None:
    """Starts another evaluation of each. It replaces the current one when done."""
    for submission in chosen:
        judge_again(submission=submission)
    admin_page.message_user(
        request,
        ngettext(
            "%(number)d submission is being judged again. Its current result is kept until then.",
            "%(number)d submissions are being judged again. Their current results are kept "
            "until then.",
            len(chosen),
        )
        % {"number": len(chosen)},
    )


class _ComesAboutElsewhere:
    """Rows that only the site creates and deletes."""

    show_full_result_count = False
    list_per_page = 50

    def has_add_permission(self, _request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, _request: HttpRequest, _obj: object = None) -> bool:
        return False


@admin.register(Upload)
class UploadAdmin(_ComesAboutElsewhere, _UploadAdmin):
    list_display = ("name", "entrant", "revision", "setting", "state", "size", "created")
    list_filter = ("state", "revision__benchmark", "created")
    list_select_related = ("entrant", "revision__benchmark")
    search_fields = ("name", "=sha256", "entrant__name", "entrant__team__name", "user__username")
    fields = (
        ("name", "size", "sha256"),
        ("entrant", "revision", "setting", "user"),
        ("state", "cause", "tries"),
        ("created", "expires"),
        ("owner", "attempt", "lease_until", "rung"),
    )
    raw_id_fields = ("user",)
    readonly_fields: ClassVar = (
        *("name", "size", "sha256", "entrant", "revision", "setting", "state", "cause", "tries"),
        *("created", "owner", "attempt", "lease_until", "rung"),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Upload]:
        return super().get_queryset(request).defer("report")


@admin.register(Submission)
class SubmissionAdmin(_ComesAboutElsewhere, _SubmissionAdmin):
    list_display = (
        *("id", "entrant", "revision", "setting", "generations_count", "visibility", "created"),
    )
    list_filter = ("visibility", "revision__benchmark", "setting", "created")
    actions = (judge_submissions_again,)
    list_select_related = ("entrant", "revision__benchmark")
    search_fields = ("=id", "=digest", "entrant__name", "entrant__team__name", "user__username")
    raw_id_fields = ("user",)
    readonly_fields: ClassVar = (
        *("entrant", "revision", "setting", "upload", "generations_count", "digest"),
        *("visibility", "created", "published"),
    )


@admin.register(LedgerEntry)
class LedgerEntryAdmin(ReadOnly):
    list_display = ("id", "team", "revision", "setting", "submission_id", "created")
    list_filter = ("revision__benchmark", "setting", "created")
    list_select_related = ("team", "revision__benchmark")
    search_fields = ("team__name", "=submission__id")
    raw_id_fields = ("team", "submission")
    ordering: ClassVar = ("-id",)


@admin.register(Declaration)
class DeclarationAdmin(ReadOnly):
    list_display = ("id", "team", "revision", "setting", "model", "samples", "created", "withdrawn")
    list_filter = ("revision__benchmark", "setting", "created")
    list_select_related = ("team", "revision__benchmark")
    search_fields = ("team__name", "model")
    raw_id_fields = ("team", "entrant", "upload", "user", "withdrawn_by")
    ordering: ClassVar = ("-id",)


@admin.register(Generation)
class GenerationAdmin(_ComesAboutElsewhere, _GenerationAdmin):
    list_display = ("id", "submission_id", "task", "sample", "requirement", "turn")
    list_select_related = ("task",)
    search_fields = ("=submission__id", "=task__external_id")
    search_help_text = _("The number of a submission, or a task's id.")
    ordering: ClassVar = ("-id",)
    fields = ("submission", "task", "sample", "requirement", "turn", "shown_text")
    raw_id_fields = ("submission", "task")
    readonly_fields: ClassVar = ("sample", "requirement", "turn", "shown_text")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Generation]:
        return super().get_queryset(request).defer("text")

    def has_change_permission(self, _request: HttpRequest, _obj: Generation | None = None) -> bool:
        return False

    @admin.display(description=_("text"))
    def shown_text(self, generation: Generation) -> SafeString:
        text = str(generation.text)[:TEXT_SHOWN].encode("utf-8", "replace").decode()
        return format_html("<pre>{}</pre>", text)
