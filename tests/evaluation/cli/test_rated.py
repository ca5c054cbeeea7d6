"""Predictions for benchmarks rated by people can be checked on the command line, but not run."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.cli import DONE, INVALID, main
from evaluation.cli.commands import _samples
from tests.support.cast import FAMILIES

SAMPLE = FAMILIES / "aixbench_nl/sample"


def words(command: str, tmp_path: Path) -> list[str]:
    report = ["--report", str(tmp_path / "report.jsonl")] if command == "run" else []
    given = ["--tasks", str(SAMPLE / "tasks.jsonl")]
    return [
        command,
        "aixbench_nl",
        *given,
        "--predictions",
        str(SAMPLE / "rowan/base.jsonl"),
        *report,
    ]


def test_run_says_plainly_that_people_judge(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words("run", tmp_path)) == INVALID
    said = capsys.readouterr().err
    assert "aixbench_nl is rated by people, so nothing is run." in said
    assert not (tmp_path / "report.jsonl").exists()


def test_predictions_can_be_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words("validate", tmp_path)) == DONE
    assert "12 generations of 12 tasks" in capsys.readouterr().out


def test_the_demo_leaves_them_out(tmp_path: Path) -> None:
    assert "aixbench_nl" not in {sample["family"] for sample in _samples(tmp_path)}
