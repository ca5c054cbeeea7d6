"""Tests of runs whose dockerd is killed and comes back; they use a separate daemon."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from tests.faults.conftest import Undisturbed
from tests.support.commands import (
    command,
    fates,
    finish,
    finished_lines,
    sandboxes,
    start,
    wait_for,
)
from tests.support.daemon import Daemon

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]


@pytest.mark.slow
def test_a_small_run_outlives_its_daemon(
    few: Undisturbed, second_daemon: Daemon, tmp_path: Path
) -> None:
    _outlives(few, second_daemon, tmp_path / "report.jsonl", after=0, away=0.0)


@pytest.mark.acceptance
@pytest.mark.parametrize("away", [0.0, 8.0])
def test_a_thousand_generations_outlive_their_daemon(
    thousand: Undisturbed, second_daemon: Daemon, tmp_path: Path, away: float
) -> None:
    _outlives(thousand, second_daemon, tmp_path / "report.jsonl", after=200, away=away)


def _outlives(run: Undisturbed, daemon: Daemon, report: Path, after: int, away: float) -> None:
    """Kills the daemon after the given number of verdicts, and keeps it away for the given time."""
    process = _running_while_the_daemon_dies(run, daemon, report, after)
    time.sleep(away)
    daemon.start()
    done = finish(process, 600)
    assert done.code == 0, done.err
    assert fates(report) == run.fates
    assert not sandboxes(daemon.client, process.pid)


@pytest.mark.acceptance
def test_a_daemon_that_stays_away_ends_the_run_which_can_go_on_later(
    thousand: Undisturbed, second_daemon: Daemon, tmp_path: Path
) -> None:
    report = tmp_path / "report.jsonl"
    process = _running_while_the_daemon_dies(thousand, second_daemon, report, after=200)
    done = finish(process, 400)
    second_daemon.start()
    assert done.code == 3, done.err
    assert finished_lines(report) >= 200
    again = command(*thousand.words(report), docker_host=second_daemon.host, seconds=400)
    assert again.code == 0, again.err
    assert fates(report) == thousand.fates
    assert not sandboxes(second_daemon.client, process.pid)


def _running_while_the_daemon_dies(
    run: Undisturbed, daemon: Daemon, report: Path, after: int
) -> subprocess.Popen[str]:
    """A command under way whose daemon was killed once `after` verdicts were written."""
    process = start(*run.words(report), docker_host=daemon.host)
    wait_for(lambda: finished_lines(report) >= after and _judges(daemon, process.pid))
    assert process.poll() is None
    daemon.kill()
    return process


def _judges(daemon: Daemon, pid: int) -> bool:
    return any(container.status == "running" for container in sandboxes(daemon.client, pid))
