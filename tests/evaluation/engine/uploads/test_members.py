"""A zip with a file for each prediction."""

import gzip
import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from evaluation.engine.errors import UploadError
from evaluation.engine.records import TaskId
from evaluation.engine.uploads import Bounds, SlotIndex, check, read
from evaluation.engine.uploads.kinds import is_answer
from tests.evaluation.engine.uploads.conftest import Put, zipped

CLASS = "class A {}\n"


def member(name: str) -> TaskId | None:
    found = re.fullmatch(r"[^\d]*(\d+)\.java", name.rpartition("/")[2], re.IGNORECASE)
    return int(found[1]) if found else None


def test_each_file_is_the_generation_of_its_task(put: Put, index: SlotIndex) -> None:
    path = put(
        zipped({"out/Own2.java": "two", "Own1.java": "\ufeffone", "__MACOSX/._Own1.java": "x"})
    )
    report = check(path, index, member=member)
    assert report.ok
    assert (report.format, report.generations, report.missing) == ("files", 2, (3, "a.b"))
    found = [(one.key.task_id, one.text) for one in read(path, index, member=member)]
    assert found == [(2, "two"), (1, "one")]


def test_several_files_of_a_task_are_samples(put: Put, index: SlotIndex) -> None:
    path = put(zipped({"a/Own1.java": "first", "b/Own1.java": "second"}))
    found = [(one.key.sample, one.text) for one in read(path, index, member=member)]
    assert found == [(0, "first"), (1, "second")]
    (warning,) = (one for one in check(path, index, member=member).warnings if "twice" in one)
    assert "Task 1 is there twice (a/Own1.java; b/Own1.java)" in warning


def test_a_zip_without_such_files_is_read_as_ever(put: Put, index: SlotIndex) -> None:
    path = put(zipped({"base.jsonl": '{"task_id": 1, "code": "one"}\n'}))
    assert [one.text for one in read(path, index, member=member)] == ["one"]


def test_a_family_without_such_files_takes_none(put: Put, index: SlotIndex) -> None:
    assert not check(put(zipped({"Own1.java": CLASS, "Own2.java": CLASS})), index).ok


@pytest.mark.parametrize(
    ("content", "words"),
    [
        *((CLASS.encode(name), "The file is UTF-16") for name in ("utf-16", "utf-16-le")),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "a pointer of Git LFS"),
        (b"\xef\xbb\xbf\n<!DOCTYPE html><title>Sign in</title>", "a web page (HTML)"),
        (gzip.compress(CLASS.encode()), "packed more than once"),
        (b"<think>A <p> of Javadoc.</think>" + CLASS.encode(), ""),
        (b'"task_id";' + CLASS.encode() + b"\0", ""),
    ],
)
def test_a_file_that_is_no_answer_is_named(
    content: bytes, words: str, put: Put, index: SlotIndex
) -> None:
    report = check(put(zipped({"a/Own1.java": content})), index, member=member)
    assert [one.member for one in report.problems] == ["a/Own1.java"] * bool(words)
    assert words in str(report.problems)


def test_everything_that_is_wrong_names_its_file(put: Put, index: SlotIndex) -> None:
    files: dict[str, bytes | str] = {"Own1.java": CLASS, "Notes.java": "", "Own9.java": CLASS}
    files["Own2.java"] = b"\xff"
    problems = check(put(zipped(files)), index, member=member).problems
    assert [one.member for one in problems] == ["Notes.java", "Own9.java", "Own2.java"]
    assert [one.line for one in problems] == [None, None, None]
    assert "not a prediction" in problems[0].sentence
    assert "no such task" in problems[1].sentence
    assert "not valid UTF-8" in problems[2].sentence


@pytest.mark.parametrize(
    "name",
    [
        *("Own1.ctxt", "Makefile", "notes.txt", "bin/Own1.class", "out/production/a/Own1.class"),
        "x.sln.DotSettings",
    ],
)
def test_files_with_another_ending_are_left_out_with_a_note(
    name: str, put: Put, index: SlotIndex
) -> None:
    path = put(zipped({"b/Own1.JAVA": CLASS, name: b"\xff", "z.cbp": b""}))
    report = check(path, index, member=member)
    assert (report.problems, report.generations) == ((), 1)
    said = f"Files of the zip that do not end in .java are left out: 2, the first is {name}."
    assert said in report.warnings
    assert len([*read(path, index, member=member)]) == 1


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (replace(Bounds(), record_bytes=9), "longer than 9 bytes"),
        (replace(Bounds(), generation_chars=9), "longer than 9 characters"),
        (replace(Bounds(), file_bytes=2000), "longer than 2,000 bytes when unpacked"),
        (replace(Bounds(), ratio=2, ratio_free_bytes=10), "more than 2 times its size"),
        (replace(Bounds(), members=1), "more than 1 files"),
    ],
)
def test_what_exceeds_a_bound_is_refused(
    put: Put, index: SlotIndex, bounds: Bounds, said: str
) -> None:
    files = {f"Own{id}.java": "a" * 1500 for id in (1, 2, 3)}
    problems = check(put(zipped(files)), index, bounds, member=member).problems
    assert said in str(problems[0])


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.dictionaries(
        st.sampled_from((1, 2, 3)),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\ufeff")),
        min_size=1,
    )
)
def test_texts_come_back_as_they_went_in(
    put: Put, index: SlotIndex, texts: dict[TaskId, str]
) -> None:
    # The bytes of "0\0" are those of "0" in UTF-16: the check refuses such a file.
    assume(all(is_answer(text.encode()) for text in texts.values()))
    path = put(zipped({f"Own{id}.java": text for id, text in texts.items()}))
    assert check(path, index, member=member).ok
    assert {one.key.task_id: one.text for one in read(path, index, member=member)} == texts


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.integers(0, 400), junk=st.binary(min_size=1, max_size=40))
def test_any_damage_is_an_upload_error_or_none(
    put: Put, index: SlotIndex, start: int, junk: bytes
) -> None:
    content = bytearray(zipped({"Own1.java": CLASS * 9, "Own2.java": "two"}))
    content[start : start + len(junk)] = junk
    report = check(put(bytes(content)), index, member=member)
    try:
        count = len(list(read(put(bytes(content)), index, member=member)))
    except UploadError:
        assert not report.ok
    else:
        assert report.ok and count == report.generations
