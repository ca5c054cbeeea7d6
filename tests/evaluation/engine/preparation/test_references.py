"""References are run once for a task and an image, whoever asks and how often."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.family import InProjects, References
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.references import SOURCES, ensure_references, sound
from evaluation.engine.records import (
    Execution,
    Limits,
    Outcome,
    Prepared,
    Project,
    Reference,
    Status,
    Task,
    TaskId,
)
from tests.evaluation.engine.scripted import RIGHT, World, gone

PROJECT = Project("owner/name", "0" * 40, "python:3.11", "true")
PREPARED = Prepared(PROJECT, "key", "image:1", "sha256:1", "base", "/workspace/name", 0, {})
TASKS = [Task(n, {"text": "same"}, {}) for n in (1, 2)]
LIMITS = Limits(cpu_seconds=1.0)


def plan(
    task: Task, _prepared: Prepared, known: Mapping[str, Reference], name: str
) -> Execution | None:
    """A stub is run where the solution passed."""
    if name == "stub" and known["oracle"].status is not Status.PASSED:
        return None
    return Execution("scripted", {"text": f"{name} {task.public['text']}"}, LIMITS)


def judge(
    _task: Task,
    _prepared: Prepared,
    _known: Mapping[str, Reference],
    name: str,
    outcome: Outcome,
) -> Reference:
    passed = outcome.exit_code == 0 and outcome.died is None
    return Reference(name, Status.PASSED if passed else Status.FAILED, output=outcome.died or "")


PROJECTS = InProjects(
    project=lambda _: PROJECT,
    unfit=lambda task, _: str(task.public.get("unfit", "")),
    references=References(("oracle", "stub"), plan, judge),
    canaries=lambda *_: (),
)


@pytest.fixture
def options(tmp_path: Path) -> Options:
    return Options.from_environment({"ASSAY_PROJECTS_DIR": str(tmp_path)})


def ensured(
    world: World, options: Options, tasks: list[Task] = TASKS, prepared: Prepared = PREPARED
) -> dict[TaskId, dict[str, Reference]]:
    return ensure_references(PROJECTS, tasks, prepared, options, world.open, world.slots)


def test_equal_runs_of_one_name_are_made_once(options: Options) -> None:
    world = World()
    found = ensured(world, options)
    assert sorted(world.texts()) == ["oracle same", "stub same"]
    assert found[1] == found[2]
    assert {name: r.status for name, r in found[1].items()} == {
        "oracle": Status.PASSED,
        "stub": Status.PASSED,
    }
    assert not world.left_open


def test_what_was_run_once_is_read_the_next_time(options: Options) -> None:
    first = ensured(World(), options)
    world = World()
    assert ensured(world, options) == first
    assert not world.opened


def test_another_image_or_another_task_is_run_anew(options: Options) -> None:
    ensured(World(), options)
    world = World()
    ensured(world, options, prepared=replace(PREPARED, digest="sha256:2"))
    ensured(world, options, tasks=[Task(1, {"text": "other"}, {})])
    assert len(world.ran) == 4


def test_a_task_that_does_not_fit_its_sources_is_unsound_and_nothing_of_it_runs(
    options: Options,
) -> None:
    world = World()
    found = ensured(world, options, tasks=[Task(3, {"text": "x", "unfit": "moved"}, {})])
    assert found[3][SOURCES].unsound == "moved"
    assert not sound(found[3])
    assert not world.ran


def test_what_takes_its_container_down_twice_in_the_same_way_has_that_end(
    options: Options,
) -> None:
    world = World(lambda _, text: gone("oom") if text.startswith("oracle") else RIGHT)
    found = ensured(world, options, tasks=TASKS[:1])
    assert found[1]["oracle"].output == "oom"
    assert "stub" not in found[1]
    assert len(world.ran) == 2
    assert not world.left_open


def test_where_the_machinery_fails_nothing_is_kept(options: Options) -> None:
    world = World(lambda _, text: gone("docker") if text.startswith("stub") else RIGHT)
    with pytest.raises(SandboxError):
        ensured(world, options)
    assert not world.left_open
    again = World()
    ensured(again, options)
    assert sorted(again.texts()) == ["oracle same", "stub same"]
