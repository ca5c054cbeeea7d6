"""Tests of files that are made to harm their reader, through the job that reads them. The reader's
own are in tests/evaluation/engine/uploads."""

import gzip
import io
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.submissions.intake import Understood
from leaderboard.submissions.models import UploadState
from tests.leaderboard.addresses.marked import MEMBER, Site, uploaded
from tests.leaderboard.addresses.visiting import visitor

MIB = 2**20
SECONDS = 20


FILES: dict[str, Callable[[], bytes]] = {
    "JSON as deep as parsers go": lambda: (
        b'{"task_id": 0, "completion": ' + b"[" * 1015 + b"]" * 1015 + b"}"
    ),
    "a huge number": lambda: b'{"task_id": ' + b"9" * 2_000_000 + b', "completion": "x"}',
    "a strange id": lambda: b'{"task_id": "\\u001b[31m\\u202e\\u0000\\ud800", "completion": ""}',
    "100,000 wrong lines": lambda: b'{"task_id": "none", "completion": ""}\n' * 100_000,
}


def test_a_hostile_file_is_refused_in_words(site: Site) -> None:
    for name, content in FILES.items():
        began = time.process_time()
        upload = uploaded(site.larch, site.benchmark, "hostile", content())
        assert time.process_time() - began < SECONDS, name
        assert upload.state == UploadState.REFUSED, name
        report = Understood.of(upload)
        assert 1 <= len(report.problems) <= 100, name
        assert all(len(problem.sentence) < 2000 for problem in report.problems), name
        page = visitor(site, MEMBER).get(upload.get_absolute_url())
        assert (page.status_code, len(page.content) < MIB) == (200, True), name


@pytest.mark.any_database
def test_a_bomb_takes_little_memory(site: Site) -> None:
    bomb = gzip.compress(b'{"task_id": 0, "completion": "' + b"x" * 128 * MIB, 1)
    tracemalloc.start()
    uploaded(site.larch, site.benchmark, "bomb", bomb)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 64 * MIB


@pytest.mark.any_database
def test_what_a_zip_names_is_written_nowhere(site: Site) -> None:
    line = b'{"task_id": 0, "completion": "x"}'
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        file.writestr("../../escaped.jsonl", line)
    upload = uploaded(site.larch, site.benchmark, "z.zip", out.getvalue())
    folder = upload.file.storage.path("")
    assert upload.state == UploadState.CHECKED
    assert not list(Path(folder).parent.rglob("escaped*"))
