"""Tests of the published files in all their shapes, and of what a generation is judged against."""

# Programs and tests read best in a line each.
# ruff: noqa: E501

import json
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine import instructions
from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.codeif_function import judging, load_tasks
from evaluation.engine.instructions import EXTENSION
from evaluation.engine.records import Case, Generation, Key, Slot, Task
from tests.support.commands import write_lines

REQUIREMENTS: dict[str, Any] = {
    "Edge Case Handling": {"requirement": "Edges.", "unit_test": "assert f(0) == 0"},
    EXTENSION: {"requirement": "More.", "unit_test": ["assert f(1, 2) == 3", "assert g()"]},
    "Code Standard": {"requirement": "Style.", "unit_test": ["check(f)"]},
}
ITEM: dict[str, Any] = {
    "task_id": 11,
    "prompt": "Write f.",
    "test": ["assert f(1) == 1", "assert f(2) == 2"],
    "code": "def f(x):\n    return x\n",
    "requirements": REQUIREMENTS,
    "multi-turn": ["Code Standard", "Edge Case Handling"],
}
BASE_TESTS = "assert f(1) == 1\nassert f(2) == 2"


def file_of(folder: Path, *items: Any) -> Path:
    return write_lines(folder / "tasks.jsonl", items)


def loaded(folder: Path, **changes: Any) -> Task:
    (task,) = load_tasks(file_of(folder, {**ITEM, **changes}), None)
    return task


def problems_of(path: Path) -> list[tuple[int | None, Any, str]]:
    with pytest.raises(BenchmarkError) as caught:
        load_tasks(path, None)
    return [(p.line, p.task_id, p.sentence) for p in caught.value.problems]


def test_what_is_public_and_what_is_hidden(tmp_path: Path) -> None:
    task = loaded(tmp_path)
    assert task.id == 11
    assert set(task.public) == {"prompt", "requirements", "turns"}
    assert task.public["requirements"] == {
        name: content["requirement"] for name, content in REQUIREMENTS.items()
    }
    assert task.hidden["test"] == BASE_TESTS
    assert "assert" not in json.dumps(dict(task.public))


@pytest.mark.parametrize(
    "changes",
    [
        {"test": json.dumps(ITEM["test"])},
        {"test": BASE_TESTS},
        {"multi-turn": json.dumps(ITEM["multi-turn"])},
        {"unknown": 1},
    ],
    ids=str,
)
def test_every_published_shape_has_one_normal_form(tmp_path: Path, changes: dict[str, Any]) -> None:
    assert loaded(tmp_path, **changes) == loaded(tmp_path)


def test_tests_that_begin_with_a_bracket_are_tests(tmp_path: Path) -> None:
    assert loaded(tmp_path, test="[f(x) for x in y]").hidden["test"] == "[f(x) for x in y]"


def test_without_an_order_requirements_stand_as_they_are_with_extension_last(
    tmp_path: Path,
) -> None:
    names = ("Edge Case Handling", "Code Standard", EXTENSION)
    assert loaded(tmp_path, **{"multi-turn": None}).public["turns"] == names
    path = file_of(tmp_path, {name: v for name, v in ITEM.items() if name != "multi-turn"})
    assert load_tasks(path, None)[0].public["turns"] == names


BAD = {
    "no mapping": ([1], "object"),
    "no id": ({k: v for k, v in ITEM.items() if k != "task_id"}, "task_id"),
    "tests that hold a number": ({**ITEM, "test": ["a", 3]}, "test"),
    "a requirement without a test": ({**ITEM, "requirements": {"A": {"requirement": "x"}}}, "unit_test"),
    "an order with a stranger": ({**ITEM, "multi-turn": ["A"]}, "multi-turn"),
    "a literal too deep": ({**ITEM, "requirements": "-" * 100_000 + "1"}, ""),
    "a category that is no text": ({**ITEM, "requirements": "{1: {'requirement': '', 'unit_test': ''}}", "multi-turn": None}, ""),
}  # fmt: skip


@pytest.mark.parametrize(("item", "word"), BAD.values(), ids=BAD.keys())
def test_a_line_that_is_no_task_is_named(tmp_path: Path, item: Any, word: str) -> None:
    ((line, task_id, sentence),) = problems_of(file_of(tmp_path, {**ITEM, "task_id": 1}, item))
    assert line == 2
    assert word in sentence
    if isinstance(item, dict) and type(item.get("task_id")) is int:
        assert task_id == 11


@pytest.mark.parametrize(
    ("setting", "slots"),
    [
        ("base", [Slot(None, 0)]),
        ("single_round", [Slot(name) for name in REQUIREMENTS]),
        ("two_round", [Slot(name, 1) for name in REQUIREMENTS]),
        (
            "multi_turn",
            [
                Slot(None, 0, required=False),
                Slot("Code Standard", 1),
                Slot("Edge Case Handling", 2),
                Slot(EXTENSION, 3, required=False),
            ],
        ),
    ],
)
def test_places_for_generations(tmp_path: Path, setting: str, slots: list[Slot]) -> None:
    assert list(instructions.slots(loaded(tmp_path), setting)) == slots


def test_an_unlisted_category_but_extension_has_no_turn(tmp_path: Path) -> None:
    task = loaded(tmp_path, **{"multi-turn": ["Edge Case Handling"]})
    places = instructions.slots(task, "multi_turn")
    assert [slot.requirement for slot in places] == [None, "Edge Case Handling", EXTENSION]


def test_extension_keeps_its_turn_where_it_is_listed(tmp_path: Path) -> None:
    task = loaded(tmp_path, **{"multi-turn": [EXTENSION, "Code Standard"]})
    assert instructions.slots(task, "multi_turn")[1:] == [
        Slot(EXTENSION, 1, False),
        Slot("Code Standard", 2),
    ]


EDGE, STYLE, MORE = "assert f(0) == 0", "check(f)", "assert f(1, 2) == 3\nassert g()"


@pytest.mark.parametrize(
    ("setting", "requirement", "tests"),
    [
        ("base", None, BASE_TESTS),
        ("two_round", "Edge Case Handling", f"{BASE_TESTS}\n{EDGE}"),
        ("single_round", EXTENSION, MORE),
        ("multi_turn", "Code Standard", f"{BASE_TESTS}\n{STYLE}"),
        ("multi_turn", "Edge Case Handling", f"{BASE_TESTS}\n{STYLE}\n{EDGE}"),
        ("multi_turn", EXTENSION, MORE),
    ],
)
def test_tests_accumulate_in_multi_turn_alone(
    tmp_path: Path, setting: str, requirement: str | None, tests: str
) -> None:
    task = loaded(tmp_path)
    case = Case(task, Generation(Key(task.id, 0, requirement), ""), setting)
    execution: Any = judging.plan(case, judging.LIMITS)
    assert execution.payload["judge"]["tests"] == tests
