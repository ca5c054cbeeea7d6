"""A project's own tests in its image, in real containers."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from evaluation.engine.errors import SandboxError
from evaluation.engine.preparation import dry_runs
from evaluation.engine.preparation.dry_runs import dry_run, timed
from evaluation.engine.preparation.options import Options
from evaluation.engine.preparation.withholding import Passed
from evaluation.engine.records import DryRun, Execution, Limits, Outcome, Prepared
from evaluation.engine.sandbox import docker
from evaluation.engine.sandbox.fresh import Fresh
from evaluation.engine.sandbox.slots import Slots
from tests.support.projects import LIMITS, prepared

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


def test_what_passes_is_told_with_the_command_that_it_passes_by(project: Prepared) -> None:
    command = "python3 -m pytest -q test_it.py"
    assert tried(project, command) == (frozenset({(command, "test_it.py::test_right")}), "")


def test_where_nothing_passes_it_is_said_why(project: Prepared) -> None:
    passed, said = tried(project, "echo no tests here")
    assert not passed
    assert "`echo no tests here` ended" in said
    assert "no tests here" in said


def test_who_is_stopped_waits_for_no_tests(project: Prepared) -> None:
    began = time.monotonic()
    with pytest.raises(SandboxError, match="Stopped"):
        tried(project, "sleep 50", stopped=lambda: time.monotonic() - began > 4)
    assert time.monotonic() - began < 20


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

    monkeypatch.setattr(dry_runs, "Fresh", Killed)
    command = "python3 -m pytest -q test_it.py"
    assert tried(project, command) == (frozenset({(command, "test_it.py::test_right")}), "")
    assert Killed.count >= 2


def test_who_is_stopped_before_opens_nothing(
    project: Prepared, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dry_runs, "Fresh", lambda *_: pytest.fail("it opened a sandbox"))
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
def options(tmp_path: Path) -> Options:
    return Options(directory=tmp_path / "projects")


@pytest.fixture
def slots(tmp_path: Path) -> Counting:
    return Counting(tmp_path / "slots")


def test_the_tests_are_timed_alone_three_times_and_once_per_host(
    slow: Prepared, options: Options, slots: Counting
) -> None:
    for _ in range(2):
        found = timed(slow, options, slots, LIMITS).dry_run
        assert found is not None
        assert 0.2 < found.cpu_seconds < found.wall_seconds < 60
        assert 0.5 < found.pause_seconds < 5.0
        # The command without a passing test is run once.
        assert slots.count == 4
    assert replace(slow, dry_run=found) == timed(slow, options, slots, LIMITS)


def test_times_that_leave_the_limits_are_measured_once(
    slow: Prepared, options: Options, slots: Counting
) -> None:
    assert timed(slow, options, slots, Limits(cpu_seconds=2.0)).dry_run is not None
    assert slots.count == 2


def test_a_project_without_a_passing_test_has_no_times(
    slow: Prepared, options: Options, slots: Counting
) -> None:
    none = commanded(slow, "echo nothing")
    for _ in range(2):
        assert timed(none, options, slots, LIMITS).dry_run is None
    assert slots.count == 1


def test_times_that_are_known_elsewhere_are_not_measured(
    slow: Prepared, options: Options, slots: Counting
) -> None:
    theirs = DryRun(1.0, 2.0, 3.0)
    found = timed(slow, options, slots, LIMITS, agreed=lambda _prepared, _measure: theirs)
    assert (found.dry_run, slots.count) == (theirs, 0)


def test_a_setting_leaves_the_benchmarks_limits(
    slow: Prepared, options: Options, slots: Counting
) -> None:
    known, unbounded = (
        replace(slow, dry_run=DryRun(1.0, 2.0, 3.0)),
        replace(options, benchmark_limits=True),
    )
    assert (timed(known, unbounded, slots, LIMITS).dry_run, slots.count) == (None, 0)
