"""The sample data that ships with the family: whole, in the format, and hiding its answers."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

import evaluation.engine.families.rucodeeval as family
from evaluation.engine.errors import BenchmarkError

SAMPLE = Path(family.__file__).parent / "sample"
TASKS = family.FAMILY.load_tasks(SAMPLE / "tasks.jsonl", SAMPLE / "answers.jsonl")


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


def samples_by_task(name: str) -> dict[object, int]:
    """The number of generations of each task in a file of any of the formats."""
    path = SAMPLE / name
    raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    if path.suffix == ".json":
        entries = json.loads(raw)["data"]["test"]
        return {entry["meta"]["id"]: len(entry["outputs"]) for entry in entries}
    counts: Counter[object] = Counter()
    for line in map(json.loads, raw.decode().splitlines()):
        counts[line["task_id"]] += len(line.get("outputs", ["one"]))
    return counts


@pytest.mark.parametrize(
    ("file", "samples"),
    [
        ("rowan/base.json", 10),
        ("birch/base.json", 10),
        ("hazel/base.jsonl.gz", 10),
        ("alder/base.jsonl", 10),
        ("maple/base.jsonl", 5),
        ("aspen/base.jsonl", 10),
        ("willow/base.jsonl", 10),
    ],
)
def test_a_model_has_as_many_generations_of_every_task(file: str, samples: int) -> None:
    assert samples_by_task(file) == dict.fromkeys(range(12), samples)
