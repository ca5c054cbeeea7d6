"""Tests of when judging probably ends: the turns of the queue, the speed, and the errors of
forecasts."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.state.forecast import ASSUMED, Pace, Past, Work, interval, phase_of, seconds_left


def test_alone_it_takes_its_work_with_an_idle_tail() -> None:
    assert seconds_left([10] * 4, [], workers=1) == 40
    assert seconds_left([10] * 4, [], workers=2) == 22.5
    assert seconds_left([10], [], workers=8) == 10


def test_without_any_speed_the_plan_counts_and_then_its_own_speed() -> None:
    assert Pace().per_run(1.0, 5) == 1.0
    assert Pace(1000, 100).per_run(1.0, 5) == pytest.approx(10, rel=0.1)


def test_the_time_since_the_last_verdict_counts_as_work_until_it_is_overdue() -> None:
    assert Work(10).seconds_left(1.0) == 10
    assert Work(10, spent=6).seconds_left(1.0) == 4
    assert Work(5, judged=5, spent=6).seconds_left(1.0) == 4
    assert Work(10, spent=3600).seconds_left(1.0) > 1000


def test_others_take_as_many_turns_as_it_does_and_what_is_before_it() -> None:
    assert seconds_left([10] * 4, [(20, 0)], workers=1) == 60
    assert seconds_left([10] * 4, [(800, 0)], workers=1) == 80
    assert seconds_left([10], [(800, 40), (800, 0)], workers=1) == 70


def test_the_interval_follows_the_last_forecasts() -> None:
    assumed = interval(100, [])
    assert (assumed.low, assumed.high) == tuple(
        pytest.approx(100 * math.exp(ratio)) for ratio in (ASSUMED[0], ASSUMED[-1])
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


@settings(deadline=None)
@given(st.lists(st.floats(-3, 3, allow_nan=False), max_size=60))
def test_eight_of_ten_complete_observations_are_in_the_interval(ratios: list[float]) -> None:
    low, high = map(math.log, interval(1, [Past(ratio, over=True) for ratio in ratios]))
    every = [*ratios, *ASSUMED]
    assert sum(ratio < low - 1e-9 for ratio in every) <= 0.1 * len(every)
    assert sum(ratio > high + 1e-9 for ratio in every) <= 0.1 * len(every)
    assert all(min(abs(end - ratio) for ratio in every) < 1e-9 for end in (low, high))


@pytest.mark.parametrize(
    ("passed", "phase"), [(0, 0), (12, 0), (13, 1), (50, 2), (87, 3), (88, 4), (100, 4)]
)
def test_phases_are_the_quarters_of_the_whole_time(passed: int, phase: int) -> None:
    assert phase_of(passed, 100 - passed) == phase
