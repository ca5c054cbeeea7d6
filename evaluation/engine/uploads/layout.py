"""The layout of records in a file: lines, one array, a MERA document, or JSON in another shape."""

from __future__ import annotations

import json
from collections.abc import Container, Iterator
from contextlib import suppress
from enum import Enum
from typing import BinaryIO

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Problem
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.bounds import Bounds
from evaluation.engine.uploads.header import NAME, OF_PREDICTIONS
from evaluation.engine.uploads.source import Source
from evaluation.engine.uploads.splitter import Scanner, SplitError

# Maximum keys besides a list of records; a document has few.
KEYS_BESIDE = 10_000
_LISTS = ("predictions", "generations", "completions", "samples", "records", "results", "data")
_OBJECT, _ARRAY, _END = ord("{"), ord("["), -1


class Layout(Enum):
    """The values are the names for people. KEYED: objects whose keys are the tasks' ids; LISTED: an
    object with a list of records under a key of _LISTS; VALUES: records over several lines."""

    LINES = texts.LAYOUT_LINES
    ARRAY = texts.LAYOUT_ARRAY
    DOCUMENT = texts.LAYOUT_DOCUMENT
    LISTED = texts.LAYOUT_LISTED
    KEYED = texts.LAYOUT_KEYED
    VALUES = texts.LAYOUT_VALUES


def find_layout(source: Source, bounds: Bounds, tasks: Container[str]) -> Layout:
    """Decides by the first object after a header. `tasks` are the ids that may be keys. Raises
    UploadError for an empty file."""
    scanner = Scanner(source.stream.read, limit=bounds.record_bytes)
    if scanner.peek() == _END:
        raise UploadError([Problem(texts.EMPTY_FILE(), member=source.member)])
    if scanner.peek() == _ARRAY:
        return Layout.ARRAY
    layout = Layout.LINES
    with suppress(SplitError):
        while scanner.peek() == _OBJECT:
            line, kinds, has_list = scanner.line, dict[str, int](), False
            for key in scanner.members():
                kinds[key] = scanner.peek()
                if key == "data" and kinds[key] == _OBJECT:
                    for inner in scanner.members():
                        if inner == "test" and scanner.peek() == _ARRAY:
                            return Layout.DOCUMENT
                        scanner.value()
                    continue
                value = scanner.value()
                is_list = value is None or value[:1] == b"[" and value[1:].lstrip()[:1] == b"{"
                has_list |= key in _LISTS and is_list
                if len(kinds) > KEYS_BESIDE:
                    break
            names = kinds.keys() - {NAME}
            if names and OF_PREDICTIONS.isdisjoint(names):
                if has_list:
                    return Layout.LISTED
                if any(name in tasks for name in names) or (
                    len(names) > 1 and {kinds[name] for name in names} == {_OBJECT}
                ):
                    return Layout.KEYED
            if scanner.line > line:
                layout = Layout.VALUES
            if names:
                break
    return layout


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
    if layout in (Layout.VALUES, Layout.KEYED):
        while scanner.peek() != _END:
            if layout is Layout.KEYED:
                for key in scanner.members():
                    scanner.peek()
                    line, raw = scanner.line, scanner.value()
                    yield line, None if raw is None else _keyed(key, raw)
            else:
                yield scanner.line, scanner.value()
        return
    arrays = iter([1]) if layout is Layout.ARRAY else _arrays(scanner, layout)
    for number, line in enumerate(arrays):
        if number:
            raise SplitError(line, texts.TWO_LISTS())
        yield from scanner.elements()
    scanner.end()


def _keyed(key: str, raw: bytes) -> bytes:
    """The value of a task's key as a record. The id is put last, so that places in the record stay
    the file's."""
    if key == NAME:
        return b'{"%s": %s}' % (NAME.encode(), raw)
    task_id = json.dumps(key).encode()
    if raw[:1] + raw[-1:] == b"{}":
        if b'"task_id"' in raw:
            return raw
        comma = b", " if raw[1:-1].strip() else b""
        return b'%s%s"task_id": %s}' % (raw[:-1], comma, task_id)
    field = {b'"': b"completion", b"[": b"outputs"}.get(raw[:1])
    if raw[:1] == b"[" and raw[1:].lstrip()[:1] == b"{":
        field = b"messages"
    return b'{"%s": %s, "task_id": %s}' % (field, raw, task_id) if field else raw


def _arrays(scanner: Scanner, layout: Layout) -> Iterator[int]:
    """Yields the line of each array at data.test, or at a key of _LISTS; the caller consumes the
    array."""
    beside = 0
    for key in scanner.members():
        kind = scanner.peek()
        if layout is Layout.LISTED and key in _LISTS and kind == _ARRAY:
            yield scanner.line
        elif layout is Layout.LISTED or key != "data" or kind != _OBJECT:
            beside = _passed_over(scanner, beside)
        else:
            for inner in scanner.members():
                if inner == "test" and scanner.peek() == _ARRAY:
                    yield scanner.line
                else:
                    beside = _passed_over(scanner, beside)


def _passed_over(scanner: Scanner, beside: int) -> int:
    """Raises SplitError above KEYS_BESIDE: millions of keys would take too long."""
    if beside == KEYS_BESIDE:
        raise SplitError(scanner.line, texts.MANY_KEYS(number=f"{KEYS_BESIDE:,}"))
    scanner.value()
    return beside + 1
