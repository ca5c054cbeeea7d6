"""Tests of means over benchmarks and settings, and of the coverage of their intervals."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy import stats

from evaluation.engine.metrics.means import Estimate, over_benchmarks, over_settings


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


@pytest.mark.parametrize("rates", [(0.3, 0.5, 0.8), (0.9, 0.97, 0.5), (0.95, 0.95, 0.95)])
def test_it_covers_the_mean_of_the_true_values(rates: tuple[float, ...]) -> None:
    """2,000 draws of 50, 164 and 300 tasks, with an exact interval for each benchmark."""
    draws = np.random.default_rng(7)
    tasks = (50, 164, 300)
    covered = 0
    for _ in range(2000):
        parts = [_exact(draws.binomial(n, p), n) for n, p in zip(tasks, rates, strict=True)]
        mean = over_benchmarks(parts)
        assert mean.low is not None
        assert mean.high is not None
        covered += mean.low <= np.mean(rates) <= mean.high
    assert 0.94 <= covered / 2000 <= 0.99


@cache
def _exact(right: int, tasks: int) -> Estimate:
    interval = stats.binomtest(right, tasks).proportion_ci(method="exact")
    return Estimate(right / tasks, interval.low, interval.high)
