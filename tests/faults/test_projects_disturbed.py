"""Tests of commands that are killed, or lose dockerd, while they prepare a project or judge
generations in it.

The project builds without network, so that a daemon without a network can build it. Each test has a
unique build, so that its project has never been prepared before."""

import json
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path
from typing import Any

import docker
import pytest

from tests.support.commands import Fate, command, fates, finish, sandboxes, start, wait_for
from tests.support.daemon import Daemon
from tests.support.disturbances import disturb
from tests.support.ledgers import python_ledger
from tests.support.repositories import images_of

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(900)]

# The fields of a stored project that differ between builds.
OWN = ("project", "key", "image", "digest", "base", "bytes", "seconds")
# Bodies of the ledger's `total`, each with its status.
RIGHT = "    return sum(RATES[name] * count for name, count in entries)\n"
BODIES = (
    (RIGHT, "passed"),
    ("    return 0\n", "failed"),
    (f"    __import__('time').sleep(0.05)\n{RIGHT}", "passed"),
    ("    return (\n", "compile_error"),
    ("    __import__('os')._exit(0)\n", "runtime_error"),
    ("    return [RATES[name] * count for name, count in entries]\n", "failed"),
)


@dataclass(frozen=True)
class Job:
    """A project with one task, generations for it, and their expected fates."""

    tasks: Path
    predictions: Path
    projects: Path
    fates: list[Fate]

    def words(self, report: Path) -> list[str | Path]:
        return [
            "run", "realcode", "--tasks", self.tasks, "--predictions", self.predictions,
            "--report", report, "--workers", "2", "--limit", "cpu=30s",
        ]  # fmt: skip

    @property
    def record(self) -> Path | None:
        """The stored state of the project when it is complete."""
        return next(self.projects.glob("*/project.json"), None)

    def kept(self) -> dict[str, Any]:
        """The stored state, without the parts that differ between builds."""
        assert self.record is not None
        told = json.loads(self.record.read_bytes())
        texts = json.loads(self.record.with_name("texts.json").read_bytes())
        return {name: told[name] for name in told if name not in OWN} | {"texts": texts}


@contextmanager
def _job(folder: Path, base: str, count: int, engine: docker.DockerClient) -> Iterator[Job]:
    """A job with this number of generations, and its settings; its images are removed afterwards.
    Its build is unique, needs no network, and takes long enough to be disturbed."""
    ledger, predictions = python_ledger(folder), folder / "predictions.jsonl"
    task = json.loads(ledger.tasks.read_text("utf-8"))
    task["meta"] |= {
        "image_name": base,
        "build_command": f"sleep 2; echo {uuid.uuid4()}",
        "test_command": "python -m pytest tests",
    }
    ledger.tasks.write_text(json.dumps(task) + "\n", "utf-8")
    expected = []
    with predictions.open("w", encoding="utf-8") as file:
        for sample, (body, status) in enumerate(islice(cycle(BODIES), count)):
            print(json.dumps({"task_id": 1, "completion": body}), file=file)
            expected.append(Fate("1", sample, None, status, status == "passed"))
    settings = {
        "ASSAY_BASE_IMAGES": f"{base}={base}",
        "ASSAY_BUILD_NETWORK": "host",
        "ASSAY_PROJECTS_DIR": str(folder / "projects"),
        "ASSAY_REPOSITORIES": ledger.mirror,
    }
    with pytest.MonkeyPatch.context() as patch:
        for name, value in settings.items():
            patch.setenv(name, value)
        yield Job(ledger.tasks, predictions, folder / "projects", expected)
    for image in images_of(engine, folder / "projects"):
        engine.images.remove(image["Id"], force=True)


@pytest.fixture
def make_job(
    tmp_path: Path, python_base: str, engine: docker.DockerClient
) -> Iterator[Callable[[int], Job]]:
    """Makes the test's job with the given number of generations."""
    with ExitStack() as jobs:
        yield lambda count: jobs.enter_context(_job(tmp_path, python_base, count, engine))


