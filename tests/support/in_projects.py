"""A family whose generations are judged inside projects, for tests of the site that run none.

It has ruCodeEval's twelve tasks, a third of them in each of three repositories, which do not exist
and could not be built. The tests themselves provide its references."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.engine import registry
from evaluation.engine.family import InProjects, Metric, References
from evaluation.engine.records import Prepared, Project, Reference, Status, Task, TaskId, TaskResult
from evaluation.state.references import keep_references
from leaderboard.benchmarks.importing import import_revision
from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.benchmarks.records import task_records

SAMPLE = Path(__file__).parents[2] / "evaluation/engine/families/rucodeeval/sample"
SLUG = "in_projects"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
NAMES = ("dry_run", "oracle", "control", "stub_pass")


def project_of(task: Task) -> Project:
    return Project(
        repository=f"nobody/{('one', 'two', 'three')[int(task.id) % 3]}",
        commit=COMMIT,
        image="python:3.11-slim-bookworm",
        build_command="echo it cannot be built; exit 3",
        test_commands=("pytest tests",),
        withheld=(f"task_{task.id}.py",),
    )


def reference_results(
    tasks: Sequence[Task], references: Mapping[TaskId, Mapping[str, Reference]]
) -> list[TaskResult]:
    found = []
    for task in tasks:
        for name in ("oracle", "stub_pass"):
            passed = references[task.id][name].status is Status.PASSED
            found.append(TaskResult(task.id, f"pass_{name}", n=1, c=int(passed)))
        found.append(TaskResult(task.id, "tests", n=1, c=0, value=0.25))
        found.append(TaskResult(task.id, "num_samples", n=1, c=0, value=1.0))
    return found


def _family() -> registry.Family:
    plain = registry.family("rucodeeval")
    projects = InProjects(
        project=project_of,
        unfit=lambda _task, _prepared: "",
        references=References(NAMES, lambda *_: None, lambda *_: _reference("oracle")),
        canaries=lambda _task, _prepared, _references: (),
    )
    return replace(
        plain,
        slug=SLUG,
        title="In projects",
        judged=replace(plain.judged, image="repository", projects=projects),
        reference_results=reference_results,
        metrics=(Metric("tests"), Metric("num_samples", summed=True)),
        ks=(1,),
    )


def _reference(name: str, **more: object) -> Reference:
    told = {
        "status": Status.FAILED if name.startswith("stub") else Status.PASSED,
        "passed": ("tests/test_it.py::veiled_test",),
        "tests": 2,
        "cpu_seconds": 1.5,
        "duration_ms": 2000,
        "facts": {"went_through": ["tests/test_it.py::veiled_test"]},
        "output": "veiled output \ud800",
    }
    return Reference(name=name, **{**told, **more})  # type: ignore[arg-type]


def references(**changed: Mapping[str, object]) -> dict[str, Reference]:
    """The references of a sound task; `changed` has changes by name of reference."""
    return {name: _reference(name, **changed.get(name, {})) for name in NAMES}


def prepared(task: Task, digest: str = "sha256:one", **more: object) -> Prepared:
    told = {
        "project": project_of(task),
        "key": "key",
        "image": "assay-project:key",
        "digest": digest,
        "base": "python:3.11.11-slim-bookworm",
        "root": "/workspace/one",
        "tree_bytes": 1000,
        "texts": {},
    }
    return Prepared(**{**told, **more})  # type: ignore[arg-type]


def keep(revision: Revision, digest: str = "sha256:one", **unsound: str) -> None:
    """Stores references of all the revision's tasks in one build. `unsound` has reasons by name of
    reference, for the revision's first task."""
    tasks = task_records(revision)
    changed = {name: {"unsound": why, "status": Status.FAILED} for name, why in unsound.items()}
    first = next(iter(tasks))
    found = {pk: references(**(changed if pk == first else {})) for pk in tasks}
    keep_references(prepared=prepared(tasks[first], digest), found=found)


@pytest.fixture
def in_projects(db: None, monkeypatch: pytest.MonkeyPatch) -> Benchmark:
    """A benchmark of that family, with its first revision."""
    monkeypatch.setitem(registry.FAMILIES, SLUG, _family())
    return import_revision(
        family_slug=SLUG,
        tasks=SAMPLE / "tasks.jsonl",
        answers=SAMPLE / "answers.jsonl",
        label="sample",
    ).benchmark
