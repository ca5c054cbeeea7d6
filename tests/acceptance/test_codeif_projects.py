"""CodeIF-Bench L-1 part 2 in real projects (ASSAY_REPOSITORIES): the engine's verdicts on the
published predictions (ASSAY_DATA) against the published results, in all settings.

The revisions differ in their tests, and the results match neither revision completely. Every
prediction is therefore judged with v0's tests, and, if these differ, also with 2025-07's. If a
verdict differs from the published one, codeif_differences.py gives the reason; otherwise the test
fails. It also fails if a reason no longer applies."""

import json
import os
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import pytest

from evaluation.engine import registry
from evaluation.engine.instructions import counted
from evaluation.engine.preparation.reference_runs import sound
from evaluation.engine.records import Reference, Status, Task, TaskId
from tests.acceptance.codeif_differences import DIFFERENCES, NEWER, REVISIONS, SOURCES, V0, Source
from tests.support import near_misses
from tests.support.commands import ROOT, command, judged_lines, write_lines
from tests.support.repositories import kept_of, needs
from tests.support.repositories import place as place_of

DATA = Path(os.environ.get("ASSAY_DATA", ROOT.parent / "shared" / "data")) / "codeif-bench"
PUBLISHED = DATA / "predictions" / "L_1_part_2"
MODELS = sorted(each.name for each in PUBLISHED.glob("*"))
FAMILY, TASKS = "codeif_repository", "L_1_part_2.jsonl"
# v0 does not give the node ids of requirements' tests; the newer revision does.
ANSWERS = DATA / NEWER / TASKS
# The file of each setting's predictions; its results are next to it.
FILES = {
    "base": "base.json",
    "single_round": "single_round.json",
    "two_round": "multi_round.json",
    "multi_turn": "n_round.jsonl",
}

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.docker,
    pytest.mark.timeout(3600),
    pytest.mark.skipif(not MODELS, reason=f"there are no predictions in {PUBLISHED}"),
]


class Place(NamedTuple):
    """The key of a published result: a model's answer to one instruction of a task in a setting.
    Without a category the instruction is the task itself."""

    model: str
    setting: str
    task: str
    category: str | None


Verdicts: TypeAlias = Mapping[Place, bool]


def _lines(path: Path) -> list[dict[str, Any]]:
    """The records of a file of lines, or of one array."""
    text = path.read_text("utf-8")
    return list(json.loads(text) if text.startswith("[") else map(json.loads, text.splitlines()))


@dataclass(frozen=True)
class Judged:
    """A project's published results; by revision, our verdicts, the suspect ones, and the
    references of each task. If the newer revision's tests equal v0's, its verdicts are v0's.
    `unbounded`: the report lines of runs near a limit, each with the line of the same answer under
    the benchmark's own limits."""

    published: Verdicts
    found: Mapping[str, Verdicts]
    suspect: Mapping[str, list[Place]]
    references: Mapping[str, Mapping[TaskId, Mapping[str, Reference]]]
    unbounded: Mapping[Place, tuple[dict[str, Any], dict[str, Any]]]

    def differences(self) -> set[tuple[str, Place]]:
        return {
            (revision, place)
            for revision, found in self.found.items()
            for place, passed in self.published.items()
            if found[place] != passed
        }

    def agreement(self) -> Iterator[str]:
        """By model and setting, the number of results that equal ours with each revision, and with
        at least one of them."""
        differing = self.differences()
        for model, setting in sorted({place[:2] for place in self.published}):
            places = [place for place in self.published if place[:2] == (model, setting)]
            same = [{p for p in places if (each, p) not in differing} for each in REVISIONS]
            told = zip((*REVISIONS, "either"), (*same, set().union(*same)), strict=True)
            counts = ", ".join(f"{name} {len(agreed)}" for name, agreed in told)
            yield f"{model} {setting}: of {len(places)} results the same with {counts}"


