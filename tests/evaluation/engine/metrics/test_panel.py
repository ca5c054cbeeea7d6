"""Tests of means of marks: which raters an interval covers, and when a mean is provisional."""

from dataclasses import replace
from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import t

from bench.rated import rated
from evaluation.engine.metrics.agreement import Agreement, Item, Lack
from evaluation.engine.metrics.intervals import mean_interval, wilson
from evaluation.engine.metrics.panel import (
    RATERS,
    Hold,
    PanelMean,
    Scope,
    consensus,
    holds_of,
    panel_mean,
)
from evaluation.engine.records import Key, Rating

MARKS = 3


def items_of(who: NDArray[np.intp], marks: NDArray[np.float64]) -> list[Item]:
    return [
        Item(task, {f"r{rater}": int(mark) for rater, mark in zip(*row, strict=True)})
        for task, row in enumerate(zip(who, marks, strict=True))
    ]


def covers(mean: PanelMean, scope: Scope, truth: float) -> bool:
    assert mean.scope is scope
    return mean.low <= truth <= mean.high


@pytest.mark.parametrize(
    ("raters", "scope", "truth"),
    [
        (3, Scope.PANEL, 0.5),
        (25, Scope.POPULATION, 0.03),
        (25, Scope.POPULATION, 0.5),
        (25, Scope.POPULATION, 0.97),
    ],
)
def test_the_interval_covers_the_mean_of_this_panel_or_from_twenty_raters_on_of_all_raters(
    raters: int, scope: Scope, truth: float
) -> None:
    """Near the ends of the scale, too. In the middle it is not too wide either."""
    random = np.random.default_rng(4)
    found = [panel_mean(rated(raters, random, 50, truth), MARKS + 1) for _ in range(300)]
    covered = sum(covers(one, scope, 1 + MARKS * truth) for one in found)
    assert 279 <= covered <= (296 if truth == 0.5 else 300)


def balanced(tasks: int, raters: int, seed: int) -> NDArray[np.float64]:
    random = np.random.default_rng(seed)
    values = 3 + random.normal(0, 0.8, (tasks, 1)) + random.normal(0, 0.5, raters)
    return np.clip(np.rint(values + random.normal(0, 0.6, (tasks, raters))), 1, 5)


def test_where_all_mark_all_the_interval_is_nearly_the_textbooks() -> None:
    # Two-way analysis of variance, one mark per cell (S. R. Searle, G. Casella and C. E.
    # McCulloch, Variance Components, 1992, section 4.3): the variance of the mean is (MS_tasks
    # + MS_raters - MS_rest) / n, its degrees of freedom are Satterthwaite's.
    tasks, raters = 120, 20
    marks = balanced(tasks, raters, seed=3)
    of_tasks, of_raters = (marks.mean(axis=axis, keepdims=True) - marks.mean() for axis in (1, 0))
    rest = marks - marks.mean() - of_tasks - of_raters
    squares = [
        (raters * (of_tasks**2).sum() / (tasks - 1), tasks - 1),
        (tasks * (of_raters**2).sum() / (raters - 1), raters - 1),
        (-(rest**2).sum() / (tasks - 1) / (raters - 1), (tasks - 1) * (raters - 1)),
    ]
    total = sum(square for square, _ in squares)
    degrees = total**2 / sum(square**2 / degrees for square, degrees in squares)
    half = t.ppf(0.975, degrees) * sqrt(total / marks.size)
    found = panel_mean(items_of(np.tile(np.arange(raters), (tasks, 1)), marks), 5)
    assert found.scope is Scope.POPULATION
    assert found.value == pytest.approx(marks.mean())
    assert found.low == pytest.approx(marks.mean() - half, abs=0.02 * half)
    assert found.high == pytest.approx(marks.mean() + half, abs=0.02 * half)


def test_below_twenty_raters_the_interval_is_that_of_means_over_tasks() -> None:
    marks = balanced(30, RATERS - 1, seed=3)
    found = panel_mean(items_of(np.tile(np.arange(RATERS - 1), (30, 1)), marks), 5)
    plain = mean_interval([[float(row.mean() - 1) / 4] for row in marks])
    assert (found.low, found.high) == pytest.approx((1 + 4 * plain.low, 1 + 4 * plain.high))
    assert found.scope is Scope.PANEL


def test_raters_who_share_no_items_cannot_be_told_from_tasks() -> None:
    alone = [Item(task, {f"r{task % 25}": 1 + task % 3}) for task in range(100)]
    assert panel_mean(alone, 3).scope is Scope.PANEL
    few = [Item(100 + task, {"r0": 1, "r1": 2, "r2": 2}) for task in range(50)]
    assert panel_mean(alone + few, 3).scope is Scope.PANEL


