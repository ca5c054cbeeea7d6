"""The report from which a build resumes."""

import json
from pathlib import Path

import pytest

from evaluation.engine.errors import BenchmarkError
from evaluation.making.build import Fate, FatesFile

BUILD = {"repository": "a/b", "commit": "c"}
FATES = [Fate("a.py", 1, "f", True), Fate("a.py", 9, "\u0433", False, "it does nothing", "pass")]


def test_a_report_goes_on_where_it_was_with_a_line_for_each_function(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    with FatesFile(path, BUILD) as report:
        report.add(FATES[:1])
    with FatesFile(path, BUILD) as report:
        assert report.fates == FATES[:1]
        report.add(FATES)
        assert report.fates == FATES
    first, _, last = map(json.loads, path.read_text().splitlines())
    assert first == {"build": BUILD}
    assert last == {
        "path": "a.py", "line": 9, "function": "\u0433", "kept": False,
        "reason": "it does nothing", "detail": "pass",
    }  # fmt: skip


@pytest.mark.parametrize("content", ["my notes", "[]\n", '{"task_id": 1}\n', '{"build": 1\n'])
def test_a_file_of_another_kind_is_not_touched(tmp_path: Path, content: str) -> None:
    path = tmp_path / "report.jsonl"
    path.write_text(content)
    with pytest.raises(BenchmarkError, match="name another"):
        FatesFile(path, BUILD)
    assert path.read_text() == content


def test_another_build_s_report_and_a_folder_that_does_not_exist_are_said(tmp_path: Path) -> None:
    path = tmp_path / "report.jsonl"
    FatesFile(path, BUILD).__exit__()
    with pytest.raises(BenchmarkError, match="another build"):
        FatesFile(path, BUILD | {"commit": "d"})
    with pytest.raises(BenchmarkError, match="No such file"):
        FatesFile(tmp_path / "none" / "report.jsonl", BUILD)
