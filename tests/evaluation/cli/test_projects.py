"""Tests of projects on the command line: one that cannot be built, and one that is interrupted; and
of what a command says while it waits for a slot."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest

from evaluation.engine.sandbox.slots import Slots, default_folder
from tests.evaluation.cli.conftest import Small
from tests.support.commands import finish, in_process, report_lines, start, wait_for
from tests.support.ledgers import python_ledger

pytestmark = pytest.mark.docker


Words = list[str | Path]


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Words:
    """A run of one prediction in a project that this host has not prepared."""
    ledger, predictions = python_ledger(tmp_path), tmp_path / "predictions.jsonl"
    predictions.write_text('{"task_id": 1, "completion": "    return 0"}\n', "utf-8")
    monkeypatch.setenv("ASSAY_REPOSITORIES", ledger.mirror)
    monkeypatch.setenv("ASSAY_PROJECTS_DIR", str(tmp_path / "projects"))
    return [
        "run", "realcode", "--tasks", ledger.tasks, "--predictions", predictions,
        "--report", tmp_path / "report.jsonl", "--workers", "2",
    ]  # fmt: skip


def test_a_project_that_could_not_be_built_is_tried_again_when_the_command_is(words: Words) -> None:
    tasks = Path(words[3])
    failing = tasks.read_text("utf-8").replace("pip install .;", "echo no index today; exit 3;")
    tasks.write_text(failing, "utf-8")
    for _ in range(2):
        done = in_process(*words)
        assert done.code != 0
        assert "assay/ledger: building" in done.err
        assert "no index today" in done.err


@pytest.mark.slow
def test_who_interrupts_a_command_does_not_wait_for_references_that_wait(
    words: Words, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Separate slots, all of which are held.
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    report = tmp_path / "report.jsonl"
    with Slots(tmp_path / default_folder().name).alone():
        process = start(*words)
        wait_for(lambda: any(tmp_path.glob("projects/*/project.json")), 200)
        time.sleep(3)
        os.kill(process.pid, signal.SIGINT)
        done = finish(process, 60)
    # The slots are held until here, so a command that waited for them would not have ended.
    assert done.code == 130, done.err
    assert "Traceback" not in done.err
    assert not report.exists() or report_lines(report) == []


def test_a_command_says_for_what_it_waits(
    given: Small, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    held = Slots(tmp_path / default_folder().name)
    number = len(os.sched_getaffinity(0)) + 1
    sentence = f"Waiting for a free slot on this host: {number} of {number} in use.\n"
    with held.alone():
        process = start(*given.words())
        try:
            assert sentence in iter(process.stderr.readline, "")
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise
    assert finish(process).code == 0
    assert len(report_lines(given.report)) == 4
