"""References are run once for a task and an image, whoever asks and how often."""

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evaluation.engine.errors import EngineAway, SandboxError, SandboxGone
from evaluation.engine.family import InProjects, References
from evaluation.engine.pipeline import PATIENT_ENDS
from evaluation.engine.preparation import reference_runs
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.reference_runs import (
    SOURCES,
    dry_run,
    ensure_references,
    sound,
    timed,
)
from evaluation.engine.preparation.setup import Setup
from evaluation.engine.preparation.withholding import Passed
from evaluation.engine.records import (
    DryRun,
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
from evaluation.engine.sandbox import docker
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.slots import Slots
from tests.evaluation.engine.scripted import RIGHT, World, gone
from tests.support.projects import LIMITS as PROJECT_LIMITS
from tests.support.projects import prepared

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
    _task: Task, _prepared: Prepared, _known: Mapping[str, Reference], name: str, outcome: Outcome
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
    setup = Setup(LIMITS, world.slots, lambda: options, **more)
    return ensure_references(PROJECTS, tasks, prepared, world.open, setup)


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


def test_a_task_that_does_not_fit_its_sources_is_unsound_and_nothing_of_it_runs(
    options: Options,
) -> None:
    world = World()
    found = ensured(world, options, tasks=[Task(3, {"text": "x", "unfit": "moved"}, {})])
    assert found[3][SOURCES].unsound == "moved"
    assert not sound(found[3])
    assert not world.ran


def test_what_takes_its_container_down_twice_in_the_same_way_has_that_end(options: Options) -> None:
    world = World(lambda _, text: gone("oom") if text.startswith("oracle") else RIGHT)
    found = ensured(world, options, tasks=TASKS[:1])
    assert found[1]["oracle"].output == "oom"
    assert "stub" not in found[1]
    assert len(world.ran) == 2
    assert not world.left_open


def test_ends_of_three_kinds_are_an_outcome_of_references_alone(options: Options) -> None:
    """The tests of an untouched project are run again by whoever asks next."""
    ends = ["oom", "silent", "exit 3"]
    world = World(lambda _, text: gone(ends[len(world.ran) - 1]) if "oracle" in text else RIGHT)
    assert ensured(world, options, tasks=TASKS[:1])[1]["oracle"].output == "exit 3"

    def dies(_sandbox: World) -> Outcome:
        raise gone(ends.pop())

    with pytest.raises(SandboxGone, match="oom"):
        reference_runs._settled(World, dies, lambda: False, or_last=False)  # type: ignore[arg-type]


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


@pytest.mark.parametrize(("fails", "error"), [(True, ValueError), (False, KeyboardInterrupt)])
def test_an_error_or_an_interruption_ends_what_runs(
    options: Options, fails: bool, error: type[BaseException]
) -> None:
    def script(number: int, text: str) -> Outcome | Exception:
        if "long" in text:
            return until_aborted(world, number)
        return ValueError("a bug") if fails else RIGHT

    def interrupt(_line: str) -> None:
        raise KeyboardInterrupt

    world = World(script)
    tasks = [Task(1, {"text": "other"}, {}), Task(2, {"text": "long"}, {})]
    with pytest.raises(error):
        ensured(world, options, tasks=tasks, workers=2, say=interrupt)
    assert not world.left_open


pytestmark = pytest.mark.docker
TESTS = """
def test_right():
    assert True

def test_wrong():
    assert False
"""


@pytest.fixture(scope="module")
def project() -> Prepared:
    return prepared({"test_it.py": TESTS})


def commanded(project: Prepared, *commands: str) -> Prepared:
    return replace(project, project=replace(project.project, test_commands=commands))


def tried(
    project: Prepared, *commands: str, stopped: Callable[[], bool] = lambda: False
) -> tuple[Passed, str]:
    return dry_run(commanded(project, *commands), {}, Options(), stopped)


def test_who_is_stopped_waits_for_no_tests(project: Prepared) -> None:
    began = time.monotonic()
    # Longer than this test may take.
    with pytest.raises(SandboxError, match="Stopped"):
        tried(project, "sleep 1000", stopped=lambda: time.monotonic() - began > 2)


@pytest.mark.parametrize("runs", [False, True])
def test_a_container_killed_at_its_start_is_opened_again(
    project: Prepared, monkeypatch: pytest.MonkeyPatch, runs: bool
) -> None:
    class Killed(Fresh):
        """The first one loses its container while it opens, or before the run."""

        count = 0

        def _born(self, container: docker.Container) -> None:
            super()._born(container)
            if not runs:
                self._kill(container)

        def run_all(self, executions: Iterable[Execution]) -> Iterator[Outcome]:
            if runs:
                self._kill(self._spare.result().container)
            return super().run_all(executions)

        def _kill(self, container: docker.Container) -> None:
            Killed.count += 1
            if Killed.count == 1:
                time.sleep(0.6)  # as long as it may take on a busy host
                container.kill()

    monkeypatch.setattr(reference_runs, "Fresh", Killed)
    command = "python3 -m pytest -q test_it.py"
    assert tried(project, command) == (frozenset({(command, "test_it.py::test_right")}), "")
    assert Killed.count >= 2


def test_who_is_stopped_before_opens_nothing(
    project: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reference_runs, "Fresh", lambda *_: pytest.fail("it opened a sandbox"))
    with pytest.raises(SandboxError, match="Stopped"):
        tried(project, "pytest", stopped=lambda: True)


SLOW = """
import time

def test_slow():
    sum(range(10**7))
    time.sleep(1.5)
"""


@pytest.fixture(scope="module")
def slow() -> Prepared:
    project = prepared({"test_slow.py": SLOW})
    return commanded(project, "python3 -m pytest -q test_slow.py", "false")


class Counting(Slots):
    """Counts the exclusive runs."""

    count = 0

    @contextmanager
    def alone(self, stopped: Callable[[], bool] = lambda: False) -> Iterator[None]:
        with super().alone(stopped):
            self.count += 1
            yield


@pytest.fixture
def slots(tmp_path: Path) -> Counting:
    return Counting(tmp_path / "slots")


def timed_by(
    project: Prepared, options: Options, slots: Slots, limits: Limits = PROJECT_LIMITS, **more: Any
) -> Prepared:
    return timed(project, Setup(limits, slots, lambda: options, **more))


def test_the_tests_are_timed_alone_three_times_and_once_per_host(
    slow: Prepared, options: Options, slots: Counting
) -> None:
    for _ in range(2):
        found = timed_by(slow, options, slots).dry_run
        assert found is not None
        assert 0.2 < found.cpu_seconds < found.wall_seconds < 60
        assert 0.5 < found.pause_seconds < 5.0
        # The command without a passing test is run once.
        assert slots.count == 4
    assert replace(slow, dry_run=found) == timed_by(slow, options, slots)


def test_times_that_leave_the_limits_are_measured_once(
    slow: Prepared, options: Options, slots: Counting
) -> None:
    assert timed_by(slow, options, slots, Limits(cpu_seconds=2.0)).dry_run is not None
    assert slots.count == 2


def test_a_project_without_a_passing_test_has_no_times(
    slow: Prepared, options: Options, slots: Counting
) -> None:
    none = commanded(slow, "echo nothing")
    for _ in range(2):
        assert timed_by(none, options, slots).dry_run is None
    assert slots.count == 1


def test_times_that_are_known_elsewhere_are_not_measured(
    slow: Prepared, options: Options, slots: Counting
) -> None:
    theirs = DryRun(1.0, 2.0, 3.0)
    found = timed_by(slow, options, slots, dry_run=lambda _prepared, _measure: theirs)
    assert (found.dry_run, slots.count) == (theirs, 0)


def test_a_setting_leaves_the_benchmarks_limits(
    slow: Prepared, options: Options, slots: Counting
) -> None:
    known, unbounded = (
        replace(slow, dry_run=DryRun(1.0, 2.0, 3.0)),
        replace(options, benchmark_limits=True),
    )
    assert (timed_by(known, unbounded, slots).dry_run, slots.count) == (None, 0)
