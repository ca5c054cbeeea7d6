"""With a full disk, an upload gets a sentence and leaves nothing, and pages are read."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.test import Client, RequestFactory
from django.urls import reverse
from pytest_django.fixtures import Settings

from leaderboard.healthy import storage_is_writable
from leaderboard.pages.errors import server_error
from leaderboard.submissions.models import Upload
from tests.support.cast import Cast, predictions

pytestmark = pytest.mark.any_database
# Django writes files over 2.5 MiB to a disk while they arrive.
SMALL, LARGE = 300_000, 3_000_000
SENTENCE = "The disk of this site is full"


@pytest.fixture
def disk(settings: Settings, tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB with the site's uploads."""
    place = tmp_path / "uploads"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "assay-test", str(place)]
    done = subprocess.run(mount, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip(f"needs to mount a file system: {done.stderr.strip()}")
    settings.MEDIA_ROOT, settings.FILE_UPLOAD_TEMP_DIR = place, place / "incoming"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir()
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> Path:
    filler = disk / "filler"
    with pytest.raises(OSError, match="No space left"), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    return filler


@pytest.fixture
def client(cast: Cast) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(cast.alice)
    return client


@pytest.mark.parametrize("size", [SMALL, LARGE], ids=["in memory", "written on arrival"])
@pytest.mark.parametrize("room", [0, 100_000], ids=["no room", "room for a part"])
def test_an_upload_gets_a_sentence_and_leaves_nothing(
    cast: Cast, client: Client, disk: Path, size: int, room: int
) -> None:
    entrant = cast.entrant()

    def submit() -> int:
        content = predictions(cast.rucodeeval).ljust(size)
        data = {
            "board": f"{cast.rucodeeval.slug}/base",
            "entrant": entrant.slug,
            "file": SimpleUploadedFile("x.jsonl", content),
        }
        page = client.post(reverse("submit"), data)
        assert (SENTENCE in page.text) == (page.status_code == 507)
        return page.status_code

    filler = fill(disk)
    with filler.open("r+b") as file:
        file.truncate(filler.stat().st_size - room)
    assert submit() == 507
    assert [path for path in disk.rglob("*") if path.is_file()] == [filler]
    assert Upload.objects.count() == 0
    assert storage_is_writable(disk) == bool(room)
    for name in ("home", "submit", "submissions"):
        assert client.get(reverse(name)).status_code == 200
    filler.unlink()
    assert submit() == 302
    assert (Upload.objects.count(), storage_is_writable(disk)) == (1, True)


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("database or disk is full", 507),
        ('could not extend file "base/16384/2608": No space left on device', 507),
        ("server closed the connection unexpectedly", 503),
    ],
)
def test_a_database_on_a_full_disk_is_told_from_one_that_is_away(said: str, status: int) -> None:
    try:
        raise OperationalError(said)
    except OperationalError:
        assert server_error(RequestFactory().get("/")).status_code == status
