"""Tests of zips with a dataset: unpacked within bounds, or rejected with a sentence."""

import zipfile
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.errors import BenchmarkError
from leaderboard.benchmarks import archives
from leaderboard.benchmarks.archives import unpacked
from leaderboard.benchmarks.models import Task
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.cast import FAMILIES, Cast

pytestmark = pytest.mark.any_database

SAMPLE = FAMILIES / "rucodeeval/sample"


def packed(folder: Path, *names: str, text: str = "1", called: str = "set.zip") -> Path:
    path = folder / called
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name in names:
            made.writestr(zipfile.ZipInfo(name), text)
    return path


def files(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize(
    ("called", "names", "expected"),
    [
        ("set.zip", ("src/main/A.java", "lib/b.jar"), ["lib/b.jar", "src/main/A.java"]),
        ("set.zip", ("src/A.java", "src/B.java"), ["src/A.java", "src/B.java"]),
        # The folder of a repository's archive is passed.
        (
            "set-main (1).zip",
            ("set-main/src/A.java", "set-main/README.md"),
            ["README.md", "src/A.java"],
        ),
    ],
)
def test_folders_come_out_as_they_were(
    tmp_path: Path, called: str, names: tuple[str, ...], expected: list[str]
) -> None:
    assert files(unpacked(packed(tmp_path, *names, called=called), tmp_path / "out")) == expected


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("../a",), "contains a path outside of it: ../a"),
        (("/etc/passwd",), "contains a path outside"),
        (("a\\..\\b",), "contains a path outside"),
        ((), "contains no file"),
        (("a", "a"), "the same name"),
        (("a", "b", "c"), "more than 2 files"),
        (("a", "a/b"), "cannot be read"),
    ],
)
def test_names_that_are_no_dataset_s_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, ...], said: str
) -> None:
    monkeypatch.setattr(archives, "MOST_FILES", 2)
    with pytest.raises(BenchmarkError, match=said):
        unpacked(packed(tmp_path, *names), tmp_path / "out")
    outside = set(files(tmp_path)) - {"set.zip", "out/a", "out/a/b"}
    assert outside == set()


@given(st.lists(st.text(st.sampled_from("ab./\\"), min_size=1, max_size=8), max_size=6))
def test_whatever_is_named_stays_inside(
    tmp_path_factory: pytest.TempPathFactory, names: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("zip")
    path = packed(folder, *dict.fromkeys(names))
    with suppress(BenchmarkError):
        unpacked(path, folder / "out")
    inside = {path.name, *(f"out/{name}" for name in files(folder / "out"))}
    assert set(files(folder)) == inside


def test_a_member_without_a_name_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, "name")
    path.write_bytes(path.read_bytes().replace(b"name", b"\0ame"))
    with pytest.raises(BenchmarkError, match="contains a path outside"):
        unpacked(path, tmp_path / "out")


def test_a_link_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "set.zip"
    link = zipfile.ZipInfo("a")
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(link, "/etc/passwd")
    with pytest.raises(BenchmarkError, match="contains a link: a"):
        unpacked(path, tmp_path / "out")


def test_what_unpacks_to_too_much_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "MOST_BYTES", 2**20)
    path = packed(tmp_path, "a", "b", text="0" * (2**20 - 1))
    with pytest.raises(BenchmarkError, match="more than 1 MiB"):
        unpacked(path, tmp_path / "out")


def test_a_broken_zip_says_so(tmp_path: Path) -> None:
    path = packed(tmp_path, "a", text="1" * 1000)
    content = bytearray(path.read_bytes())
    content[40] ^= 255
    path.write_bytes(content)
    with pytest.raises(BenchmarkError, match="The zip cannot be read"):
        unpacked(path, tmp_path / "out")


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_what_may_allocate_as_the_zip_says_is_refused(tmp_path: Path, packing: int) -> None:
    path = tmp_path / "set.zip"
    with zipfile.ZipFile(path, "w", packing) as made:
        made.writestr("tasks.jsonl", "{}")
    with pytest.raises(BenchmarkError, match="a rare kind of compression"):
        unpacked(path, tmp_path / "out")


def test_what_wants_a_password_is_refused(tmp_path: Path) -> None:
    path = packed(tmp_path, "a.json")
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"PK\x01\x02") + 8] |= 0x1
    path.write_bytes(raw)
    with pytest.raises(BenchmarkError, match="packed with a password"):
        unpacked(path, tmp_path / "out")


def sent(cast: Cast, path: Path) -> HttpResponse:
    """The answer to staff who send the zip under the name of the tasks, with the sample's answers:
    its content tells that it is a zip."""
    client = visitor(cast.dora)
    answers = SimpleUploadedFile("answers.jsonl", (SAMPLE / "answers.jsonl").read_bytes())
    tasks = SimpleUploadedFile("tasks.jsonl", path.read_bytes())
    fields = {"family": "rucodeeval", "label": "2026-05", "tasks": tasks, "answers": answers}
    return client.post("/admin/benchmarks/benchmark/import/", fields)


def test_staff_may_send_a_zip_with_the_tasks(cast: Cast, tmp_path: Path) -> None:
    text = (SAMPLE / "tasks.jsonl").read_text("utf-8")
    assert sent(cast, packed(tmp_path, "tasks.jsonl", text=text)).status_code == 302
    assert Task.objects.count() == 12