@pytest.fixture(scope="module")
def undisturbed(
    tmp_path_factory: pytest.TempPathFactory, python_base: str, engine: docker.DockerClient
) -> dict[str, Any]:
    """The stored state of an undisturbed project."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with _job(folder, python_base, len(BODIES), engine) as job:
        done = command(*job.words(folder / "report.jsonl"), seconds=300)
        assert done.code == 0, done.err
        assert fates(folder / "report.jsonl") == job.fates
        return job.kept()


def _until_it_says(process: subprocess.Popen[str], words: str) -> None:
    assert process.stderr is not None
    said = []
    while words not in (line := process.stderr.readline()):
        said.append(line)
        assert line, f"It ended before that: {''.join(said)}"


def _until_it_builds(process: subprocess.Popen[str], client: docker.DockerClient, job: Job) -> None:
    _until_it_says(process, "building")
    wait_for(lambda: _works(client, process))


def _until_it_tries(process: subprocess.Popen[str], client: docker.DockerClient, job: Job) -> None:
    """Waits until there is an image that is not yet known to be good."""
    _until_it_says(process, "running the tests")
    wait_for(lambda: bool(images_of(client, job.projects)))


def _until_it_has_references_run(
    process: subprocess.Popen[str], client: docker.DockerClient, job: Job
) -> None:
    # The tests were timed before.
    timed = "*/dry_run.json"
    wait_for(lambda: any(job.projects.glob(timed)) and _works(client, process))


def _until_it_judges(process: subprocess.Popen[str], client: docker.DockerClient, job: Job) -> None:
    _until_it_says(process, "references of 1 of 1")
    wait_for(lambda: _works(client, process))


def _works(client: docker.DockerClient, process: subprocess.Popen[str]) -> bool:
    return any(container.status == "running" for container in sandboxes(client, process.pid))


BUILDING = {"it builds": _until_it_builds, "it tries the tests": _until_it_tries}
PREPARING = {**BUILDING, "it has references run": _until_it_has_references_run}
RUNNING = {"it has references run": _until_it_has_references_run, "it judges": _until_it_judges}
Until = Callable[[subprocess.Popen[str], docker.DockerClient, Job], None]


def _all_is_well(job: Job, report: Path, client: docker.DockerClient, *pids: int) -> None:
    """Each verdict is there once, the project's one image is whole, no container is left."""
    assert fates(report) == job.fates
    assert job.record is not None
    digest = json.loads(job.record.read_bytes())["digest"]
    images = images_of(client, job.projects)
    assert [image["Id"] for image in images] == [digest]
    assert not [pid for pid in pids if sandboxes(client, pid)]


@pytest.mark.parametrize("until", PREPARING.values(), ids=PREPARING)
def test_a_command_killed_while_it_prepares_can_be_typed_again(
    make_job: Callable[[int], Job],
    undisturbed: dict[str, Any],
    engine: docker.DockerClient,
    tmp_path: Path,
    until: Until,
) -> None:
    job = make_job(len(BODIES))
    _killed_and_typed_again(job, tmp_path / "report.jsonl", engine, until)
    assert job.kept() == undisturbed


def test_a_command_killed_while_it_judges_goes_on(
    make_job: Callable[[int], Job], engine: docker.DockerClient, tmp_path: Path
) -> None:
    job = make_job(12)
    _killed_and_typed_again(job, tmp_path / "report.jsonl", engine, _until_it_judges)


def _killed_and_typed_again(
    job: Job, report: Path, engine: docker.DockerClient, until: Until
) -> None:
    """Kills the command at that point; the same command must then finish the run."""
    killed = start(*job.words(report))
    until(killed, engine, job)
    killed.kill()
    killed.communicate()
    again = start(*job.words(report))
    done = finish(again, 300)
    assert done.code == 0, done.err
    _all_is_well(job, report, engine, killed.pid, again.pid)


def test_references_outlive_a_killed_container(
    make_job: Callable[[int], Job], engine: docker.DockerClient, tmp_path: Path
) -> None:
    job, report = make_job(len(BODIES)), tmp_path / "report.jsonl"
    process = start(*job.words(report))
    _until_it_has_references_run(process, engine, job)
    assert disturb(engine, process.pid, "container killed")
    done = finish(process, 300)
    assert done.code == 0, done.err
    _all_is_well(job, report, engine, process.pid)


@pytest.mark.parametrize("until", BUILDING.values(), ids=BUILDING)
def test_a_daemon_killed_while_a_project_is_prepared_leaves_nothing_half_made(
    make_job: Callable[[int], Job],
    undisturbed: dict[str, Any],
    building_daemon: Daemon,
    tmp_path: Path,
    until: Until,
) -> None:
    job, report = make_job(len(BODIES)), tmp_path / "report.jsonl"
    first = start(*job.words(report), docker_host=building_daemon.host)
    until(first, building_daemon.client, job)
    building_daemon.kill()
    done = finish(first, 300)
    building_daemon.start()
    assert done.code == 3, done.err
    assert "docker" in done.err.lower()
    assert job.record is None
    again = start(*job.words(report), docker_host=building_daemon.host)
    done = finish(again, 300)
    assert done.code == 0, done.err
    _all_is_well(job, report, building_daemon.client, first.pid, again.pid)
    assert job.kept() == undisturbed


@pytest.mark.parametrize("away", [0.0, 8.0])
@pytest.mark.parametrize("until", RUNNING.values(), ids=RUNNING)
def test_what_runs_in_a_project_outlives_its_daemon(
    make_job: Callable[[int], Job],
    building_daemon: Daemon,
    tmp_path: Path,
    until: Until,
    away: float,
) -> None:
    """The daemon is killed at that point, and started again after `away` seconds."""
    job, report = make_job(12), tmp_path / "report.jsonl"
    process = start(*job.words(report), docker_host=building_daemon.host)
    until(process, building_daemon.client, job)
    assert process.poll() is None
    building_daemon.kill()
    time.sleep(away)
    building_daemon.start()
    done = finish(process, 600)
    assert done.code == 0, done.err
    _all_is_well(job, report, building_daemon.client, process.pid)
