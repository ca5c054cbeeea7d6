"""Projects that cannot be built, from the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.commands import command
from tests.support.ledgers import python_ledger

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]


def test_a_project_that_could_not_be_built_is_tried_again_when_the_command_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = python_ledger(tmp_path)
    failing = ledger.tasks.read_text("utf-8").replace(
        "pip install .;", "echo no index today; exit 3;"
    )
    ledger.tasks.write_text(failing, "utf-8")
    predictions = tmp_path / "predictions.jsonl"
    predictions.write_text('{"task_id": 1, "completion": "    return 0"}\n', "utf-8")
    monkeypatch.setenv("ASSAY_REPOSITORIES", ledger.mirror)
    monkeypatch.setenv("ASSAY_PROJECTS_DIR", str(tmp_path / "projects"))
    for _ in range(2):
        done = command(
            "run", "realcode", "--tasks", ledger.tasks, "--predictions", predictions,
            "--report", tmp_path / "report.jsonl", seconds=250,
        )  # fmt: skip
        assert done.code != 0
        assert "assay/ledger: building" in done.err
        assert "no index today" in done.err
