"""Runs commands and measures their time. A failure does not stop the other commands."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from scripts.environment import ROOT

Command = Sequence[str]
# Commands by name, run one after the other.
Steps = Mapping[str, Command]
_Lane = Generator[None, None, None]
LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class _Ended:
    status: int
    seconds: float

    def __str__(self) -> str:
        verdict = f"failed (exit {self.status})" if self.status else "succeeded"
        return f"{verdict} after {self.seconds:.0f} s"


def run_steps(*stages: Sequence[Steps], meanwhile: Steps | None = None) -> int:
    """Runs the stages in order, in the project's root. Returns 0 if all steps succeeded, else 1.

    The lanes of a stage run side by side, `meanwhile` next to all stages. A step that has a
    neighbour in its stage, and a step of `meanwhile`, prints its output when it has ended.
    """
    started = time.monotonic()
    ended: dict[str, _Ended] = {}
    with closing(_lane(meanwhile or {}, ended, aside=True)) as throughout:
        for lanes in stages:
            aside, before = len(lanes) > 1, _processors()
            _run_lanes([_lane(steps, ended, aside=aside) for steps in lanes], throughout)
            idle, total = (now - then for now, then in zip(_processors(), before, strict=True))
            print(f"== idle during this stage: {idle / max(total, 1):.0%} of the processors' time")
        _run_lanes([throughout], throughout)
    for name, end in ended.items():
        print(f"== {name} {end}")
    failed = [name for name, end in ended.items() if end.status]
    said = f"failed: {', '.join(failed)};" if failed else "all steps succeeded"
    print(f"== {said} after {(time.monotonic() - started) / 60:.1f} minutes", flush=True)
    return 1 if failed else 0


def print_speed() -> None:
    """Prints how fast this machine is, since minutes alone tell little."""
    began, spent = time.perf_counter(), time.process_time()
    sum(number * number for number in range(5_000_000))
    wall, own = time.perf_counter() - began, time.process_time() - spent
    cores = len(os.sched_getaffinity(0))
    print(
        f"== {cores} cores, load {os.getloadavg()[0]:.1f}; a fixed loop takes {own:.2f} s of "
        f"processor time and {wall:.2f} s in all",
        flush=True,
    )


def _processors() -> tuple[int, int]:
    """Idle and total time of all processors since the machine's start, in ticks."""
    first, *_ = Path("/proc/stat").read_text("ascii").splitlines()
    # Leaves out the last two, of guests, which the others include.
    ticks = [int(word) for word in first.split()[1:9]]
    return ticks[3] + ticks[4], sum(ticks)


def _run_lanes(running: Sequence[_Lane], throughout: _Lane) -> None:
    """Runs the lanes until all have ended, and meanwhile steps `throughout`."""
    try:
        while running := [lane for lane in running if next(lane, "ended") is None]:
            next(throughout, None)
            time.sleep(LOOK_SECONDS)
    finally:
        # The commands get Ctrl-C too: closing waits until they have ended.
        for lane in running:
            lane.close()


def _lane(steps: Steps, ended: dict[str, _Ended], *, aside: bool) -> _Lane:
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
