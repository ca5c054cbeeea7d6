"""The time that Assay takes, as a ratio to the time of what the benchmarks' authors run.

    python -m bench.bench_ratios [--part PART] [--rounds 3] [--generations 8] [--minutes 20]
        [--official PYTHON]

Parts, each with two workers on both sides (default: all):

- aix-bench: the command line on the repository's own classes, and a loop with a JVM for each task
  (bench/bare_java_loop.py).
- slack-progress-bar, boltons: the engine with controls and canaries on the reference solutions of
  tasks that build-tasks makes, judged by the project's whole suite, and RealCode's own harness,
  which has no control, on the same solutions in the same image (bench/official_harness.py).

Both sides alternate. A part begins no round after `--minutes`; its preparation is not measured.
PYTHON is an interpreter that has the package `repositorytest`; without `--official`, a virtual
environment with the package is made. Prints the wall and processor time of each round, then the
ratios of the least and of the median times. Processor time is that of the whole machine, so nothing
else should run. Exits 1 if the ratio of the least wall times is above a part's bound. Repositories
come from ASSAY_REPOSITORIES; a part whose repository is missing is skipped.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import venv
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from bench.bench_projects import REAL, Given, Subject, as_official, built_tasks, subjects
from evaluation.engine.families.aixbench_auto.extraction import member_task
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.slots import Slots
from evaluation.engine.variables import Variables
from tests.support.commands import ROOT, command
from tests.support.repositories import place, projects_kept_in

WORKERS = 2
AIX = ("aixcoder-plugin/nl2code-dataset", "4c2003d0a4274c8ceec5cd6149dcf445136e4141")
AIX_PACKAGE, AIX_PREFIX = "com.aixcode.autoTest.generate.aixcoder", "AixcoderOld"
PROJECTS = {
    "slack-progress-bar": REAL,
    "boltons": ("mahmoud/boltons", "967864f89791509f9eb36b22b4579d36b72a6df2"),
}
BOUNDS = {"aix-bench": 1.4, "slack-progress-bar": 2.5, "boltons": 2.5}


# Does the work once, and returns the seconds that count.
Work = Callable[[], float]


class Used(NamedTuple):
    """Seconds."""

    wall: float
    processor: float


class Round(NamedTuple):
    theirs: Used
    ours: Used


def _used(work: Work) -> Used:
    before = _processor_seconds()
    return Used(work(), _processor_seconds() - before)


def _processor_seconds() -> float:
    """User, nice and system time of all processors, as proc(5) has them."""
    with Path("/proc/stat").open() as file:
        user, nice, system = file.readline().split()[1:4]
    return (int(user) + int(nice) + int(system)) / os.sysconf("SC_CLK_TCK")


def _rounds(theirs: Work, ours: Work, rounds: int, seconds: float) -> list[Round]:
    found: list[Round] = []
    ends = time.monotonic() + seconds
    while len(found) < rounds and (not found or time.monotonic() < ends):
        found.append(Round(_used(theirs), _used(ours)))
        one = found[-1]
        _say(f"  round {len(found)}: theirs {_said(one.theirs)}, ours {_said(one.ours)}")
    return found


def _said(used: Used) -> str:
    return f"{used.wall:.1f} s (processors {used.processor:.1f} s)"


def _ratio(rounds: Sequence[Round], of: Callable[[Used], float], least: bool) -> float:
    middle: Callable[[Iterator[float]], float] = min if least else statistics.median
    return middle(of(one.ours) for one in rounds) / middle(of(one.theirs) for one in rounds)


def _told(part: str, rounds: Sequence[Round]) -> bool:
    """Prints the ratios of a part. Returns whether its bound holds."""
    wall, median = (_ratio(rounds, lambda used: used.wall, least) for least in (True, False))
    processor, usual = (
        _ratio(rounds, lambda used: used.processor, least) for least in (True, False)
    )
    held = wall <= BOUNDS[part]
    _say(
        f"{part}: wall {wall:.2f} (median {median:.2f}), processors {processor:.2f} "
        f"(median {usual:.2f}), bound {BOUNDS[part]}{'' if held else ' BROKEN'}"
    )
    return held


def _aix(arguments: argparse.Namespace, folder: Path) -> list[Round]:
    checkout = _checked_out(folder / "checkout")
    classes = _own_classes(checkout, folder / "classes.zip")
    with _bare_loop(checkout) as bare:
        ours = lambda: _judge(checkout, classes, folder)  # noqa: E731  as short as its neighbours
        ours()
        return _rounds(bare, ours, arguments.rounds, 60 * arguments.minutes)


def _checked_out(folder: Path) -> Path:
    folder.mkdir()
    source = place(*AIX)
    assert source is not None, "the part is skipped otherwise"
    archive = ["git", "-C", source, "archive", AIX[1]]
    packed = subprocess.run(archive, check=True, capture_output=True).stdout
    # Not tarfile: the filter that makes it safe came with Python 3.11.4.
    subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
    return folder


def _own_classes(checkout: Path, path: Path) -> Path:
    """The repository's own classes of the benchmark's tasks, as a zip."""
    sources = (checkout / "src/main/java" / AIX_PACKAGE.replace(".", "/")).glob(f"{AIX_PREFIX}*")
    evaluations = checkout / "src/main/java/com/aixcode/autoTest/evaluation"
    with zipfile.ZipFile(path, "w") as archive:
        for source in sorted(sources):
            if (evaluations / f"Evaluation{member_task(source.name)}.java").exists():
                archive.write(source, source.name)
    return path


def _judge(checkout: Path, classes: Path, folder: Path) -> float:
    began = time.perf_counter()
    report = folder / "report.jsonl"
    report.unlink(missing_ok=True)
    done = command(
        "run", "aixbench_auto", "--tasks", checkout, "--predictions", classes,
        "--report", report, "--workers", str(WORKERS), seconds=3600,
    )  # fmt: skip
    assert done.code == 0, done.err
    return time.perf_counter() - began


@contextmanager
def _bare_loop(checkout: Path) -> Iterator[Work]:
    """Runs the loop in a new container of the sandbox's image each time."""
    client: Any = docker.client()
    image = images.ensure(client, "java").reference
    java = "$(echo /usr/lib/jvm/java-17-openjdk-*/bin)"
    loop = "python3 /tmp/loop/bare_java_loop.py /tmp/loop/checkout"
    shell = f"PATH=$PATH:{java} {loop} {AIX_PACKAGE} {AIX_PREFIX} {WORKERS} 30"
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        archive.add(ROOT / "bench" / "bare_java_loop.py", "loop/bare_java_loop.py")
        for name in ("src", "lib"):
            archive.add(checkout / name, f"loop/checkout/{name}")

    def run() -> float:
        container = client.containers.create(image, ["sh", "-c", shell], network_mode="none")
        try:
            container.put_archive("/tmp", packed.getvalue())
            container.start()
            assert container.wait(timeout=3600)["StatusCode"] == 0, container.logs()
            told = json.loads(container.logs(stderr=False))
            assert told["tasks"] == told["answered"], told
            return float(told["seconds"])
        finally:
            container.remove(force=True)

    yield run


