"""The layout of records in a file: one per line, one array, or a MERA document."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from enum import Enum, auto
from typing import BinaryIO

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Problem
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.bounds import Bounds
from evaluation.engine.uploads.source import Source
from evaluation.engine.uploads.splitter import Scanner, SplitError

# Maximum keys besides `data.test`; a MERA document has few.
KEYS_BESIDE = 10_000


class Layout(Enum):
    LINES = auto()
    ARRAY = auto()
    DOCUMENT = auto()


def find_layout(source: Source, bounds: Bounds) -> Layout:
    """Raises UploadError for an empty file."""
    scanner = Scanner(source.stream.read, limit=bounds.record_bytes)
    first = scanner.peek()
    if first == -1:
        raise UploadError([Problem(texts.EMPTY_FILE(), member=source.member)])
    if first == ord("["):
        return Layout.ARRAY
    if first == ord("{"):
        with suppress(SplitError):
            for _ in _test_arrays(scanner):
                return Layout.DOCUMENT
    return Layout.LINES


def raw_records(
    source: Source, layout: Layout, bounds: Bounds
) -> Iterator[tuple[int, bytes | None]]:
    """Yields the first line and the bytes of each record; None for one over `record_bytes`. Raises
    UploadError if the rest of the file cannot be read."""
    limit = bounds.record_bytes
    read = (
        _lines(source.stream, limit) if layout is Layout.LINES else _elements(source, layout, limit)
    )
    try:
        for count, (line, raw) in enumerate(read, 1):
            if count > bounds.records:
                raise SplitError(line, texts.MANY_RECORDS(number=bounds.records))
            if raw != b"":
                yield line, raw
    except SplitError as error:
        problem = Problem(error.sentence, error.line, member=source.member)
        raise UploadError([problem]) from None


def _lines(stream: BinaryIO, limit: int) -> Iterator[tuple[int, bytes | None]]:
    """Yields blank lines as b"", so that they count towards the limit."""
    number = 0
    while raw := stream.readline(limit + 1):
        number += 1
        if len(raw) > limit:
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(64 * 1024)
            yield number, None
        else:
            yield number, b"" if raw.isspace() else raw


def _elements(source: Source, layout: Layout, limit: int) -> Iterator[tuple[int, bytes | None]]:
    scanner = Scanner(source.stream.read, limit=limit)
    arrays = _test_arrays(scanner) if layout is Layout.DOCUMENT else iter([1])
    for number, line in enumerate(arrays):
        if number:
            raise SplitError(line, texts.TWO_TEST_ARRAYS())
        yield from scanner.elements()
    scanner.end()


def _test_arrays(scanner: Scanner) -> Iterator[int]:
    """Yields the line of each array at data.test; the caller consumes the array."""
    beside = 0
    for key in scanner.members():
        if key != "data" or scanner.peek() != ord("{"):
            beside = _passed_over(scanner, beside)
            continue
        for inner in scanner.members():
            if inner == "test" and scanner.peek() == ord("["):
                yield scanner.line
            else:
                beside = _passed_over(scanner, beside)


def _passed_over(scanner: Scanner, beside: int) -> int:
    """Raises SplitError above KEYS_BESIDE: millions of keys would take too long."""
    if beside == KEYS_BESIDE:
        raise SplitError(scanner.line, texts.MANY_KEYS(number=f"{KEYS_BESIDE:,}"))
    scanner.value()
    return beside + 1
