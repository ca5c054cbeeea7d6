"""The pages of an upload and of a zip that became several uploads: check, report and storing."""

from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from typing import Self

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_list_or_404, get_object_or_404, redirect
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRedirect

from evaluation.engine.records import Problem
from evaluation.state.expected_end import living_workers
from evaluation.work.actions import confirm_upload, discard_upload
from leaderboard.accounts.audit import record_access
from leaderboard.accounts.models import Person
from leaderboard.pages.shared.access import action_on
from leaderboard.pages.shared.record import Short
from leaderboard.pages.submissions.provenance import facts
from leaderboard.pages.submissions.views.live import live_page
from leaderboard.pages.submissions.views.steps import Step, storing_words, upload_steps
from leaderboard.submissions.intake import (
    Understood,
    generations_stored,
    report_of,
    submission_of,
    uploads_ahead,
)
from leaderboard.submissions.models import Submission, Upload, UploadQuerySet, UploadState

QUEUE = "intake"
WAITING = (UploadState.RECEIVED, UploadState.CONFIRMED)
# Ids of missing tasks, and files of a zip that were left out.
MOST_SHOWN = 60


@dataclass(frozen=True, kw_only=True)
class UploadPage:
    """`report` is None before the check. `same`: an earlier upload of the file."""

    upload: Upload
    report: Understood | None
    editable: bool
    steps: list[Step]
    moving: bool
    no_worker: bool
    same: Upload | None

    @property
    def problems(self) -> list[tuple[str, list[Problem], int]]:
        """Each sentence with its places, and the number of further ones."""
        places = defaultdict(list)
        for problem in self.report.problems if self.report else ():
            places[problem.sentence].append(problem)
        repeats = self.report.repeats if self.report else {}
        return [(words, shown, repeats.get(words, 0)) for words, shown in places.items()]

    @property
    def more(self) -> int:
        return self.report.more - sum(self.report.repeats.values()) if self.report else 0

    @property
    def missing(self) -> Short:
        return Short.of(self.report.missing if self.report else (), MOST_SHOWN)

    @property
    def provenance(self) -> list[tuple[str, str]]:
        report = self.report
        return facts(report.header) if report and report.ok and report.header else []


@login_required
@require_safe
def upload(request: HttpRequest, pk: int, *, live: bool = False) -> HttpResponse:
    """With `live`, only the part that changes. Redirects to the submission once it is stored."""
    row = _upload(request, pk)
    submission = submission_of(row)
    if submission is not None:
        if live:
            return HttpResponseClientRedirect(submission.get_absolute_url())
        return redirect(submission)
    report = report_of(row)
    ahead, stored = uploads_ahead(row), generations_stored(row)
    page = UploadPage(
        upload=row,
        report=report,
        editable=Upload.objects.editable_by(request.user).filter(pk=pk).exists(),
        steps=upload_steps(row, report, ahead=ahead, stored=stored),
        moving=row.state in UploadState.moving(),
        no_worker=row.state in WAITING and not living_workers(QUEUE),
        same=same_file(request.user, row) if report else None,
    )
    parts = "submissions/upload.html", "submissions/_upload_live.html"
    return live_page(request, *parts, page, moving=page.moving, only_live=live)


@action_on("upload")
def upload_confirm(request: HttpRequest, *, pk: int) -> HttpResponse:
    """Repeating it has no further effect. Submits nothing without the report's confirmations."""
    row = _upload(request, pk)
    confirmed = len(request.POST.getlist("confirmed"))
    if row.state == UploadState.CHECKED and not is_ready(row, confirmed):
        messages.warning(request, _("Confirm what is said about the file before you submit it."))
    elif not confirm_upload(upload=row) and not row.revision.benchmark.accepts:
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
    rows = Upload.objects.editable_by(request.user).filter(pk__in=keys)
    record_access(request, *rows)
    number = sum(discard_upload(upload=row) for row in rows)
    words = ngettext(
        "%(number)d upload was discarded.", "%(number)d uploads were discarded.", number
    )
    messages.success(request, words % {"number": number})
    return redirect("submissions")


