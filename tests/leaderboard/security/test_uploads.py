"""Tests of files that are made to harm their reader, through the job that reads them."""

import gzip
import io
import tracemalloc
import zipfile
from collections.abc import Callable, Collection
from pathlib import Path

import pytest

from evaluation import jobs
from evaluation.work.actions import confirm_upload
from leaderboard.submissions.intake import Understood
from leaderboard.submissions.models import UploadState
from tests.leaderboard.addresses.marked import MEMBER, Site, uploaded
from tests.leaderboard.addresses.visiting import visitor
from tests.support.linear import at_most

MIB = 2**20
SECONDS = 20


def zipped(name: str, content: bytes, times: int = 1) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        for number in range(times):
            file.writestr(name.format(number), content)
    return out.getvalue()


def deep(depth: int) -> bytes:
    return b'{"task_id": 0, "completion": ' + b"[" * depth + b"]" * depth + b"}"


FILES: dict[str, Callable[[], bytes]] = {
    "a zip that unpacks to 64 MiB": lambda: zipped("a.jsonl", b"0" * 64 * MIB),
    "a gzip that unpacks to 64 MiB": lambda: gzip.compress(b"0" * 64 * MIB, 1),
    "a gzip in a gzip": lambda: gzip.compress(gzip.compress(b"0" * MIB)),
    "a zip in a zip": lambda: zipped("a.zip", zipped("b.jsonl", b"{}")),
    "a zip of many files": lambda: zipped("{}.jsonl", b"{}", 1500),
    "a zip that is cut off": lambda: zipped("a.jsonl", b"{}")[:-9],
    "deep JSON": lambda: deep(1_000_000),
    "JSON as deep as parsers go": lambda: deep(1015),
    "a deep document": lambda: b'{"data": ' + b"[" * 200_000,
    "a huge number": lambda: b'{"task_id": ' + b"9" * 2_000_000 + b', "completion": "x"}',
    "a number without end": lambda: b'{"task_id": 1e999999, "completion": "x"}',
    "no number": lambda: b'{"task_id": NaN, "completion": "x"}',
    "a line of 40 MiB": lambda: b'{"task_id": 0, "completion": "' + b"x" * 40 * MIB + b'"}',
    "half a pair": lambda: b'{"task_id": 0, "completion": "\\ud800"}',
    "a strange id": lambda: b'{"task_id": "\\u001b[31m\\u202e\\u0000\\ud800", "completion": ""}',
    "keys without end": lambda: b"{" + b'"a": 1,' * 200_000 + b'"task_id": 0}',
    "100,000 wrong lines": lambda: b'{"task_id": "none", "completion": ""}\n' * 100_000,
    "no text": lambda: bytes(range(256)) * 4000,
    "nothing": lambda: b"",
}


# Files whose report holds text that a database may refuse; the others' reports hold ordinary text.
ODD_TEXTS = ("half a pair", "a strange id", "a huge number", "no number", "no text")


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(ODD_TEXTS, id="odd"),
        pytest.param(FILES.keys() - {*ODD_TEXTS}, marks=pytest.mark.any_database, id="others"),
    ],
)
def test_a_hostile_file_is_refused_in_words(site: Site, files: Collection[str]) -> None:
    for name in files:
        content = FILES[name]()
        with at_most(SECONDS, name):
            upload = uploaded(site.larch, site.benchmark, "hostile", content)
        assert upload.state == UploadState.REFUSED, name
        report = Understood.from_upload(upload)
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
    upload = uploaded(site.larch, site.benchmark, "z.zip", zipped("../../escaped.jsonl", line))
    folder = upload.file.storage.path("")
    assert upload.state == UploadState.CHECKED
    assert not list(Path(folder).parent.rglob("escaped*"))


def test_a_file_that_changes_after_its_check_is_not_stored(site: Site) -> None:
    """Only the site writes there; if something else does, only the checked content counts."""
    upload = site.upload
    with Path(upload.file.path).open("ab") as file:
        file.write(b'{"task_id": 0, "completion": "another"}\n')
    assert confirm_upload(upload=upload)
    jobs.store_upload(upload.pk)
    upload.refresh_from_db()
    assert (upload.state, upload.submissions.count()) == (UploadState.REFUSED, 0)
