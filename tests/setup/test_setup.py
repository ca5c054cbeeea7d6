"""Tests of `make setup` as its user meets it: what it says, what it repeats, how it fails."""

import os
import shutil
import subprocess
from pathlib import Path

import docker
import pytest
from docker.errors import DockerException

from evaluation.engine.sandbox import images

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module", autouse=True)
def needs_docker() -> None:
    try:
        docker.from_env().ping()
    except DockerException as error:
        pytest.skip(f"Docker does not answer: {error}")


def setup(**environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", "--no-print-directory", "setup"],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.docker
def test_two_at_once_succeed_and_the_next_one_finds_everything() -> None:
    command = ["sh", "scripts/setup.sh"]
    both = [subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL) for _ in range(2)]
    assert [process.wait() for process in both] == [0, 0]
    again = setup()
    assert again.returncode == 0
    said = again.stdout.splitlines()
    assert all(line.startswith("setup: ") for line in said)
    found = ("is there", "are installed", "answers")
    assert [word for line in said for word in found if word in line] == [
        *found,
        *["is there"] * len(images.NAMES),
    ]


@pytest.mark.docker
def test_a_dead_docker_host_is_named_with_the_remedy() -> None:
    done = setup(DOCKER_HOST="unix:///nonexistent.sock")
    assert done.returncode != 0
    sentence = done.stderr.splitlines()[0]
    assert "unix:///nonexistent.sock" in sentence
    assert "unset DOCKER_HOST" in sentence


@pytest.mark.docker
def test_a_machine_without_python_is_told_what_to_install(tmp_path: Path) -> None:
    for program in ("sh", "dirname", "flock", "id"):
        found = shutil.which(program)
        assert found is not None
        (tmp_path / program).symlink_to(found)
    # setup.sh adds the directories of system programs, in which no Python lies.
    done = subprocess.run(
        [str(tmp_path / "sh"), "scripts/setup.sh"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "Python 3.11 or newer" in done.stderr
    assert "apt-get install python3 python3-venv" in done.stderr
