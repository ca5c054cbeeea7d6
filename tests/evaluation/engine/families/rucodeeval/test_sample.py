"""The sample data that ships with the family: whole, in the format, and hiding its answers."""

import json
from collections import Counter
from pathlib import Path

import pytest

import evaluation.engine.families.rucodeeval as family
from evaluation.engine.errors import BenchmarkError

SAMPLE = Path(family.__file__).parent / "sample"
TASKS = family.FAMILY.load_tasks(SAMPLE / "tasks.jsonl", SAMPLE / "answers.jsonl")


def lines(name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (SAMPLE / name).read_text("utf-8").splitlines()]


def test_the_tasks_are_complete_with_their_answers() -> None:
    assert [task.id for task in TASKS] == list(range(12))


def test_the_tasks_alone_hold_no_outputs() -> None:
    with pytest.raises(BenchmarkError, match="answers file is needed"):
        family.FAMILY.load_tasks(SAMPLE / "tasks.jsonl", None)


def test_reference_solutions_compile_after_their_function() -> None:
    for task in TASKS:
        compile(task.public["function"] + task.hidden["canonical_solution"], "task", "exec")


def test_functions_end_with_and_without_a_newline() -> None:
    assert {task.public["function"].endswith("\n") for task in TASKS} == {True, False}


def test_every_model_has_ten_generations_of_every_task() -> None:
    document = json.loads((SAMPLE / "birch" / "base.json").read_text("utf-8"))
    birch = {entry["meta"]["id"]: len(entry["outputs"]) for entry in document["data"]["test"]}
    alder = Counter(line["task_id"] for line in lines("alder/base.jsonl"))
    willow = {line["task_id"]: len(line["outputs"]) for line in lines("willow/base.jsonl")}  # type: ignore[arg-type]  # a list
    assert birch == alder == willow == dict.fromkeys(range(12), 10)
