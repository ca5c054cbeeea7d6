"""References are run once for a task and an image, whoever asks and how often."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.errors import EngineAway, SandboxError
from evaluation.engine.family import InProjects, References
from evaluation.engine.pipeline import PATIENT_ENDS
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.reference_runs import SOURCES, ensure_references, sound
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
    """Runs a stub only if the solution passed."""
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
    world: World,
    options: Options,
    tasks: list[Task] = TASKS,
    prepared: Prepared = PREPARED,
    **more: Any,
) -> dict[TaskId, dict[str, Reference]]:
    return ensure_references(PROJECTS, tasks, prepared, options, world.open, world.slots, **more)


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


def test_an_engine_that_goes_away_is_waited_for(options: Options) -> None:
    def script(number: int, _text: str) -> Outcome | Exception:
        if number:
            return RIGHT
        world.refusals += [EngineAway("away"), gone("docker")]
        return gone("docker")

    world = World(script)
    found = ensured(world, options)
    assert found[1]["oracle"].status is found[1]["stub"].status is Status.PASSED
    assert not world.left_open


def test_an_engine_that_stays_away_is_an_error_in_time(options: Options) -> None:
    world = World(refusals=[EngineAway("away for good")] * 100)
    with pytest.raises(SandboxError, match="away for good"):
        ensured(world, options, patience=0.3)


def test_what_the_engine_takes_away_is_no_end_of_a_reference(options: Options) -> None:
    ends = ["oom", "docker", "docker", "docker", "docker"]
    world = World(lambda n, _: gone(ends[n]) if n < len(ends) else RIGHT)
    found = ensured(world, options)
    assert found[1]["oracle"].status is Status.PASSED


def test_an_engine_that_takes_sandboxes_again_and_again_is_the_machinerys_fault(
    options: Options,
) -> None:
    world = World(lambda *_: gone("docker"))
    with pytest.raises(SandboxError, match="fail repeatedly"):
        ensured(world, options, tasks=TASKS[:1])
    assert len(world.opened) == PATIENT_ENDS + 1


def test_a_container_that_does_not_start_is_no_end_of_a_reference(options: Options) -> None:
    world = World(refusals=[gone("exit 1")] * 100)
    with pytest.raises(SandboxError, match="exit 1"):
        ensured(world, options)
    assert not world.ran


def until_aborted(world: World, number: int) -> Exception:
    """Runs until its sandbox is ended from outside."""
    deadline = time.monotonic() + 10
    while not world.opened[number].aborted:
        assert time.monotonic() < deadline, "nobody ended it"
        time.sleep(0.01)
    return gone("exit 137")


def test_who_is_stopped_ends_what_runs_and_keeps_nothing(options: Options) -> None:
    world = World(lambda number, _: until_aborted(world, number))
    with pytest.raises(SandboxError, match="Stopped"):
        ensured(world, options, stopped=lambda: bool(world.ran))
    assert len(world.ran) == 1
    assert not world.left_open
    assert not world.slots.holders


def test_who_is_stopped_while_a_sandbox_starts_runs_nothing_in_it(options: Options) -> None:
    world = World()
    with pytest.raises(SandboxError, match="Stopped"):
        ensured(world, options, stopped=lambda: bool(world.opened))
    assert not world.ran
    assert not world.left_open


def test_an_error_of_one_run_ends_the_others(options: Options) -> None:
    def script(number: int, text: str) -> Exception:
        return ValueError("a bug") if "other" in text else until_aborted(world, number)

    world = World(script)
    tasks = [Task(1, {"text": "other"}, {}), Task(2, {"text": "long"}, {})]
    with pytest.raises(ValueError, match="a bug"):
        ensured(world, options, tasks=tasks, workers=2)
    assert not world.left_open


def test_an_interruption_ends_what_runs(options: Options) -> None:
    def script(number: int, text: str) -> Outcome | Exception:
        return until_aborted(world, number) if "long" in text else RIGHT

    def interrupt(_line: str) -> None:
        raise KeyboardInterrupt

    world = World(script)
    tasks = [Task(1, {"text": "other"}, {}), Task(2, {"text": "long"}, {})]
    with pytest.raises(KeyboardInterrupt):
        ensured(world, options, tasks=tasks, workers=2, say=interrupt)
    assert not world.left_open
