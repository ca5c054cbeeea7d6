"""Tests of the engine's verdicts on aix-bench against the figures that came with the data
(ASSAY_DATA).

The checkout comes from ASSAY_REPOSITORIES; bench/bench_ratios.py measures the speed."""

import csv
import subprocess
import zipfile
from calendar import monthrange
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.families.aixbench_auto import FAMILY
from evaluation.engine.families.aixbench_auto.extraction import member_task
from evaluation.engine.family import ByExecution
from evaluation.engine.pipeline import Judge
from evaluation.engine.records import Case, Generation, Key, Status, Task, Verdict
from evaluation.engine.sandbox import docker, images
from evaluation.engine.sandbox.session import opener
from evaluation.engine.sandbox.slots import Slots
from tests.support import repositories
from tests.support.commands import judged_lines

from .aixbench_solutions import BODIES
from .test_published_labels import DATA

REPOSITORY = "aixcoder-plugin/nl2code-dataset"
COMMIT = "4c2003d0a4274c8ceec5cd6149dcf445136e4141"
FIGURES = DATA / "aix-bench"
GENERATED = "src/main/java/com/aixcode/autoTest/generate"
OWN, PREFIX = f"{GENERATED}/aixcoder", "AixcoderOld"
# Task 160 draws at random.
RANDOM = {160}
# Task 26 reads a source file below the working directory. It passes here, because a checkout has
# that file; the figures were made without it.
OTHERWISE = {26}
# The repository's class of task 125 counts the days of the present month. The figures were made in
# a month of 30 days, which is none of the expected numbers; each other number is.
OF_MONTH = 125

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.docker,
    pytest.mark.timeout(2400),
    pytest.mark.skipif(not FIGURES.is_dir(), reason=f"aix-bench's figures are not in {DATA}"),
    repositories.needs(REPOSITORY, COMMIT),
]

Counts = dict[int, tuple[int, int]]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("aix-bench") / "checkout"
    folder.mkdir()
    place = repositories.place(REPOSITORY, COMMIT)
    assert place is not None
    packed = subprocess.run(
        ["git", "-C", place, "archive", COMMIT], check=True, capture_output=True
    ).stdout
    # Not tarfile: the filter that makes it safe came with Python 3.11.4.
    subprocess.run(["tar", "-x", "-C", folder], input=packed, check=True)
    return folder


@pytest.fixture(scope="module")
def own_classes(checkout: Path) -> Path:
    """The repository's own classes of the benchmark's tasks, as a zip."""
    ids = _figures("official_aixcoder.csv")
    path = checkout.with_name("aixcoder.zip")
    with zipfile.ZipFile(path, "w") as archive:
        for source in sorted((checkout / OWN).glob(f"{PREFIX}*.java")):
            if member_task(source.name) in ids:
                archive.write(source, source.name)
    return path


def _figures(name: str) -> Counts:
    """Passed and total tests by task; both are 0 for a task that did not run."""
    with (FIGURES / name).open() as file:
        rows = list(csv.DictReader(file))
    return {int(row["task_id"]): (int(row["passed"] or 0), int(row["total"] or 0)) for row in rows}


def _judged(checkout: Path, predictions: Path, report: Path) -> list[dict[str, Any]]:
    words = ("--tasks", checkout, "--predictions", predictions)
    return judged_lines("aixbench_auto", *words, report=report, seconds=1100)


def _counts(lines: list[dict[str, Any]]) -> Counts:
    return {
        line["task_id"]: (line["tests_passed"] or 0, line["tests_total"] or 0) for line in lines
    }


def _equal(found: Counts, figures: Counts) -> set[int]:
    """The tasks with equal counts. If no test passed in either, the totals may differ: a class that
    did not finish has no total."""
    assert found.keys() == figures.keys()
    return {id for id in figures if found[id] == figures[id] or found[id][0] == figures[id][0] == 0}


def test_the_repositorys_own_classes_count_what_its_executor_counted(
    checkout: Path, own_classes: Path, tmp_path: Path
) -> None:
    """Three runs are equal except for random tasks, and no pass in them is suspect."""
    runs = [_judged(checkout, own_classes, tmp_path / f"{n}.jsonl") for n in range(3)]
    figures = _figures("official_aixcoder.csv")
    today = datetime.now(UTC)
    days = monthrange(today.year, today.month)[1]
    otherwise = OTHERWISE if days == 30 else OTHERWISE | {OF_MONTH}
    for lines in runs:
        equal = _equal(_counts(lines), figures)
        print(f"{len(equal)} of {len(figures)} as the authors' executor has them")
        assert figures.keys() - equal - RANDOM == otherwise
        suspects = [line["task_id"] for line in lines if line["integrity"] != "clean"]
        assert suspects == []
    first, *others = [_settled(lines) for lines in runs]
    assert others == [first, first]


