"""Tests of `demo`, and of benchmarks rated by people, which it and `run` leave out."""

from pathlib import Path

import pytest

from evaluation.cli import DONE, INVALID, main
from evaluation.cli.arguments import parser
from evaluation.cli.commands import sample_runs
from tests.support.cast import FAMILIES


def test_every_sample_outside_projects_is_run(tmp_path: Path) -> None:
    runs = list(sample_runs(tmp_path))
    assert runs
    for _model, words in runs:
        arguments = parser().parse_args([*words, "--report=r"])
        assert arguments.predictions.is_file() and arguments.tasks.exists()
        assert arguments.answers is None or arguments.answers.is_file()
        assert arguments.family != "aixbench_nl"


def test_what_people_judge_can_be_checked_and_not_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    sample, report = FAMILIES / "aixbench_nl/sample", tmp_path / "report.jsonl"
    files = [f"--tasks={sample}/tasks.jsonl", f"--predictions={sample}/rowan/base.jsonl"]
    assert main(["run", "aixbench_nl", *files, f"--report={report}"]) == INVALID
    assert "aixbench_nl is rated by people, so nothing is run." in capsys.readouterr().err
    assert not report.exists()
    assert main(["validate", "aixbench_nl", *files]) == DONE
    assert "12 generations of 12 tasks" in capsys.readouterr().out
