"""Tests of the chances of ranks: scores shrink towards each other, and a shown chance is true as
often as it says."""

from __future__ import annotations

import numpy as np
import pytest

from bench.bench_error_bars import DESIGNS
from bench.rank_chances import calibration
from evaluation.engine.metrics.chances import FEWEST_ENTRANTS, Model, own_variances
from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.paired import Showing, Table
from evaluation.engine.metrics.ranking import rank


def model(scores: list[float], error: float = 0.04) -> Model:
    return Model.of(np.array(scores), np.full(len(scores), error**2))


def table(values: Floats) -> Table:
    return Table(values[..., None], np.ones((*values.shape, 1)))


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


def test_the_leader_of_a_close_board_is_not_trusted() -> None:
    # Five scores within one standard error of each other.
    close = model([0.54, 0.52, 0.51, 0.5, 0.49]).chances()
    apart = model([0.94, 0.72, 0.51, 0.3, 0.09]).chances()
    assert close.first[0] <= 0.4 < 0.99 <= apart.first[0]
    assert close.above_next[0] <= 0.62 < 0.99 <= apart.above_next[0]


def test_chances_add_up_and_equal_scores_have_equal_ones() -> None:
    found = model([0.6, 0.55, 0.55, 0.4]).chances()
    assert sum(found.first) == pytest.approx(1, abs=1e-3)
    assert sum(found.top) == pytest.approx(3, abs=1e-3)
    assert found.above_next[1] == pytest.approx(0.5)
    assert found.top[1] == pytest.approx(found.top[2], abs=0.03)
    assert len(found.above_next) == 3


def test_the_chance_of_a_pair_is_one_less_the_reverse() -> None:
    found = model([0.6, 0.55, 0.4])
    one, other = np.array([0, 0, 1]), np.array([1, 2, 2])
    assert found.above(one, other) == pytest.approx(1 - found.above(other, one))


def test_variances_that_differ_by_chance_are_pooled() -> None:
    """With 12 clusters, the largest of 20 estimates is several times the smallest."""
    random = np.random.default_rng(5)
    found = own_variances(table(random.random((20, 12))))
    assert found.max() <= 1.3 * found.min()
    # Half of the entrants vary three times as much.
    scale = np.repeat([1.0, 1 / 3], 10)[:, None]
    found = own_variances(table(0.5 + scale * (random.random((20, 400)) - 0.5)))
    assert found[:10].mean() == pytest.approx(9 * found[10:].mean(), rel=0.1)


def test_scores_that_differ_no_more_than_by_chance_have_equal_chances() -> None:
    """Their variance is 1.05 times that of their errors, which is not even half a standard error
    more: without a threshold the leader would have a chance of 12 %."""
    scores = np.linspace(-1, 1, 20)
    scores *= 0.04 * np.sqrt(1.05) / scores.std(ddof=1)
    found = model((0.5 + scores[::-1]).tolist()).chances()
    assert max(found.first) <= 0.08


def test_a_board_has_chances_from_twenty_entrants_on() -> None:
    def showing(entrant: int, passed: int) -> Showing:
        return Showing(entrant, {task: [float(task < passed)] for task in range(40)})

    few = [showing(entrant, 10) for entrant in range(FEWEST_ENTRANTS - 2)] + [showing(100, 38)]
    assert rank(few[-1:]).chances is None
    assert rank(few).chances is None and rank(few).detectable is not None
    found = rank([*few, showing(200, 12)])
    assert found.chances is not None
    assert found.chances.first[0] >= 0.99
    assert len(found.chances.first) == FEWEST_ENTRANTS == len(found.chances.above_next) + 1
    assert found == rank([showing(200, 12), *few])


@pytest.mark.parametrize("spread", [0.1, 0.5, 5.0])
def test_chances_are_about_as_often_true_as_they_say(spread: float) -> None:
    """A small version; `bench.bench_error_bars` has more boards and a tighter bound."""
    for one in calibration(DESIGNS[0], FEWEST_ENTRANTS, spread, 60).agreements:
        assert abs(one.shown - one.true) <= 0.05 + 3 * one.error
