"""Entrants are compared task by task; differences that chance explains are ties."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, multinomial, ttest_rel

from evaluation.engine.metrics.intervals import mean_interval
from evaluation.engine.metrics.paired import Showing, paired_p_values

TENTHS = st.integers(0, 10).map(lambda tenth: tenth / 10)
UNITS = st.lists(TENTHS, min_size=1, max_size=3)


@st.composite
def boards(draw: st.DrawFn, units: st.SearchStrategy[list[float]] = UNITS) -> list[Showing]:
    tasks = draw(st.integers(1, 7))
    return [
        Showing(entrant, dict(enumerate(draw(st.lists(units, min_size=tasks, max_size=tasks)))))
        for entrant in range(draw(st.integers(2, 5)))
    ]


def showing(entrant: int, *values: float) -> Showing:
    return Showing(entrant, {task: [value] for task, value in enumerate(values)})


def p_value(one: Showing, other: Showing) -> float:
    return float(paired_p_values([one, other])[0, 1])


def rates(entrants: int, tasks: int, seed: int, samples: int = 10) -> list[list[float]]:
    """Shares of right samples: tasks differ much, entrants only by chance."""
    random = np.random.default_rng(seed)
    logits = random.normal(0, 1.5, tasks) + random.normal(0, 1, (entrants, tasks))
    return (random.binomial(samples, 1 / (1 + np.exp(-logits))) / samples).tolist()  # type: ignore[no-any-return]


@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_single_trials_are_compared_by_the_exact_binomial_test(
    pairs: list[tuple[bool, bool]],
) -> None:
    differing = [one for one, other in pairs if one != other]
    expected = binomtest(sum(differing), len(differing)).pvalue if differing else 1.0
    one, other = (showing(i, *(float(pair[i]) for pair in pairs)) for i in (0, 1))
    assert p_value(one, other) == pytest.approx(expected)


def test_well_behaved_rates_give_what_the_paired_t_test_gives() -> None:
    values = rates(30, 164, seed=7)
    found = paired_p_values([showing(i, *row) for i, row in enumerate(values)])
    for i in range(0, 30, 2):
        expected = ttest_rel(values[i], values[i + 1]).pvalue
        assert found[i, i + 1] == pytest.approx(expected, rel=0.15)


def test_few_tasks_are_held_to_the_wider_t_distribution() -> None:
    one, other = [0.9, 0.9, 0.3, 0.7, 0.5, 1.0], [0.5, 0.1, 0.2, 0.6, 0.3, 0.8]
    expected = ttest_rel(one, other).pvalue
    assert 0.5**5 < expected < 0.06
    assert p_value(showing(1, *one), showing(2, *other)) == pytest.approx(expected)


def test_far_tails_are_those_of_the_t_test_rather_than_the_number_of_resamples() -> None:
    (one,) = rates(1, 164, seed=3)
    other = [min(1.0, value + Random(i).choice([0.0, 0.1, 0.1])) for i, value in enumerate(one)]
    expected = ttest_rel(one, other).pvalue
    assert expected < 1e-12
    assert p_value(showing(1, *one), showing(2, *other)) == pytest.approx(expected)


def test_a_few_tasks_that_all_went_one_way_are_not_overrated() -> None:
    nothing, little = [0.0] * 164, [0.1] * 5 + [0.0] * 159
    assert ttest_rel(little, nothing).pvalue < 0.03
    assert p_value(showing(1, *little), showing(2, *nothing)) == 2 * 0.5**5


def test_uneven_differences_have_the_share_that_endless_resamples_would_have() -> None:
    nothing, uneven = [0.0] * 100, [1.0] + [0.1] * 20 + [0.0] * 79
    # a resample holds the large one x times and y of the others, so x + y/10 in place of 3;
    # widened a little, 0 and 6 are as far off as that
    drawn = multinomial(100, [0.01, 0.2, 0.79])
    held = [(x, y) for x in range(101) for y in range(101 - x)]
    expected = sum(
        drawn.pmf([x, y, 100 - x - y]) for x, y in held if (x, y) == (0, 0) or 10 * x + y >= 60
    )
    assert expected > 1.9 * ttest_rel(uneven, nothing).pvalue
    found = p_value(showing(1, *uneven), showing(2, *nothing))
    assert found == pytest.approx(expected, rel=0.2)


def test_differences_without_spread_count_once_per_task() -> None:
    assert p_value(showing(1, *[0.9] * 8), showing(2, *[0.1] * 8)) == 2 * 0.5**8


def test_equal_totals_of_unequal_numbers_of_units_differ() -> None:
    one, other = (Showing(i, {t: [1.0] + [0.0] * i for t in range(8)}) for i in (0, 1))
    assert p_value(one, other) == 2 * 0.5**8


def test_chance_alone_is_significant_as_often_as_the_level_says() -> None:
    found = []
    for seed in range(20):
        board = [showing(i, *row) for i, row in enumerate(rates(40, 60, seed))]
        found += list(paired_p_values(board)[range(0, 40, 2), range(1, 40, 2)])
    assert 0.03 <= np.mean(np.array(found) <= 0.05) <= 0.07


def test_units_of_one_task_are_not_tasks() -> None:
    one = Showing(1, {task: [float(task != 3)] * 10 for task in range(6)})
    other = Showing(2, {task: [float(task > 3)] * 10 for task in range(6)})
    assert p_value(one, other) >= 2 * 0.5**3


def test_tasks_of_uneven_size_weigh_by_their_units() -> None:
    one = Showing(1, {0: [1.0] * 9, 1: [0.0]})
    assert one.score == mean_interval(list(one.units.values())).value == 0.9


def test_one_task_tells_nothing() -> None:
    assert p_value(showing(1, 0.9), showing(2, 0.1)) == 1.0


@settings(deadline=None)
@given(boards(), UNITS)
def test_equal_showings_have_p_1(board: list[Showing], units: list[float]) -> None:
    twin = Showing(99, {task: values[::-1] for task, values in board[0].units.items()})
    assert p_value(board[0], twin) == 1.0


@settings(deadline=None)
@given(boards())
def test_p_values_are_symmetric_and_lie_in_the_unit_range(board: list[Showing]) -> None:
    found = paired_p_values(board)
    assert (found == found.T).all()
    assert (found.diagonal() == 1).all()
    assert ((found >= 0) & (found <= 1)).all()


@settings(deadline=None)
@given(boards(), st.randoms(use_true_random=False))
def test_neither_the_order_nor_the_company_changes_a_p_value(
    board: list[Showing], random: Random
) -> None:
    tasks = random.sample(list(board[0].units), len(board[0].units))
    shuffled = [Showing(s.entrant, {task: s.units[task] for task in tasks}) for s in board]
    alone = p_value(shuffled[-1], shuffled[0])
    assert alone == pytest.approx(paired_p_values(board)[0, -1], rel=1e-9)


@settings(deadline=None)
@given(boards(), boards(st.sampled_from([[0.0], [1.0]])))
def test_single_trials_keep_their_test_beside_others(
    board: list[Showing], trials: list[Showing]
) -> None:
    tasks = min(len(board[0].units), len(trials[0].units))
    cut = [
        Showing(i, {task: s.units[task] for task in range(tasks)})
        for i, s in enumerate(trials + board)
    ]
    among = paired_p_values(cut)[: len(trials), : len(trials)]
    assert among == pytest.approx(paired_p_values(cut[: len(trials)]))


def test_different_tasks_are_refused() -> None:
    with pytest.raises(ValueError, match="1 and 2 faced different tasks"):
        paired_p_values([showing(1, 0.0, 1.0), showing(2, 0.0)])


@pytest.mark.parametrize("units", [{}, {1: [1.0], 2: []}])
def test_a_showing_without_units_is_refused(units: dict[int | str, list[float]]) -> None:
    with pytest.raises(ValueError, match="entrant 7"):
        Showing(7, units)


def test_nobody_has_no_pairs() -> None:
    assert paired_p_values([]).shape == (0, 0)
