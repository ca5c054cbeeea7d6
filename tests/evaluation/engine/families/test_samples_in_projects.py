"""The samples whose predictions are judged in projects of our own."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from evaluation.engine import uploads
from evaluation.engine.families.codeif_repository import inserting
from evaluation.engine.family import ByExecution
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.workplaces import open_workplaces, required
from evaluation.engine.records import (
    Case,
    Generation,
    Prepared,
    Project,
    Reference,
    Step,
    Task,
    Verdict,
)
from evaluation.engine.registry import FAMILIES
from evaluation.engine.runs import judge_cases
from evaluation.engine.samples import Sample, sample_folder, sample_tasks, sample_trees, samples
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.slots import Slots
from tests.support import projects

SLUGS = sorted(
    slug
    for slug, family in FAMILIES.items()
    if isinstance(family.judged, ByExecution) and family.judged.projects
)
# A task of each Python project whose predictions differ, in the first setting.
TASKS = {"codeif_repository": "harbour.arrivals.in_order", "realcode": 4}


@dataclass(frozen=True, slots=True)
class Kit:
    """A family's sample."""

    slug: str
    folder: Path
    judged: ByExecution
    tasks: dict[object, Task]

    def generations(self, sample: Sample) -> Iterator[Generation]:
        index = uploads.SlotIndex.for_setting(
            FAMILIES[self.slug], [*self.tasks.values()], sample.setting
        )
        return uploads.read(sample.path, index, family=self.slug)

    def expected(self) -> dict[tuple[str, ...], str]:
        """The status by model, setting, task and requirement."""
        with (self.folder / "expected.csv").open(newline="") as file:
            return {tuple(row[:4]): row[4] for row in [*csv.reader(file)][1:]}


@cache
def kit(slug: str) -> Kit:
    folder, judged = sample_folder(slug), FAMILIES[slug].judged
    assert folder is not None and isinstance(judged, ByExecution)
    tasks = FAMILIES[slug].load_tasks(sample_tasks(folder), None)
    return Kit(slug, folder, judged, {task.id: task for task in tasks})


def key_of(sample: Sample, generation: Generation) -> tuple[str, ...]:
    key = generation.key
    return sample.model, sample.setting, str(key.task_id), key.requirement or ""


@cache
def texts(slug: str) -> dict[str, str]:
    """The texts of the sample's only project, by path."""
    (tree,) = sample_trees(kit(slug).folder).values()
    files = (path for path in sorted(tree.rglob("*.*")) if "__pycache__" not in path.parts)
    return {path.relative_to(tree).as_posix(): path.read_text() for path in files if path.is_file()}


@pytest.mark.parametrize("slug", SLUGS)
def test_each_prediction_has_an_expected_status(slug: str) -> None:
    own = kit(slug)
    found = Counter(key_of(s, one) for s in samples(own.folder) for one in own.generations(s))
    assert found == Counter([*own.expected()])


@pytest.mark.parametrize("slug", SLUGS)
def test_the_tasks_are_of_the_project(slug: str) -> None:
    own = kit(slug)
    in_projects = required(own.judged)
    project = Project("a/b", "", "image", "")
    prepared = Prepared(project, "k", "i", "d", "b", "/workspace/b", 1, texts(slug))
    assert {in_projects.unfit(task, prepared) for task in own.tasks.values()} == {""}
    named = {in_projects.project(task).repository for task in own.tasks.values()}
    assert named == set(sample_trees(own.folder))


def test_every_requirement_has_a_test_that_can_be_inserted() -> None:
    for task in kit("codeif_repository").tasks.values():
        nodes, tests = task.hidden["nodes"], task.hidden["unit_tests"]
        assert nodes.keys() == tests.keys() == task.public["requirements"].keys()
        wanted = [(node, tests[name]) for name, node in nodes.items()]
        assert inserting.with_tests(texts("codeif_repository"), wanted).impossible == {}


@pytest.mark.docker
@pytest.mark.parametrize("slug", sorted(TASKS))
def test_predictions_fare_as_they_should(slug: str) -> None:
    """Tests the predictions for one task, in an image that needs no build."""
    own, task, prepared = kit(slug), kit(slug).tasks[TASKS[slug]], projects.prepared(texts(slug))
    setting = FAMILIES[slug].settings[0]
    found = {}
    with ExitStack() as stack:
        sandbox = stack.enter_context(Fresh(prepared, own.judged.limits))
        references = _references(own, task, prepared, sandbox)
        for sample in (one for one in samples(own.folder) if one.setting == setting):
            (generation,) = (g for g in own.generations(sample) if g.key.task_id == task.id)
            # One prediction of each status is enough.
            if own.expected()[key_of(sample, generation)] not in found.values():
                case = Case(task, generation, setting, prepared=prepared, references=references)
                found[key_of(sample, generation)] = _status(own.judged, case, sandbox)
    assert found.items() <= own.expected().items()
    assert {"passed", "failed"} <= set(found.values())


def _references(own: Kit, task: Task, prepared: Prepared, sandbox: Fresh) -> dict[str, Reference]:
    """The references that verdicts of the first setting, without requirements, depend on."""
    known: dict[str, Reference] = {}
    references = required(own.judged).references
    for name in (name for name in references.names if not re.search("stub|:", name)):
        execution = references.plan(task, prepared, known, name)
        if execution is not None:
            (outcome,) = sandbox.run_all([execution])
            known[name] = references.judge(task, prepared, known, name, outcome)
    return known


def _status(judged: ByExecution, case: Case, sandbox: Fresh) -> str:
    steps: list[Step] = []
    planned = judged.plan(case, judged.limits)
    while planned is not None:
        (outcome,) = sandbox.run_all([planned])
        steps.append(Step(planned, outcome))
        planned = judged.proceed(case, steps) if judged.proceed else None
    return judged.judge(case, steps).status


@pytest.mark.docker
@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("slug", SLUGS)
def test_all_predictions_fare_as_they_should(slug: str, tmp_path: Path) -> None:
    """In the projects as a host prepares them, with network."""
    own = kit(slug)
    for name, tree in sample_trees(own.folder).items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).symlink_to(tree)
    options = Options(source_trees=tmp_path, network=Options.from_environment().network)
    setup = Setup(own.judged.limits, Slots(tmp_path / "slots"), lambda: options, workers=2)
    tasks = [*own.tasks.values()]
    found = {}
    with open_workplaces(own.judged, tasks, tasks, setup) as (place,):
        for sample in samples(own.folder):
            cases = [
                Case(own.tasks[one.key.task_id], one, sample.setting)
                for one in own.generations(sample)
            ]
            settled: list[Verdict] = []
            judge_cases(place, place.cases(cases), settled.extend)
            by_key = {case.generation.key: key_of(sample, case.generation) for case in cases}
            found |= {by_key[verdict.key]: str(verdict.status) for verdict in settled}
    assert found == own.expected()
