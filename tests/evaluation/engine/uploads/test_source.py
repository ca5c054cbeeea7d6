"""Archives are unpacked within bounds, and every fault in one is reported."""

import gzip
import random
import struct
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.engine.records import Slot, Task
from evaluation.engine.uploads import Bounds, SlotIndex, UploadReport, check, read
from evaluation.engine.uploads.source import BOUNDS, MIB
from tests.evaluation.engine.uploads.conftest import Put, zipped

GOOD = b'{"task_id": 1, "completion": "x"}\n'


def sentence(path: Path, index: SlotIndex, bounds: Bounds = BOUNDS, family: str = "") -> str:
    (problem,) = check(path, index, bounds, family=family).problems
    return problem.sentence


def test_the_member_named_like_the_family_is_taken(put: Put, index: SlotIndex) -> None:
    other = GOOD.replace(b"1", b"9")
    raw = zipped({"a/ruCodeEval.json": GOOD, "RealCode.json": other, "readme.txt": b"?"})
    report = check(put(raw), index, family="rucodeeval")
    assert (report.ok, report.member) == (True, "a/ruCodeEval.json")
    assert len(list(read(put(raw), index, family="ru_code_eval"))) == 1


def test_a_whole_name_selects_a_member_before_a_name_without_folders(
    put: Put, index: SlotIndex
) -> None:
    raw = zipped({"b/base.json": b"?", "base.json": GOOD, "c/base.json": b"?"})
    assert check(put(raw), index, family="base.json").member == "base.json"
    assert "named like base" in sentence(put(raw), index, family="base")


def test_a_problem_in_a_member_names_it(put: Put, index: SlotIndex) -> None:
    (problem,) = check(put(zipped({"bad\n.json": GOOD + b"x"})), index).problems
    assert str(problem).startswith("bad\\n.json, line 2: This is not valid JSON")


def test_what_a_mac_adds_to_a_zip_is_ignored(put: Put, index: SlotIndex) -> None:
    raw = zipped({"d/": b"", "d/x.json": GOOD, "__MACOSX/d/._x.json": b"?", "d/.DS_Store": b"?"})
    assert check(put(raw), index).ok


@pytest.mark.parametrize(
    ("members", "family", "words"),
    [
        ({}, "", "contains no file"),
        ({"a.json": GOOD, "b.json": GOOD}, "", "contains 2 files: upload only one"),
        (
            {"a.json": GOOD, "b.json": GOOD},
            "real",
            "name the file of this benchmark like real.json",
        ),
        ({"x/a.json": GOOD, "A.jsonl.gz": GOOD}, "a", "2 files in the zip are named like a"),
        ({f"{name}.json": b"" for name in range(6)}, "", "more than 5 files"),
        ({"a.zip": zipped({"b": GOOD})}, "", "packed more than once"),
        ({"a.gz": gzip.compress(gzip.compress(GOOD))}, "", "packed more than once"),
    ],
)
def test_a_zip_must_say_which_file_is_meant(
    members: dict[str, bytes], family: str, words: str, put: Put, index: SlotIndex
) -> None:
    path = put(zipped(members))
    assert words in sentence(path, index, Bounds(members=5), family)


def test_an_encrypted_member_is_refused(put: Put, index: SlotIndex) -> None:
    raw = bytearray(zipped({"a": GOOD}))
    raw[raw.index(b"PK\x01\x02") + 8] |= 1
    assert "encrypted" in sentence(put(bytes(raw)), index)


@pytest.mark.parametrize("method", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_rare_compression_in_a_zip_is_refused(method: int, put: Put, index: SlotIndex) -> None:
    assert "rare kind" in sentence(put(zipped({"a": GOOD}, method)), index)


@pytest.mark.parametrize("cut", [3, 20, -9, -1])
def test_a_broken_gzip_is_said(cut: int, put: Put, index: SlotIndex) -> None:
    assert "compressed file is broken" in sentence(put(gzip.compress(GOOD)[:cut]), index)


def bomb(size: int) -> bytes:
    """The given number of blanks, compressed by gzip."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = b" " * MIB
    return b"".join(packer.compress(block) for _ in range(size // MIB)) + packer.flush()


def test_a_bomb_is_refused_by_its_ratio(put: Put, index: SlotIndex) -> None:
    packed = bomb(64 * MIB)
    for raw in (packed, zipped({"a.gz": packed}), zipped({"a.json": GOOD + b" " * 32 * MIB})):
        assert "more than 50 times its size" in sentence(put(raw), index)


def test_what_is_packed_well_but_small_is_read(put: Put, index: SlotIndex) -> None:
    assert check(put(gzip.compress(GOOD + b" " * 9 * MIB)), index).ok


@pytest.mark.parametrize("wrap", [lambda raw: raw, gzip.compress, lambda raw: zipped({"a": raw})])
def test_a_file_over_the_bound_is_refused(
    wrap: Callable[[bytes], bytes], put: Put, index: SlotIndex
) -> None:
    noise = random.Random(5).randbytes(MIB).hex().encode()
    path = put(wrap(GOOD + noise))
    assert "longer than 1 MiB when unpacked" in sentence(path, index, Bounds(file_bytes=MIB))


@pytest.mark.parametrize(("claimed", "words"), [(5, ["broken"]), (2**31, [])])
def test_a_member_that_lies_about_its_size_is_read_whole_or_broken(
    claimed: int, words: list[str], put: Put, index: SlotIndex
) -> None:
    raw = bytearray(zipped({"a": GOOD * 100}))
    entry = raw.index(b"PK\x01\x02")
    raw[entry + 24 : entry + 28] = struct.pack("<I", claimed)
    report = check(put(bytes(raw)), index)
    assert all(word in str(one) for word, one in zip(words, report.problems, strict=True))
    assert report.generations == (0 if words else 100)


def test_a_member_without_a_name_is_a_file_like_any(put: Put, index: SlotIndex) -> None:
    raw = zipped({"name": GOOD}).replace(b"name", b"\0ame")  # the name is cut at the zero byte
    assert check(put(raw), index).generations == 1


def test_overlapping_members_gain_nothing(put: Put, index: SlotIndex) -> None:
    raw = zipped({"a.json": GOOD + b" " * 32 * MIB})
    start, end = raw.index(b"PK\x01\x02"), raw.index(b"PK\x05\x06")
    entries = b"".join(raw[start:end].replace(b"a.json", b"%d.json" % name) for name in (1, 2, 3))
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 3, 3, len(entries), start, 0)
    path = put(raw[:start] + entries + tail)
    assert "contains 3 files" in sentence(path, index)
    assert not check(path, index, family="2").ok


def test_a_huge_directory_is_refused_before_it_is_held(put: Put, index: SlotIndex) -> None:
    size = 5 * MIB
    tail = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 9, 9, size, 4, 0)
    assert "directory is too large" in sentence(put(b"PK\x03\x04" + b"\0" * size + tail), index)


def checked(raw: bytes) -> UploadReport:
    index = SlotIndex.of([Task(1, {}, {})], lambda _: [Slot()])
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(raw)
        return check(Path(file.name), index)


@settings(deadline=None)
@given(st.data())
def test_damage_to_a_zip_or_gzip_never_crashes(data: st.DataObject) -> None:
    packed = st.sampled_from([zipped({"a.json": GOOD}), gzip.compress(GOOD)])
    raw = bytearray(data.draw(packed))
    for _ in range(data.draw(st.integers(1, 4))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    report = checked(bytes(raw[: data.draw(st.integers(0, len(raw)))]))
    assert report.ok == (report.generations == 1 and not report.problems)
