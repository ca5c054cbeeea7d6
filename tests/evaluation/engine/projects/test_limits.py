"""The dry run bounds the limits of every run in its project, and never raises them."""

from dataclasses import replace

import pytest

from evaluation.engine.projects import suite
from evaluation.engine.records import DryRun, Limits
from tests.evaluation.engine.projects import made

LIMITS = Limits(cpu_seconds=300.0)
QUICK = replace(made.PREPARED, dry_run=DryRun(2.0, 5.0, 1.5))


@pytest.mark.parametrize(
    ("dry_run", "cpu", "wall", "idle"),
    [
        (DryRun(2.0, 5.0, 1.5), 40.0, 70.0, 21.5),
        (DryRun(0.0, 0.0, 0.0), 20.0, 20.0, 20.0),
        (DryRun(28.0, 28.0, 0.0), 300.0, 300.0, 20.0),
        (DryRun(28.5, 28.0, 0.0), 300.0, 300.0, 20.0),
        (DryRun(2.0, 500.0, 90.0), 40.0, 900.0, 110.0),
        (DryRun(900.0, 900.0, 0.0), 300.0, 900.0, 20.0),
    ],
)
def test_a_limit_is_ten_dry_runs_and_20_s_where_that_is_less(
    dry_run: DryRun, cpu: float, wall: float, idle: float
) -> None:
    found = suite.within(LIMITS, replace(made.PREPARED, dry_run=dry_run))
    assert (found.cpu_seconds, found.idle_seconds) == (cpu, idle)
    assert found.wall_seconds == pytest.approx(wall)
    assert found.memory == LIMITS.memory


def test_without_a_dry_run_the_benchmarks_limits_remain() -> None:
    assert suite.within(LIMITS, made.PREPARED) == LIMITS


def test_generations_controls_and_references_are_bounded_alike() -> None:
    tests = made.suite(limits=LIMITS, dry_run_limits=replace(LIMITS, cpu_seconds=1800.0))
    plan, first = tests.references().plan, replace(made.case(), prepared=QUICK)
    runs = [tests.plan(first, LIMITS)]
    for name in ("dry_run", "oracle", "control", "stub_pass"):
        execution = plan(made.TASK, QUICK, made.USUAL, name)
        assert execution is not None
        runs.append(execution)
    runs.append(suite.control_of(runs[0]))
    assert {(run.limits.cpu_seconds, run.limits.idle_seconds) for run in runs} == {(40.0, 21.5)}
