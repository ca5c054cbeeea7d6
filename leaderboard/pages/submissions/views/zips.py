"""The page of a zip that became several uploads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_list_or_404, redirect, render
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from evaluation.state.expected_end import living_workers
from evaluation.work.actions import confirm_upload
from leaderboard.messages import in_readers_language
from leaderboard.pages.boards.words import setting_words
from leaderboard.pages.shared.access import action_on
from leaderboard.pages.shared.crumbs import entrant_crumbs
from leaderboard.pages.submissions.views.live import LivePart, answer
from leaderboard.pages.submissions.views.uploads import (
    QUEUE,
    WAITING,
    report_of,
    same_file,
    submission_of,
    warnings_of,
    with_code,
)
from leaderboard.submissions.intake import Understood
from leaderboard.submissions.models import Submission, Upload, UploadState

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person

LIVE = "submissions/_zip_live.html"
LEFT_SHOWN = 60


@dataclass(frozen=True, slots=True)
class ZipMember:
    """`problem`: the first problem of a refused file, with `more` others. A file that can be
    submitted has its `warnings`, and an earlier upload of the `same` file."""

    upload: Upload
    setting: str
    report: Understood | None
    problem: SafeString | None
    more: int
    warnings: Sequence[SafeString]
    same: Upload | None
    submission: Submission | None


@login_required
@require_safe
def upload_zip(request: HttpRequest, pk: int) -> HttpResponse:
    context = _context(request.user, _uploads(request, pk))
    context["live"] = LivePart.of(request, LIVE, context).html
    return render(request, "submissions/zip.html", context)


@login_required
@require_safe
def upload_zip_live(request: HttpRequest, pk: int) -> HttpResponse:
    context = _context(request.user, _uploads(request, pk))
    return answer(LivePart.of(request, LIVE, context), over=not context["moving"])


@action_on("upload-zip")
def upload_zip_confirm(request: HttpRequest, *, pk: int) -> HttpResponse:
    """Submits every checked file. Repeating it has no further effect."""
    checked = [upload for upload in _uploads(request, pk) if upload.state == UploadState.CHECKED]
    closed = [upload.member for upload in checked if not confirm_upload(upload=upload)]
    if closed:
        words = _("Not submitted: %(names)s. Open them to see why.")
        messages.warning(request, words % {"names": ", ".join(closed)})
    return redirect("upload-zip", pk)


def _uploads(request: HttpRequest, pk: int) -> list[Upload]:
    """The zip's uploads, the first one first. Raises Http404 if the user may see none."""
    rows = Upload.objects.visible_to(request.user).filter(batch=pk).order_by("pk")
    return get_list_or_404(rows.select_related("entrant__team", "revision__benchmark", "user"))


def _context(user: Person, uploads: list[Upload]) -> dict[str, object]:
    first = uploads[0]
    states = [one.state for one in uploads]
    left_out = first.left_out or []
    return {
        "upload": first,
        "crumbs": entrant_crumbs(first.entrant, own=True),
        "lines": [_line(user, one) for one in uploads],
        "left_out": [
            (name, with_code(in_readers_language(why))) for name, why in left_out[:LEFT_SHOWN]
        ],
        "left_more": max(0, len(left_out) - LEFT_SHOWN),
        "moving": any(state in UploadState.moving() for state in states),
        "ready": states.count(UploadState.CHECKED),
        "no_worker": any(state in WAITING for state in states) and not living_workers(QUEUE),
    }


def _line(user: Person, upload: Upload) -> ZipMember:
    report = report_of(upload)
    problems = report.problems if report and upload.state == UploadState.REFUSED else ()
    ready = upload.state == UploadState.CHECKED
    return ZipMember(
        upload=upload,
        setting=setting_words(upload.setting),
        report=report,
        problem=with_code(in_readers_language(problems[0].sentence)) if problems else None,
        more=len(problems) - 1 + (report.more if report else 0),
        warnings=warnings_of(report) if report and ready else (),
        same=same_file(user, upload) if ready else None,
        submission=submission_of(upload),
    )
