"""dockerd is killed under a run and comes back; a daemon of the test's own."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.faults.conftest import Undisturbed
from tests.support.commands import fates, finish, finished_lines, sandboxes, start, wait_for
from tests.support.daemon import Daemon

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]


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
    """Kills the daemon once that many verdicts are written, and leaves it away for so long."""
    process = start(*run.words(report), docker_host=daemon.host)
    wait_for(lambda: finished_lines(report) >= after and bool(_running(daemon, process.pid)))
    assert process.poll() is None
    daemon.kill()
    time.sleep(away)
    daemon.start()
    done = finish(process, 200)
    assert done.code == 0, done.err
    assert fates(report) == run.fates
    assert not sandboxes(daemon.client, process.pid)


def _running(daemon: Daemon, pid: int) -> list[str]:
    return [found.id or "" for found in sandboxes(daemon.client, pid) if found.status == "running"]
