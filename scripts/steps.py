"""Commands run one after the other, each announced and timed; a failure does not stop the rest."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence

from scripts.environment import ROOT

Command = Sequence[str]


def run_steps(steps: Mapping[str, Command]) -> int:
    """Run the steps in the project's root; 0 when all succeeded, else 1."""
    failed = [name for name, command in steps.items() if not run_step(name, command)]
    print(f"== failed: {', '.join(failed)}" if failed else "== all steps succeeded", flush=True)
    return 1 if failed else 0


def run_step(name: str, command: Command) -> bool:
    print(f"== {name}", flush=True)
    started = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    verdict = "succeeded" if status == 0 else f"failed (exit {status})"
    print(f"== {name} {verdict} after {time.monotonic() - started:.0f} s\n", flush=True)
    return status == 0


def module(name: str, *arguments: str) -> Command:
    return [sys.executable, "-m", name, *arguments]
