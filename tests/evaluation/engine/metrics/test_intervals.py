from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evaluation.engine.metrics.intervals import Interval, mean_interval, wilson

GROUPS = st.lists(st.lists(st.floats(0, 1), max_size=6), max_size=12)


@pytest.mark.parametrize(
    ("passed", "n", "low", "high"),
    [  # R. G. Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_single_trials_give_the_published_wilson_interval(
    passed: int, n: int, low: float, high: float
) -> None:
    interval = mean_interval([[1.0]] * passed + [[0.0]] * (n - passed))
    assert (interval.low, interval.high) == pytest.approx((low, high), abs=5e-5)
    assert interval.value == passed / n


def test_several_units_give_the_t_interval_over_tasks() -> None:
    # mean 2.9/6, r = (-1, -1, 2)/15, var = 3/2 * 6/225 / 36 = 1/900, t(0.975, 2) = 4.302653
    interval = mean_interval([[0.4, 0.5], [0.4, 0.5], [0.6, 0.5]])
    assert interval.value == pytest.approx(2.9 / 6)
    assert interval.low == pytest.approx(2.9 / 6 - 4.302652729911275 / 30)
    assert interval.high == pytest.approx(2.9 / 6 + 4.302652729911275 / 30)
    assert (interval.n, interval.tasks) == (6, 3)


def test_a_wide_interval_is_cut_to_the_unit_range() -> None:
    interval = mean_interval([[0, 0.5], [0, 0.5], [1, 0.5]])
    assert (interval.low, interval.high) == (0.0, 1.0)


def test_one_unit_per_task_that_is_no_trial_gives_the_plain_t_interval() -> None:
    interval = mean_interval([[0.4], [0.5], [0.6]])
    half = 4.302652729911275 * 0.1 / 3**0.5
    assert interval.low == pytest.approx(0.5 - half)
    assert interval.high == pytest.approx(0.5 + half)


def test_tasks_of_uneven_size_weigh_by_their_units() -> None:
    assert mean_interval([[1.0] * 9, [0.0]]).value == 0.9


@pytest.mark.parametrize("value", [0.0, 0.1, 1.0])
def test_a_unanimous_result_still_has_a_width(value: float) -> None:
    interval = mean_interval([[value] * 10] * 20)
    assert (interval.low, interval.high) == pytest.approx(wilson(value, 20))
    assert interval.low is not None and interval.high is not None
    assert interval.high - interval.low > 0.1


def test_fewer_than_two_tasks_have_no_interval() -> None:
    assert mean_interval([[1.0, 0.0]]) == Interval(0.5, None, None, 2, 1)
    assert mean_interval([]) == Interval(None, None, None, 0, 0)
    assert mean_interval([[], []]) == Interval(None, None, None, 0, 0)


@settings(deadline=None)  # the first one waits for scipy's import
@given(GROUPS)
def test_an_interval_lies_in_the_unit_range_around_its_value(groups: list[list[float]]) -> None:
    interval = mean_interval(groups)
    if interval.low is not None and interval.high is not None and interval.value is not None:
        assert 0 <= interval.low <= interval.value + 1e-9
        assert interval.value - 1e-9 <= interval.high <= 1


@settings(deadline=None)
@given(GROUPS, st.randoms(use_true_random=False))
def test_the_order_of_the_tasks_does_not_matter(groups: list[list[float]], random: Random) -> None:
    shuffled = random.sample(groups, len(groups))
    assert mean_interval(shuffled) == mean_interval(groups)


def test_correlated_samples_are_covered_where_independent_ones_would_not_be() -> None:
    random, draws = Random(20), 300
    covered = covered_naively = 0
    for _ in range(draws):
        rates = [random.betavariate(0.9, 0.6) for _ in range(40)]  # a mean of 0.6
        groups = [[float(random.random() < rate) for _ in range(10)] for rate in rates]
        clustered = mean_interval(groups)
        naive = mean_interval([[unit] for group in groups for unit in group])
        covered += _covers(clustered, 0.6)
        covered_naively += _covers(naive, 0.6)
    assert 0.90 <= covered / draws <= 0.99
    assert covered_naively / draws < 0.75


def _covers(interval: Interval, truth: float) -> bool:
    assert interval.low is not None and interval.high is not None
    return interval.low <= truth <= interval.high
