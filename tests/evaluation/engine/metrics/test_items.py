"""Tests of the statistics of tasks, on known answers and in simulation."""

import numpy as np
import pytest
from numpy.typing import NDArray

from evaluation.engine.metrics.items import (
    FEWEST,
    FEWEST_FOR_MODEL,
    discrimination,
    items,
    two_parameters,
)

Floats = NDArray[np.float64]


def board(
    random: np.random.Generator, entrants: int, slopes: Floats, difficulties: Floats
) -> Floats:
    ability = random.normal(size=entrants)[:, None]
    chance = 1 / (1 + np.exp(-slopes * (ability - difficulties)))
    return (random.random(chance.shape) < chance).astype(np.float64)


def test_the_correlation_is_with_the_other_tasks_alone() -> None:
    random = np.random.default_rng(17)
    values = board(random, 25, np.full(8, 1.0), random.normal(size=8))
    found, _flagged = discrimination(values)
    for task in range(8):
        rest = np.delete(values, task, axis=1).mean(axis=1)
        assert found[task] == pytest.approx(np.corrcoef(values[:, task], rest)[0, 1])


def test_tasks_that_agree_correlate_perfectly_and_none_is_flagged() -> None:
    for entrants in range(FEWEST, 60):
        ability = np.random.default_rng(entrants).random(entrants)
        correlations, flagged = discrimination(np.tile(ability[:, None], (1, 3)))
        assert correlations == pytest.approx([1, 1, 1])
        assert not flagged.any()


def test_rates_and_what_is_not_defined() -> None:
    values = [{1: float(n % 2), "b": 1.0, 3: float(n > 5)} for n in range(FEWEST)]
    found = items(values)
    assert {task: (item.n, item.rate) for task, item in found.items()} == {
        1: (10, 0.5), "b": (10, 1.0), 3: (10, 0.4),
    }  # fmt: skip
    assert found["b"].discrimination is None
    assert found[1].discrimination is not None
    assert {item.discrimination for item in items(values[1:]).values()} == {None}
    assert {item.slope for item in found.values()} == {None}
    assert items([]) == {}
    assert items([{1: 0.5}] * FEWEST)[1].discrimination is None


def test_an_inverted_test_is_found_and_few_others_are() -> None:
    """Boards of 60 tasks: a fifth of the tasks separate nobody, and the tests of the last task are
    inverted. The rate of false flags has a Monte Carlo error of at most 2 points."""
    random = np.random.default_rng(95)
    false_rates, hits = [], 0
    for _board in range(100):
        slopes = random.lognormal(0, 0.3, size=60)
        slopes[:12] = 0
        slopes[-1] = -2
        values = board(random, 40, slopes, random.normal(size=60))
        _found, flagged = discrimination(values)
        hits += int(flagged[-1])
        false_rates.append(flagged[:-1].sum() / max(1, flagged.sum()))
    assert np.mean(false_rates) <= 0.05
    assert hits >= 50


def test_families_of_alike_models_flag_nothing() -> None:
    """Five makers of eight models each, which solve the same tasks but for a few."""
    random = np.random.default_rng(58)

    def flags(makers: list[int]) -> float:
        found = 0
        for _board in range(40):
            families = random.random((len(set(makers)), 60)) < 0.5
            values = families[makers] ^ (random.random((len(makers), 60)) < 0.05)
            rows = [dict(enumerate(row)) for row in values.astype(float).tolist()]
            found += any(item.flagged for item in items(rows, makers).values())
        return found / 40

    assert flags([place // 8 for place in range(40)]) == 0
    assert flags([place // 2 for place in range(40)]) <= 0.05 + 2 * 0.034


@pytest.mark.parametrize("entrants", [12, 60])
def test_without_ability_few_tasks_are_flagged(entrants: int) -> None:
    """All values are coin flips, so each flag is false. At most 5 % of the boards may have one."""
    random = np.random.default_rng(57)
    boards = [(random.random((entrants, 60)) < 0.5).astype(float) for _ in range(100)]
    assert np.mean([discrimination(values)[1].any() for values in boards]) <= 0.05 + 2 * 0.022


def test_the_model_finds_its_parameters() -> None:
    random = np.random.default_rng(81)
    slopes, difficulties = random.lognormal(0, 0.3, size=60), random.normal(size=60)
    found = two_parameters(board(random, 600, slopes, difficulties))
    assert np.sqrt(np.mean(np.square(found[0] - slopes))) < 0.2
    assert np.sqrt(np.mean(np.square(found[1] - difficulties))) < 0.25


def test_the_model_needs_200_entrants_and_survives_tasks_that_all_solve() -> None:
    random = np.random.default_rng(8)
    values = board(random, FEWEST_FOR_MODEL, np.full(20, 1.0), random.normal(size=20))
    values[:, 0], values[:, 1] = 1, 0
    slopes, difficulties = two_parameters(values)
    assert np.isfinite(slopes).all()
    assert difficulties[0] < difficulties[2:].min() and difficulties[1] > difficulties[2:].max()
    assert np.isnan(two_parameters(values[1:])[0]).all()
