"""Tests of removing left-over sandboxes: those of dead owners go, those whose owner may live
stay."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from evaluation.engine.sandbox import docker
from tests.support.commands import ROOT

pytestmark = pytest.mark.docker
SWEEP = "from evaluation.engine.sandbox import docker; docker.sweep()"
# A process that starts a sandbox and exits without ending it.
LEAVE = """
import os, sys
from evaluation.engine.sandbox import docker
confinement = docker.Confinement(sys.argv[1], docker.LEAST_MEMORY, 16)
print(docker.Container(confinement, ["sleep", "60"], {}).id, flush=True)
os._exit(0)
"""
# As in a container: separate pids, and a /proc that shows no others.
ELSEWHERE = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
needs_root = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("unshare") is None, reason="a pid namespace takes root"
)


def run(program: str, *words: str, within: tuple[str, ...] = ()) -> str:
    command = [*within, sys.executable, "-c", program, *words]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


@pytest.fixture
def leave(image: str) -> Iterator[Callable[..., str]]:
    """A function that has another process start a sandbox and die; it returns the sandbox's id."""
    left = []

    def started(*within: str) -> str:
        left.append(run(LEAVE, image, within=within).strip())
        return left[-1]

    yield started
    for one in left:
        if exists(one):
            docker.client().api.remove_container(one, force=True, v=True)


def exists(container: str) -> bool:
    listed = docker.client().api.containers(all=True, filters={"id": container})
    return bool(listed)


def test_the_sandbox_of_a_dead_process_is_removed(leave: Callable[..., str]) -> None:
    left = leave()
    docker.sweep()
    assert not exists(left)


def test_the_sandbox_of_a_living_process_stays(image: str) -> None:
    mine = docker.Container(docker.Confinement(image, docker.LEAST_MEMORY, 16), ["sleep", "60"], {})
    try:
        run(SWEEP)
        assert exists(mine.id)
    finally:
        mine.remove()


@needs_root
def test_a_worker_in_a_container_leaves_the_sandboxes_of_others_alone(image: str) -> None:
    mine = docker.Container(docker.Confinement(image, docker.LEAST_MEMORY, 16), ["sleep", "60"], {})
    try:
        run(SWEEP, within=ELSEWHERE)
        assert exists(mine.id)
    finally:
        mine.remove()


@needs_root
def test_what_a_container_left_is_removed_when_it_is_over_for_long(
    leave: Callable[..., str], monkeypatch: pytest.MonkeyPatch
) -> None:
    left = leave(*ELSEWHERE)
    docker.sweep()
    assert exists(left)
    docker.client().api.kill(left)
    docker.client().api.wait(left)
    monkeypatch.setattr(docker, "FOREIGN_SECONDS", 0)
    # Docker records creation times in whole seconds.
    time.sleep(1.1)
    docker.sweep()
    assert not exists(left)
