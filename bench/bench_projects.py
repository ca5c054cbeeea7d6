"""Measures the time that a generation inside a project takes in addition to its tests.

    python -m bench.bench_projects [--rounds 3] [--generations 10] [--family realcode]
        [--tasks FILE]

By default it uses the tests' own small projects, and a real one if ASSAY_REPOSITORIES has it, with
tasks that build-tasks makes from it. FILE holds tasks of the family; ASSAY_REPOSITORIES must have
their repositories. Projects are prepared again and removed at the end, unless ASSAY_PROJECTS_DIR
names a directory that keeps them.

Alternates (a) the test command inside a running container of the prepared image
(bench/running_container.py; the changed file is written before the clock starts) and (b) the
engine's run of the same generations, which are the reference solutions, each in a separate
container; the wait for containers that are opened while another works counts, as in a real run.
Prints the medians, the time of the controls separately, and how many generations 1 and 2 workers
judge in a minute with controls and canaries. Exits 1 if the overhead of a project exceeds its
bound: 0.5 s per generation and, for trees above 50 MB, the time that unpacking the rest takes.
bench_ratios.py compares the engine with RealCode's own harness.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, replace
from itertools import cycle, islice
from pathlib import Path

from bench.running_container import RunningContainer
from evaluation.engine import registry
from evaluation.engine.family import ByExecution
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.preparing import joined
from evaluation.engine.preparation.reference_runs import sound
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import Workplace, open_workplace, required
from evaluation.engine.records import Case, Execution, Generation, Key, Project, Verdict
from evaluation.engine.runs import judge_cases
from evaluation.engine.sandbox import docker, project_images
from evaluation.engine.sandbox.slots import Slots
from evaluation.engine.variables import Variables
from tests.support.commands import command
from tests.support.ledgers import java_ledger, python_ledger
from tests.support.repositories import place, projects_kept_in

OFFICIAL = Path(__file__).with_name("official_harness.py")
OVERHEAD_SECONDS, FREE_BYTES = 0.5, 50 * 10**6
LEDGERS = {"realcode": python_ledger, "realcode_java": java_ledger}
CPUS = 1.0
# A small real project with slow imports, whose tests take a second or two.
REAL = ("mlizzi/slack-progress-bar", "d2d6d955fb8a0423ab89c1bac6c4f70101e6b8af")
# RealCode's harness reads the reports that such commands write.
REAL_WORDS = (
    "--image", "python:3.11.11-slim-bookworm", "--language", "python",
    "--build-command", "pip install . pytest pytest-json-report",
    "--test-command", "pytest tests --json-report --json-report-file=report_pytest.json",
)  # fmt: skip
BUILD_SECONDS = 3600


@dataclass(frozen=True)
class Given:
    """Tasks of a family, the location of their repositories, and how much to run."""

    family: str
    tasks: Path
    repositories: str
    rounds: int
    generations: int


@dataclass(frozen=True)
class Round:
    """Seconds per generation: of the command in the running container, and of the engine."""

    bare: float
    engine: float

    @property
    def overhead(self) -> float:
        return self.engine - self.bare


class Subject:
    """One project with the generations that are measured in it."""

    def __init__(self, workplace: Workplace, count: int) -> None:
        assert workplace.prepared is not None
        self._judged, self._workplace = workplace.judged, workplace
        self._prepared = workplace.prepared
        self.name = self._prepared.project.repository
        self.tree_bytes = self._prepared.tree_bytes
        sane = [t for t in workplace.tasks.values() if sound(workplace.references[t.id])]
        self.cases = workplace.cases(
            [
                Case(task, Generation(Key(task.id, sample), task.hidden["gt"]), "base")
                for sample, task in enumerate(islice(cycle(sane), count))
            ]
        )

    def bare_container(self) -> RunningContainer:
        memory = self._judged.limits.memory
        return RunningContainer(self._prepared, cpus=CPUS, memory=memory)

    def rounds(self, number: int, container: RunningContainer) -> Iterator[Round]:
        executions = [self._planned(case) for case in self.cases]
        container.run(executions[0])
        with closing(self._workplace.open_sandbox()) as sandbox:
            list(sandbox.run_all(executions[:1]))
            for _ in range(number):
                ran = [container.run(execution) for execution in executions]
                began = time.perf_counter()
                outcomes = list(sandbox.run_all(executions))
                took = time.perf_counter() - began
                for (_, code), outcome in zip(ran, outcomes, strict=True):
                    assert outcome.report is not None, outcome
                    assert outcome.report["exit"] == code, (outcome, code)
                bare = sum(seconds for seconds, _ in ran)
                yield Round(bare / len(ran), took / len(ran))

    def _planned(self, case: Case) -> Execution:
        planned = self._judged.plan(case, self._judged.limits)
        assert isinstance(planned, Execution)
        return planned

    def judged(self, workers: int) -> tuple[float, list[Verdict]]:
        """The seconds for all verdicts, controls and canaries included, and the verdicts."""
        setup = replace(self._workplace.setup, workers=workers)
        verdicts: list[Verdict] = []
        began = time.perf_counter()
        judge_cases(replace(self._workplace, setup=setup), self.cases, verdicts.extend)
        return time.perf_counter() - began, verdicts

    @contextmanager
    def for_the_official_one(self, repositories: str) -> Iterator[Path]:
        """A folder with the input of bench/official_harness.py. Tags the prepared image with the
        name that the harness expects."""
        project = self._prepared.project
        owner, _, name = project.repository.partition("/")
        image = f"rti-{owner}--{name}--{project.commit}:latest".lower()
        project_images.tag(self._prepared.digest, image)
        try:
            with tempfile.TemporaryDirectory(prefix="assay-official-") as scratch:
                _clone(project, repositories, Path(scratch) / "repos" / project.repository)
                told = json.dumps([_as_the_dataset_has_it(project, case) for case in self.cases])
                (Path(scratch) / "tasks.json").write_text(told, "utf-8")
                yield Path(scratch)
        finally:
            project_images.remove(image)


def _clone(project: Project, repositories: str, folder: Path) -> None:
    """Clones from the first place that has the repository."""
    owner, _, name = project.repository.partition("/")
    for template in repositories.split():
        source = template.format(repository=project.repository, owner=owner, name=name)
        if subprocess.run(["git", "clone", "--quiet", source, str(folder)]).returncode == 0:
            return
    raise AssertionError(f"no place in {repositories} has {project.repository}")


def _as_the_dataset_has_it(project: Project, case: Case) -> dict[str, str]:
    hidden, public = case.task.hidden, case.task.public
    return {
        "repo": project.repository,
        "base_commit": project.commit,
        "image_name": project.image,
        "build_command": project.build_command,
        "test_command": public["test_command"],
        "fn": public["path"],
        "left_context": hidden["left_context"],
        "right_context": hidden["right_context"],
        "gen": case.generation.text,
    }


@contextmanager
def subjects(given: Given, slots: Slots) -> Iterator[list[Subject]]:
    family = registry.family(given.family)
    judged = family.judged
    assert isinstance(judged, ByExecution)
    tasks = family.load_tasks(given.tasks, None)
    options = Options.from_environment({**os.environ, "ASSAY_REPOSITORIES": given.repositories})
    setup = Setup(judged.limits, slots, lambda: options, say=_say)
    with ExitStack() as stack:
        found = []
        for project, own in joined(tasks, required(judged)).items():
            workplace = stack.enter_context(open_workplace(judged, project, own, setup))
            found.append(Subject(workplace, given.generations))
        yield found


def _measure(subject: Subject, given: Given) -> bool:
    """Prints all figures of one project. Returns whether its overhead is within the bound."""
    if not subject.cases:
        _say(f"{subject.name}: no sound task, nothing is measured")
        return True
    megabytes = subject.tree_bytes / 1e6
    _say(f"{subject.name}: {len(subject.cases)} generations, a tree of {megabytes:.1f} MB")
    with subject.bare_container() as container:
        overhead = _overhead(list(_told(subject.rounds(given.rounds, container))))
        bound = OVERHEAD_SECONDS + _copying(subject.tree_bytes, container.unpack_seconds)
    held = overhead <= bound
    _say(f"  median overhead {overhead:.2f} s (bound {bound:.2f}){'' if held else ' BROKEN'}")
    for workers in (1, 2):
        _throughput(subject, workers)
    return held


def _told(rounds: Iterator[Round]) -> Iterator[Round]:
    for number, each in enumerate(rounds, 1):
        _say(
            f"  round {number}: in a running container {each.bare:.2f} s, engine "
            f"{each.engine:.2f} s, overhead {each.overhead:.2f} s (load {os.getloadavg()[0]:.1f})"
        )
        yield each


def _overhead(rounds: Sequence[Round]) -> float:
    return statistics.median(each.overhead for each in rounds)


def _copying(tree_bytes: int, unpack_seconds: float) -> float:
    """The seconds that unpacking takes for the bytes beyond FREE_BYTES."""
    return unpack_seconds * max(0, tree_bytes - FREE_BYTES) / max(1, tree_bytes)


def _throughput(subject: Subject, workers: int) -> None:
    seconds, verdicts = subject.judged(workers)
    assert all(verdict.passed for verdict in verdicts), verdicts
    runs = statistics.median(verdict.duration_ms or 0 for verdict in verdicts)
    controls = statistics.median(verdict.control_ms or 0 for verdict in verdicts)
    _say(
        f"  {workers} workers: {len(verdicts)} generations in {seconds:.1f} s, "
        f"{60 * len(verdicts) / seconds:.0f} a minute; medians: run {runs:.0f} ms, "
        f"control {controls:.0f} ms"
    )


@contextmanager
def _without_its_volume() -> Iterator[None]:
    """Removes the volume that the official harness makes, if it was not there before."""
    volumes = docker.client().volumes
    before = {volume.name for volume in volumes.list()}
    yield
    for volume in volumes.list():
        if volume.name == "pip-cache" and volume.name not in before:
            volume.remove()


@contextmanager
def as_official(
    subject: Subject, repositories: str, python: str, jobs: int
) -> Iterator[Callable[[], float]]:
    """Yields a function that runs RealCode's own harness on the subject's generations and returns
    the seconds of its tests only. `python` is an interpreter that has the package
    `repositorytest`."""

    def run() -> float:
        with tempfile.TemporaryDirectory(prefix="assay-official-") as name:
            shutil.copytree(made, name, dirs_exist_ok=True)
            command = [python, str(OFFICIAL), name, str(jobs)]
            done = subprocess.run(command, check=False, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[-4000:]
        told = json.loads(done.stdout.splitlines()[-1])
        assert all(told["passed"]), f"it fails reference solutions: {told['passed']}"
        return float(told["seconds"])

    with _without_its_volume(), subject.for_the_official_one(repositories) as made:
        yield run


def _say(line: str) -> None:
    print(line, flush=True)


def _given(arguments: argparse.Namespace, folder: Path) -> Iterator[Given]:
    how = arguments.rounds, arguments.generations
    repositories = Variables().text("ASSAY_REPOSITORIES")
    if arguments.tasks is not None:
        yield Given(arguments.family or "realcode", arguments.tasks, repositories, *how)
        return
    for family in [arguments.family] if arguments.family else LEDGERS:
        ledger = LEDGERS[family](folder)
        yield Given(family, ledger.tasks, ledger.mirror, *how)
    if arguments.family in (None, "realcode"):
        if place(*REAL) is None:
            _say(f"{REAL[0]}: no place in ASSAY_REPOSITORIES has it, nothing is measured")
        else:
            yield Given("realcode", built_tasks(*REAL, folder), repositories, *how)


def built_tasks(repository: str, commit: str, folder: Path, most: int | None = None) -> Path:
    """A file with tasks of a real Python project, judged by its whole suite."""
    out, source = folder / "real.jsonl", place(repository, commit)
    assert source is not None, f"no place in ASSAY_REPOSITORIES has {repository}"
    whence: list[str | Path] = ["--repository", source, "--name", repository, "--commit", commit]
    limit = [] if most is None else ["--most", str(most)]
    words = [*whence, *REAL_WORDS, *limit, "--out", out]
    done = command("build-tasks", *words, seconds=BUILD_SECONDS)
    assert done.code == 0, done.err
    return out


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--generations", type=int, default=10)
    parser.add_argument("--family", choices=LEDGERS)
    parser.add_argument("--tasks", type=Path)
    return parser.parse_args()


def main() -> int:
    arguments, held = _arguments(), True
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as name:
        folder = Path(name)
        slots = Slots(folder / "slots")
        with projects_kept_in(folder / "projects"):
            try:
                for given in _given(arguments, folder):
                    with subjects(given, slots) as found:
                        for subject in found:
                            held &= _measure(subject, given)
            finally:
                docker.sweep(own=True)
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
