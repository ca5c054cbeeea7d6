"""The layout of records in a file: lines, one array, a MERA document, or JSON in another shape."""

import io
import json
import re
from collections.abc import Container, Iterable, Iterator
from contextlib import suppress
from enum import Enum
from typing import BinaryIO

from evaluation.engine.errors import UploadError
from evaluation.engine.records import Problem
from evaluation.engine.uploads import texts
from evaluation.engine.uploads.decode import OF_PREDICTIONS, TASK_KEY
from evaluation.engine.uploads.source import Bounds, Source
from evaluation.engine.uploads.splitter import Scanner, SplitError

# Maximum keys besides a list of records; a document has few.
KEYS_BESIDE = 10_000
# That may also be an object with a key for each task.
_KEYED_IN = ("predictions", "generations", "completions", "responses", "answers", "solutions")
_LISTS = (*_KEYED_IN, "samples", "records", "results", "data")
# The text before a task's id, as in "ruCodeEval/task_13". It may be empty, so it always matches.
_BEFORE_ID = re.compile(r"(.*/)?(task[_ -]?)?", re.IGNORECASE)
_OBJECT, _ARRAY, _END = ord("{"), ord("["), -1


class Layout(Enum):
    """The values are the names for people. KEYED: objects whose keys are the tasks' ids; LISTED: an
    object with a list of records under a key of _LISTS, or with such an object under one of
    _KEYED_IN; VALUES: records over several lines."""

    LINES = texts.LAYOUT_LINES
    ARRAY = texts.LAYOUT_ARRAY
    DOCUMENT = texts.LAYOUT_DOCUMENT
    LISTED = texts.LAYOUT_LISTED
    KEYED = texts.LAYOUT_KEYED
    VALUES = texts.LAYOUT_VALUES


def find_layout(source: Source, bounds: Bounds, tasks: Container[str]) -> Layout:
    """Decides by the first object. `tasks` are the ids that may be keys. Raises UploadError for an
    empty file."""
    scanner = Scanner(source.stream.read, limit=bounds.record_bytes)
    first, line = scanner.peek(), scanner.line
    if first == _END:
        raise UploadError([Problem(texts.EMPTY_FILE(), member=source.member)])
    if first == _ARRAY:
        return Layout.ARRAY
    kinds, has_list, is_empty = dict[str, int](), False, False
    with suppress(SplitError):
        for key, kind in _members(scanner) if first == _OBJECT else ():
            if key == "data.test" and kind == _ARRAY:
                return Layout.DOCUMENT
            kinds[key], value = kind, scanner.value()
            inside = b"{" if value is None else value[1:].lstrip()[:1]
            if key.lower() in _LISTS and kind == _ARRAY:
                has_list |= inside == b"{"
                is_empty |= inside == b"]"
            if key.lower() in _KEYED_IN and kind == _OBJECT:
                inner = Scanner(io.BytesIO(value or b"{}").read, limit=bounds.record_bytes)
                # A long one holds texts.
                has_list |= value is None or any(name in tasks for name, _ in _members(inner))
                is_empty |= inside == b"}"
            if len(kinds) > KEYS_BESIDE:
                break
        if OF_PREDICTIONS.isdisjoint(kinds):
            # Any record may have an empty list beside its answer.
            if has_list or (is_empty and scanner.peek() == _END):
                return Layout.LISTED
            of_objects = len(kinds) > 1 and {*kinds.values()} == {_OBJECT}
            ids = (part for name in kinds for part in (name, _BEFORE_ID.sub("", name, 1)))
            if of_objects or any(name in tasks for name in ids):
                return Layout.KEYED
        end = scanner.line
        # The next record may be on the same line, or on the next one after a carriage return.
        if end > line or (scanner.peek() == _OBJECT and scanner.line == end):
            return Layout.VALUES
    return Layout.LINES


def raw_records(
    source: Source, layout: Layout, bounds: Bounds
) -> Iterator[tuple[int, bytes | None]]:
    """Yields the first line and the bytes of each record; None for one over `record_bytes`. Raises
    UploadError if the rest of the file cannot be read."""
    limit = bounds.record_bytes
    if layout is Layout.LINES:
        read = _lines(source.stream, limit)
    else:
        read = _elements(Scanner(source.stream.read, limit=limit), layout)
    try:
        for count, (line, raw) in enumerate(read, 1):
            if count > bounds.records:
                raise SplitError(line, texts.MANY_RECORDS(number=bounds.records))
            if raw != b"":
                yield line, raw
    except SplitError as error:
        raise UploadError([Problem(error.sentence, error.line, member=source.member)]) from None


