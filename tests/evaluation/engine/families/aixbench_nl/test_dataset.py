"""The tasks file: every description is read, every problem reported."""

from pathlib import Path

import pytest
from hypothesis import strategies as st

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.aixbench_nl import FAMILY
from evaluation.engine.records import Task
from tests.support.commands import write_lines

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1)


def load(path: Path, *items: object) -> tuple[Task, ...]:
    return FAMILY.load_tasks(write_lines(path, items), None)


def test_a_task_is_its_description(tmp_path: Path) -> None:
    (task,) = load(tmp_path / "tasks", {"task_id": 4, "raw_nl": "Split a list.", "odd": 1})
    assert task == Task(4, {"raw_nl": "Split a list."}, {}, language="java", natural_language="en")


@pytest.mark.parametrize(
    ("item", "sentence"),
    [
        ([], "a task must be a JSON object"),
        ({"task_id": "1", "raw_nl": "x"}, "task_id must be a whole number, from 0 on"),
        ({"task_id": 1, "raw_nl": " "}, "raw_nl is missing or not a text"),
        ({"task_id": 0, "raw_nl": "x"}, "the id appears a second time"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(tmp_path: Path, item: object, sentence: str) -> None:
    with pytest.raises(BenchmarkError) as caught:
        load(tmp_path / "tasks", {"task_id": 0, "raw_nl": "Fine."}, item)
    assert [(one.sentence, one.line) for one in caught.value.problems] == [(sentence, 2)]
