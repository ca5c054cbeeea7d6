"""Tests of the header that says how a file was made: it is kept, and the predictions stay
unchanged."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.records import Slot, Task
from evaluation.engine.uploads import SlotIndex, UploadReport, check, read
from evaluation.engine.uploads.decode import Rejected
from evaluation.engine.uploads.header import MOST_BYTES, header_of

INDEX = SlotIndex.of([Task(n, {}, {}) for n in (1, 2)], lambda _: (Slot(),))
HEADER: dict[str, Any] = {"generation": {"model": "жук-7b", "sampling": {"top_p": None}}}
RECORDS = [{"task_id": 1, "completion": "a"}, {"task_id": 2, "completion": "b"}]


def lines(*records: object) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def checked(folder: Path, content: bytes) -> UploadReport:
    (folder / "upload").write_bytes(content)
    return check(folder / "upload", INDEX)


@pytest.mark.parametrize(
    "content",
    [
        lines(HEADER, *RECORDS),
        b"\xef\xbb\xbf\n" + lines(HEADER, *RECORDS),
        json.dumps([HEADER, *RECORDS]).encode(),
        gzip.compress(lines(HEADER, *RECORDS)),
    ],
    ids=["lines", "after a blank line", "array", "gzip"],
)
def test_the_header_is_kept_and_is_no_generation(tmp_path: Path, content: bytes) -> None:
    report = checked(tmp_path, content)
    assert (report.problems, report.generations) == ((), 2)
    assert report.header == HEADER["generation"]
    assert [one.text for one in read(tmp_path / "upload", INDEX)] == ["a", "b"]


def test_a_file_without_one_has_none(tmp_path: Path) -> None:
    assert checked(tmp_path, lines(*RECORDS)).header is None
    odd = {**RECORDS[0], "generation": {"mine": 1}}
    report = checked(tmp_path, lines(odd, RECORDS[1]))
    assert (report.header, report.generations) == (None, 2)


def test_it_stands_first_or_not_at_all(tmp_path: Path) -> None:
    (problem,) = checked(tmp_path, lines(RECORDS[0], HEADER)).problems
    assert (problem.line, "no `task_id`" in problem.sentence) == (2, True)


def test_lines_after_it_have_their_own_numbers(tmp_path: Path) -> None:
    (problem,) = checked(
        tmp_path, lines(HEADER, RECORDS[0], {"task_id": 9, "completion": ""})
    ).problems
    assert problem.line == 3


@pytest.mark.parametrize(
    "said", [1, "text", [], None, {"long": "x" * MOST_BYTES}, {"half": "\ud800"}], ids=type
)
def test_what_cannot_be_kept_is_refused(tmp_path: Path, said: object) -> None:
    (problem,) = checked(tmp_path, lines({"generation": said}, *RECORDS)).problems
    assert (problem.line, "`generation`" in problem.sentence) == (1, True)


def test_numbers_that_are_none_are_refused(tmp_path: Path) -> None:
    content = b'{"generation": {"price": NaN}}\n' + lines(*RECORDS)
    assert "cannot be stored" in checked(tmp_path, content).problems[0].sentence


def test_a_file_of_nothing_else_holds_no_generations(tmp_path: Path) -> None:
    assert not checked(tmp_path, lines(HEADER)).ok


@given(
    st.binary() | st.text().map(lambda text: f'{{"generation": {text}}}'.encode("utf-8", "replace"))
)
def test_whatever_stands_first_raises_nothing_else(raw: bytes) -> None:
    try:
        found = header_of(raw)
    except Rejected:
        return
    if found is not None:
        json.dumps(dict(found), allow_nan=False, ensure_ascii=False).encode()
