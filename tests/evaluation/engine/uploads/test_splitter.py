"""The splitter against json.loads: any document, any chunk size."""

import io
import json
from itertools import cycle
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.engine.uploads.splitter import Scanner, SplitError

TEXTS = st.text() | st.text(alphabet='\\"[]{},:n\n\u00e9', max_size=30)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)
ARRAYS = st.lists(VALUES, max_size=6)
CHUNKS = st.lists(st.integers(1, 40), min_size=1, max_size=8)
INDENTS = st.sampled_from([None, 0, 3, "\t"])


def scanner(raw: bytes, chunks: list[int], limit: int = 10**6) -> Scanner:
    sizes, stream = cycle(chunks), io.BytesIO(raw)
    return Scanner(lambda _: stream.read(next(sizes)), limit=limit)


def split(raw: bytes, chunks: list[int], limit: int = 10**6) -> list[tuple[int, bytes | None]]:
    scan = scanner(raw, chunks, limit)
    found = list(scan.elements())
    scan.end()
    return found


def parsed(found: list[tuple[int, bytes | None]]) -> list[Any]:
    return [json.loads(raw or b"") for _, raw in found]


@settings(deadline=None)
@given(ARRAYS, CHUNKS, INDENTS, st.booleans())
def test_elements_are_those_of_the_parsed_array(
    value: list[Any], chunks: list[int], indent: int | str | None, ascii_only: bool
) -> None:
    raw = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass")
    assert parsed(split(raw, chunks)) == value


@settings(deadline=None)
@given(ARRAYS, CHUNKS, INDENTS)
def test_each_element_carries_the_line_that_it_begins_on(
    value: list[Any], chunks: list[int], indent: int | str | None
) -> None:
    raw = b"\n " + json.dumps(value, indent=indent).encode()
    lines, at = [], 0
    for line, piece in split(raw, chunks):
        at = raw.index(piece or b"", at + 1)
        lines.append((line, raw.count(b"\n", 0, at) + 1))
        at += len(piece or b"") - 1
    assert all(said == counted for said, counted in lines)


@settings(deadline=None)
@given(st.text(alphabet='[]{}",:\\ \n0a', max_size=25), CHUNKS)
def test_what_splits_into_json_is_json(text: str, chunks: list[int]) -> None:
    raw = ("[" + text).encode()
    try:
        found = parsed(split(raw, chunks))
    except (SplitError, ValueError):
        with pytest.raises(ValueError):
            json.loads(raw)
    else:
        assert found == json.loads(raw)


@settings(deadline=None)
@given(st.dictionaries(TEXTS, VALUES, max_size=4), CHUNKS, INDENTS)
def test_members_are_those_of_the_parsed_object(
    value: dict[str, Any], chunks: list[int], indent: int | str | None
) -> None:
    scan = scanner(json.dumps(value, indent=indent).encode(), chunks)
    assert {key: json.loads(scan.value() or b"") for key in scan.members()} == value


@settings(deadline=None)
@given(st.integers(0, 60), CHUNKS)
def test_an_element_over_the_limit_is_none_and_the_next_is_not(
    size: int, chunks: list[int]
) -> None:
    raw = json.dumps(["x" * size, [1], ["y" * size]]).encode()
    long = None if size + 2 > 30 else raw[1 : size + 3]
    deep = None if size + 4 > 30 else json.dumps(["y" * size]).encode()
    found = split(raw, chunks, limit=30)
    assert [piece for _, piece in found] == [long, b"[1]", deep]


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b"", "The file ends where `[` is expected"),
        (b"{}", "'{' was found where `[` is expected"),
        (b"[1", "inside a value: it was probably cut off"),
        (b'["a', "inside a string: it was probably cut off"),
        (b"[[1]", "ends where"),
        (b"[[1", "before its last bracket is closed"),
        (b"[1 2]", "'2' was found where `,` or `]` is expected"),
        (b"[,]", "',' was found where a value is expected"),
        (b"[] x", "Something follows"),
    ],
)
def test_broken_structure_is_said_in_words(raw: bytes, words: str) -> None:
    with pytest.raises(SplitError, match=words.replace("[", r"\[")):
        split(raw, [3])


def test_a_hundred_thousand_brackets_are_one_element() -> None:
    raw = b"[" + b"[" * 100_000 + b"]" * 100_000 + b"]"
    assert [len(piece or b"") for _, piece in split(raw, [4096])] == [200_000]
