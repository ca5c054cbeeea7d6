"""Tests of statistical power: the difference that a board can show."""

from __future__ import annotations

import numpy as np
import pytest

from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.paired import Table
from evaluation.engine.metrics.power import detectable, own_variances


def table(values: Floats) -> Table:
    return Table(values[..., None], np.ones((*values.shape, 1)))


def test_a_board_shows_its_critical_difference_and_the_error_of_a_pair() -> None:
    variances = np.array([0.002, 0.002, 0.002])
    assert detectable(variances, 0.15, 50) == pytest.approx(0.15 + 0.8416 * 0.004**0.5, abs=1e-4)
    assert detectable(variances, 0.0, 50) == pytest.approx(2.8016 * 0.004**0.5, abs=1e-4)
    assert detectable(variances, 0.1, 5) is None
    assert detectable(variances, 0.98, 50) is None


def test_own_variances_add_up_to_those_of_the_differences() -> None:
    random = np.random.default_rng(4)
    hard = random.random(400)
    values = (random.random((6, 400)) < 0.2 + 0.6 * hard) * 1.0
    found = own_variances(table(values))
    pairs = [(i, j) for i in range(6) for j in range(i)]
    shown = [found[i] + found[j] for i, j in pairs]
    true = [np.var(values[i] - values[j], ddof=1) / 400 for i, j in pairs]
    assert shown == pytest.approx(true, rel=0.1)
    assert np.mean(shown) == pytest.approx(np.mean(true))
    both = own_variances(table(values[:2]))
    assert both.sum() == pytest.approx(np.var(values[0] - values[1], ddof=1) / 400)


def test_results_that_are_all_alike_have_a_variance() -> None:
    assert (own_variances(table(np.ones((3, 50)))) > 0).all()


def test_variances_that_differ_by_chance_are_pooled() -> None:
    """With 12 clusters, the largest of 20 estimates is several times the smallest."""
    random = np.random.default_rng(5)
    found = own_variances(table(random.random((20, 12))))
    assert found.max() <= 1.3 * found.min()
    # Half of the entrants vary three times as much.
    scale = np.repeat([1.0, 1 / 3], 10)[:, None]
    found = own_variances(table(0.5 + scale * (random.random((20, 400)) - 0.5)))
    assert found[:10].mean() == pytest.approx(9 * found[10:].mean(), rel=0.1)
