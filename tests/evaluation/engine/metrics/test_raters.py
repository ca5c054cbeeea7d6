"""Tests of margins for raters: a difference between raters is not one between entrants."""

from math import inf, sqrt

import numpy as np
import pytest

from bench.simulated import RatedDesign, own_three, same_three, two_of_six
from evaluation.engine.metrics.agreement import Item
from evaluation.engine.metrics.differences import compare
from evaluation.engine.metrics.intervals import t_quantile
from evaluation.engine.metrics.paired import LEVEL, Showing, p_values
from evaluation.engine.metrics.ranking import rank
from evaluation.engine.metrics.raters import Raters, margins, variance_between, weights_of
from evaluation.engine.records import Key, Rating

PANEL = {"ann": 0.5, "ben": 0.5}


def margin(one: Raters, other: Raters) -> float:
    return float(margins([one, other])[0, 1])


def test_panels_without_common_raters_tell_no_equal_entrants_apart() -> None:
    """Each entrant has its own three raters. Without margins, half of the boards separate."""
    design, random = RatedDesign("", own_three, tasks=60), np.random.default_rng(3)
    plain = apart = 0
    for _ in range(20):
        table, error = design.board(random, 2)
        plain += p_values(table)[0, 1] <= LEVEL
        apart += p_values(table, margins=error)[0, 1] <= LEVEL
    assert plain >= 5
    assert apart == 0


def test_entrants_with_the_same_raters_are_compared_as_before() -> None:
    table, error = RatedDesign("", same_three, tasks=60).board(np.random.default_rng(3), 3)
    assert not error.any()
    assert np.array_equal(p_values(table), p_values(table, margins=error))


def test_some_raters_in_common_leave_a_margin() -> None:
    _, error = RatedDesign("", two_of_six, tasks=60).board(np.random.default_rng(3), 2)
    assert 0 < error[0, 1] < 1


def test_a_margin_is_the_raters_part_of_the_difference() -> None:
    """For two entrants, the studentised range is Student's t."""
    one, other = Raters(PANEL, 0.04, 3), Raters({"ann": 0.7, "ben": 0.3}, 0.01, 4)
    expected = t_quantile(3) * sqrt(0.04 * 0.08)
    assert margin(one, other) == pytest.approx(expected, rel=1e-6)
    assert margins([one, other, one])[0, 1] > 1.2 * expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Raters(PANEL, 0.04, 3), Raters({"cat": 1.0}, 0.04, 3)),
        (Raters(PANEL, 0.04, 3), Raters({"ann": 0.4, "cat": 0.6}, 0.04, 3)),
        (Raters(PANEL, None, 0), Raters({"ann": 0.6, "ben": 0.4}, 0.04, 3)),
        (Raters(), Raters()),
    ],
    ids=["none in common", "less than half in common", "nothing shared", "unknown"],
)
def test_it_is_infinite_where_the_raters_part_is_unknown(one: Raters, other: Raters) -> None:
    assert margin(one, other) == inf


def test_a_board_counts_the_pairs_that_it_cannot_compare() -> None:
    units = {task: (1.0 if task else 0.9,) for task in range(30)}
    worse = {task: (0.0 if task else 0.1,) for task in range(30)}
    shown = [Showing("a", units), Showing("b", worse)]
    far = rank(shown, panels=[Raters({"ann": 1.0}, 0.01, 2), Raters({"ben": 1.0}, 0.01, 2)])
    assert ([(row.low, row.high) for row in far.rows], far.unshared) == ([(1, 2), (1, 2)], 1)
    assert (far.raters_differ, far.detectable) == (True, None)
    near = rank(shown, panels=[Raters({"ann": 1.0}, None, 0)] * 2)
    assert not near.raters_differ
    assert near.detectable == rank(shown).detectable is not None
    assert ([(row.low, row.high) for row in near.rows], near.unshared) == ([(1, 1), (2, 2)], 0)


def test_a_difference_has_no_interval_if_it_may_be_one_between_raters() -> None:
    shown = [Showing(name, {task: (task % n / n,) for task in range(20)}) for name, n in PAIR]
    same, other = Raters({"ann": 0.5, "ben": 0.5}), Raters({"ann": 0.6, "ben": 0.4})
    (near,) = compare(shown, panels=[same, same]).pairs
    (plain,) = compare(shown).pairs
    assert near == plain and near.low is not None
    for panels in ([same, other], [Raters(), Raters()]):
        (apart,) = compare(shown, panels=panels).pairs
        assert (apart.low, apart.high, apart.raters_differ) == (None, None, True)
        assert (apart.value, apart.p, apart.adjusted) == (plain.value, None, None)


def test_a_settled_mark_or_a_missing_generation_widens_the_interval_by_the_margin() -> None:
    """It does not take it away, nor the difference that the board shows."""
    shown = [Showing(name, {task: (task % n / n,) for task in range(100)}) for name, n in PAIR]
    whole = Raters({"ann": 0.5, "ben": 0.5}, 0.01, 4)
    (plain,) = compare(shown).pairs
    reach = rank(shown).detectable
    for weights in ({"ann": 0.495, "ben": 0.495, "judge": 0.01}, {"ann": 0.495, "ben": 0.495}):
        panels = [whole, Raters(weights, 0.01, 4)]
        (pair,) = compare(shown, panels=panels).pairs
        assert pair.low is not None and pair.high is not None and not pair.raters_differ
        assert plain.low - 0.01 < pair.low < plain.low < plain.high < pair.high < plain.high + 0.01
        found = rank(shown, panels=panels)
        assert not found.raters_differ
        assert found.detectable is not None and reach <= found.detectable < reach + 0.01


PAIR = (("a", 2), ("b", 5))


def test_weights_are_those_of_the_marks_that_count() -> None:
    settled = Rating(Key(2, 0), "cat", "scale", 2)
    items = [Item(1, {"ann": 1, "ben": 2}), Item(2, {"ann": 1, "ben": 3}, settled)]
    assert weights_of(items, missing=2) == {"ann": 0.125, "ben": 0.125, "cat": 0.25}


def test_raters_of_one_entrant_each_count_as_much_as_those_of_all() -> None:
    """Two raters mark everything and agree; each entrant has a third one, who differs."""
    random = np.random.default_rng(2)
    items = []
    for entrant, leniency in enumerate(np.tile([-10, 10], 20).tolist()):
        for task in range(20):
            first, second, third = random.integers(-3, 4, 3).tolist()
            own = {"ann": 50 + first, "ben": 50 + second, f"{entrant}": 50 + leniency + third}
            items.append(Item(20 * entrant + task, own))
    variance, degrees = variance_between(items, 101)
    assert variance == pytest.approx(0.1**2, rel=0.1)
    assert 30 <= degrees <= 41


def test_without_shared_items_the_variance_between_raters_is_unknown() -> None:
    assert variance_between([], 4) == (None, 0)
    assert variance_between([Item(1, {"ann": 1}), Item(2, {"ben": 2})], 4) == (None, 0)
