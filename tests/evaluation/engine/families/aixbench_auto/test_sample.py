"""Our own sample: it loads, its predictions are accepted, and each makes a class or says why."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from pathlib import Path

import pytest

from evaluation.engine import uploads
from evaluation.engine.families.aixbench_auto.assembling import assemble
from evaluation.engine.families.aixbench_auto.dataset import load_tasks
from evaluation.engine.families.aixbench_auto.predictions import member_task
from evaluation.engine.families.aixbench_auto.scoring import slots
from tests.evaluation.engine.families.aixbench_auto.cases import CHECKOUT, SAMPLE

TASKS = {task.id: task for task in load_tasks(CHECKOUT, None)}
PREDICTIONS = SAMPLE / "predictions"
EXPECTED = list(csv.DictReader((PREDICTIONS / "expected.csv").read_text().splitlines()))


def texts(model: str) -> dict[object, str]:
    folder = PREDICTIONS / model
    if (lines := folder / "base.jsonl").exists():
        records = map(json.loads, lines.read_text("utf-8").splitlines())
        return {record["task_id"]: record["code"] for record in records}
    return {member_task(path.name): path.read_text("utf-8") for path in folder.iterdir()}


@pytest.mark.parametrize("path", sorted(PREDICTIONS.glob("*/base.jsonl")), ids=str)
def test_lines_of_code_are_accepted_as_an_upload(path: Path) -> None:
    index = uploads.SlotIndex.of([*TASKS.values()], lambda task: slots(task, "base"))
    report = uploads.check(path, index, family="aixbench_auto")
    assert report.problems == ()
    assert report.tasks_seen == sum(row["model"] == path.parent.name for row in EXPECTED)


@pytest.mark.parametrize("model", sorted({row["model"] for row in EXPECTED}))
def test_every_answer_has_an_expected_outcome_and_a_class(model: str) -> None:
    rows = {int(row["task_id"]): row for row in EXPECTED if row["model"] == model}
    found = texts(model)
    assert set(found) == set(rows) <= set(TASKS)
    for id, row in rows.items():
        assembled = assemble(TASKS[id], found[id])
        assert assembled is not None or row["status"] == "compile_error"
        assert (row["passed"] == row["total"]) == (row["status"] == "passed")


def test_every_model_is_described_and_told_of() -> None:
    models = {row["model"] for row in EXPECTED}
    assert set(tomllib.loads((SAMPLE / "models.toml").read_text())) == models
    assert models <= set(re.findall(r"\w+", (SAMPLE / "README.md").read_text()))
