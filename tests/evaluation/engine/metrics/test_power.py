"""Tests of statistical power: what a board can show, and how many tasks it takes to show more."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.engine.metrics.differences import compare
from evaluation.engine.metrics.paired import Clusters, Showing
from evaluation.engine.metrics.power import detectable, tasks_needed


def test_80_against_85_per_cent_at_15_per_cent_discordance_needs_469_tasks() -> None:
    assert tasks_needed(0.05, 0.15) == tasks_needed(-0.05, 0.15) == 469


def test_the_tasks_needed_have_80_per_cent_power() -> None:
    """By McNemar's test without continuity correction; the formula uses its quantile."""
    tasks = tasks_needed(0.1, 0.3)
    assert tasks is not None
    random = np.random.default_rng(1)
    gained, lost, _same = random.multinomial(tasks, [0.2, 0.1, 0.7], 4000).T
    statistic = np.abs(gained - lost) / np.sqrt(gained + lost)
    assert abs(float((statistic >= 1.96).mean()) - 0.8) <= 0.03


def test_tasks_of_a_repository_that_go_together_need_more_repositories() -> None:
    first, second = [1.0] * 16 + [0.0] * 8, [0.0] * 8 + [1.0] * 8 + [0.0] * 8
    groups: Clusters = {task: task // 4 for task in range(24)}
    rows = [
        Showing(n, dict(enumerate(zip(row, strict=True)))) for n, row in enumerate((first, second))
    ]
    by_task, by_four = (compare(rows, clusters).pairs[0].needed for clusters in (None, groups))
    assert by_task == by_four is not None


def test_a_comparison_says_how_many_tasks_its_pair_needs() -> None:
    def showing(name: int, passed: set[int]) -> Showing:
        return Showing(name, {task: [float(task in passed)] for task in range(100)})

    # 80 against 85 %; 15 tasks are solved by only one of them.
    first, second, none = showing(1, {*range(80)}), showing(2, {*range(5, 90)}), showing(3, set())
    unlike, far, _farther = compare([first, second, none]).pairs
    assert (unlike.needed, far.needed) == (469, 7)
    assert compare([first, showing(2, {*range(80)})]).pairs[0].needed is None
    assert compare([none, showing(2, {*range(100)})]).pairs[0].needed == 6


def test_level_entrants_never_differ_and_impossible_pairs_are_refused() -> None:
    assert tasks_needed(0.0, 0.2) is None
    for impossible in [(0.5, 0.2), (0.1, 1.5)]:
        with pytest.raises(ValueError, match="no difference of"):
            tasks_needed(*impossible)


def test_a_board_shows_its_critical_difference_and_the_error_of_a_pair() -> None:
    variances = np.array([0.002, 0.002, 0.002])
    assert detectable(variances, 0.15, 50) == pytest.approx(0.15 + 0.8416 * 0.004**0.5, abs=1e-4)
    assert detectable(variances, 0.0, 50) == pytest.approx(2.8016 * 0.004**0.5, abs=1e-4)
    assert detectable(variances, 0.1, 5) is None
    assert detectable(variances, 0.98, 50) is None
