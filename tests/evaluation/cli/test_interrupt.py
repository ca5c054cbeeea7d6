"""Ctrl-C and SIGTERM leave no container, and the same command resumes afterwards."""

import os
import signal
from pathlib import Path

import docker
import pytest

from tests.support import predictions
from tests.support.commands import (
    fates,
    finish,
    finished_lines,
    in_process,
    sandboxes,
    start,
    wait_for,
)

pytestmark = pytest.mark.docker
COUNT = 150


@pytest.mark.parametrize(
    ("how", "codes"),
    [
        pytest.param(signal.SIGINT, {130}, id="ctrl-c"),
        pytest.param(signal.SIGTERM, {130, 143}, id="sigterm", marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_run_leaves_no_container_and_goes_on(
    how: signal.Signals, codes: set[int], tmp_path: Path
) -> None:
    words = predictions.words(tmp_path / "predictions.jsonl", tmp_path / "report.jsonl")
    expected = predictions.write(tmp_path / "predictions.jsonl", COUNT)
    process = start(*words)
    wait_for(lambda: finished_lines(tmp_path / "report.jsonl") > 0)
    os.killpg(process.pid, how)
    done = finish(process, 30)
    assert finished_lines(tmp_path / "report.jsonl") < COUNT, "it had ended before"
    assert not sandboxes(docker.from_env(), process.pid)
    assert done.code in codes
    assert "Traceback" not in done.err
    assert "the same command again to resume" in done.err
    again = in_process(*words)
    assert again.code == 0, again.err
    assert fates(tmp_path / "report.jsonl") == expected


def test_ctrl_c_while_sandboxes_start_leaves_no_container(tmp_path: Path) -> None:
    words = predictions.words(tmp_path / "predictions.jsonl", tmp_path / "report.jsonl")
    predictions.write(tmp_path / "predictions.jsonl", COUNT)
    process = start(*words)
    client = docker.from_env()
    wait_for(lambda: bool(sandboxes(client, process.pid)), pause=0.001)
    os.killpg(process.pid, signal.SIGINT)
    assert finish(process, 30).code == 130
    assert not sandboxes(client, process.pid)
