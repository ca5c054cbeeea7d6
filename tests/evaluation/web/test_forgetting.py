"""What nobody needs any more is deleted, and nothing beside it."""

import os
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.core.files.uploadedfile import SimpleUploadedFile, UploadedFile
from django.utils import timezone
from django.utils.datastructures import MultiValueDict
from pytest_django.fixtures import Settings

from evaluation.management.commands.reconcile import tidy
from leaderboard.mail.models import OutgoingMail
from leaderboard.site_admin.benchmark_forms import ImportForm
from leaderboard.submissions.intake import ORPHAN_SECONDS, forget_orphans
from leaderboard.submissions.models import Upload
from tests.evaluation.web.test_intake import received
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database


def aged(path: Path, seconds: float = ORPHAN_SECONDS + 60) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    os.utime(path, (time.time() - seconds,) * 2)
    return path


def test_files_that_no_upload_names_are_deleted_after_a_day(
    cast: Cast, uploads: Path, settings: Settings
) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = uploads / "incoming"
    mine = aged(Path(received(cast).file.path))
    zip_of_two = aged(Path(received(cast).file.path))
    Upload.objects.filter(file__endswith=zip_of_two.name).update(member="a.jsonl")
    orphan, incoming = uploads / "2026/01/predictions-1", uploads / "incoming" / "x.upload.z"
    kept = [
        *(mine, zip_of_two),
        # A request may still be storing these.
        aged(orphan.with_name("predictions-2"), ORPHAN_SECONDS - 60),
        aged(incoming.with_name("y.upload"), ORPHAN_SECONDS - 60),
        # Not of uploads.
        *(aged(uploads / name) for name in ("2026/01/notes", "predictions", "of/us/predictions")),
    ]
    for path in (orphan, incoming):
        aged(path)
    cut_off = uploads / "incoming" / "assay-import-x"
    aged(cut_off / "tasks" / "a.jsonl")
    os.utime(cut_off, (time.time() - ORPHAN_SECONDS - 60,) * 2)
    forget_orphans()
    assert not cut_off.exists()
    assert {path for path in uploads.rglob("*") if path.is_file()} == {*kept}


def test_imports_unpack_where_the_reconciler_tidies(
    db: None, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path / "incoming"
    settings.FILE_UPLOAD_TEMP_DIR.mkdir()
    places: list[Path] = []
    monkeypatch.setattr(
        "leaderboard.site_admin.benchmark_forms.import_revision",
        lambda *, tasks, **_: places.append(tasks.parents[2]),
    )
    tasks: UploadedFile[Any] = SimpleUploadedFile("tasks.jsonl", b"{}")
    files = MultiValueDict({"tasks": [tasks]})
    form = ImportForm({"family": "rucodeeval", "label": "1"}, files)
    assert form.is_valid(), form.errors
    form.imported()
    assert places == [settings.FILE_UPLOAD_TEMP_DIR]


def test_mail_that_was_given_up_goes_after_a_month(db: None) -> None:
    for days in (29, 31):
        OutgoingMail.objects.create(
            content=b"", sender="", given_up=timezone.now() - timedelta(days=days)
        )
    waiting = OutgoingMail.objects.create(content=b"", sender="")
    OutgoingMail.objects.update(created=timezone.now() - timedelta(days=90))
    tidy()
    left = OutgoingMail.objects.order_by("pk").values_list("pk", flat=True)
    assert [*left] == [waiting.pk - 2, waiting.pk]


def test_the_reconciler_deletes_expired_sessions_and_orphans_and_nothing_else(
    cast: Cast, uploads: Path
) -> None:
    now, orphan = timezone.now(), aged(uploads / "2026/01/predictions-1")
    mine = aged(Path(received(cast).file.path))
    for number, seconds in enumerate((-1, -2, 60, 3600)):
        expires = now + timedelta(seconds=seconds)
        Session.objects.create(session_key=str(number), session_data="", expire_date=expires)
    tidy()
    assert [*Session.objects.order_by("pk").values_list("pk", flat=True)] == ["2", "3"]
    assert (orphan.exists(), mine.exists()) == (False, True)
