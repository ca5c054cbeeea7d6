"""Helpers of the page tests: visitors, and uploads that are processed without workers."""

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from evaluation.work.actions import confirm_upload, submit_file
from leaderboard.accounts.models import Entrant, User
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark
from leaderboard.submissions.intake import (
    check_upload,
    claim_upload,
    finish_submission,
    store_generations,
)
from leaderboard.submissions.models import Submission, Upload, UploadState
from tests.support.cast import FAMILIES

SCRIPT = "<script>alert(1)</script>"
ESCAPED = "&lt;script&gt;alert(1)&lt;/script&gt;"


def sample(slug: str, tasks: str = "tasks.jsonl") -> Benchmark:
    """The benchmark of a family's sample."""
    folder = FAMILIES / slug / "sample"
    answers = folder / "answers.jsonl"
    return import_revision(
        family_slug=slug,
        tasks=folder / tasks,
        answers=answers if answers.exists() else None,
        label="sample",
    ).benchmark


def visitor(user: User | None = None) -> Client:
    """A browser, signed in as that person."""
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def received(
    entrant: Entrant,
    user: User,
    benchmark: Benchmark,
    content: bytes,
    name: str = "base.jsonl",
    setting: str = "",
) -> Upload:
    """An upload that waits to be checked."""
    assert benchmark.current is not None
    return submit_file(
        user=user,
        entrant=entrant,
        revision=benchmark.current,
        setting=setting or benchmark.setting,
        file=SimpleUploadedFile(name, content),
    )


def checked(*args: object, **kwargs: object) -> Upload:
    """An upload with its report."""
    upload = received(*args, **kwargs)  # type: ignore[arg-type]  # as received() has them
    claimed = claim_upload(pk=upload.pk, owner="a test", state=UploadState.RECEIVED)
    assert claimed is not None and check_upload(upload=claimed)
    upload.refresh_from_db()
    return upload


def stored(upload: Upload) -> Submission:
    """The submission of a checked upload."""
    assert confirm_upload(upload=upload)
    claimed = claim_upload(pk=upload.pk, owner="a test", state=UploadState.CONFIRMED)
    assert claimed is not None
    submission = store_generations(upload=claimed)
    finish_submission(upload=claimed, submission=submission)
    return submission