def _uploads(request: HttpRequest) -> UploadQuerySet:
    """Those that the user may see, or change by a POST."""
    posts, user = request.method == "POST", request.user
    rows = Upload.objects.editable_by(user) if posts else Upload.objects.visible_to(user)
    return rows.select_related("entrant__team", "revision__benchmark", "user")


def _upload(request: HttpRequest, pk: int) -> Upload:
    row = get_object_or_404(_uploads(request), pk=pk)
    record_access(request, row)
    return row


def is_ready(row: Upload, confirmed: int = 0) -> bool:
    """Whether it can be submitted once so many of its report's confirmations are given."""
    report = report_of(row) if row.state == UploadState.CHECKED else None
    return report is not None and confirmed >= len(report.confirmations)


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


@dataclass(frozen=True)
class ZipMember:
    """`same`: an earlier upload of the file, if it can be submitted."""

    upload: Upload
    report: Understood | None
    same: Upload | None
    submission: Submission | None

    @classmethod
    def of(cls, upload: Upload, user: Person) -> Self:
        same = same_file(user, upload) if upload.state == UploadState.CHECKED else None
        return cls(upload, report_of(upload), same, submission_of(upload))

    @property
    def more(self) -> int:
        """Problems besides the first."""
        return len(self.report.problems) - 1 + self.report.more if self.report else 0

    @cached_property
    def stored(self) -> str:
        """How far the file is, while it is being stored."""
        if self.report is None or self.upload.state != UploadState.STORING:
            return ""
        return storing_words(generations_stored(self.upload), self.report.generations)


@dataclass(frozen=True, kw_only=True)
class ZipPage:
    """`upload` is the zip's first one. `left_out`: names of files, each with the reason. `ready`
    and `unconfirmed`: numbers of checked uploads."""

    upload: Upload
    lines: list[ZipMember]
    left_out: Short
    editable: bool
    moving: bool
    ready: int
    unconfirmed: int
    no_worker: bool


@login_required
@require_safe
def upload_zip(request: HttpRequest, pk: int, *, live: bool = False) -> HttpResponse:
    """With `live`, only the part that changes."""
    uploads = _uploads_of_zip(request, pk)
    first, states = uploads[0], [upload.state for upload in uploads]
    ready = sum(map(is_ready, uploads))
    page = ZipPage(
        upload=first,
        lines=[ZipMember.of(upload, request.user) for upload in uploads],
        left_out=Short.of(first.left_out or (), MOST_SHOWN),
        editable=Upload.objects.editable_by(request.user).filter(pk=first.pk).exists(),
        moving=any(state in UploadState.moving() for state in states),
        ready=ready,
        unconfirmed=states.count(UploadState.CHECKED) - ready,
        no_worker=any(state in WAITING for state in states) and not living_workers(QUEUE),
    )
    parts = "submissions/zip.html", "submissions/_zip_live.html"
    return live_page(request, *parts, page, moving=page.moving, only_live=live)


@action_on("upload-zip")
def upload_zip_confirm(request: HttpRequest, *, pk: int) -> HttpResponse:
    """Submits every checked file that needs no confirmation, until the team has no room. Repeating
    it has no further effect."""
    checked = [upload for upload in _uploads_of_zip(request, pk) if is_ready(upload)]
    closed = [upload.member for upload in checked if not confirm_upload(upload=upload)]
    if closed:
        words = _("Not submitted: %(names)s. Open them to see why.")
        messages.warning(request, words % {"names": ", ".join(closed)})
    return redirect("upload-zip", pk)


def _uploads_of_zip(request: HttpRequest, pk: int) -> list[Upload]:
    """The zip's uploads, the first one first. Raises Http404 if the user may see none."""
    rows = get_list_or_404(_uploads(request).filter(batch=pk).order_by("pk"))
    record_access(request, rows[0])
    return rows