def test_unanimous_raters_still_leave_a_width() -> None:
    few = [Item(task, {"ann": 4, "bob": 4}) for task in range(30)]
    low, high = wilson(1.0, 30)
    found = panel_mean(few, 4)
    assert (found.value, found.low, found.high) == pytest.approx((4, 1 + 3 * low, 4), abs=0.01)
    many = [Item(task, {f"r{rater}": 1 for rater in range(20)}) for task in range(30)]
    low, high = wilson(0.0, 20)
    found = panel_mean(many, 4)
    assert (found.value, found.low, found.high) == pytest.approx((1, 1, 1 + 3 * high))


def test_a_task_with_many_samples_is_one_task() -> None:
    once = [Item(task, {"ann": 1 + task % 4}) for task in range(40)]
    often = [item for item in once for _ in range(10)]
    found, expected = panel_mean(often, 4), panel_mean(once, 4)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))
    assert (found.items, found.tasks) == (400, 40)


def test_without_items_there_is_no_mean() -> None:
    assert panel_mean([], 3) == PanelMean(None, None, None, Scope.PANEL, (), 0, 0, 0, 0)


@st.composite
def marked_items(draw: st.DrawFn) -> list[Item]:
    names = st.sampled_from([f"r{rater}" for rater in range(draw(st.integers(1, 30)))])
    marks = st.dictionaries(names, st.integers(1, 4), min_size=1, max_size=4)
    outcome = st.none() | st.integers(1, 4).map(lambda mark: settled(mark))
    item = st.builds(Item, st.integers(0, 40), marks, outcome)
    return draw(st.lists(item, min_size=1, max_size=60))


def settled(mark: int) -> Rating:
    return Rating(Key(0, 0), "judge", "correctness", mark)


@settings(deadline=None)
@given(marked_items())
def test_the_mean_is_that_of_the_shares_and_lies_in_its_interval(items: list[Item]) -> None:
    found = panel_mean(items, 4)
    assert sum(found.shares) == pytest.approx(1)
    assert sum(mark * share for mark, share in enumerate(found.shares, 1)) == pytest.approx(
        found.value
    )
    if found.low is not None and found.high is not None:
        assert 1 <= found.low <= found.value + 1e-9
        assert found.value - 1e-9 <= found.high <= 4


def test_an_outcome_counts_in_place_of_the_marks_that_stay() -> None:
    item = Item(1, {"ann": 1, "bob": 4})
    assert consensus(item) == 2.5
    assert consensus(replace(item, outcome=settled(4))) == 4
    found = panel_mean([replace(item, outcome=settled(4)), Item(2, {"ann": 2, "bob": 3})], 4)
    assert found.value == 3.25
    assert list(found.shares) == [0, 0.25, 0.25, 0.5]
    assert (found.ratings, found.raters) == (4, 2)


def test_one_adjudicator_of_many_items_widens_the_interval() -> None:
    items = rated(25, np.random.default_rng(1), 160, 0.5)
    outcomes = [settled(round(consensus(item))) for item in items]
    single = [replace(item, outcome=one) for item, one in zip(items, outcomes, strict=True)]
    several = [
        replace(item, outcome=replace(one, rater=f"judge {number}"))
        for number, (item, one) in enumerate(zip(items, outcomes, strict=True))
    ]
    assert _width(panel_mean(single, 4)) > 1.5 * _width(panel_mean(several, 4))


def _width(mean: PanelMean) -> float:
    return mean.high - mean.low


FEWEST_RATINGS, LEAST_AGREEMENT = 100, 0.667
MEAN = PanelMean(3.0, 2.8, 3.2, Scope.PANEL, (0.0, 0.5, 0.0, 0.5), 100, 2, 50, 50)
AGREED = Agreement(0.75, 0.667, 0.8, 2, 50, 50)


@pytest.mark.parametrize(
    ("mean", "agreement", "holds"),
    [
        (MEAN, AGREED, ()),
        (replace(MEAN, ratings=99), AGREED, (Hold.RATINGS,)),
        (MEAN, replace(AGREED, low=0.66), (Hold.AGREEMENT,)),
        (MEAN, replace(AGREED, value=1.0, low=0.66, high=1.0), (Hold.AGREEMENT,)),
        (
            MEAN,
            replace(AGREED, value=1.0, low=None, lack=Lack.VARIATION),
            (Hold.UNKNOWN_AGREEMENT,),
        ),
        (MEAN, replace(AGREED, low=None, lack=Lack.VARIATION), (Hold.UNKNOWN_AGREEMENT,)),
        (replace(MEAN, ratings=0), replace(AGREED, low=-0.1), (Hold.RATINGS, Hold.AGREEMENT)),
    ],
)
def test_a_mean_is_provisional_for_every_reason_that_holds(
    mean: PanelMean, agreement: Agreement, holds: tuple[Hold, ...]
) -> None:
    assert tuple(holds_of(mean, agreement, FEWEST_RATINGS, LEAST_AGREEMENT)) == holds
