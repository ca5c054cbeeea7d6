"""The names that the reference solutions of CodeIF-Bench L-2 and L-3 use (ASSAY_DATA) are found in
their projects' sources (ASSAY_REPOSITORIES)."""

import os
import subprocess
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from evaluation.engine import registry
from evaluation.engine.families.codeif_repository import dataset
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import open_workplaces
from evaluation.engine.projects.recall import ALL, RUNNER, names_of
from evaluation.engine.projects.sources import Source
from evaluation.engine.records import (
    Case,
    Execution,
    Generation,
    Key,
    Outcome,
    Prepared,
    Status,
    Task,
    Verdict,
)
from evaluation.engine.runs import judge_cases
from evaluation.engine.sandbox import docker
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.slots import Slots
from tests.acceptance.codeif_references import CUTS, MISSED, SHIFTED, Cut
from tests.support import projects as images
from tests.support.commands import ROOT
from tests.support.repositories import place

DATA = Path(os.environ.get("ASSAY_DATA", ROOT.parent / "shared" / "data")) / "codeif-bench"
FILES = [DATA / "2025-07" / f"L_{level}.jsonl" for level in (2, 3)]
JUDGED = registry.family("codeif_repository").by_execution()
HERE = [(cut, found) for cut in CUTS if (found := place(cut.repository, cut.commit))]

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.docker,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(not HERE, reason="no place in ASSAY_REPOSITORIES has any of the projects"),
    pytest.mark.skipif(not FILES[0].exists(), reason=f"there is no {FILES[0]}"),
]


def sources(folder: str, commit: str) -> dict[str, str]:
    """The Python files of a commit that the repository has, by path."""
    listed = subprocess.run(
        ["git", "-C", folder, "ls-tree", "-rz", commit], check=True, capture_output=True
    )
    entries = (line.partition("\t") for line in listed.stdout.decode().split("\0") if line)
    blobs = {path: head.split()[2] for head, _, path in entries if path.endswith((".py", ".pyi"))}
    texts = {}
    for path, blob in blobs.items():
        read = ["git", "-C", folder, "cat-file", "blob", blob]
        done = subprocess.run(read, check=False, capture_output=True)
        if done.returncode == 0:
            texts[path] = done.stdout.decode("utf-8", "surrogateescape")
    return texts


def located(task: Task, text: str) -> Task:
    """The task with the lines that its code has in this text."""
    code = task.hidden["code"].strip("\n")
    first = text[: text.index(code)].count("\n") + 1
    lines = [first, first + 1, first + code.count("\n")]
    return replace(task, hidden={**task.hidden, "lines": lines})


def used(cut: Cut, folder: str, tasks: dict[str, Task]) -> Iterator[tuple[Task, set[str], float]]:
    """The names that each reference solution uses, and the processor time of the whole run."""
    texts = sources(folder, cut.commit)
    chosen = [located(tasks[name], texts[tasks[name].public["path"]]) for name in cut.tasks]
    withheld = tuple({task.public["path"] for task in chosen})
    prepared: Prepared = images.prepared(texts)
    prepared = replace(prepared, project=replace(prepared.project, withheld=withheld))
    cases = [
        Case(task, Generation(Key(task.id, 0), task.hidden["code"]), "base", prepared=prepared)
        for task in chosen
    ]
    execution = JUDGED.measure.plan(cases)
    assert execution is not None
    try:
        with Fresh(prepared, JUDGED.limits) as sandbox:
            (outcome,) = sandbox.run_all([execution])
    finally:
        docker.client().images.remove(prepared.image, force=True)
    assert outcome.report is not None, outcome
    names: Any = outcome.report["names"]
    by_task = dict.fromkeys(task.id for task in chosen)
    assert len(names) == len(by_task)
    for task, (found,) in zip(chosen, names, strict=True):
        yield task, set(found), outcome.cpu_seconds


