"""Sends a prediction file from the command line, by the browser's steps, and waits for scores."""

import time
from collections.abc import Callable
from pathlib import Path

from django.core.files.base import File

from evaluation.models import Evaluation, EvaluationState
from evaluation.state.progress import progress
from evaluation.work import actions
from leaderboard.submissions.intake import Understood
from leaderboard.submissions.models import Submission, Upload, UploadState

LOOK_SECONDS = 0.2
# The database takes a moment to count the progress of a large evaluation.
PROGRESS_SECONDS = 0.5

Say = Callable[[str], None]


def send(path: Path, submit: Callable[..., Upload | list[Upload]]) -> list[Upload]:
    """Waits until each upload is CHECKED or REFUSED. `submit` is `actions.submit_file` or
    `submit_zip` with all arguments but the file. Raises UploadError, OSError."""
    with path.open("rb") as content:
        uploads = submit(file=File(content, name=path.name))
    return [_settled(upload) for upload in (uploads if isinstance(uploads, list) else [uploads])]


def submit_checked(upload: Upload, *, confirmed: bool) -> Submission | None:
    """Returns None if the report asks for confirmations that are not `confirmed`. Raises
    UploadError if the upload's team has no room for it."""
    if Understood.from_upload(upload).confirmations and not confirmed:
        return None
    actions.confirm_upload(upload=upload)
    return _settled(upload).submissions.get()


def _settled(upload: Upload) -> Upload:
    while upload.state in UploadState.moving():
        time.sleep(LOOK_SECONDS)
        upload.refresh_from_db()
    return upload


def wait_for_scores(submission: Submission, say: Say = lambda _: None) -> Evaluation:
    """Waits until the submission's evaluation is over. Calls `say` on every change."""
    evaluation = submission.evaluations.get(current=True)
    said = ""
    while evaluation.state in EvaluationState.moving():
        now = progress(evaluation)
        line = " - ".join((f"{now.judged:,} of {now.total:,}", *now.remarks))
        if line != said:
            say(line)
            said = line
        time.sleep(PROGRESS_SECONDS)
        evaluation.refresh_from_db()
    return evaluation
