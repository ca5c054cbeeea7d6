"""Generations written in each format are read back as they were."""

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


def keyed_lists(found: Predictions) -> Any:
    return {str(name): texts for name, texts in found.items()}


def keyed_records(found: Predictions) -> Any:
    return {str(name): {"outputs": texts, "meta": {"task_id": 1}} for name, texts in found.items()}


def keyed_with_ids(found: Predictions) -> Any:
    return {str(row["task_id"]): row for row in outputs(found)}


def listed(found: Predictions) -> Any:
    return {"model": "m", "predictions": outputs(found), "config": {"k": [{}]}}


def document(value: Any) -> bytes:
    return json.dumps(value).encode()


def pretty(value: Any) -> bytes:
    return b"\xef\xbb\xbf\n" + json.dumps(value, indent=1, ensure_ascii=False).encode()


def lines(value: list[Any]) -> bytes:
    return "\r\n\n".join(json.dumps(row, ensure_ascii=False) for row in value).encode()


def jq(value: list[Any]) -> bytes:
    return "\n".join(json.dumps(row, indent=2, ensure_ascii=False) for row in value).encode()


def mixed(value: list[Any]) -> bytes:
    """The first record on a line, after which a person or `jq .` wrote some over several lines."""
    rows = [json.dumps(value[0]), *(json.dumps(row, indent=n) for n, row in enumerate(value[1:]))]
    return "\n".join(rows).encode()


def in_zip(raw: bytes) -> bytes:
    return zipped({"../../etc/predictions": raw})


FORMS: list[tuple[str, Callable[[Predictions], Any], list[Callable[[Any], bytes]]]] = [
    ("mera", mera, [document, pretty]),
    ("mera", mera_nested, [document, pretty]),
    ("harness", harness, [document, pretty, lines, jq, mixed]),
    ("records", outputs, [document, pretty, lines, jq, mixed]),
    ("records", single("completion", "task_id"), [document, pretty, lines, jq, mixed]),
    ("records", single("code", "task_id"), [document, pretty, lines, jq, mixed]),
    ("records", single("completion", "namespace"), [document, pretty, lines, jq, mixed]),
    ("records", keyed_lists, [document, pretty]),
    ("records", keyed_records, [document, pretty]),
    ("records", keyed_with_ids, [document, pretty]),
    ("records", listed, [document, pretty]),
    ("records", official, [lines, jq, mixed]),
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


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"1": "x", "2": ["y"]}', "a JSON object with a key for each task"),
        ('{"9": {"completion": "x"}, "8": {"completion": "y"}}', "a key for each task"),
        ('{"predictions": [{"task_id": 1, "code": "x"}]}', "a list in one JSON object"),
        ('{"model": "m", "predictions": {"1": "x", "2": ["y"]}}', "a list in one JSON object"),
        ('{"results": {"1": {}}, "predictions": [{"task_id": 1, "code": "x"}]}', "a list in one"),
        ('{"Responses": [{"task_id": 1, "code": "x"}]}', "a list in one JSON object"),
        ('{"set/1": "x", "set/2": ["y"]}', "a key for each task"),
        ('{"set/Task_1": "x", "9": 5}', "a key for each task"),
        ('{"task_id": 1, "code": "x"}{"task_id": 2, "code": "x"}', "over several lines"),
        ('{"task_id": 1, "code": "x"}\r{"task_id": 2, "code": "x"}\r', "over several lines"),
        ('{\n"task_id": 1, "code": "x"}', "records over several lines"),
        ('{"task_id": 1, "code": "x"}\n{\n"task_id": 1}', "one record per line"),
    ],
)
def test_the_layout_is_named(text: str, words: str, put: Put, index: SlotIndex) -> None:
    assert words in check(put(text), index).format_words


@pytest.mark.parametrize("indent", [None, 1])
def test_a_header_may_be_over_several_lines(indent: int | None, put: Put, index: SlotIndex) -> None:
    header = {"generation": {"model": "m"}}
    text = json.dumps(header, indent=indent) + json.dumps({"task_id": 1, "code": "x"}, indent=1)
    report = check(put(text.replace("}{", "}\n{")), index)
    assert (report.header, report.generations) == (header["generation"], 1)


def test_lines_of_other_layouts_are_those_of_the_file(put: Put, index: SlotIndex) -> None:
    rows = [{"task_id": 1, "completion": "x"}, {"task_id": 9, "completion": "y"}]
    for text, line in (
        (json.dumps({str(row["task_id"]): row for row in rows}, indent=1), 6),
        (json.dumps({"predictions": rows}, indent=1), 7),
        (json.dumps({"generations": {"1": "x", "9": "y"}}, indent=1), 4),
        ("\n".join(json.dumps(row, indent=1) for row in rows), 5),
        (json.dumps(rows[0]) + "\n" + json.dumps(rows[1], indent=1), 2),
    ):
        (problem,) = check(put(text), index).problems
        assert (problem.line, problem.task_id) == (line, "9")
        assert '"9"' in text.splitlines()[line - 1] or "{" in text.splitlines()[line - 1]


def test_transcripts_may_be_keyed_by_task(put: Put, index: SlotIndex) -> None:
    (problem,) = check(put(json.dumps({"1": [{"role": "user", "content": ""}]})), index).problems
    assert "transcript of conversations (`messages`)" in problem.sentence
    (problem,) = check(put('{"1": [{"completion": "x"}]}'), index).problems
    assert problem.sentence == "Generation 1 is an object where it should be a string."