def _lines(stream: BinaryIO, limit: int) -> Iterator[tuple[int, bytes | None]]:
    """Yields blank lines as b"", so that they count towards the limit. Once a record goes on in the
    next line, ends of lines mean nothing."""
    assert isinstance(stream, io.BufferedReader)
    number = 0
    while raw := stream.readline(limit + 1):
        number += 1
        if len(raw) > limit:
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(64 * 1024)
            yield number, None
        elif not raw.endswith((b"}\n", b"}\r\n")) and _goes_on(raw, stream.peek(1)[:1] or b"{"):
            scanner = Scanner(stream.read, limit=limit, begun=raw, line=number)
            yield from _elements(scanner, Layout.VALUES)
        else:
            yield number, b"" if raw.isspace() else raw


def _goes_on(line: bytes, following: bytes) -> bool:
    """Whether an object goes on in the next line. After one that is cut off follows a whole one."""
    is_open = line.rstrip().endswith((b"{", b"[", b",", b":")) and following not in b"{\r\n"
    return line.lstrip().startswith(b"{") and (is_open or following in b"}],:")


def _elements(scanner: Scanner, layout: Layout) -> Iterator[tuple[int, bytes | None]]:
    while layout in (Layout.VALUES, Layout.KEYED) and scanner.peek() != _END:
        yield from _values(scanner, None if layout is Layout.KEYED else ("",))
    arrays = _arrays(scanner, layout) if layout in (Layout.DOCUMENT, Layout.LISTED) else iter([1])
    for number, line in enumerate(arrays if layout not in (Layout.VALUES, Layout.KEYED) else ()):
        if number:
            raise SplitError(line, texts.TWO_LISTS())
        yield from _values(scanner) if scanner.peek() == _OBJECT else scanner.elements()
    scanner.end()


def _values(
    scanner: Scanner, keys: Iterable[str] | None = None
) -> Iterator[tuple[int, bytes | None]]:
    """The values of the next object's keys as records, or the next value as it is for a key ""."""
    for key in scanner.members() if keys is None else keys:
        scanner.peek()
        line, raw = scanner.line, scanner.value()
        yield line, _keyed(key, raw) if raw and keys is None else raw


def _keyed(key: str, raw: bytes) -> bytes:
    """The value of a task's key as a record. The id is put last, so that places in the record stay
    the file's."""
    task = json.dumps({TASK_KEY: key})[1:-1].encode()
    if raw[:1] + raw[-1:] == b"{}":
        return b"%s%s%s}" % (raw[:-1], b", " if raw[1:-1].strip() else b"", task)
    field = b"outputs" if raw.startswith(b"[") else b"completion"
    field = b"messages" if re.match(rb'\[\s*\{\s*"(role|content)"', raw) else field
    return b'{"%s": %s, %s}' % (field, raw, task)


def _arrays(scanner: Scanner, layout: Layout) -> Iterator[int]:
    """Yields the line of each list or object of records; the caller consumes it. Raises SplitError
    above KEYS_BESIDE: millions of keys would take too long."""
    names = ("data.test",) if layout is Layout.DOCUMENT else _LISTS
    beside = 0
    for key, kind in _members(scanner):
        is_keyed = kind == _OBJECT and key.lower() in _KEYED_IN
        if key.lower() in names and (kind == _ARRAY or is_keyed):
            yield scanner.line
        elif beside == KEYS_BESIDE:
            raise SplitError(scanner.line, texts.MANY_KEYS(number=f"{KEYS_BESIDE:,}"))
        else:
            beside += 1
            scanner.value()


def _members(scanner: Scanner) -> Iterator[tuple[str, int]]:
    """The keys of the next object, and of `data` in it as data.test, each with the first byte of
    its value; the caller consumes the value."""
    for key in scanner.members():
        if key == "data" and scanner.peek() == _OBJECT:
            for inner in scanner.members():
                yield f"data.{inner}", scanner.peek()
        else:
            yield key, scanner.peek()
