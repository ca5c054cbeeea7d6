"""Tests of our own sample: it loads, its answers are accepted, and each has its expected
outcome."""

import csv
import zipfile
from pathlib import Path

import pytest

from tests.evaluation.engine.families.aixbench_auto.cases import CHECKOUT, SAMPLE
from tests.support.commands import in_process, report_lines

EXPECTED = list(csv.DictReader((SAMPLE / "expected.csv").read_text().splitlines()))


# The tests of the site judge one of these.
@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.parametrize("model", sorted({row["model"] for row in EXPECTED}))
def test_the_answers_fare_as_they_should(model: str, tmp_path: Path) -> None:
    predictions = SAMPLE / model / "base.jsonl"
    if not predictions.exists():
        predictions = tmp_path / "base.zip"
        with zipfile.ZipFile(predictions, "w") as archive:
            for path in (SAMPLE / model / "base").iterdir():
                archive.write(path, path.name)
    done = in_process(
        "run", "aixbench_auto", "--tasks", CHECKOUT, "--predictions", predictions,
        "--report", tmp_path / "report.jsonl", "--workers", "1", "--limit", "cpu=3",
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
