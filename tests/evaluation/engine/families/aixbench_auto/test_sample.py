"""Tests of our own sample: it loads, its answers are accepted, and each has its expected
outcome."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path

import pytest

from evaluation.engine import uploads
from evaluation.engine.families.aixbench_auto import FAMILY
from evaluation.engine.families.aixbench_auto.assembling import assemble
from evaluation.engine.families.aixbench_auto.dataset import load_tasks
from evaluation.engine.families.aixbench_auto.extraction import member_task
from tests.evaluation.engine.families.aixbench_auto.cases import CHECKOUT, SAMPLE
from tests.support.commands import command, report_lines

TASKS = {task.id: task for task in load_tasks(CHECKOUT, None)}
EXPECTED = list(csv.DictReader((SAMPLE / "expected.csv").read_text().splitlines()))


def texts(model: str) -> dict[object, str]:
    folder = SAMPLE / model
    if (lines := folder / "base.jsonl").exists():
        records = map(json.loads, lines.read_text("utf-8").splitlines())
        return {record["task_id"]: record["code"] for record in records}
    return {member_task(path.name): path.read_text("utf-8") for path in (folder / "base").iterdir()}


@pytest.mark.parametrize("path", sorted(SAMPLE.glob("*/base.jsonl")), ids=str)
def test_lines_of_code_are_accepted_as_an_upload(path: Path) -> None:
    index = uploads.SlotIndex.of([*TASKS.values()], lambda task: FAMILY.slots(task, "base"))
    report = uploads.check(path, index, family="aixbench_auto")
    assert report.problems == ()
    assert report.tasks_seen == sum(row["model"] == path.parent.name for row in EXPECTED)


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name != "birch" else [])
        for name in sorted({row["model"] for row in EXPECTED})
    ],
)
def test_every_answer_has_an_expected_outcome_and_a_class(model: str) -> None:
    rows = {int(row["task_id"]): row for row in EXPECTED if row["model"] == model}
    found = texts(model)
    assert set(found) == set(rows) <= set(TASKS)
    for id, row in rows.items():
        assembled = assemble(TASKS[id], found[id])
        assert assembled is not None or row["status"] == "compile_error"
        assert (row["passed"] == row["total"]) == (row["status"] == "passed")


@pytest.mark.docker
@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "model",
    [
        pytest.param(name, marks=[pytest.mark.slow] if name != "birch" else [])
        for name in sorted({row["model"] for row in EXPECTED})
    ],
)
def test_the_answers_fare_as_they_should(model: str, tmp_path: Path) -> None:
    predictions = SAMPLE / model / "base.jsonl"
    if not predictions.exists():
        predictions = tmp_path / "base.zip"
        with zipfile.ZipFile(predictions, "w") as archive:
            for path in (SAMPLE / model / "base").iterdir():
                archive.write(path, path.name)
    done = command(
        "run", "aixbench_auto", "--tasks", CHECKOUT, "--predictions", predictions,
        "--report", tmp_path / "report.jsonl", "--workers", "1", "--limit", "cpu=3", seconds=250,
    )  # fmt: skip
    assert done.code == 0, done.err
    found = {
        line["task_id"]: (line["status"], line["tests_passed"] or 0)
        for line in report_lines(tmp_path / "report.jsonl")
    }
    assert found == {
        int(row["task_id"]): (row["status"], int(row["passed"]))
        for row in EXPECTED
        if row["model"] == model
    }
