"""Runs the jobs of docs/users/automation.md as shell scripts."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.client.conftest import Client
from tests.support.commands import ROOT

pytestmark = pytest.mark.docker
PAGE = (ROOT / "docs/users/automation.md").read_text("utf-8")
GITHUB, GITLAB = re.findall(r"^```yaml\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PYTHON, RECEIVER = re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
JOBS = {
    "github": re.findall(r"^ *- run: (.*)$", GITHUB, re.MULTILINE),
    "gitlab": re.findall(r"^    - (.*)$", GITLAB, re.MULTILINE),
}


@pytest.mark.parametrize("job", ["github", pytest.param("gitlab", marks=pytest.mark.slow)])
def test_a_job_submits(client: Client, right: Path, job: str) -> None:
    commands = JOBS[job]
    assert commands[0] == "pip install assay-client"
    programs = client.home / "bin"
    programs.mkdir()
    assay = programs / "assay"
    assay.write_text(f'#!/bin/sh\nexec {sys.executable} -m assay_client.command "$@"\n')
    assay.chmod(0o755)
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
    assert "\npass@1: 1 (" in done.stdout, done.stdout


def test_the_example_in_python_runs(client: Client, right: Path) -> None:
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
