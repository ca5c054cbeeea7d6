"""The page of an upload: its check, the report, and its storing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.formats import date_format
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from evaluation.state.expected_end import living_workers
from evaluation.work.actions import confirm_upload, discard_upload
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.shared.access import action_on
from leaderboard.pages.shared.crumbs import entrant_crumbs
from leaderboard.pages.submissions.provenance import facts
from leaderboard.pages.submissions.views.live import LivePart, answer
from leaderboard.pages.submissions.views.steps import upload_steps
from leaderboard.submissions.intake import Understood, uploads_ahead
from leaderboard.submissions.models import Submission, Upload, UploadState

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person

LIVE = "submissions/_upload_live.html"
QUEUE = "intake"
WAITING = (UploadState.RECEIVED, UploadState.CONFIRMED)
UNREPORTED = (UploadState.RECEIVED, UploadState.CHECKING)
MISSING_SHOWN = 60


@login_required
@require_safe
def upload(request: HttpRequest, pk: int) -> HttpResponse:
    row = _upload(request, pk)
    stored = submission_of(row)
    if stored is not None:
        return redirect(stored)
    context = _context(request, row)
    context["live"] = LivePart.of(request, LIVE, context).html
    return render(request, "submissions/upload.html", context)


@login_required
@require_safe
def upload_live(request: HttpRequest, pk: int) -> HttpResponse:
    row = _upload(request, pk)
    stored = submission_of(row)
    if stored is not None:
        return HttpResponseClientRedirect(stored.get_absolute_url())
    part = LivePart.of(request, LIVE, _context(request, row))
    return answer(part, over=row.state not in UploadState.moving())


@action_on("upload")
def upload_confirm(request: HttpRequest, *, pk: int) -> HttpResponse:
    """Repeating it has no further effect."""
    row = _upload(request, pk)
    if not confirm_upload(upload=row) and not row.revision.benchmark.accepts:
        words = _("%(benchmark)s does not accept submissions now. The file is kept until %(date)s.")
        values = {"benchmark": row.revision.benchmark, "date": date_format(row.expires)}
        messages.warning(request, words % values)
    return redirect(row)


@action_on("upload")
def upload_discard(request: HttpRequest, *, pk: int) -> HttpResponse:
    row = _upload(request, pk)
    if not discard_upload(upload=row):
        messages.warning(request, _("The upload can no longer be discarded."))
        return redirect(row)
    messages.success(request, _("The upload was discarded. Nothing was submitted."))
    return redirect("submissions")


@login_required
@require_POST
def uploads_discard(request: HttpRequest) -> HttpResponse:
    """Discards those of the selected uploads that can be discarded."""
    keys = [key for key in request.POST.getlist("upload") if key.isdecimal() and len(key) < 19]
    rows = Upload.objects.visible_to(request.user).filter(pk__in=keys)
    done = sum(discard_upload(upload=row) for row in rows)
    words = ngettext("%(number)d upload was discarded.", "%(number)d uploads were discarded.", done)
    messages.success(request, words % {"number": done})
    return redirect("submissions")


def _upload(request: HttpRequest, pk: int) -> Upload:
    rows = Upload.objects.visible_to(request.user)
    return get_object_or_404(
        rows.select_related("entrant__team", "revision__benchmark", "user"), pk=pk
    )


def submission_of(row: Upload) -> Submission | None:
    return row.submissions.order_by("pk").first() if row.state == UploadState.STORED else None


def report_of(row: Upload) -> Understood | None:
    """None before the check is over."""
    reported = row.report is not None and row.state not in UNREPORTED
    return Understood.of(row) if reported else None


def _context(request: HttpRequest, row: Upload) -> dict[str, object]:
    report = report_of(row)
    context: dict[str, object] = {
        "upload": row,
        "benchmark": row.revision.benchmark,
        "setting": setting_words(row.setting),
        "crumbs": entrant_crumbs(row.entrant, own=True),
        "moving": row.state in UploadState.moving(),
        "steps": upload_steps(row, report, ahead=uploads_ahead(row)),
        "waits": row.state in WAITING,
        "no_worker": row.state in WAITING and not living_workers(QUEUE),
        "report": report,
    }
    if report is None:
        return context
    problems = [
        {
            "sentence": with_code(in_readers_language(sentence)),
            "places": [one for one in report.problems if one.sentence == sentence],
            "more": report.repeats.get(sentence, 0),
        }
        for sentence in dict.fromkeys(one.sentence for one in report.problems)
    ]
    return {
        **context,
        "format_words": with_code(in_readers_language(report.format_words)),
        "problems": problems,
        "more": report.more - sum(report.repeats.values()),
        "warnings": warnings_of(report),
        "same": same_file(request.user, row),
        "missing": report.missing[:MISSING_SHOWN],
        "missing_more": max(0, len(report.missing) - MISSING_SHOWN),
        "provenance": facts(report.header) if report.ok and report.header else [],
    }


def warnings_of(report: Understood) -> list[SafeString]:
    return [with_code(in_readers_language(warning)) for warning in report.warnings]


def same_file(user: Person, row: Upload) -> Upload | None:
    """The team's latest earlier upload of the same file for the same board."""
    rows = Upload.objects.visible_to(user).filter(
        entrant__team=row.entrant.team,
        revision=row.revision,
        setting=row.setting,
        sha256=row.sha256,
        pk__lt=row.pk,
    )
    return rows.exclude(state=UploadState.DISCARDED).select_related("entrant").last()


def with_code(sentence: str) -> SafeString:
    """Escapes the sentence and makes text in backticks code."""
    parts = sentence.split("`")
    if len(parts) % 2 == 0:
        return format_html("{}", sentence)
    parts[1::2] = [format_html("<code>{}</code>", part) for part in parts[1::2]]
    return format_html_join("", "{}", ((part,) for part in parts))
