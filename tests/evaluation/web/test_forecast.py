"""Tests of when judging probably ends: the order of the queue, the speed, and the errors of
forecasts."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.state.forecast import (
    ASSUMED,
    Load,
    Pace,
    Past,
    Running,
    interval,
    phase_of,
    quantiles,
    seconds_left,
)

PACES = {1: Pace(1000, 1000)}


def load(chunks: int, *, ahead: int = 0, benchmark: int = 1, pace: Pace | None = None) -> Load:
    """Chunks of ten runs each. By PACES a run takes a second."""
    return Load(benchmark, chunks, 10 * chunks, 10, [], 10, ahead, pace or Pace())


def at_work(spent: float, judged: float = 0, benchmark: int = 1) -> Load:
    return Load(benchmark, 1, 0, 0, [Running(10, judged, spent)], 10, 1, Pace())


def left(mine: Load, *others: Load, workers: float = 1) -> float:
    return seconds_left(mine, others, PACES, workers=workers, chunk_seconds=10)


def test_alone_it_takes_its_work_by_the_benchmarks_speed() -> None:
    assert left(load(4)) == pytest.approx(40, rel=0.01)
    assert left(load(4), workers=2) == pytest.approx(22.5, rel=0.01)
    assert left(load(1), workers=8) == pytest.approx(10, rel=0.01)


def test_without_any_speed_the_plan_counts_and_then_its_own_speed() -> None:
    assert left(load(4, benchmark=2)) == pytest.approx(40)
    slow = left(load(4, benchmark=2, pace=Pace(1000, 100)))
    assert slow == pytest.approx(400, rel=0.1)


def test_the_time_since_the_last_verdict_counts_as_work_until_it_is_overdue() -> None:
    assert left(at_work(0)) == pytest.approx(10, rel=0.01)
    assert left(at_work(6)) == pytest.approx(4, rel=0.02)
    assert left(at_work(6, judged=5)) == pytest.approx(4, rel=0.02)
    assert left(at_work(3600)) > 1000
    assert left(load(1), at_work(6)) == pytest.approx(14, rel=0.02)


def test_only_work_before_its_last_run_counts() -> None:
    behind, before = load(80), load(80, ahead=2)
    assert left(load(4), behind) == left(load(4))
    assert left(load(4), before) == pytest.approx(60, rel=0.01)


def test_in_each_pass_of_the_queue_every_evaluation_has_its_turns() -> None:
    # Eight chunks need two passes: four chunks of the other one are judged in between.
    assert left(load(8), load(80)) == pytest.approx(120, rel=0.01)
    assert left(load(8), load(2)) == pytest.approx(100, rel=0.01)


def test_a_slow_chunk_goes_to_the_end_of_the_queue_after_each_turn() -> None:
    slow = load(1, pace=Pace(10_000, 1000))
    assert left(slow) == pytest.approx(100, rel=0.02)
    assert left(slow, load(80)) == pytest.approx(100 + 4 * 4 * 10, rel=0.02)


def test_the_interval_follows_the_last_forecasts() -> None:
    assumed = interval(100, [])
    assert (assumed.low, assumed.high) == tuple(
        pytest.approx(100 * math.exp(one)) for one in (ASSUMED[0], ASSUMED[-1])
    )
    good = interval(100, [Past(0.01 * number, over=True) for number in range(-20, 20)])
    assert 80 < good.low < 90 and 110 < good.high < 125
    late = interval(100, [Past(1 + 0.01 * number, over=True) for number in range(40)])
    assert late.low > 250


def test_evaluations_that_go_on_count_as_later_than_now() -> None:
    quick = [Past(0.0, over=True)] * 40
    waiting = [Past(0.5, over=False)] * 40
    assert interval(100, quick).high == pytest.approx(100)
    assert interval(100, [*quick, *waiting]).high > 200
    # An evaluation that has just begun changes nothing.
    assert interval(100, [*quick, Past(-5, over=False)]).high == pytest.approx(100)


RATIOS = st.lists(st.floats(-3, 3, allow_nan=False), min_size=1, max_size=60)


@settings(max_examples=40, deadline=None)
@given(RATIOS)
def test_eight_of_ten_complete_observations_are_between_the_quantiles(ratios: list[float]) -> None:
    low, high = quantiles(Past(one, over=True) for one in ratios)
    assert sum(one < low for one in ratios) <= 0.1 * len(ratios)
    assert sum(one > high for one in ratios) <= 0.1 * len(ratios)
    assert low in ratios and high in ratios


@pytest.mark.parametrize(
    ("passed", "phase"), [(0, 0), (12, 0), (13, 1), (50, 2), (87, 3), (88, 4), (100, 4)]
)
def test_phases_are_the_quarters_of_the_whole_time(passed: int, phase: int) -> None:
    assert phase_of(passed, 100 - passed) == phase
