"""Paired intervals of differences, and the tests of a few pairs."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import t

from evaluation.engine.metrics.differences import Difference, compare, difference_interval
from evaluation.engine.metrics.paired import Showing, Table, p_values, swap_p_values

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
    assert forth.low is not None and forth.high is not None
    assert back.low is not None and back.high is not None
    assert -1 <= forth.low <= forth.value <= forth.high <= 1
    ends = (-forth.value, -forth.high, -forth.low)
    assert (back.value, back.low, back.high) == pytest.approx(ends, abs=1e-9)
    assert back.p == forth.p


def test_with_single_passes_it_is_bonett_and_prices_with_students_quantile() -> None:
    n, first_only, second_only = 60, 14, 5
    first = [1.0] * first_only + [0.0] * (n - first_only)
    second = [0.0] * first_only + [1.0] * second_only + [0.0] * (n - first_only - second_only)
    found = one_pair(first, second, adjust=False)
    padded = np.array([*np.subtract(first, second), 1, -1])
    half = t.ppf(0.975, n - 1) * padded.std(ddof=1) / sqrt(n + 2)
    assert found.value == pytest.approx(9 / 60)
    expected = (padded.mean() - half, padded.mean() + half)
    assert (found.low, found.high) == pytest.approx(expected)


def test_equal_results_leave_room_for_a_difference_on_other_tasks() -> None:
    found = one_pair([1.0] * 50, [1.0] * 50)
    assert (found.value, found.p, found.adjusted) == (0.0, 1.0, 1.0)
    assert found.low is not None and found.high is not None
    assert -0.1 < found.low < 0 < found.high < 0.1


def test_below_six_clusters_there_is_no_interval() -> None:
    units = [1.0, 0.0] * 10
    clusters = {task: task % 5 for task in range(20)}
    (found,) = compare([showing(1, units), showing(2, units[::-1])], clusters).pairs
    assert (found.low, found.high) == (None, None)


def test_a_place_that_few_conversations_reach_leaves_no_interval() -> None:
    talks = [[1.0, 0.0]] * 5 + [[1.0]] * 5
    pair = [Showing(n, dict(enumerate(talks)), by_place=True) for n in (1, 2)]
    assert compare(pair).pairs[0].low is None


def test_a_single_cluster_tells_nothing() -> None:
    found = compare([showing(1, [1.0, 1.0]), showing(2, [0.0, 0.0])], {0: 0, 1: 0}).pairs[0]
    assert (found.value, found.p, found.adjusted) == (1.0, 1.0, 1.0)


def test_p_is_that_of_the_swaps_and_adjusted_is_that_of_a_board_of_the_chosen() -> None:
    random = np.random.default_rng(7)
    rows = [showing(n, random.integers(2, size=40).astype(float).tolist()) for n in range(3)]
    rows.append(showing(3, [1.0] * 40))
    table = Table.of(rows)
    found = compare(rows)
    assert (found.tasks, found.clusters, len(found.pairs)) == (40, 40, 6)
    own = swap_p_values(table, np.ones((4, 4), dtype=np.bool_))
    for pair in found.pairs:
        place = int(pair.first), int(pair.second)
        assert pair.p == own[place]
        assert (pair.adjusted <= 0.05) == (p_values(table)[place] <= 0.05)
        assert pair.adjusted >= pair.p


@pytest.mark.slow
@pytest.mark.parametrize(
    ("clusters", "samples", "better", "worse"),
    [(12, 1, 0.5, 0.35), (12, 10, 0.97, 0.95), (50, 1, 0.9, 0.82), (164, 10, 0.9, 0.9)],
)
def test_the_interval_covers_the_difference(
    clusters: int, samples: int, better: float, worse: float
) -> None:
    random, covered, times = np.random.default_rng(1), 0, 400
    for _ in range(times):
        skill = random.beta((better, worse), (1 - better, 1 - worse), size=(clusters, 2))
        units = (random.binomial(samples, skill) / samples).T
        table = Table.of([showing(n, own.tolist()) for n, own in enumerate(units)])
        low, high = difference_interval(table, 0, 1)
        assert low is not None and high is not None
        covered += low <= better - worse <= high
    assert covered / times >= 0.93
