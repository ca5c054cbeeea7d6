"""Generations written in each format are read back as they were."""

from __future__ import annotations

import gzip
import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.engine.records import Generation, Key, Slot, Task
from evaluation.engine.uploads import SlotIndex, check, read
from tests.evaluation.engine.uploads.conftest import Put, zipped

TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.text('\\"{}[]\n\x00', max_size=20)
IDS = st.integers(0, 2**70) | st.text(
    st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5
).filter(lambda text: not text.isdigit())
PREDICTIONS = st.dictionaries(IDS, st.lists(TEXTS, min_size=1, max_size=4), min_size=1, max_size=5)
Predictions = dict[int | str, list[str]]


def mera(found: Predictions) -> Any:
    rows = [{"outputs": texts, "meta": {"id": name}} for name, texts in found.items()]
    return {"version": [{"data": 1}], "data": {"train": [[]], "test": rows}}


def mera_nested(found: Predictions) -> Any:
    rows = [{"meta": {"id": name, "x": {}}, "outputs": [texts]} for name, texts in found.items()]
    return {"data": {"test": rows, "note": None}, "after": {"data": {"test": []}}}


def harness(found: Predictions) -> list[Any]:
    return [
        {"doc": {"meta": {"id": name}}, "resps": [texts], "filtered_resps": [0], "metric": 1e400}
        for name, texts in found.items()
    ]


def outputs(found: Predictions) -> list[Any]:
    return [{"task_id": name, "outputs": texts} for name, texts in found.items()]


def single(field: str, name_field: str) -> Callable[[Predictions], list[Any]]:
    def write(found: Predictions) -> list[Any]:
        return [{name_field: name, field: text} for name, texts in found.items() for text in texts]

    return write


def official(found: Predictions) -> list[Any]:
    """aix-bench's own prediction.jsonl, in which each record also has the question."""
    asked = {"raw_nl": "写一个 `main`", "signature": 'public static String f(String "{")'}
    return [{**row, **asked} for row in single("code", "task_id")(found)]


def document(value: Any) -> bytes:
    return json.dumps(value).encode()


def pretty(value: Any) -> bytes:
    return b"\xef\xbb\xbf\n" + json.dumps(value, indent=1, ensure_ascii=False).encode()


def lines(value: list[Any]) -> bytes:
    return "\r\n\n".join(json.dumps(row, ensure_ascii=False) for row in value).encode()


def in_zip(raw: bytes) -> bytes:
    return zipped({"../../etc/predictions": raw})


FORMS: list[tuple[str, Callable[[Predictions], Any], list[Callable[[Any], bytes]]]] = [
    ("mera", mera, [document, pretty]),
    ("mera", mera_nested, [document, pretty]),
    ("harness", harness, [document, pretty, lines]),
    ("records", outputs, [document, pretty, lines]),
    ("records", single("completion", "task_id"), [document, pretty, lines]),
    ("records", single("code", "task_id"), [document, pretty, lines]),
    ("records", single("completion", "namespace"), [document, pretty, lines]),
    ("records", official, [lines]),
]
WRAPPINGS: list[Callable[[bytes], bytes]] = [
    lambda raw: raw,
    gzip.compress,
    in_zip,
    lambda raw: in_zip(gzip.compress(raw)),
]


@pytest.mark.parametrize(("name", "shape", "layouts"), FORMS)
@settings(deadline=None)
@given(data=st.data(), found=PREDICTIONS)
def test_generations_are_read_back_as_written(
    name: str,
    shape: Callable[[Predictions], Any],
    layouts: list[Callable[[Any], bytes]],
    data: st.DataObject,
    found: Predictions,
) -> None:
    raw = data.draw(st.sampled_from(layouts))(shape(found))
    raw = data.draw(st.sampled_from(WRAPPINGS))(raw)
    index = SlotIndex.of([Task(task, {}, {}) for task in found], lambda _: [Slot()])
    with tempfile.NamedTemporaryFile() as file:
        Path(file.name).write_bytes(raw)
        report = check(Path(file.name), index)
        generations = list(read(Path(file.name), index))
    assert (report.problems, report.format) == ((), name)
    assert report.generations == len(generations)
    assert generations == [
        Generation(Key(task, sample), text)
        for task, texts in found.items()
        for sample, text in enumerate(texts)
    ]


@pytest.mark.parametrize("value", ["x", ["x"], [["x"]]])
def test_outputs_may_be_a_string_a_list_or_a_list_in_a_list(
    value: object, put: Put, index: SlotIndex
) -> None:
    path = put(json.dumps({"data": {"test": [{"outputs": value, "meta": {"id": "1"}}]}}))
    assert list(read(path, index)) == [Generation(Key(1, 0), "x")]


def test_requirements_stand_beside_outputs_in_meta_or_in_type(
    put: Put, requirements: SlotIndex
) -> None:
    rows = [
        {"outputs": "x", "requirement": "A", "meta": {"id": 1}},
        {"outputs": "y", "meta": {"id": 1, "requirement": "B"}},
    ]
    found = [*read(put(json.dumps({"data": {"test": rows}})), requirements)]
    assert [one.key for one in found] == [Key(1, 0, "A", 1), Key(1, 0, "B", 2)]
    typed = put(json.dumps({"namespace": "2", "type": "B", "completion": "x"}))
    assert [one.key for one in read(typed, requirements)] == [Key(2, 0, "B", 2)]


def test_further_lines_for_a_task_and_requirement_are_further_samples(
    put: Put, requirements: SlotIndex
) -> None:
    rows = [(1, "A"), (2, "A"), (1, "B"), (1, "A"), ("1", "A")]
    text = "\n".join(
        json.dumps({"task_id": task, "requirement": name, "completion": ""}) for task, name in rows
    )
    keys = [
        (one.key.task_id, one.key.requirement, one.key.sample)
        for one in read(put(text), requirements)
    ]
    assert keys == [(1, "A", 0), (2, "A", 0), (1, "B", 0), (1, "A", 1), (1, "A", 2)]


def test_numbers_beyond_64_bits_and_nan_are_read_where_they_do_not_matter(
    put: Put, index: SlotIndex
) -> None:
    huge = "9" * 5000
    line = (
        '{"doc": {"meta": {"id": 2}}, "resps": [["x"]], "a": NaN, "b": -Infinity, "c": '
        + huge
        + "}"
    )
    assert [one.key.task_id for one in read(put(line), index)] == [2]


def test_harness_results_are_never_taken_for_code(put: Put, index: SlotIndex) -> None:
    report = check(put('{"doc": {"meta": {"id": 2}}, "filtered_resps": ["x"]}'), index)
    assert "`filtered_resps` is never used" in report.problems[0].sentence
