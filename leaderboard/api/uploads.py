"""Files: checked, uploaded, submitted, discarded."""

from django.http import HttpRequest
from django.shortcuts import get_object_or_404
from ninja import File, Form, Router, UploadedFile
from ninja.responses import Status

from evaluation.work.actions import confirm_upload, discard_upload, submit_file
from leaderboard.accounts.models import Entrant, Scope
from leaderboard.api.access import Needs, user_in
from leaderboard.api.once import settle
from leaderboard.api.problems import REFUSALS, Fault, Refused
from leaderboard.api.records import Confirmation, NewUpload, UploadRecord
from leaderboard.messages import in_readers_language
from leaderboard.submissions.intake import open_benchmarks, report_of
from leaderboard.submissions.models import Upload, UploadState
from leaderboard.text import storable

# An upload saves its row and its answer in one transaction, after its file.
files, router = Router(tags=["uploads"]), Router(tags=["uploads"])
_ANSWERS = {200: UploadRecord, 201: UploadRecord, 202: UploadRecord, **REFUSALS}


def _own(request: HttpRequest, public_id: str) -> Upload:
    rows = Upload.objects.editable_by(request.user)
    rows = rows.select_related("entrant__team", "revision__benchmark")
    return get_object_or_404(rows, public_id=storable(public_id))


@files.post("/uploads", auth=Needs(Scope.SUBMIT), response=_ANSWERS)
def upload_new(
    request: HttpRequest, new: Form[NewUpload], file: File[UploadedFile]
) -> Status[UploadRecord]:
    """Stores the file and has it checked. Ask for the upload until it is over."""
    user = user_in(request)
    if not user.confirmed:
        raise Refused(403, "Confirm your e-mail first: your account page sends the link.")
    benchmark = next((b for b in open_benchmarks(user) if b.slug == new.benchmark), None)
    if benchmark is None or benchmark.current is None:
        raise Refused(422, f"No benchmark {new.benchmark} accepts submissions now.")
    entrants = Entrant.objects.editable_by(user).select_related("team").order_by("pk")
    if new.entrant or not new.check:
        entrants = entrants.filter(slug=storable(new.entrant))
    entrant = entrants.first()
    if entrant is None:
        named = f"no entrant {new.entrant}" if new.entrant else "no entrant yet"
        where = "on your team's page or by POST team/entrants"
        raise Refused(422, f"Your team has {named}. Create one {where}.")
    answers: list[Status[UploadRecord]] = []

    def entered(row: Upload) -> None:
        answers.append(Status(201, UploadRecord.model_validate(row)))
        settle(request, answers[0])

    submit_file(
        user=user,
        entrant=entrant,
        revision=benchmark.current,
        setting=new.setting or benchmark.setting,
        file=file,
        only_check=new.check,
        entered=entered,
    )
    return answers[0]


@router.get("/uploads/{public_id}", auth=Needs(Scope.READ), response=_ANSWERS)
def upload(request: HttpRequest, public_id: str) -> UploadRecord:
    return UploadRecord.model_validate(_own(request, public_id))


@router.post("/uploads/{public_id}/submit", auth=Needs(Scope.SUBMIT), response=_ANSWERS)
def upload_submit(
    request: HttpRequest, public_id: str, confirmation: Confirmation
) -> Status[UploadRecord]:
    """Has a checked file stored and judged. Repeating it has no further effect."""
    row = _own(request, public_id)
    report = report_of(row)
    if row.state == UploadState.CHECKED and report is not None:
        sentences = map(in_readers_language, report.confirmations)
        missing = [s for s in sentences if s not in confirmation.confirmed]
        if faults := [Fault(detail=sentence) for sentence in missing]:
            raise Refused(409, "Confirm what the report says of the file: see errors.", faults)
        if not confirm_upload(upload=row) and not row.revision.benchmark.accepts:
            raise Refused(409, f"{row.revision.benchmark} does not accept submissions now.")
        row.refresh_from_db()
    elif row.state not in (*UploadState.submitted(), UploadState.STORED):
        raise Refused(409, f"Only a checked upload can be submitted; this one is {row.state}.")
    return Status(202, UploadRecord.model_validate(row))


@router.post("/uploads/{public_id}/discard", auth=Needs(Scope.SUBMIT), response=_ANSWERS)
def upload_discard(request: HttpRequest, public_id: str) -> Status[UploadRecord]:
    """Deletes the file. Repeating it has no further effect."""
    row = _own(request, public_id)
    if row.state != UploadState.DISCARDED and not discard_upload(upload=row):
        raise Refused(409, f"An upload that is {row.state} cannot be discarded.")
    row.refresh_from_db()
    return Status(200, UploadRecord.model_validate(row))