def test_the_names_of_reference_solutions_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    tasks = {str(task.id): task for file in FILES for task in dataset.load_tasks(file, None)}
    recalls, missed = {}, {}
    for cut, folder in HERE:
        for task, found, seconds in used(cut, folder, tasks):
            wanted = names_of(task)[ALL]
            recalls[str(task.id)] = len(wanted & found) / len(wanted)
            missed[str(task.id)] = wanted - found
            with capsys.disabled():
                share, lost = recalls[str(task.id)], sorted(wanted - found)
                print(f"\n  {share:.2f} {seconds:5.1f} s {task.id} {lost or ''}", end="")
    whole = {task: recall for task, recall in recalls.items() if task not in SHIFTED}
    with capsys.disabled():
        mean = fmean(whole.values())
        print(
            f"\n  {len(whole)} tasks: {mean:.4f}; all {len(recalls)}: {fmean(recalls.values()):.4f}"
        )
    assert {task: {*MISSED.get(task, ())} for task in whole} == {
        task: missed[task] for task in whole
    }
    assert mean >= 0.97


# Projects that build as they are, and the number of generations per task.
TIMED, SAMPLES = ("piskvorky/sqlitedict", "prometheus/client_python", "mjs/imapclient"), 20


class Timed:
    """A sandbox that adds up the time of its runs, by runner: seconds that pass, containers' starts
    included, and processor seconds."""

    def __init__(self, sandbox: Any, seconds: Counter[str], used: Counter[str]) -> None:
        self._sandbox, self._seconds, self._used = sandbox, seconds, used

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sandbox, name)

    def run_all(self, executions: Iterable[Execution]) -> Iterator[Outcome]:
        for execution in executions:
            began = time.monotonic()
            (outcome,) = self._sandbox.run_all([execution])
            self._seconds[execution.runner] += time.monotonic() - began
            self._used[execution.runner] += outcome.cpu_seconds
            yield outcome


def test_the_names_take_at_most_a_tenth_of_the_time_of_the_tests(
    tmp_path: Path, projects: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In all, as for a whole benchmark: each batch starts a container and reads the project, which
    a few short runs of tests do not outweigh."""
    cuts = [(cut, folder) for cut, folder in HERE if cut.repository in TIMED]
    if len(cuts) < len(TIMED):
        pytest.skip(f"no place in ASSAY_REPOSITORIES has all of {TIMED}")
    seconds = Counter[str]()
    for cut, folder in cuts:
        seconds += timed(cut, folder, tmp_path / "slots", capsys)
    assert seconds[RUNNER] <= seconds["repository"] / 10


def timed(cut: Cut, folder: str, slots: Path, capsys: pytest.CaptureFixture[str]) -> Counter[str]:
    """The seconds of the runs of SAMPLES generations of each task, by runner. All must pass, and
    use all names of the reference."""
    texts, seconds, used_cpu = sources(folder, cut.commit), Counter[str](), Counter[str]()
    every = {str(task.id): task for file in FILES for task in dataset.load_tasks(file, None)}
    tasks = []
    for name in cut.tasks:
        task = located(every[name], texts[every[name].public["path"]])
        source = asdict(Source(cut.repository, cut.commit))
        tasks.append(replace(task, public={**task.public, "source": source}))
    options = Options.from_environment(os.environ)
    setup = Setup(JUDGED.limits, Slots(slots), lambda: options)
    verdicts: list[Verdict] = []
    with open_workplaces(JUDGED, tasks, tasks, setup) as (opened,):
        place = replace(
            opened, open_sandbox=lambda: Timed(opened.open_sandbox(), seconds, used_cpu)
        )
        cases = [
            # No two are the same, since the same text is analysed once.
            Case(
                task,
                Generation(Key(task.id, sample), f"{task.hidden['code']}\n        # {sample}"),
                "base",
            )
            for task in tasks
            for sample in range(SAMPLES)
        ]
        judge_cases(place, place.cases(cases), verdicts.extend)
    with capsys.disabled():
        print(
            f"\n  {cut.repository}, {len(verdicts)} generations: {dict(seconds)}; "
            f"processor {dict(used_cpu)}"
        )
    assert {verdict.status for verdict in verdicts} == {Status.PASSED}
    for verdict in verdicts:
        used, names = verdict.dependencies[ALL]
        assert used == names
    return seconds
