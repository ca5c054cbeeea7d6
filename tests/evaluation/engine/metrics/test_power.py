"""Tests of statistical power: the difference that a board can show."""

import numpy as np
import pytest

from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.paired import Table
from evaluation.engine.metrics.ranking import detectable


def table(values: Floats) -> Table:
    return Table(values[..., None], np.ones((*values.shape, 1)))


def board(tasks: int, entrants: int = 2, rate: float = 0.5) -> Table:
    values = np.random.default_rng(3).random((entrants, tasks)) < rate
    return table(values.astype(np.float64))


def test_fewer_than_25_clusters_show_no_difference() -> None:
    assert detectable(board(24), 0.1) is None
    assert detectable(board(25), 0.1) is not None


def test_a_board_shows_its_critical_difference_and_the_error_of_a_pair() -> None:
    values = [detectable(board(200), critical) for critical in (0.0, 0.1, 0.2)]
    small, _middle, large = values
    assert values == sorted(values, key=lambda value: value or 0)
    # McNemar's test at half of the tasks unlike, with 80 % power.
    assert small == pytest.approx(2.8 * (0.5 / 200) ** 0.5, abs=0.02)
    assert large is not None and large > 0.22
    assert detectable(board(200), 0.99) is None


def test_a_difference_implies_tasks_that_only_one_solves() -> None:
    """Near 100 % two equal entrants hardly differ on any task, and unequal ones on more. Six of the
    tasks have to differ."""
    ceiling = table(np.ones((2, 50)))
    found = detectable(ceiling, 0.0)
    assert found is not None and found >= 7 / 50
