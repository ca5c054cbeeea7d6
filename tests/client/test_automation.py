"""Runs the jobs of docs/users/automation.md as shell scripts."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.conftest import Client
from tests.support.commands import ROOT
from tests.support.predictions import solutions

pytestmark = [pytest.mark.docker, pytest.mark.timeout(300)]
PAGE = (ROOT / "docs/users/automation.md").read_text("utf-8")
GITHUB, GITLAB = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
(PYTHON,) = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
JOBS = {
    "github": re.findall(r"^ *- run: (.*)$", GITHUB, re.MULTILINE),
    "gitlab": re.findall(r"^    - (.*)$", GITLAB, re.MULTILINE),
}


def _program(path: Path, lines: str) -> None:
    path.write_text(f"#!/bin/sh\n{lines}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("job", ["github", pytest.param("gitlab", marks=pytest.mark.slow)])
def test_a_job_submits(client: Client, job: str) -> None:
    commands = JOBS[job]
    assert commands[0] == "pip install assay-client"
    programs = client.home / "bin"
    programs.mkdir()
    _program(programs / "assay", f'exec {sys.executable} -m assay_client.command "$@"')
    predictions = [{"task_id": task, "completion": text} for task, text in solutions().items()]
    lines = "".join(f"{json.dumps(line)}\n" for line in predictions)
    (client.home / "predictions.jsonl").write_text(lines)
    script = "\n".join(commands[1:]).replace("heron-7b", "larch")
    path = f"{programs}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        env=client.environment(PATH=path),
        cwd=client.home,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "1 (" in done.stdout.splitlines()[-1], done.stdout


def test_the_example_in_python_runs(client: Client) -> None:
    predictions = [{"task_id": task, "completion": text} for task, text in solutions().items()]
    lines = "".join(f"{json.dumps(line)}\n" for line in predictions)
    (client.home / "predictions.jsonl").write_text(lines)
    done = subprocess.run(
        [sys.executable, "-c", PYTHON.replace("heron-7b", "larch")],
        env=client.environment(),
        cwd=client.home,
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("1.0 ")
