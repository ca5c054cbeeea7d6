import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evaluation.engine.errors import BenchmarkError
from evaluation.engine.families.rucodeeval.dataset import calls_of, load_tasks
from evaluation.engine.records import Task
from evaluation.engine.sandbox.inside.plain import decode
from tests.support.commands import write_lines
from tests.support.json_values import json_values

from .cases import record

# Each example overwrites the same file, and disks are slow at times.
FILES = settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
JSON = json_values("data", "test", "meta", "id", "inputs", "outputs", "tests", "x")


def load(tmp_path: Path, *records: Any, answers: list[Any] | None = None) -> tuple[Task, ...]:
    tasks = write_lines(tmp_path / "tasks.jsonl", records)
    if answers is None:
        return load_tasks(tasks, None)
    return load_tasks(tasks, write_lines(tmp_path / "answers.jsonl", answers))


def problems(tmp_path: Path, *records: Any, answers: list[Any] | None = None) -> list[str]:
    with pytest.raises(BenchmarkError) as caught:
        load(tmp_path, *records, answers=answers)
    return [str(problem) for problem in caught.value.problems]


def test_outputs_and_solution_are_hidden_and_the_rest_is_public(tmp_path: Path) -> None:
    (task,) = load(tmp_path, record(13))
    assert task.id == 13
    assert task.public == {
        "instruction": "Допишите функцию\n{function}",
        "function": "def f(x):\n",
        "entry_point": "f",
        "test_count": 2,
    }
    assert task.hidden["outputs"] == ["1", "2"]
    assert task.hidden["canonical_solution"] == "    return x\n"
    assert [decode(test) for test in task.hidden["tests"]] == [{"x": 1}, {"x": (2, None)}]
    assert task.natural_language == "ru"


@pytest.mark.parametrize(
    "given_as", ["[{'x': 1}, {'x': 2}]", '[{"x": 1}, {"x": 2}]', [{"x": 1}, {"x": 2}]]
)
def test_tests_come_as_literal_json_or_list(tmp_path: Path, given_as: object) -> None:
    (task,) = load(tmp_path, record(tests=given_as))
    assert [decode(test) for test in task.hidden["tests"]] == [{"x": 1}, {"x": 2}]


@pytest.mark.parametrize("outputs", [["1", "2"], [["1", "2"]], [["1", "2"], ["1", "2"]]])
def test_a_row_of_outputs_holds_the_results_of_all_tests(tmp_path: Path, outputs: object) -> None:
    (task,) = load(tmp_path, record(outputs=outputs))
    assert task.hidden["outputs"] == ["1", "2"]


def test_answers_are_merged_by_id(tmp_path: Path) -> None:
    tasks = [record(1, outputs=[], canonical_solution=None), record(2, outputs=[])]
    answers = [{"id": 2, "outputs": ["c", "d"]}, record(1, outputs=["a", "b"])]
    one, two = load(tmp_path, *tasks, answers=answers)
    assert (one.hidden["outputs"], two.hidden["outputs"]) == (["a", "b"], ["c", "d"])
    assert one.hidden["canonical_solution"] == "    return x\n"


@pytest.mark.parametrize("empty", [[], [[]], [[], []], None])
def test_outputs_kept_back_are_filled_from_the_answers(tmp_path: Path, empty: object) -> None:
    (task,) = load(tmp_path, record(outputs=empty), answers=[{"id": 1, "outputs": ["a", "b"]}])
    assert task.hidden["outputs"] == ["a", "b"]


