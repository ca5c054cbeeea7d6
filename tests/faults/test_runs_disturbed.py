"""Tests that no verdict is lost or doubled when a command is killed, or its containers, supervisors
or disks fail, or a separate dockerd, which comes back."""

import random
import subprocess
import time
from pathlib import Path

import docker
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
from tests.support.disturbances import DISTURBANCES, disturb

pytestmark = [pytest.mark.docker, pytest.mark.timeout(900)]


def _ends_undisturbed(
    process: subprocess.Popen[str], run: Undisturbed, report: Path, client: docker.DockerClient
) -> None:
    done = finish(process, 600)
    assert done.code == 0, done.err
    assert fates(report) == run.fates
    assert not sandboxes(client, process.pid)


def test_a_small_run_goes_on_after_kills(
    few: Undisturbed, engine: docker.DockerClient, tmp_path: Path
) -> None:
    _goes_on(few, engine, tmp_path / "report.jsonl", [0.3, 0.8, 1.2])


@pytest.mark.acceptance
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
        process = start(*run.words(report))
        try:
            process.wait(pause)
        except subprocess.TimeoutExpired:
            process.kill()
        process.communicate()
        pids.append(process.pid)
        assert finished_lines(report) >= seen, "lines of the report were lost"
        seen = finished_lines(report)
    _ends_undisturbed(start(*run.words(report)), run, report, engine)
    assert not [pid for pid in pids if sandboxes(engine, pid)]


def test_a_small_run_outlives_a_killed_container(
    few: Undisturbed, engine: docker.DockerClient, tmp_path: Path
) -> None:
    _outlives(few, engine, tmp_path / "report.jsonl", "container killed", [0])


@pytest.mark.acceptance
@pytest.mark.parametrize("what", DISTURBANCES)
def test_a_thousand_generations_outlive_it(
    thousand: Undisturbed, engine: docker.DockerClient, tmp_path: Path, what: str
) -> None:
    _outlives(thousand, engine, tmp_path / "report.jsonl", what, [0, 150, 350, 600])


def _outlives(
    run: Undisturbed, engine: docker.DockerClient, report: Path, what: str, after: list[int]
) -> None:
    """Disturbs the run each time its report has so many lines, then checks its verdicts."""
    process = start(*run.words(report))
    for lines in after:
        wait_for(
            lambda lines=lines: (
                process.poll() is not None
                or (finished_lines(report) >= lines and disturb(engine, process.pid, what))
            )
        )
        assert process.poll() is None, f"It ended before it could be disturbed: {finish(process)}"
    _ends_undisturbed(process, run, report, engine)


@pytest.mark.slow
def test_a_small_run_outlives_its_daemon(
    few: Undisturbed, second_daemon: Daemon, tmp_path: Path
) -> None:
    _outlives_its_daemon(few, second_daemon, tmp_path / "report.jsonl", after=0, away=0.0)


@pytest.mark.acceptance
@pytest.mark.parametrize("away", [0.0, 8.0])
def test_a_thousand_generations_outlive_their_daemon(
    thousand: Undisturbed, second_daemon: Daemon, tmp_path: Path, away: float
) -> None:
    _outlives_its_daemon(thousand, second_daemon, tmp_path / "report.jsonl", after=200, away=away)


def _outlives_its_daemon(
    run: Undisturbed, daemon: Daemon, report: Path, after: int, away: float
) -> None:
    """Kills the daemon after the given number of verdicts, and keeps it away for the given time."""
    process = _running_while_the_daemon_dies(run, daemon, report, after)
    time.sleep(away)
    daemon.start()
    _ends_undisturbed(process, run, report, daemon.client)


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
    wait_for(
        lambda: (
            finished_lines(report) >= after
            and any(each.status == "running" for each in sandboxes(daemon.client, process.pid))
        )
    )
    assert process.poll() is None
    daemon.kill()
    return process
