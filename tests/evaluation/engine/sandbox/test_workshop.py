"""The compiler's requests and answers, byte by byte."""

import io
import struct
import zipfile
from collections.abc import Mapping
from contextlib import nullcontext
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine.sandbox.inside.cleanup import Irregular
from evaluation.engine.sandbox.inside.places import Unfit
from evaluation.engine.sandbox.inside.warm_jvms import (
    CLASSES_BYTES,
    CLASSES_MOST,
    Compiled,
    Garbled,
    Refusal,
    Starved,
    request,
)
from evaluation.engine.sandbox.inside.workshop import Workshop

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
NUMBERS = st.integers(0, 2**32 - 1)


class Told(NamedTuple):
    done: bool
    diagnostics: list[list[Any]]
    classes: dict[str, bytes]
    imports_added: str = ""


ANSWERS = st.builds(
    Told,
    st.booleans(),
    st.lists(st.tuples(TEXTS, NUMBERS, NUMBERS, TEXTS).map(list), max_size=4),
    st.dictionaries(TEXTS, st.binary(max_size=30), max_size=4),
    TEXTS,
)


def number(value: int) -> bytes:
    return struct.pack(">I", value)


def part(content: bytes | str) -> bytes:
    data = content.encode() if isinstance(content, str) else content
    return number(len(data)) + data


def answer(told: Told) -> bytes:
    """As Compiler.java writes it."""
    diagnostics = [
        part(path) + number(line) + number(column) + part(words)
        for path, line, column, words in told.diagnostics
    ]
    classes = [part(name) + part(content) for name, content in told.classes.items()]
    lists = [diagnostics, classes]
    body = b"".join(number(len(each)) + b"".join(each) for each in lists)
    return bytes([told.done]) + body + part(told.imports_added)


def read(answered: bytes) -> Told:
    found = Compiled(answered)
    return Told(found.done, found.diagnostics, found.classes, found.imports_added)


@given(ANSWERS)
def test_an_answer_comes_out_as_it_was_written(told: Told) -> None:
    assert read(answer(told)) == told


@given(ANSWERS, st.data())
def test_a_part_of_an_answer_is_none(told: Told, data: st.DataObject) -> None:
    whole = answer(told)
    with pytest.raises(Garbled):
        Compiled(whole[: data.draw(st.integers(0, len(whole) - 1))])


@given(ANSWERS, st.binary(min_size=1, max_size=5))
def test_an_answer_with_more_behind_it_is_none(told: Told, more: bytes) -> None:
    with pytest.raises(Garbled):
        Compiled(answer(told) + more)


@given(st.binary(max_size=80) | ANSWERS.map(answer), st.data())
def test_any_bytes_are_an_answer_or_none(content: bytes, data: st.DataObject) -> None:
    changed = bytearray(content)
    if changed:
        changed[data.draw(st.integers(0, len(changed) - 1))] = data.draw(st.integers(0, 255))
    try:
        found = Compiled(bytes(changed))
    except Garbled:
        return
    assert sum(map(len, found.classes.values())) <= len(changed)


@given(
    st.dictionaries(TEXTS, TEXTS, max_size=4),
    TEXTS,
    TEXTS,
    NUMBERS,
    st.lists(st.lists(TEXTS, max_size=3), min_size=3, max_size=3),
)
def test_a_request_says_all_and_no_more(
    units: Mapping[str, str], path: str, method: str, parameters: int, imports: list[list[str]]
) -> None:
    lists = dict(zip(("imported", "declared", "importable"), imports, strict=True))
    further = {"method": method, "parameters": parameters, **lists}
    told = [part(text) for pair in units.items() for text in pair]
    wanted = part(path) + number(len(units)) + b"".join(told)
    wanted += part(method) + number(parameters)
    wanted += b"".join(number(len(texts)) + b"".join(map(part, texts)) for texts in imports)
    assert request(path, dict(units), further) == wanted


@pytest.mark.parametrize(
    ("classes", "said"),
    [
        ({"b/Own": b"x" * CLASSES_BYTES}, ""),
        ({"b/Own": b"x" * CLASSES_BYTES, "b/C": b"x"}, "larger"),
        ({f"b/C{n}": b"" for n in range(CLASSES_MOST + 1)}, "more"),
        ({f"{'b/' * 200}{'C' * 249}": b""}, ""),
        ({"b/" + "C" * 250: b""}, "name"),
        ({"b/" + "类" * 84: b""}, "name"),
    ],
)
def test_what_cannot_be_kept_has_a_reason(classes: dict[str, bytes], said: str) -> None:
    fault = Compiled(answer(Told(True, [], classes))).fault()
    assert said in fault and bool(said) is bool(fault)


@pytest.mark.parametrize(
    ("raised", "means"), [(Starved(), Irregular), (Refusal("too much"), Unfit)], ids=repr
)
def test_a_starved_host_is_no_fault_of_the_shared_sources(
    raised: Exception, means: type[Exception]
) -> None:
    def ask(_body: bytes) -> Compiled:
        raise raised

    workshop: Any = Workshop.__new__(Workshop)
    workshop._compiler, workshop._as_guardian = SimpleNamespace(ask=ask), nullcontext
    packed = io.BytesIO()
    zipfile.ZipFile(packed, "w").close()
    with pytest.raises(means):
        workshop._unpacked(packed.getvalue())
