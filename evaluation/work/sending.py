"""Sends a prediction file from the command line, by the browser's steps, and waits for scores."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

from django.core.files.base import File

from evaluation.models import Evaluation, EvaluationState
from evaluation.state.progress import progress
from evaluation.work import actions
from leaderboard.accounts.models import Entrant, User
from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.submissions.members import Destination
from leaderboard.submissions.models import Submission, Upload, UploadState

LOOK_SECONDS = 0.2
# The database takes a moment to count the progress of a large evaluation.
PROGRESS_SECONDS = 0.5

Say = Callable[[str], None]


def send_file(
    path: Path, *, entrant: Entrant, revision: Revision, setting: str, user: User | None = None
) -> Upload:
    """Waits until the file is CHECKED or REFUSED. Raises UploadError, OSError."""
    with path.open("rb") as file:
        upload = actions.submit_file(
            user=user,
            entrant=entrant,
            revision=revision,
            setting=setting,
            file=File(file, name=path.name),
        )
    return _settled(upload)


def send_zip(
    path: Path, *, entrant: Entrant, chosen: Destination, benchmarks: Sequence[Benchmark]
) -> list[Upload]:
    """As send_file, but a zip with files for several boards becomes an upload for each."""
    with path.open("rb") as file:
        uploads = actions.submit_zip(
            user=None,
            entrant=entrant,
            chosen=chosen,
            file=File(file, name=path.name),
            benchmarks=benchmarks,
        )
    return [_settled(upload) for upload in uploads]


def submit_checked(upload: Upload) -> Submission:
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
        line = f"{now.judged:,} of {now.total:,}" + "".join(f" - {one}" for one in now.remarks)
        if line != said:
            say(line)
            said = line
        time.sleep(PROGRESS_SECONDS)
        evaluation.refresh_from_db()
    return evaluation
