"""Files are hashed, copied and opened outside any transaction, and removed if their rows fail."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.files.base import ContentFile, File
from django.db import IntegrityError, connection
from pytest_django.fixtures import Settings

from evaluation.engine.errors import UploadError
from evaluation.work import actions
from leaderboard.accounts.models import User
from leaderboard.benchmarks.models import Benchmark
from leaderboard.generation import runs
from leaderboard.generation.models import Run, RunState
from leaderboard.generation.runs import Made
from leaderboard.submissions.members import Destination
from leaderboard.submissions.models import Declaration, Upload
from tests.evaluation.engine.uploads.conftest import zipped
from tests.support.cast import Cast, predictions
from tests.support.ordering import ordered

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("uploads")]

Submit = Callable[..., object]


@pytest.fixture
def in_transactions(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether a transaction is open, each time that a file is read or a zip is opened."""
    calls = list[bool]()

    def noted(call: Callable[..., object]) -> Callable[..., object]:
        def run(*arguments: object, **options: object) -> object:
            calls.append(connection.in_atomic_block)
            return call(*arguments, **options)

        return run

    monkeypatch.setattr(File, "chunks", noted(File.chunks))
    monkeypatch.setattr(zipfile, "ZipFile", noted(zipfile.ZipFile))
    return calls


def both_settings(cast: Cast) -> bytes:
    base, two_round = (predictions(cast.codeif, setting=one) for one in ("base", "two_round"))
    return zipped({"base/x.jsonl": base, "multi_round/x.jsonl": two_round})


def submit_file(cast: Cast, file: File[bytes], user: User | None) -> Upload:
    revision = cast.codeif.current
    assert revision is not None
    return actions.submit_file(
        user=user, entrant=cast.entrant(), revision=revision, setting="base", file=file
    )


def submit_zip(cast: Cast, file: File[bytes], user: User | None) -> list[Upload]:
    return actions.submit_zip(
        user=user,
        entrant=cast.entrant(),
        chosen=Destination(cast.codeif, "base"),
        file=file,
        benchmarks=[cast.codeif],
    )


def gone() -> User:
    """A deleted user: a row that refers to it cannot be committed."""
    user = User.objects.create_user("gone@example.org")
    User.objects.filter(pk=user.pk).delete()
    return user


def files(uploads: Path) -> list[Path]:
    return [path for path in uploads.rglob("*") if path.is_file()]


@pytest.fixture
def run(cast: Cast, settings: Settings) -> Run:
    settings.ENDPOINT_RUNS, settings.ENDPOINTS = 1, ["https://veiled-endpoint.example"]
    run = runs.claim_run(pk=ordered(cast).pk, owner="asker")
    assert run is not None
    return run


@pytest.fixture
def made(cast: Cast, tmp_path: Path) -> Made:
    path = tmp_path / "made.jsonl"
    path.write_bytes(predictions(cast.rucodeeval))
    return Made(path, lost=0)


@pytest.mark.parametrize("submit", [submit_file, submit_zip])
def test_a_file_is_hashed_copied_and_opened_outside_a_transaction(
    cast: Cast, in_transactions: list[bool], submit: Submit
) -> None:
    uploads = submit(cast, ContentFile(both_settings(cast), name="x.zip"), cast.alice)
    assert in_transactions and not any(in_transactions)
    if isinstance(uploads, list):
        assert [upload.batch for upload in uploads] == [uploads[0], uploads[0]]


@pytest.mark.parametrize("submit", [submit_file, submit_zip])
def test_a_file_whose_rows_cannot_be_written_is_removed(
    cast: Cast, uploads: Path, submit: Submit
) -> None:
    with pytest.raises(IntegrityError):
        submit(cast, ContentFile(both_settings(cast), name="x.zip"), gone())
    assert (files(uploads), Upload.objects.count()) == ([], 0)


@pytest.mark.parametrize("submit", [submit_file, submit_zip])
def test_a_file_that_no_declaration_fits_is_removed(
    cast: Cast, uploads: Path, submit: Submit
) -> None:
    Benchmark.objects.filter(pk=cast.codeif.pk).update(declared=True)
    cast.codeif.refresh_from_db()
    cast.codeif.current.benchmark.refresh_from_db()  # type: ignore[union-attr]
    with pytest.raises(UploadError, match="Declare"):
        submit(cast, ContentFile(both_settings(cast), name="x.zip"), cast.alice)
    assert (files(uploads), Upload.objects.count()) == ([], 0)


def test_the_answers_of_a_run_are_copied_outside_a_transaction(
    run: Run, made: Made, in_transactions: list[bool]
) -> None:
    upload = actions.submit_made(run=run, made=made)
    run.refresh_from_db()
    assert (run.state, run.upload) == (RunState.FINISHED, upload)
    assert in_transactions and not any(in_transactions)


def test_a_run_whose_claim_is_lost_leaves_no_upload_and_no_file(
    run: Run, made: Made, uploads: Path
) -> None:
    Benchmark.objects.filter(pk=run.revision.benchmark_id).update(declared=True)
    Run.objects.filter(pk=run.pk).update(attempt=run.attempt + 1)
    assert actions.submit_made(run=run, made=made) is None
    assert (files(uploads), made.path.exists()) == ([], False)
    assert (Upload.objects.count(), Declaration.objects.count()) == (0, 0)


def test_a_run_whose_upload_cannot_be_written_keeps_its_answers(
    run: Run, made: Made, uploads: Path
) -> None:
    run.user = gone()
    with pytest.raises(IntegrityError):
        actions.submit_made(run=run, made=made)
    run = Run.objects.get()
    assert (run.state, run.upload) == (RunState.RUNNING, None)
    assert (files(uploads), made.path.exists()) == ([], True)
