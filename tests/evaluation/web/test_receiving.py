"""Files are hashed, copied and opened outside any transaction, and removed if their rows fail."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PosixPath

import pytest
from django.core.files.base import ContentFile, File
from django.db import IntegrityError, connection
from pytest_django.fixtures import Settings

from evaluation.engine.errors import UploadError
from evaluation.work import actions
from leaderboard.accounts.models import Entrant, User
from leaderboard.benchmarks.models import Benchmark
from leaderboard.generation import runs
from leaderboard.generation.models import Run, RunState
from leaderboard.generation.runs import Made
from leaderboard.submissions.members import Destination
from leaderboard.submissions.models import Declaration, Upload
from tests.support.cast import Cast, predictions
from tests.support.ordering import ordered

pytestmark = pytest.mark.django_db(transaction=True)

Submit = Callable[..., object]


@pytest.fixture(autouse=True)
def folder(settings: Settings, tmp_path: Path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return tmp_path / "uploads"


class Watched(io.BytesIO):
    """Records at each read whether a transaction is open."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.inside = list[bool]()

    def read(self, size: int | None = -1, /) -> bytes:
        self.inside.append(connection.in_atomic_block)
        return super().read(size)


class Place(PosixPath):
    """A path whose file is watched."""

    watched: Watched

    def open(self, *_: object, **__: object) -> Watched:  # type: ignore[override]
        self.watched = Watched(self.read_bytes())
        return self.watched

    def read_bytes(self) -> bytes:
        return Path(self).read_bytes()


class Listed(list[Benchmark]):
    """Records whether a transaction is open when it is read, which is after the names of the zip's
    files."""

    def __init__(self, *benchmarks: Benchmark) -> None:
        super().__init__(benchmarks)
        self.inside = list[bool]()

    def __iter__(self) -> Iterator[Benchmark]:
        self.inside.append(connection.in_atomic_block)
        return super().__iter__()


def zipped(cast: Cast) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, setting in (("base", "base"), ("multi_round", "two_round")):
            archive.writestr(f"{name}/x.jsonl", predictions(cast.codeif, setting=setting))
    return target.getvalue()


def submit_file(cast: Cast, file: File[bytes], user: User | None) -> Upload:
    revision = cast.codeif.current
    assert revision is not None
    return actions.submit_file(
        user=user, entrant=cast.entrant(), revision=revision, setting="base", file=file
    )


def submit_zip(
    cast: Cast, file: File[bytes], user: User | None, listed: list[Benchmark] | None = None
) -> list[Upload]:
    return actions.submit_zip(
        user=user,
        entrant=Entrant.objects.first() or cast.entrant(),
        chosen=Destination(cast.codeif, "base"),
        file=file,
        benchmarks=[cast.codeif] if listed is None else listed,
    )


def gone() -> User:
    """A deleted user: a row that refers to it cannot be committed."""
    user = User.objects.create_user("gone@example.org")
    User.objects.filter(pk=user.pk).delete()
    return user


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


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
def test_a_file_is_hashed_and_copied_outside_a_transaction(cast: Cast, submit: Submit) -> None:
    stream = Watched(zipped(cast))
    submit(cast, File(stream, name="x.zip"), cast.alice)
    assert stream.inside and not any(stream.inside)


def test_a_zip_is_opened_outside_a_transaction(cast: Cast) -> None:
    listed = Listed(cast.codeif)
    uploads = submit_zip(cast, ContentFile(zipped(cast), name="x.zip"), cast.alice, listed)
    assert [one.batch for one in uploads] == [uploads[0], uploads[0]]
    assert listed.inside and not any(listed.inside)


@pytest.mark.parametrize("submit", [submit_file, submit_zip])
def test_a_file_whose_rows_cannot_be_written_is_removed(
    cast: Cast, folder: Path, submit: Submit
) -> None:
    with pytest.raises(IntegrityError):
        submit(cast, ContentFile(zipped(cast), name="x.zip"), gone())
    assert (files(folder), Upload.objects.count()) == ([], 0)


@pytest.mark.parametrize("submit", [submit_file, submit_zip])
def test_a_file_that_no_declaration_fits_is_removed(
    cast: Cast, folder: Path, submit: Submit
) -> None:
    Benchmark.objects.filter(pk=cast.codeif.pk).update(declared=True)
    cast.codeif.refresh_from_db()
    cast.codeif.current.benchmark.refresh_from_db()  # type: ignore[union-attr]
    with pytest.raises(UploadError, match="Declare"):
        submit(cast, ContentFile(zipped(cast), name="x.zip"), cast.alice)
    assert (files(folder), Upload.objects.count()) == ([], 0)


def test_the_answers_of_a_run_are_copied_outside_a_transaction(run: Run, made: Made) -> None:
    path = Place(made.path)
    upload = actions.submit_made(run=run, made=Made(path, lost=0))
    run.refresh_from_db()
    assert (run.state, run.upload) == (RunState.FINISHED, upload)
    assert path.watched.inside and not any(path.watched.inside)


def test_a_run_whose_claim_is_lost_leaves_no_upload_and_no_file(
    run: Run, made: Made, folder: Path
) -> None:
    Benchmark.objects.filter(pk=run.revision.benchmark_id).update(declared=True)
    Run.objects.filter(pk=run.pk).update(attempt=run.attempt + 1)
    assert actions.submit_made(run=run, made=made) is None
    assert (files(folder), made.path.exists()) == ([], False)
    assert (Upload.objects.count(), Declaration.objects.count()) == (0, 0)


def test_a_run_whose_upload_cannot_be_written_keeps_its_answers(
    run: Run, made: Made, folder: Path
) -> None:
    run.user = gone()
    with pytest.raises(IntegrityError):
        actions.submit_made(run=run, made=made)
    run = Run.objects.get()
    assert (run.state, run.upload) == (RunState.RUNNING, None)
    assert (files(folder), made.path.exists()) == ([], True)
