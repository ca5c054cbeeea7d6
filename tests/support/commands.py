"""`python -m evaluation` as a separate process or in this one, its report, its containers."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
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
    """The end of a command. The code is negative if a signal ended it."""

    code: int
    out: str
    err: str


class Fate(NamedTuple):
    """The fields of a report line that a disturbance of the run must not change."""

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
        # A shell that runs the tests in the background makes its children ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def finish(process: subprocess.Popen[str], seconds: float = 400) -> Finished:
    """Waits for the process to end. If it does not end in time, kills it and raises
    TimeoutExpired."""
    try:
        out, err = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        raise
    return Finished(process.returncode, out, err)


def command(*given: str | Path, docker_host: str | None = None, seconds: float = 400) -> Finished:
    return finish(start(*given, docker_host=docker_host), seconds)


def in_process(*given: str | Path) -> Finished:
    """Runs the command in this process: the same code without the start of an interpreter.

    For tests that look at neither signals nor the process itself. DOCKER_HOST cannot be changed for
    it: the engine keeps its client."""
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        code = cli.main([str(word) for word in given])
    return Finished(code, out.getvalue(), err.getvalue())


def judged_lines(
    slug: str, *given: str | Path, report: Path, seconds: float
) -> list[dict[str, Any]]:
    """The lines of the report that `run` writes with two workers. Asserts that it succeeds."""
    done = command("run", slug, *given, "--report", report, "--workers", "2", seconds=seconds)
    assert done.code == 0, done.err
    return report_lines(report)


def report_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def write_lines(path: Path, records: Iterable[object]) -> Path:
    path.write_text("".join(f"{json.dumps(record)}\n" for record in records), "utf-8")
    return path


def finished_lines(path: Path) -> int:
    """The number of complete lines in the report of a run under way."""
    return path.read_bytes().count(b"\n") if path.exists() else 0


def fates(path: Path) -> list[Fate]:
    """The fate of every line, in order of task and sample: a missing or double line shows."""
    return sorted(
        (
            Fate(str(x["task_id"]), x["sample"], x["requirement"], x["status"], x["passed"])
            for x in report_lines(path)
        ),
        key=lambda fate: (fate.task_id, fate.sample, fate.requirement or ""),
    )


def wait_for(what: Callable[[], bool], seconds: float = 300, pause: float = 0.01) -> None:
    """Waits until `what` is true. Raises TimeoutError after `seconds`."""
    deadline = time.monotonic() + seconds
    while not what():
        if time.monotonic() > deadline:
            raise TimeoutError(f"What was waited for did not come in {seconds} s.")
        time.sleep(pause)


def sandboxes(client: docker.DockerClient, pid: int) -> list[docker.models.containers.Container]:
    """The containers of the command with that pid, ended ones too."""
    found = client.api.containers(all=True, filters={"label": LABEL})
    ours = [entry for entry in found if f":{pid}:" in entry["Labels"].get(OWNER, "")]
    containers = []
    for entry in ours:
        with suppress(docker.errors.NotFound):  # it was removed meanwhile
            containers.append(client.containers.get(entry["Id"]))
    return containers