@pytest.fixture(scope="module")
def located(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """The sources that `locate-sources` finds in the available repositories."""
    out = tmp_path_factory.mktemp("located") / "sources.json"
    here = [each for each in SOURCES if place_of(each.repository, each.commit)]
    words = [f"--repository={each.project}={each.repository}" for each in here]
    tasks = DATA / V0 / TASKS
    done = command("locate-sources", "--tasks", tasks, *words, "--out", out, seconds=600)
    # Exit status 2: the dataset has further projects.
    assert done.code == 2, done.err
    return dict(json.loads(out.read_text("utf-8")))


class Home(NamedTuple):
    """A revision's tasks file, which has its sources file next to it, and the project's tasks in
    it."""

    file: Path
    tasks: Mapping[str, Task]


def _home(folder: Path, revision: str, source: Source, entry: Mapping[str, Any]) -> Home:
    folder.mkdir()
    (folder / TASKS).write_bytes((DATA / revision / TASKS).read_bytes())
    build = source.build or entry["build_command"]
    requires = [*entry["requires"], *source.requires]
    entry = {**entry, "requires": requires, "build_command": build}
    (folder / "sources.json").write_text(json.dumps({source.project: entry}), "utf-8")
    tasks = registry.family(FAMILY).load_tasks(folder / TASKS, ANSWERS)
    ours = {str(task.id): task for task in tasks if task.public["project"] == source.project}
    return Home(folder / TASKS, ours)


@pytest.fixture(
    scope="module",
    params=[pytest.param(x, id=x.project, marks=needs(x.repository, x.commit)) for x in SOURCES],
)
def judged(
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    located: dict[str, dict[str, Any]],
    projects: Path,
) -> Judged:
    source: Source = request.param
    folder = tmp_path_factory.mktemp(source.repository.replace("/", "-"))
    homes = {x: _home(folder / x, x, source, located[source.project]) for x in REVISIONS}
    tests = {revision: home.tasks for revision, home in homes.items()}
    published = dict(_published(tests[V0]))
    changed = {p for p in published if _tests(tests[V0], p) != _tests(tests[NEWER], p)}
    lines = {
        V0: dict(_lines_of(homes[V0], published.keys(), folder / "reports-0")),
        NEWER: dict(_lines_of(homes[NEWER], changed, folder / "reports-1")),
    }
    passed = {
        revision: {place: line["passed"] for place, line in found.items()}
        for revision, found in lines.items()
    }
    return Judged(
        published,
        {V0: passed[V0], NEWER: {**passed[V0], **passed[NEWER]}},
        {
            revision: [place for place, line in found.items() if line["integrity"] != "clean"]
            for revision, found in lines.items()
        },
        {revision: _references(home) for revision, home in homes.items()},
        _unbounded(homes[V0], lines[V0], folder / "reports-2"),
    )


def _unbounded(
    home: Home, lines: Mapping[Place, dict[str, Any]], folder: Path
) -> dict[Place, tuple[dict[str, Any], dict[str, Any]]]:
    """The report lines of runs near a limit, each with the line of the same answer under the
    benchmark's own limits. A conversation is judged as a whole."""
    near: set[Place] = set()
    for setting in FILES:
        of_setting = {place: line for place, line in lines.items() if place.setting == setting}
        limits = near_misses.bounds(
            FAMILY, home.file, ANSWERS, of=next(iter(home.tasks)), setting=setting
        )
        found = near_misses.near(of_setting.values(), limits)
        near |= {place for place, line in of_setting.items() if line in found}
    if not near:
        return {}
    talked = {
        (each.model, each.setting, each.task) for each in near if each.setting == "multi_turn"
    }
    asked = near | {place for place in lines if place[:3] in talked}
    with near_misses.benchmark_limits():
        return {place: (lines[place], line) for place, line in _lines_of(home, asked, folder)}


def _published(tasks: Mapping[str, Task]) -> Iterator[tuple[Place, bool]]:
    for model in MODELS:
        for setting, name in FILES.items():
            file = PUBLISHED / model / f"{name.partition('.')[0]}.published.jsonl"
            for line in _lines(file):
                if line["namespace"] in tasks:
                    place = Place(model, setting, line["namespace"], line["type"])
                    yield place, line["result"] == "Pass"


def _tests(tasks: Mapping[str, Task], place: Place) -> list[Any]:
    """The tests that decide on the answer in a revision: node ids, and their texts."""
    task = tasks[place.task]
    nodes, texts, own = (task.hidden[name] for name in ("nodes", "unit_tests", "tests"))
    names = counted(task, place.setting, place.category)
    # v0 has requirements that the newer revision lacks, so that their node ids are missing too.
    return [(nodes.get(name), texts.get(name)) if name else own for name in names]


def _lines_of(
    home: Home, places: Collection[Place], folder: Path
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The report lines of these answers. One command judges each model and setting."""
    folder.mkdir()
    for model, setting in sorted({place[:2] for place in places}):
        asked = {place for place in places if place[:2] == (model, setting)}
        name = FILES[setting]
        predictions, report = folder / f"{model}-{name}", folder / f"{model}-{setting}.jsonl"
        records = [
            record for record in _lines(PUBLISHED / model / name)
            if Place(model, setting, record["namespace"], record.get("type")) in asked
        ]  # fmt: skip
        write_lines(predictions, records)
        lines = judged_lines(
            FAMILY, "--tasks", home.file, "--answers", ANSWERS, "--setting", setting,
            "--predictions", predictions, "--only", ",".join(home.tasks),
            report=report, seconds=1800,
        )  # fmt: skip
        # Conversations also have verdicts on single instructions.
        lines = [line for line in lines if not line["test_set"]]
        assert len(lines) == len(asked)
        for line in lines:
            yield Place(model, setting, line["task_id"], line["requirement"]), line


def _references(home: Home) -> dict[TaskId, dict[str, Reference]]:
    """The references that the runs stored on this host for the project's tasks."""
    return kept_of(FAMILY, home.file, ANSWERS, of=next(iter(home.tasks)))[1]


def test_every_project_is_at_the_commit_at_which_its_tasks_were_cut(
    located: dict[str, dict[str, Any]],
) -> None:
    told = {each.project: (each.repository, each.commit) for each in SOURCES}
    found = {project: (x["repository"], x["commit"]) for project, x in located.items()}
    assert found == {project: told[project] for project in found}
    assert len(told) >= 8


def test_a_verdict_is_the_published_result_or_it_is_known_why_not(
    judged: Judged, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    tasks = {place.task for place in judged.published}
    known = {
        (revision, Place(each.model, setting, each.task, each.category)): each.why
        for each in DIFFERENCES
        for revision in each.revisions
        for setting in each.settings
        if each.task in tasks
    }
    differing = judged.differences()
    with capsys.disabled():
        print(f"\n{request.node.callspec.id}")
        print("\n".join(f"  {line}" for line in judged.agreement()))
        for revision, place in sorted(differing, key=str):
            told = " ".join(str(each) for each in place)
            print(f"  otherwise with {revision}: {told}: {known.get((revision, place))}")
    assert differing == known.keys()


def test_no_run_near_a_limit_has_another_verdict_under_the_benchmarks(judged: Judged) -> None:
    for place, (line, again) in judged.unbounded.items():
        assert near_misses.verdict(again) == near_misses.verdict(line), place


def test_no_published_prediction_is_suspect(judged: Judged) -> None:
    assert judged.suspect == {revision: [] for revision in REVISIONS}


def test_the_solutions_are_sound_and_unfit_requirements_are_told(
    judged: Judged, capsys: pytest.CaptureFixture[str]
) -> None:
    for revision, tasks in judged.references.items():
        for task, references in tasks.items():
            assert references["oracle"].status is Status.PASSED
            assert sound(references)
            with capsys.disabled():
                for name, reference in references.items():
                    if reason := reference.unsound:
                        print(f"\n  {revision} {task} {name}: {reason}", end="")
