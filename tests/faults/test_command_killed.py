"""Tests that a command that was killed at any point can be run again: no verdict is lost or
doubled."""

from __future__ import annotations

import random
import subprocess
from pathlib import Path

import docker
import pytest

from tests.faults.conftest import Undisturbed
from tests.support.commands import fates, finish, finished_lines, sandboxes, start

pytestmark = pytest.mark.docker


def test_a_small_run_goes_on_after_kills(
    few: Undisturbed, engine: docker.DockerClient, tmp_path: Path
) -> None:
    _goes_on(few, engine, tmp_path / "report.jsonl", [0.3, 0.8, 1.2])


@pytest.mark.acceptance
@pytest.mark.timeout(900)
@pytest.mark.parametrize("seed", range(3))
def test_a_thousand_generations_go_on_after_kills(
    thousand: Undisturbed, engine: docker.DockerClient, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    pauses = [chance.uniform(0.2, 3.0) for _ in range(5)]
    _goes_on(thousand, engine, tmp_path / "report.jsonl", pauses)


def _goes_on(
    run: Undisturbed, engine: docker.DockerClient, report: Path, pauses: list[float]
) -> None:
    """Kills the command after each pause, in seconds; then runs it to its end."""
    pids, seen = [], 0
    for pause in pauses:
        pids.append(_killed_after(pause, run, report))
        assert finished_lines(report) >= seen, "lines of the report were lost"
        seen = finished_lines(report)
    last = start(*run.words(report))
    done = finish(last, 600)
    assert done.code == 0, done.err
    assert fates(report) == run.fates
    assert not [pid for pid in (*pids, last.pid) if sandboxes(engine, pid)]


def _killed_after(pause: float, run: Undisturbed, report: Path) -> int:
    process = start(*run.words(report))
    try:
        process.wait(pause)
    except subprocess.TimeoutExpired:
        process.kill()
    process.communicate()
    return process.pid
