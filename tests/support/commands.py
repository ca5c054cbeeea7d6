"""`python -m evaluation` as a process of its own or in this one, its report, its containers."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import docker
import docker.errors
import docker.models.containers

from evaluation import cli

ROOT = Path(__file__).parent.parent.parent
LABEL, OWNER = "org.assay.sandbox", "org.assay.owner"


@dataclass(frozen=True, slots=True)
class Finished:
    """How a command ended. Its code is negative where a signal ended it."""

    code: int
    out: str
    err: str


class Fate(NamedTuple):
    """What of a report line may not depend on what happened to the run."""

    task_id: str
    sample: int
    requirement: str | None
    status: str
    passed: bool


def words(*given: str | Path) -> list[str]:
    return [sys.executable, "-m", "evaluation", *map(str, given)]


def environment(docker_host: str | None = None) -> dict[str, str]:
    return {**os.environ, **({"DOCKER_HOST": docker_host} if docker_host else {})}


def start(*given: str | Path, docker_host: str | None = None) -> subprocess.Popen[str]:
    """The command in a process group of its own, so that signals reach it alone."""
    return subprocess.Popen(
        words(*given),
        cwd=ROOT,
        env=environment(docker_host),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # Who runs the tests in the background of a shell hands down that Ctrl-C is ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def finish(process: subprocess.Popen[str], seconds: float = 110) -> Finished:
    """Waits for its end; one that does not end in time is killed and the wait raises."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return Finished(process.returncode, out, err)


def command(*given: str | Path, docker_host: str | None = None, seconds: float = 110) -> Finished:
    return finish(start(*given, docker_host=docker_host), seconds)


def in_process(*given: str | Path) -> Finished:
    """The command in this process: the same code without an interpreter's start.

    For tests that look at neither signals nor the process itself. DOCKER_HOST cannot be changed
    for it: the engine keeps its client.
    """
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = cli.main([str(word) for word in given])
    return Finished(code, out.getvalue(), err.getvalue())


def report_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def finished_lines(path: Path) -> int:
    """How far the report of a run under way is."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def fates(path: Path) -> list[Fate]:
    """Every line's, in order of task and sample: a line missing or double shows."""
    return sorted(
        (
            Fate(str(x["task_id"]), x["sample"], x["requirement"], x["status"], x["passed"])
            for x in report_lines(path)
        ),
        key=lambda fate: (fate.task_id, fate.sample, fate.requirement or ""),
    )


def wait_for(what: Callable[[], bool], seconds: float = 60, pause: float = 0.01) -> None:
    """Until it holds. Raises TimeoutError after so many seconds."""
    deadline = time.monotonic() + seconds
    while not what():
        if time.monotonic() > deadline:
            raise TimeoutError(f"What was waited for did not come in {seconds} s.")
        time.sleep(pause)


def sandboxes(client: docker.DockerClient, pid: int) -> list[docker.models.containers.Container]:
    """The containers, ended ones too, that the command with that pid left or works with."""
    found = client.api.containers(all=True, filters={"label": LABEL})
    ours = [entry for entry in found if f":{pid}:" in entry["Labels"].get(OWNER, "")]
    containers = []
    for entry in ours:
        with suppress(docker.errors.NotFound):  # it went meanwhile
            containers.append(client.containers.get(entry["Id"]))
    return containers
