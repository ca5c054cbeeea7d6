"""Tests of the header that says how a file was made: it is kept, and the predictions stay
unchanged."""

import gzip
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.uploads import SlotIndex, check, read
from evaluation.engine.uploads.decode import MOST_BYTES, Rejected, header_of
from tests.evaluation.engine.uploads.conftest import Put, lines

HEADER: dict[str, Any] = {"generation": {"model": "жук-7b", "sampling": {"top_p": None}}}
RECORDS = [{"task_id": 1, "completion": "a"}, {"task_id": 2, "completion": "b"}]


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
def test_the_header_is_kept_and_is_no_generation(
    put: Put, index: SlotIndex, content: bytes
) -> None:
    report = check(put(content), index)
    assert (report.problems, report.generations) == ((), 2)
    assert report.header == HEADER["generation"]
    assert [one.text for one in read(put(content), index)] == ["a", "b"]


def test_a_file_without_one_has_none(put: Put, index: SlotIndex) -> None:
    assert check(put(lines(*RECORDS)), index).header is None
    odd = {**RECORDS[0], "generation": {"mine": 1}}
    report = check(put(lines(odd, RECORDS[1])), index)
    assert (report.header, report.generations) == (None, 2)


@pytest.mark.parametrize(
    ("records", "line", "words"),
    [
        ([RECORDS[0], HEADER], 2, "no `task_id`"),
        ([HEADER, RECORDS[0], {"task_id": 9, "completion": ""}], 3, "no such task"),
        ([HEADER], None, "Its keys are `generation`."),
        ([HEADER, {"task": 1, "answer": "x"}], None, "`answer`: rename it to `completion`?"),
        ([HEADER, {"predictions": RECORDS}], None, "Its keys are `predictions`."),
        ([[HEADER, {"1": "x"}]], None, "Its keys are `1`."),
        ([HEADER, []], None, "Line 2: The record is a list"),
    ],
)
def test_it_stands_first_and_changes_no_line_number(
    put: Put, index: SlotIndex, records: list[object], line: int | None, words: str
) -> None:
    (problem,) = check(put(lines(*records)), index).problems
    assert (problem.line, words in problem.sentence) == (line, True)


@pytest.mark.parametrize(
    "said",
    [1, "text", [], None, {"long": "x" * MOST_BYTES}, {"half": "\ud800"}, {"price": float("nan")}],
    ids=["number", "text", "list", "null", "too long", "half a character", "NaN"],
)
def test_what_cannot_be_kept_is_refused(put: Put, index: SlotIndex, said: object) -> None:
    (problem,) = check(put(lines({"generation": said}, *RECORDS)), index).problems
    assert (problem.line, "`generation`" in problem.sentence) == (1, True)
    assert "cannot be stored" in problem.sentence


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
