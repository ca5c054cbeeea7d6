"""Commands run one after the other, each announced and timed; a failure does not stop the rest."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from scripts.environment import ROOT

Command = Sequence[str]


@dataclass(frozen=True, slots=True)
class _Ended:
    status: int
    seconds: float

    def __str__(self) -> str:
        verdict = f"failed (exit {self.status})" if self.status else "succeeded"
        return f"{verdict} after {self.seconds:.0f} s"


def run_steps(steps: Mapping[str, Command]) -> int:
    """Run the steps in the project's root, and say at last how each ended; 0 when all succeeded,
    else 1."""
    ended = {name: _run_step(name, command) for name, command in steps.items()}
    for name, end in ended.items():
        print(f"== {name} {end}")
    failed = [name for name, end in ended.items() if end.status]
    minutes = sum(end.seconds for end in ended.values()) / 60
    said = f"failed: {', '.join(failed)};" if failed else "all steps succeeded"
    print(f"== {said} after {minutes:.1f} minutes", flush=True)
    return 1 if failed else 0


def _run_step(name: str, command: Command) -> _Ended:
    print(f"== {name}", flush=True)
    started = time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    end = _Ended(status, time.monotonic() - started)
    print(f"== {name} {end}\n", flush=True)
    return end


def module(name: str, *arguments: str) -> Command:
    return [sys.executable, "-m", name, *arguments]
