"""Tests of `run` on transcripts of dynamic conversations: each instruction's tests judge every turn
in real sandboxes, and the verdicts decide whether a transcript follows the rules."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from evaluation import cli
from evaluation.engine.instructions import accumulating
from tests.support.commands import report_lines
from tests.support.transcripts import (
    FAMILY,
    FORGED,
    FORGERIES,
    TASKS,
    Talk,
    file_of,
    forged,
    honest,
    tasks,
    tasks_file,
)

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]


def run(folder: Path, talks: Mapping[int, Talk], name: str) -> tuple[int, Path]:
    predictions, out = folder / f"{name}.jsonl", folder / f"{name}.report.jsonl"
    predictions.write_bytes(file_of(talks))
    files = [f"--tasks={tasks_file(folder)}", f"--predictions={predictions}", f"--report={out}"]
    more = ["--setting=dynamic", f"--summary={folder / 'summary.json'}", "--workers=1"]
    return cli.main(["run", FAMILY.slug, *files, *more]), out


def test_an_honest_transcript_is_taken_and_every_turn_judged_by_every_set(tmp_path: Path) -> None:
    code, out = run(tmp_path, {task: [*honest()[task]] for task in TASKS}, "honest")
    assert code == 0
    expected = {
        (task, turn, test_set)
        for task in TASKS
        for turn in range(1, len(honest()[task]) + 1)
        for test_set in ("", *accumulating(tasks()[task]))
    }
    assert {(x["task_id"], x["turn"], x["test_set"]) for x in report_lines(out)} == expected


@pytest.mark.parametrize("name", ["code_bettered", "hint"])
def test_the_command_says_why_and_scores_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    (forgery,) = (one for one in FORGERIES if one.name == name)
    code, _ = run(tmp_path, forged(forgery), name)
    out, err = capsys.readouterr()
    assert code == 2
    assert f"task {FORGED}: Turn {forgery.turn} " in err
    assert "CA" not in out and not (tmp_path / "summary.json").exists()
