"""Tests of `demo`, and of benchmarks rated by people, which it and `run` leave out."""

from __future__ import annotations

from pathlib import Path

import pytest

from evaluation.cli import DONE, INVALID, main
from evaluation.cli.arguments import parser
from evaluation.cli.commands import _samples
from tests.support.cast import FAMILIES


def test_run_is_told_all_that_its_own_words_tell_it(tmp_path: Path) -> None:
    files = ["--tasks=t", "--predictions=p", "--report=r"]
    words = vars(parser().parse_args(["run", "rucodeeval", *files]))
    demo = vars(parser().parse_args(["demo"]))
    samples = list(_samples(tmp_path))
    assert samples
    for sample in samples:
        assert {*sample, *demo, "report"} - {"model"} == set(words)
        assert sample["predictions"].is_file()
        assert sample["family"] != "aixbench_nl"


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
