"""The price of isolation: the command line against a bare loop on the same programs.

    python -m bench.bench_engine [--rounds 5] [--data FOLDER]

FOLDER holds ruCodeEval's tasks.jsonl and predictions.json (default: ASSAY_DATA/rucodeeval).
Alternates (a) bench/bare_loop.py with 2 processes and (b) `python -m evaluation run` with 2
workers, including the start of containers, and prints the ratio of each round, then the medians.
Also prints the time from a container's start to its first verdict, and the time of a trivial
generation. Exits 1 if a bound is broken.
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from evaluation.engine import uploads
from evaluation.engine.families.rucodeeval import FAMILY
from evaluation.engine.family import ByExecution
from evaluation.engine.records import Case, Execution, Json
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.inside import plain
from evaluation.engine.sandbox.session import Session
from evaluation.engine.variables import Variables

# Times a process that does nothing on this machine, to compare with a generation's time.
_BARE_FORKS = """
import os, statistics, time
def fork():
    began = time.perf_counter()
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
    return (time.perf_counter() - began) * 1000
print(statistics.median(fork() for _ in range(300)))
"""
RATIO_BOUND, FIRST_VERDICT_SECONDS, TRIVIAL_MS = 1.2, 0.6, 4.0
WORKERS = 2


def _judged() -> ByExecution:
    assert isinstance(FAMILY.judged, ByExecution)
    return FAMILY.judged


def _programs(data: Path, out: Path) -> None:
    """Writes the programs and arguments that the engine runs."""
    judged = _judged()
    tasks = FAMILY.load_tasks(data / "tasks.jsonl", None)
    by_id = {task.id: task for task in tasks}
    index = uploads.SlotIndex.of(tasks, lambda task: FAMILY.slots(task, "base"))
    programs = []
    for generation in uploads.read(data / "predictions.json", index):
        case = Case(by_id[generation.key.task_id], generation, "base")
        planned = judged.plan(case, judged.limits)
        assert isinstance(planned, Execution)
        given = planned.payload["tests"]
        assert isinstance(given, list), "a program is called with each test's arguments"
        tests = [plain.decode(test) for test in given]
        programs.append([planned.payload["program"], planned.payload["entry_point"], tests])
    out.write_text(json.dumps(programs))


def _python_of_the_image(reference: str) -> str:
    """An interpreter on this host of the version that the image has, preferably the system's."""
    said = docker.client().containers.run(reference, ["python3", "--version"], remove=True)
    wanted = said.decode().split()[1]
    for python in ("/usr/bin/python3", shutil.which("python3.11") or "", sys.executable):
        if not python or not Path(python).exists():
            continue
        version = subprocess.check_output([python, "--version"], text=True).split()[1]
        if version == wanted:
            return python
    print(f"No Python {wanted} on this host: the comparison is with {sys.version.split()[0]}.")
    return sys.executable


def _timed(command: list[str]) -> float:
    began = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - began


def _ratios(data: Path, rounds: int, python: str) -> list[float]:
    ratios = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _programs(data, folder / "programs.json")
        seconds = str(_judged().limits.cpu_seconds)
        bare = [python, "bench/bare_loop.py", str(folder / "programs.json"), str(WORKERS), seconds]
        for number in range(rounds):
            ours = [
                sys.executable,
                "-m",
                "evaluation",
                "run",
                "rucodeeval",
                "--tasks",
                str(data / "tasks.jsonl"),
                "--predictions",
                str(data / "predictions.json"),
                "--workers",
                str(WORKERS),
                "--report",
                str(folder / f"{number}.jsonl"),
            ]
            a, b = _timed(bare), _timed(ours)
            ratios.append(b / a)
            print(
                f"round {number + 1}: bare loop {a:.1f} s, engine {b:.1f} s, ratio {b / a:.3f}",
                flush=True,
            )
    return ratios


def _small_times(reference: str) -> tuple[float, float]:
    """Median seconds from start to first verdict; median milliseconds of a trivial generation."""
    limits = _judged().limits
    payload: dict[str, Json] = {
        "program": "def f(x):\n    return x\n",
        "entry_point": "f",
        "tests": [["d", 0, [["x", 1]]]],
    }
    execution = Execution("calls", payload, limits)
    starts, singles = [], []
    for _ in range(5):
        began = time.perf_counter()
        with Session(reference, limits, runners=_judged().runners) as session:
            session.run(execution)
            starts.append(time.perf_counter() - began)
            began = time.perf_counter()
            for _ in session.run_all([execution] * 200):
                pass
            singles.append((time.perf_counter() - began) / 200 * 1000)
    return statistics.median(starts), statistics.median(singles)


def _bare_fork() -> float:
    """Median milliseconds of a process that a bare Python forks, and that ends at once."""
    command = [sys.executable, "-I", "-S", "-c", _BARE_FORKS]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    default = Path(Variables().text("ASSAY_DATA", "../shared/data")) / "rucodeeval"
    parser.add_argument("--data", type=Path, default=default)
    arguments = parser.parse_args()
    if not (arguments.data / "tasks.jsonl").exists():
        print(f"skipped: no ruCodeEval data in {arguments.data}")
        return 0
    image = images.ensure(docker.client())
    start, trivial = _small_times(image.reference)
    print(
        f"start to first verdict {start:.2f} s (bound {FIRST_VERDICT_SECONDS}), "
        f"trivial generation {trivial:.2f} ms (bound {TRIVIAL_MS}; "
        f"a bare fork takes {_bare_fork():.2f} ms here)"
    )
    ratios = _ratios(arguments.data, arguments.rounds, _python_of_the_image(image.reference))
    ratio = statistics.median(ratios)
    print(f"median ratio {ratio:.3f} (bound {RATIO_BOUND})")
    held = ratio <= RATIO_BOUND and start <= FIRST_VERDICT_SECONDS and trivial <= TRIVIAL_MS
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
