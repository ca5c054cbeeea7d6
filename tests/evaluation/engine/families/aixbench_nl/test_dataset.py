"""The tasks file: every description is read, every problem reported."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evaluation.engine import uploads
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families import aixbench_nl
from evaluation.engine.families.aixbench_nl import FAMILY
from evaluation.engine.records import Task

SAMPLE = Path(aixbench_nl.__file__).parent / "sample"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.fixed_dictionaries({}, optional={"task_id": JSON, "raw_nl": JSON})
TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


def load(path: Path, *items: object) -> tuple[Task, ...]:
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    return FAMILY.load_tasks(path, None)


def test_a_task_is_its_description(tmp_path: Path) -> None:
    (task,) = load(tmp_path / "tasks", {"task_id": 4, "raw_nl": "Split a list.", "odd": 1})
    assert task == Task(4, {"raw_nl": "Split a list."}, {}, language="java", natural_language="en")


def test_any_chinese_character_makes_a_description_chinese(tmp_path: Path) -> None:
    texts = ["Split a 列表", "Split — «a»", "拆分"]
    items = [{"task_id": n, "raw_nl": text} for n, text in enumerate(texts)]
    tasks = load(tmp_path / "tasks", *items)
    assert [task.natural_language for task in tasks] == ["zh", "en", "zh"]


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ([], "a task must be a JSON object"),
        ({"task_id": "1", "raw_nl": "x"}, "task_id must be a whole number, from 0 on"),
        ({"task_id": True, "raw_nl": "x"}, "task_id must be a whole number, from 0 on"),
        ({"task_id": -1, "raw_nl": "x"}, "task_id must be a whole number, from 0 on"),
        ({"task_id": 1}, "raw_nl is missing or not a text"),
        ({"task_id": 1, "raw_nl": " "}, "raw_nl is missing or not a text"),
        (
            {"task_id": 1, "raw_nl": "a\0"},
            "raw_nl contains a character that a text file cannot have",
        ),
        ({"task_id": 0, "raw_nl": "x"}, "the id appears a second time"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, item: object, sentence: str) -> None:
    with pytest.raises(BenchmarkError) as caught:
        load(tmp_path / "tasks", {"task_id": 0, "raw_nl": "Fine."}, item)
    assert [(one.sentence, one.line) for one in caught.value.problems] == [(sentence, 2)]


def test_there_are_no_answers(tmp_path: Path) -> None:
    with pytest.raises(BenchmarkError, match="no answers file"):
        FAMILY.load_tasks(SAMPLE / "tasks.jsonl", tmp_path)


@given(st.lists(FIELDS | JSON, max_size=4))
def test_whatever_a_file_holds_is_loaded_or_refused(
    tmp_path_factory: pytest.TempPathFactory, items: list[object]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.jsonl"
    try:
        tasks = load(path, *items)
    except BenchmarkError as error:
        assert error.problems
    else:
        assert all(task.public["raw_nl"].strip() for task in tasks)


@given(st.dictionaries(st.integers(0, 10**6), TEXTS.filter(str.strip), min_size=1))
def test_tasks_come_in_the_file_s_order_word_for_word(
    tmp_path_factory: pytest.TempPathFactory, texts: dict[int, str]
) -> None:
    path = tmp_path_factory.getbasetemp() / "good.jsonl"
    tasks = load(path, *({"task_id": key, "raw_nl": text} for key, text in texts.items()))
    assert [(task.id, task.public["raw_nl"]) for task in tasks] == list(texts.items())


@pytest.mark.parametrize(("model", "seen"), [("rowan", 12), ("birch", 12), ("willow", 11)])
def test_a_sample_file_is_accepted_as_an_upload(model: str, seen: int) -> None:
    tasks = FAMILY.load_tasks(SAMPLE / "tasks.jsonl", None)
    index = uploads.SlotIndex.of(tasks, lambda task: FAMILY.slots(task, "base"))
    report = uploads.check(SAMPLE / f"{model}/base.jsonl", index, family=FAMILY.slug)
    assert (report.problems, report.tasks_seen) == ((), seen)
