"""Paired intervals of differences, and the tests of a few pairs."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from evaluation.engine.metrics.differences import (
    Difference,
    compare,
    difference_interval,
    mean_difference,
)
from evaluation.engine.metrics.paired import Showing, Table, own_p_values, p_values, swap_p_values

UNITS = st.lists(st.integers(0, 10).map(lambda tenth: tenth / 10), min_size=1, max_size=3)


def showing(entrant: int, values: list[float]) -> Showing:
    return Showing(entrant, {task: [value] for task, value in enumerate(values)})


def one_pair(first: list[float], second: list[float], **more: bool) -> Difference:
    (found,) = compare([showing(1, first), showing(2, second)], **more).pairs
    return found


@settings(deadline=None, max_examples=30)
@given(st.lists(st.tuples(UNITS, UNITS), min_size=6, max_size=20))
def test_the_interval_holds_the_difference_and_turns_with_the_pair(
    pairs: list[tuple[list[float], list[float]]],
) -> None:
    one, other = (Showing(n, {i: pair[n] for i, pair in enumerate(pairs)}) for n in (0, 1))
    (forth,) = compare([one, other], adjust=False).pairs
    (back,) = compare([other, one], adjust=False).pairs
    assert back.low is not None and back.high is not None
    assert -1 <= forth.low <= forth.value <= forth.high <= 1
    ends = (-forth.value, -forth.high, -forth.low)
    assert (back.value, back.low, back.high) == pytest.approx(ends, abs=1e-9)
    assert back.p == pytest.approx(forth.p)


def test_with_single_passes_it_is_students_interval() -> None:
    n, first_only, second_only = 60, 14, 5
    first = [1.0] * first_only + [0.0] * (n - first_only)
    second = [0.0] * first_only + [1.0] * second_only + [0.0] * (n - first_only - second_only)
    found = one_pair(first, second, adjust=False)
    half = t.ppf(0.975, n - 1) * np.subtract(first, second).std(ddof=1) / sqrt(n)
    assert found.value == pytest.approx(9 / 60)
    assert (found.low, found.high) == pytest.approx((9 / 60 - half, 9 / 60 + half))


@pytest.mark.parametrize("values", ["passes", "marks", "conversations"])
def test_the_interval_holds_what_the_test_does_not_reject(values: str) -> None:
    random = np.random.default_rng(33)
    for tasks in (8, 20, 60):
        clusters = {task: int(task * random.random()) for task in range(tasks)}
        rates, by_place = random.random((2, tasks)), values == "conversations"
        units = random.binomial(1 if values == "passes" else 3, rates, (4, 2, tasks)).T
        units = units / units.max()
        rows = [
            Showing(n, dict(enumerate(units[:, n, : 4 if by_place else 1].tolist())), by_place)
            for n in (0, 1)
        ]
        table = Table.of(rows, clusters)
        low, high = difference_interval(table, 0, 1)
        if low is not None and high is not None:
            assert (low <= 0 <= high) == (own_p_values(table)[0, 1] > 0.05)


def test_clusters_of_which_few_have_nearly_all_tasks_leave_no_interval() -> None:
    clusters = {task: max(0, task - 90) for task in range(100)}
    random = np.random.default_rng(3)
    rows = [showing(n, random.integers(2, size=100).astype(float).tolist()) for n in (0, 1)]
    assert compare(rows, clusters).pairs[0].low is None


def test_a_mean_over_benchmarks_is_compared_on_each_ones_clusters() -> None:
    random, covered, separated = np.random.default_rng(12), 0, 0
    for _ in range(200):
        tables = []
        for gain, tasks in ((0.15, 12), (-0.05, 30), (-0.1, 60)):
            rates = random.beta(1, 1, tasks) * 0.8 + 0.1
            one = (random.random(tasks) < np.clip(rates + gain, 0, 1)) * 1.0
            other = (random.random(tasks) < rates) * 1.0
            tables.append(Table.of([showing(0, one.tolist()), showing(1, other.tolist())]))
        found = mean_difference(tables)
        assert (found.low <= 0 <= found.high) == (found.p > 0.05)
        # Rates end at 1, so that the true mean of the differences is a little below 0.
        covered += found.low <= -0.001 <= found.high
        separated += found.p <= 0.05
    assert covered >= 0.93 * 200
    assert separated <= 0.07 * 200


def test_a_mean_over_benchmarks_needs_twelve_clusters_of_each() -> None:
    tables = [
        Table.of([showing(0, [1.0, 0.0] * half), showing(1, [1.0, 1.0] * half)]) for half in (8, 5)
    ]
    assert mean_difference(tables[:1]).value == -0.5
    with pytest.raises(ValueError, match="12 clusters"):
        mean_difference(tables)


def test_equal_results_leave_room_for_a_difference_on_other_tasks() -> None:
    found = one_pair([1.0] * 50, [1.0] * 50)
    assert (found.value, found.p, found.adjusted) == (0.0, 1.0, 1.0)
    assert -0.1 < found.low < 0 < found.high < 0.1


def test_a_place_that_few_conversations_reach_leaves_no_interval() -> None:
    talks = [[1.0, 0.0]] * 5 + [[1.0]] * 5
    pair = [Showing(n, dict(enumerate(talks)), by_place=True) for n in (1, 2)]
    assert compare(pair).pairs[0].low is None


@pytest.mark.parametrize("clusters", [1, 5])
def test_below_six_clusters_nothing_is_tested_and_there_is_no_interval(clusters: int) -> None:
    rows = [showing(1, [1.0, 0.9] * 5), showing(2, [0.0, 0.1] * 5)]
    found = compare(rows, {task: task % clusters for task in range(10)}).pairs[0]
    assert (found.value, found.p, found.adjusted) == (pytest.approx(0.9), None, None)
    assert (found.low, found.high) == (None, None)


def test_p_is_of_the_pair_alone_and_adjusted_is_that_of_a_board_of_the_chosen() -> None:
    random = np.random.default_rng(7)
    rows = [showing(n, random.integers(2, size=40).astype(float).tolist()) for n in range(3)]
    rows.append(showing(3, [1.0] * 40))
    table = Table.of(rows)
    found = compare(rows)
    assert (found.tasks, found.clusters, len(found.pairs)) == (40, 40, 6)
    swaps = swap_p_values(table, np.ones((4, 4), dtype=np.bool_))
    own = np.maximum(own_p_values(table), swaps)
    for pair in found.pairs:
        place = int(pair.first), int(pair.second)
        assert pair.p == own[place] and pair.adjusted is not None
        assert (pair.adjusted <= 0.05) == (p_values(table)[place] <= 0.05)
        assert pair.adjusted >= pair.p
