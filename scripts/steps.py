"""Runs commands and measures their time. A failure does not stop the other commands."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass

from scripts.environment import ROOT

Command = Sequence[str]
# Commands by name, run one after the other.
Steps = Mapping[str, Command]
LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class _Ended:
    status: int
    seconds: float

    def __str__(self) -> str:
        verdict = f"failed (exit {self.status})" if self.status else "succeeded"
        return f"{verdict} after {self.seconds:.0f} s"


def run_steps(*stages: Sequence[Steps]) -> int:
    """Runs the stages in order, in the project's root. Returns 0 if all steps succeeded, else 1.

    The lanes of a stage run side by side, and print a step's output when it has ended.
    """
    started = time.monotonic()
    ended: dict[str, _Ended] = {}
    for lanes in stages:
        _run_stage(lanes, ended)
    for name, end in ended.items():
        print(f"== {name} {end}")
    failed = [name for name, end in ended.items() if end.status]
    said = f"failed: {', '.join(failed)};" if failed else "all steps succeeded"
    print(f"== {said} after {(time.monotonic() - started) / 60:.1f} minutes", flush=True)
    return 1 if failed else 0


def _run_stage(lanes: Sequence[Steps], ended: dict[str, _Ended]) -> None:
    running = [_lane(steps, ended, aside=len(lanes) > 1) for steps in lanes]
    try:
        while running := [lane for lane in running if next(lane, "ended") is None]:
            time.sleep(LOOK_SECONDS)
    finally:
        # The commands get Ctrl-C too: closing waits until they have ended.
        for lane in running:
            lane.close()


def _lane(steps: Steps, ended: dict[str, _Ended], *, aside: bool) -> Generator[None, None, None]:
    """Yields None while its steps run. `aside` keeps the output of each until its end."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name, command in steps.items():
        print(f"== {name} begins", flush=True)
        started = time.monotonic()
        with tempfile.TemporaryFile() as kept:
            out = kept if aside else None
            with subprocess.Popen(
                command, cwd=ROOT, env=environment, stdout=out, stderr=out
            ) as process:
                while process.poll() is None:
                    yield
            ended[name] = _Ended(process.returncode, time.monotonic() - started)
            if aside:
                print(f"== {name} printed:", flush=True)
                kept.seek(0)
                sys.stdout.buffer.write(kept.read())
        print(f"== {name} {ended[name]}\n", flush=True)


def module(name: str, *arguments: str) -> Command:
    return [sys.executable, "-m", name, *arguments]