def test_every_problem_is_told_with_its_line_and_id(tmp_path: Path) -> None:
    records = [record(1, tests="[f(1)]"), record(2), record(3, entry_point="", outputs=["1"])]
    found = problems(tmp_path, *records)
    assert found == [
        "tasks.jsonl, line 1, task 1: inputs.tests is a text but neither JSON nor a literal",
        "tasks.jsonl, line 3, task 3: meta.entry_point is missing or not a text",
    ]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"tests": []}, "inputs.tests is empty"),
        ({"tests": "{'x': 1}"}, "inputs.tests is not a list"),
        ({"tests": "__import__('os').getcwd()"}, "neither JSON nor a literal"),
        ({"tests": "[{'x': ...}]"}, "test 1 holds a value of type ellipsis"),
        ({"tests": "[{'x': 1}, {2: 3}]"}, "test 2 is not a set of named arguments"),
        ({"tests": "(" * 5000}, "neither JSON nor a literal"),
        ({"outputs": [["1", "2"], ["1", "3"]]}, "rows of outputs differ"),
        ({"outputs": ["1", ["2"]]}, "something other than strings"),
        ({"outputs": "12"}, "outputs is not a list"),
        ({"outputs": ["1", "2", "3"]}, "3 outputs for 2 tests"),
        ({"entry_point": "f()"}, "not the name of a function"),
        ({"canonical_solution": 1}, "canonical_solution is missing or not a text"),
        ({"id": True}, "the id is missing"),
    ],
)
def test_a_wrong_field_is_named(tmp_path: Path, changed: dict[str, Any], says: str) -> None:
    (found,) = problems(tmp_path, record(**changed))
    assert says in found


@pytest.mark.parametrize(
    ("answers", "says"),
    [
        ([], "tasks.jsonl, line 1, task 1: answers.jsonl has no answer to it"),
        ([{"id": 1, "outputs": ["a", "b"]}] * 2, "answers.jsonl, line 2, task 1: the id appears"),
        (
            [{"id": 1, "outputs": ["a", "b"]}, {"id": 9, "outputs": ["a", "b"]}],
            "answers.jsonl, line 2, task 9: there is no such task",
        ),
        ([{"id": 1, "outputs": ["a"]}], "answers.jsonl, line 1, task 1: 1 outputs for 2 tests"),
        ([{"outputs": ["a", "b"]}], "answers.jsonl, line 1: the id is missing"),
    ],
)
def test_answers_must_fit_the_tasks(tmp_path: Path, answers: list[Any], says: str) -> None:
    found = problems(tmp_path, record(1, outputs=[]), answers=answers)
    assert any(sentence.startswith(says) for sentence in found)


def test_answers_may_repeat_but_not_contradict_the_tasks(tmp_path: Path) -> None:
    assert load(tmp_path, record(1), answers=[{"id": 1, "outputs": ["1", "2"]}])
    (found,) = problems(tmp_path, record(1), answers=[{"id": 1, "outputs": ["1", "3"]}])
    assert "contradicts the outputs in the tasks file" in found


def test_a_faulty_task_is_not_also_called_unknown(tmp_path: Path) -> None:
    answers = [{"id": 1, "outputs": ["a", "b"]}]
    (found,) = problems(tmp_path, record(1, outputs=[], entry_point="1"), answers=answers)
    assert "not the name of a function" in found


def test_outputs_kept_back_without_answers_are_one_problem(tmp_path: Path) -> None:
    (found,) = problems(tmp_path, *[record(id, outputs=[]) for id in range(50)])
    assert found == "there are no outputs: the answers file is needed"


@given(st.lists(st.fixed_dictionaries({"x": JSON, "имя": st.binary()}), min_size=1, max_size=3))
def test_tests_as_a_literal_come_back_as_they_were(calls: list[dict[str, Any]]) -> None:
    text = repr(calls)
    if "nan" not in text and "inf" not in text:  # their repr is not a literal
        assert [decode(test) for test in calls_of(text)] == calls


@FILES
@given(st.binary(max_size=60) | JSON.map(lambda value: json.dumps(value).encode()))
def test_any_answers_file_is_used_or_refused(tmp_path: Path, content: bytes) -> None:
    path = write_lines(tmp_path / "tasks", [record(1, outputs=[])])
    answers = tmp_path / "answers"
    answers.write_bytes(content)
    with pytest.raises(BenchmarkError) as caught:
        load_tasks(path, answers)
    assert caught.value.problems
