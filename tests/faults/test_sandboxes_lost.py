"""Tests that verdicts stay the same when containers, supervisors or disks fail during a run."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

import docker
import pytest

from tests.faults.conftest import Undisturbed
from tests.support.commands import fates, finish, finished_lines, sandboxes, start, wait_for
from tests.support.disturbances import DISTURBANCES, disturb

pytestmark = pytest.mark.docker


@pytest.mark.parametrize("what", ["container killed"])
def test_a_small_run_outlives_it(
    few: Undisturbed, engine: docker.DockerClient, tmp_path: Path, what: str
) -> None:
    _outlives(few, engine, tmp_path / "report.jsonl", what, after=[0])


@pytest.mark.acceptance
@pytest.mark.timeout(900)
@pytest.mark.parametrize("what", DISTURBANCES)
def test_a_thousand_generations_outlive_it(
    thousand: Undisturbed, engine: docker.DockerClient, tmp_path: Path, what: str
) -> None:
    _outlives(thousand, engine, tmp_path / "report.jsonl", what, after=[0, 150, 350, 600])


def _outlives(
    run: Undisturbed, engine: docker.DockerClient, report: Path, what: str, after: Sequence[int]
) -> None:
    """Disturbs the run each time its report has so many lines, then checks its verdicts."""
    process = start(*run.words(report))
    for lines in after:
        _strike(process, engine, report, what, lines)
    done = finish(process, 600)
    assert done.code == 0, done.err
    assert fates(report) == run.fates
    assert not sandboxes(engine, process.pid)


def _strike(
    process: subprocess.Popen[str], engine: docker.DockerClient, report: Path, what: str, lines: int
) -> None:
    def ended_or_struck() -> bool:
        if process.poll() is not None:
            return True
        return finished_lines(report) >= lines and disturb(engine, process.pid, what)

    wait_for(ended_or_struck)
    assert process.poll() is None, f"It ended before it could be disturbed: {finish(process)}"
