"""Tests of means over benchmarks and settings, and of the coverage of their intervals."""

from functools import cache

import numpy as np
import pytest
from scipy import stats

from evaluation.engine.metrics.intervals import Estimate, over_benchmarks, over_settings


def test_equal_intervals_narrow_with_the_number_of_benchmarks() -> None:
    mean = over_benchmarks([Estimate(0.5, 0.4, 0.6)] * 4)
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.5, 0.45, 0.55))


def test_settings_share_tasks_and_narrow_nothing() -> None:
    mean = over_settings([Estimate(0.5, 0.4, 0.6), Estimate(0.7, 0.5, 0.8)])
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.6, 0.45, 0.7))


def test_a_part_without_an_interval_leaves_the_mean_without() -> None:
    mean = over_benchmarks([Estimate(0.5, 0.4, 0.6), Estimate(0.7)])
    assert mean == Estimate(pytest.approx(0.6))
    assert over_settings([Estimate(0.5, 0.4, 0.6), Estimate(0.7)]).low is None


def test_an_estimate_at_the_end_of_its_scale_is_uncertain_on_both_sides() -> None:
    mean = over_benchmarks([Estimate(1.0, 0.8, 1.0), Estimate(0.5, 0.4, 0.6)])
    assert mean.low == pytest.approx(0.75 - np.hypot(0.2, 0.1) / 2)
    assert mean.high == pytest.approx(0.75 + np.hypot(0.2, 0.1) / 2)
    assert over_benchmarks([Estimate(1.0, 0.8, 1.0)] * 2).high == 1
    assert over_benchmarks([Estimate(0.0, 0.0, 0.2)] * 2).low == 0


@pytest.mark.parametrize("tasks", [12, 50])
def test_means_of_many_benchmarks_near_1_are_covered(tasks: int) -> None:
    random = np.random.default_rng(8)
    means = [
        over_benchmarks([_exact(int(right), tasks) for right in random.binomial(tasks, 0.99, 20)])
        for _ in range(500)
    ]
    ends = [(mean.low or 0.0, mean.high or 0.0) for mean in means]
    assert np.mean([low <= 0.99 <= high for low, high in ends]) >= 0.93


@pytest.mark.parametrize("rates", [(0.3, 0.5, 0.8), (0.9, 0.97, 0.5), (0.95, 0.95, 0.95)])
def test_it_covers_the_mean_of_the_true_values(rates: tuple[float, ...]) -> None:
    """2,000 draws of 50, 164 and 300 tasks, with an exact interval for each benchmark."""
    draws = np.random.default_rng(7)
    tasks = (50, 164, 300)
    covered = 0
    for _ in range(2000):
        parts = [_exact(draws.binomial(n, p), n) for n, p in zip(tasks, rates, strict=True)]
        mean = over_benchmarks(parts)
        covered += mean.low <= np.mean(rates) <= mean.high
    assert 0.94 <= covered / 2000 <= 0.99


@cache
def _exact(right: int, tasks: int) -> Estimate:
    interval = stats.binomtest(right, tasks).proportion_ci(method="exact")
    return Estimate(right / tasks, interval.low, interval.high)
