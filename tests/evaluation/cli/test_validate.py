"""`validate` reads the files and needs no Docker."""

from __future__ import annotations

import pytest

from evaluation.cli import DONE, INVALID, main
from tests.evaluation.cli.conftest import Small, write_lines
from tests.support.commands import command


def test_a_good_file_is_described(given: Small, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(given.words("validate")) == DONE
    said = capsys.readouterr()
    assert "4 generations of 2 tasks" in said.out
    assert "1 of 3 tasks have no generation" in said.out
    assert said.err == ""


def test_no_docker_is_needed(given: Small) -> None:
    done = command(*given.words("validate"), docker_host="unix:///nonexistent.sock")
    assert done.code == 0, done.err


def test_a_bad_file_is_refused_with_its_first_hundred_lines(
    given: Small, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = [{"task_id": 1, "completion": "", "requirement": f"{n}"} for n in range(130)]
    write_lines(given.predictions, wrong)
    assert main(given.words("validate")) == INVALID
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("line 1, task 1: ") and said.err.count("\nline ") == 99
    assert "30 more problems" in said.err
    assert "not judged: 130 problems" in said.err