def _project(part: str, arguments: argparse.Namespace, folder: Path) -> list[Round]:
    official = arguments.official or _environment(folder / "official")
    tasks = built_tasks(*PROJECTS[part], folder, most=arguments.generations)
    repositories = Variables().text("ASSAY_REPOSITORIES")
    given = Given("realcode", tasks, repositories, arguments.rounds, arguments.generations)
    with projects_kept_in(folder / "projects"), subjects(given, Slots(folder / "slots")) as (one,):
        _say(f"{part}: {len(one.cases)} generations, {WORKERS} workers")
        # One unmeasured run prepares what both sides need, and shows that all generations pass.
        _judged(one)
        with as_official(one, repositories, official, WORKERS) as theirs:
            seconds = 60 * arguments.minutes
            return _rounds(theirs, lambda: _judged(one), arguments.rounds, seconds)


def _judged(subject: Subject) -> float:
    seconds, verdicts = subject.judged(WORKERS)
    assert all(verdict.passed for verdict in verdicts), verdicts
    return seconds


def _environment(folder: Path) -> str:
    """The interpreter of a virtual environment with RealCode's harness."""
    venv.create(folder, with_pip=True)
    python = str(folder / "bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "repositorytest"], check=True)
    return python


def _say(line: str) -> None:
    print(line, flush=True)


def _measured(part: str, arguments: argparse.Namespace) -> bool:
    if place(*(AIX if part == "aix-bench" else PROJECTS[part])) is None:
        _say(f"{part}: skipped, no place in ASSAY_REPOSITORIES has its repository")
        return True
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as name:
        folder = Path(name)
        measure = _aix if part == "aix-bench" else lambda *given: _project(part, *given)
        return _told(part, measure(arguments, folder))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--part", action="append", choices=BOUNDS)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--generations", type=int, default=8)
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--official", metavar="PYTHON")
    return parser.parse_args()


def main() -> int:
    arguments = _arguments()
    try:
        held = [_measured(part, arguments) for part in arguments.part or BOUNDS]
    finally:
        docker.sweep(own=True)
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
