"""Tests of reading tasks that hold for the files of every family, tried on their samples."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.records import Task
from evaluation.engine.registry import FAMILIES
from evaluation.engine.samples import sample_answers, sample_folder
from tests.support.json_values import json_values

# aix-bench is read from a checkout, and has tests of its own.
SLUGS = [slug for slug in FAMILIES if slug != "aixbench_auto"]
WITH_ANSWERS = {"rucodeeval", "codeif_repository"}
JSON = json_values(
    *("data", "test", "meta", "id", "task_id", "x"), texts=("[", "{1: 2}", "['a']", "{}", "()")
)


def records_of(slug: str) -> list[dict[str, Any]]:
    folder = sample_folder(slug)
    return [json.loads(line) for line in (folder / "tasks.jsonl").read_text("utf-8").splitlines()]


def load(slug: str, path: Path) -> tuple[Task, ...]:
    folder = sample_folder(slug)
    assert folder is not None
    return FAMILIES[slug].load_tasks(path, sample_answers(folder))


@pytest.mark.parametrize(
    "wrap",
    [
        lambda records: "\ufeff" + "\r\n\r\n".join(map(json.dumps, records)),
        lambda records: json.dumps(records, indent=1),
        lambda records: json.dumps({"data": {"test": records}}, indent=1),
    ],
    ids=["lines with a BOM and blanks", "array", "MERA document"],
)
@pytest.mark.parametrize("slug", SLUGS)
def test_a_file_is_recognised_by_its_content(
    tmp_path: Path, slug: str, wrap: Callable[[list[Any]], str]
) -> None:
    folder = sample_folder(slug)
    path = tmp_path / "anything.txt"
    path.write_text(wrap(records_of(slug)), "utf-8")
    as_lines = load(slug, folder / "tasks.jsonl")
    assert [task.id for task in load(slug, path)] == [task.id for task in as_lines]


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "no tasks"),
        (b"[]", "no tasks"),
        (b'{"data": {"train": []}}', 'has no list "test"'),
        (b'[{"meta": {"id": 1}},\n', "line 1: not JSON"),
        (b"{}\n\xff", "line 2: not UTF-8"),
        (b"[" * 100_000, "line 1: JSON is nested too deeply"),
        (b"9" * 5000, "a number is too long"),
        (b"[5]", "entry 1 of the list: "),
        (None, "cannot be read"),
    ],
)
@pytest.mark.parametrize("slug", SLUGS)
def test_a_file_that_holds_no_tasks_is_refused(
    tmp_path: Path, slug: str, content: bytes | None, sentence: str
) -> None:
    path = tmp_path / "tasks.jsonl"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(BenchmarkError) as caught:
        FAMILIES[slug].load_tasks(path, None)
    assert any(sentence in str(problem) for problem in caught.value.problems)


@pytest.mark.parametrize("slug", SLUGS)
def test_a_task_that_stands_there_twice_is_told(tmp_path: Path, slug: str) -> None:
    first, second, *_ = records_of(slug)
    path = tmp_path / "tasks.jsonl"
    path.write_text("\n".join(map(json.dumps, [first, second, first])))
    with pytest.raises(BenchmarkError) as caught:
        load(slug, path)
    told = [(problem.line, problem.sentence) for problem in caught.value.problems]
    assert any(line == 3 and ("second time" in said or "twice" in said) for line, said in told)


@pytest.mark.parametrize("slug", [slug for slug in FAMILIES if slug not in WITH_ANSWERS])
def test_an_answers_file_is_refused_where_there_is_none(tmp_path: Path, slug: str) -> None:
    with pytest.raises(BenchmarkError, match="This benchmark has no answers file: "):
        FAMILIES[slug].load_tasks(tmp_path, tmp_path / "answers.jsonl")


def test_a_hundred_problems_are_listed_and_the_rest_counted(tmp_path: Path) -> None:
    path = tmp_path / "tasks.jsonl"
    path.write_text("{}\n" * 150)
    with pytest.raises(BenchmarkError) as caught:
        FAMILIES["aixbench_nl"].load_tasks(path, None)
    assert (len(caught.value.problems), caught.value.more) == (100, 50)


@pytest.mark.parametrize("slug", SLUGS)
@given(content=st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
@settings(deadline=None)
def test_any_bytes_are_refused_in_words(
    tmp_path_factory: pytest.TempPathFactory, slug: str, content: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(content)
    with pytest.raises(BenchmarkError) as caught:
        load(slug, path)
    assert all(problem.sentence for problem in caught.value.problems)


@pytest.mark.parametrize("slug", SLUGS)
@given(data=st.data())
@settings(deadline=None)
def test_any_value_of_any_field_gives_tasks_or_problems(
    tmp_path_factory: pytest.TempPathFactory, slug: str, data: st.DataObject
) -> None:
    # All records, as each of the answers needs its task.
    part, *_ = records = records_of(slug)
    name = data.draw(st.sampled_from(sorted(part)))
    if isinstance(part[name], dict) and part[name] and data.draw(st.booleans()):
        part = part[name]
        name = data.draw(st.sampled_from(sorted(part)))
    part[name] = data.draw(JSON)
    path = tmp_path_factory.getbasetemp() / "changed"
    path.write_text("\n".join(map(json.dumps, records)))
    try:
        tasks = load(slug, path)
    except BenchmarkError as error:
        assert all(problem.sentence for problem in error.problems)
        return
    assert len(tasks) == len(records)
    for task in tasks:
        json.dumps([task.public, task.hidden])
        if "outputs" in task.hidden:
            assert len(task.hidden["outputs"]) == len(task.hidden["tests"]) > 0
        for setting in FAMILIES[slug].settings:
            assert FAMILIES[slug].slots(task, setting) is not None