def _settled(lines: list[dict[str, Any]]) -> set[tuple[Any, ...]]:
    fields = ("task_id", "status", "integrity", "tests_passed", "tests_total")
    return {tuple(line[name] for name in fields) for line in lines if line["task_id"] not in RANDOM}


def test_the_published_prediction_counts_what_the_reference_says(
    checkout: Path, tmp_path: Path
) -> None:
    lines = _judged(checkout, FIGURES / "prediction.jsonl", tmp_path / "r.jsonl")
    figures = _figures("reference_prediction.csv")
    equal = _equal(_counts(lines), figures)
    broken = sum(line["status"] == "compile_error" for line in lines)
    print(f"{len(equal)} of {len(figures)} as the reference has them, {broken} do not compile")
    assert figures.keys() - equal - RANDOM == OTHERWISE
    assert broken == 58


# The two sets of classes that the repository has, and a class that only throws.
SETS = {"aixcoder": f"{OWN}/{PREFIX}", "copilot": f"{GENERATED}/copilot/GenerateMethod"}
WRONG = "{0} {{ throw new UnsupportedOperationException(); }}"
# Tasks without a class that passes: their evaluations contradict themselves, report another number
# of tests than they have, or need the network, a file or the year 2022; one needs the lunar
# calendar.
WITHOUT_A_RIGHT_CLASS = {7, 22, 45, 80, 88, 104, 138, 156, 164, 170}


def _cases(checkout: Path, tasks: Sequence[Task]) -> Iterator[Case]:
    for task in tasks:
        files = [checkout / f"{path}{task.id}.java" for path in SETS.values()]
        texts = [file.read_text("utf-8") for file in files if file.is_file()]
        if (body := BODIES.get(int(task.id))) is not None:
            texts.append(f"{task.public['signature']} {{\n{body}\n}}\n")
        for sample, text in enumerate([WRONG.format(task.public["signature"]), *texts]):
            yield Case(task, Generation(Key(task.id, sample), text), "base")


def _verdicts(checkout: Path, slots: Path, tasks: Sequence[Task]) -> dict[Key, Verdict]:
    """Verdicts from one run per case: no control run changes the counts."""
    assert isinstance(FAMILY.judged, ByExecution) and FAMILY.kit is not None
    judged = replace(FAMILY.judged, proceed=None)
    image = images.ensure(docker.client(), judged.image).reference
    kit = FAMILY.kit(checkout)
    judge = Judge(
        judged, opener(judged, image, judged.limits, kit=kit), Slots(slots), limits=judged.limits
    )
    try:
        return {verdict.key: verdict for verdict in judge.batch(_cases(checkout, tasks))}
    finally:
        judge.close()


def test_tasks_judged_from_outside_have_the_counts_of_one_jvm(
    checkout: Path, tmp_path: Path
) -> None:
    """With right classes and with wrong ones."""
    outside = [
        task for task in FAMILY.load_tasks(checkout, None) if task.hidden["fields"] is not None
    ]
    inside = [replace(task, hidden={**task.hidden, "fields": None}) for task in outside]
    found, alone = (_verdicts(checkout, tmp_path, tasks) for tasks in (outside, inside))
    told, wanted = (
        {key: (one.status is Status.PASSED, one.tests_passed or 0) for key, one in verdicts.items()}
        for verdicts in (found, alone)
    )
    others = {key: (told[key], wanted[key]) for key in wanted if told[key] != wanted[key]}
    ids = {task.id for task in outside}
    right = {key.task_id for key, (passes, _) in wanted.items() if passes}
    wrong = {key.task_id for key, (passes, _) in wanted.items() if not passes}
    print(f"{len(ids)} tasks, {len(wanted)} classes, otherwise: {others}")
    print(f"without a right class: {sorted(map(int, ids - right))}")
    print(f"without a wrong class: {sorted(map(int, ids - wrong))}")
    assert {key.task_id for key in others} <= RANDOM
    assert ids - wrong == set()
    assert ids - right == WITHOUT_A_RIGHT_CLASS
    assert len(ids) == 112
