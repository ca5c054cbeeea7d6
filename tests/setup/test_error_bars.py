"""The simulations behind docs/users/error-bars.md, in small."""

from __future__ import annotations

import numpy as np
import pytest

from bench import pair_intervals, planted, rank_chances, standard_errors
from bench.bench_error_bars import (
    CLUSTERS,
    DESIGNS,
    ENTRANTS,
    LEVEL,
    OF_RANKS,
    PAGE,
    RANKED,
    RATED,
    RATED_ENTRANTS,
    Cell,
    Coverage,
    Separations,
    draws,
    measure,
    separations,
)
from bench.board_power import Claim, claim
from bench.rank_chances import Agreement, Calibration
from evaluation.engine.metrics.chances import FEWEST_ENTRANTS
from evaluation.engine.metrics.intervals import Interval, clopper_pearson


def test_the_page_has_every_simulation() -> None:
    text = PAGE.read_text("utf-8")
    rows = [
        *(
            f"| {metric} | {name} | {n} |"
            for drawn in (draws(), pair_intervals.draws())
            for metric, name, _draw in drawn
            for n in CLUSTERS
        ),
        *(f"| {design.title} | {entrants} |" for design in DESIGNS for entrants in ENTRANTS),
        *(f"| {design.title} | {entrants} |" for design in RATED for entrants in RATED_ENTRANTS),
        *(
            f"| {title} | {entrants} | {200 * OF_RANKS} | {spread:g} |"
            for title in RANKED
            for entrants in rank_chances.ENTRANTS
            if entrants >= FEWEST_ENTRANTS
            for spread in rank_chances.FEW_SPREADS
        ),
        *(
            f"| pass@{k} | {design} | {n} | {truth:g} |"
            for k in standard_errors.KS
            for design in standard_errors.DESIGNS
            for n in CLUSTERS
            for truth in standard_errors.TRUTHS
        ),
        *(
            f"| {kind} | {entrants} | {tasks} |"
            for kind in planted.KINDS
            for entrants in planted.ENTRANTS
            for tasks in planted.TASKS
        ),
    ]
    assert [row for row in rows if row not in text] == []


def test_coverage_is_measured_as_the_binomial_distribution_has_it() -> None:
    def plain(random: np.random.Generator, n: int, truth: float) -> Interval:
        passed = int(random.binomial(n, truth))
        return Interval(passed / n, *clopper_pearson(passed, n), n, n)

    found = measure(plain, 12, 0.5, 2000, "plain")
    assert (found.shown, found.drawn) == (2000, 2000)
    # An interval misses 0.5 with 0 to 2 or 10 to 12 passes, which have 79 chances of 2,048.
    assert abs(found.share - (1 - 2 * 79 / 4096)) < 0.015
    assert found == measure(plain, 12, 0.5, 2000, "plain")


def test_a_bound_that_is_broken_is_seen() -> None:
    def cell(share: float, clusters: int = 50, truth: float = 0.5) -> Cell:
        return Cell("m", "d", clusters, truth, Coverage(int(share * 1000), 1000, 1000))

    assert cell(0.95).holds and not cell(0.92).holds
    assert not cell(0.995).holds
    assert cell(0.995, clusters=12).holds and cell(0.995, truth=0.97).holds
    assert Separations("d", 2, 400, LEVEL, 0.5).holds
    assert not Separations("d", 2, 400, 0.1, 0.5).holds


def test_a_board_of_equal_entrants_is_simulated() -> None:
    found = separations(DESIGNS[1], 2, 8)
    assert 0 <= found.false <= 0.5
    assert 0 <= found.power <= 1


def test_the_power_that_a_board_claims_is_simulated() -> None:
    found = claim(DESIGNS[1], 2, 4)
    assert found.difference is not None and 0.2 < found.difference < 1
    assert found.shown in (None, 0, 0.25, 0.5, 0.75, 1)
    assert Claim("d", 2, 200, 0.1, 0.72).holds and not Claim("d", 2, 200, 0.1, 0.6).holds


def test_chances_that_are_not_true_are_seen() -> None:
    def found(shown: float, entrants: int = FEWEST_ENTRANTS) -> Calibration:
        return Calibration("d", entrants, 0.5, (Agreement("best", shown, 0.3, 0.5, 1000),))

    assert found(0.34).holds and not found(0.4).holds
    assert found(0.4, FEWEST_ENTRANTS - 1).holds


def test_few_scores_leave_every_rule_off_for_some_spread() -> None:
    errors = [rank_chances.least_error(entrants) for entrants in (2, 3, 4, FEWEST_ENTRANTS)]
    assert errors == sorted(errors, reverse=True)
    assert errors[2] > rank_chances.MOST > errors[3]


def test_a_difference_is_simulated_with_its_true_value() -> None:
    name = "pass@1, one sample, first at 0.5"
    metric, design, draw = next(one for one in pair_intervals.draws() if one[0] == name)
    random = np.random.default_rng(3)
    found = [draw(random, 50, 0.4) for _ in range(100)]
    assert np.mean([one.value for one in found]) == pytest.approx(0.4, abs=0.02)
    assert measure(draw, 50, 0.4, 100, f"{metric}, {design}").share >= 0.9


def test_parts_of_a_standard_error_are_recovered() -> None:
    found = standard_errors.recovery(1, "mixed tasks", 50, 0.5, 30)
    assert found.shown[1] == pytest.approx(found.true[1], rel=0.1)
    # The true variance between 50 tasks whose rates have a correlation of 0.5.
    assert found.shown[0] == pytest.approx((0.25 * 0.5 / 50) ** 0.5, rel=0.1)
