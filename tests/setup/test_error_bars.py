"""Tests of the simulations behind docs/users/error-bars.md, at a small size."""

import csv
from dataclasses import replace

import numpy as np
import pytest

from bench import (
    equal_means,
    error_bar_page,
    inverted,
    pair_intervals,
    planted,
    rated,
    standard_errors,
)
from bench.bench_error_bars import (
    CLUSTERS,
    DESIGNS,
    ENTRANTS,
    LEVEL,
    MORE,
    RATED,
    TRUTHS,
    Cell,
    Coverage,
    Found,
    Separations,
    draws,
    measure,
    tables,
)
from evaluation.engine.metrics.intervals import Interval, clopper_pearson


def test_the_files_have_every_simulation() -> None:
    rows: dict[str, list[tuple[str, ...]]] = {
        "intervals": [
            (metric, name, str(n), str(truth))
            for metric, name, _draw in draws()
            for n in CLUSTERS
            for truth in TRUTHS
        ],
        "differences": [
            (metric, name, str(n), str(truth))
            for metric, name, _draw in pair_intervals.draws()
            for n in CLUSTERS
            for truth in pair_intervals.DIFFERENCES
        ],
        "equal": [(design, str(n)) for design in equal_means.DESIGNS for n in equal_means.CLUSTERS],
        "separations": [
            (design.title, str(entrants)) for design in (*DESIGNS, *RATED) for entrants in ENTRANTS
        ],
        "parts": [
            (f"pass@{k}", design, str(n), f"{truth:g}")
            for k in standard_errors.KS
            for design in standard_errors.DESIGNS
            for n in CLUSTERS
            for truth in standard_errors.TRUTHS
        ],
        "signs": [
            (kind, str(entrants), str(tasks))
            for kind in planted.KINDS
            for entrants in planted.ENTRANTS
            for tasks in planted.TASKS
        ],
        "inverted": [(str(n), str(n // each), "200") for n in inverted.ENTRANTS for each in (1, 4)],
        "agreement": [(rated.ORDINARY,), (rated.CEILING,)],
    }
    missing = []
    for name, wanted in rows.items():
        with (error_bar_page.FOLDER / f"{name}.csv").open(newline="") as file:
            stored = list(csv.reader(file))
        missing += [
            (name, row)
            for row in wanted
            if not any(tuple(one[: len(row)]) == row for one in stored)
        ]
    assert missing == []


def test_the_page_and_its_charts_show_the_figures_of_the_files() -> None:
    made = error_bar_page.files()
    stored = {name: (error_bar_page.PAGE.parent / name).read_text("utf-8") for name in made}
    assert made == stored
    text = made[error_bar_page.PAGE.name]
    assert error_bar_page.table() in text


def test_the_files_have_the_columns_that_a_simulation_writes() -> None:
    heads = {
        name: (error_bar_page.FOLDER / name).read_text("utf-8").partition("\n")[0]
        for name in (path.name for path in error_bar_page.FOLDER.glob("*.csv"))
    }
    found = Found([], [], [], [], [], [], [], [], [])
    assert {name: text.partition("\n")[0] for name, text in tables(found).items()} == heads


def test_coverage_is_measured_as_the_binomial_distribution_has_it() -> None:
    def plain(random: np.random.Generator, n: int, truth: float) -> Interval:
        passed = int(random.binomial(n, truth))
        return Interval(passed / n, *clopper_pearson(passed, n), n, n)

    found = measure(plain, 12, 0.5, 2000, "plain")
    assert (found.shown, found.drawn) == (2000, 2000)
    # An interval misses 0.5 with 0 to 2 or 10 to 12 passes, which have 79 chances of 2,048.
    assert abs(found.share - (1 - 2 * 79 / 4096)) < 0.015
    assert found == measure(plain, 12, 0.5, 2000, "plain")


def test_intervals_are_drawn_until_enough_are_shown() -> None:
    def rarely(random: np.random.Generator, n: int, truth: float) -> Interval:
        ends = (0.0, 1.0) if random.random() < 0.25 else (None, None)
        return Interval(truth, *ends, n, n)

    found = measure(rarely, 12, 0.5, 100, "rarely")
    assert found.shown == 100 and 300 < found.drawn < 500
    covered, part = Cell("m", "d", 12, 0.5, found).shown
    assert covered == "100.0" and 20 <= int(part) <= 30
    never = measure(lambda *_: Interval(0.5, None, None, 12, 12), 12, 0.5, 10, "never")
    assert (never.shown, never.drawn) == (0, 10 * MORE)
    assert Cell("m", "d", 12, 0.5, Coverage(47, 50, 600, 100)).shown == ("94.0", "8")


def test_a_bound_that_is_broken_is_seen() -> None:
    def cell(share: float, clusters: int = 50, truth: float = 0.5) -> Cell:
        return Cell("m", "d", clusters, truth, Coverage(int(share * 1000), 1000, 1000, 1000))

    assert cell(0.95).holds and not cell(0.92).holds
    assert not cell(0.995).holds
    assert cell(0.995, clusters=12).holds and cell(0.995, truth=0.97).holds
    assert Separations("d", 2, 400, LEVEL, 0.5).holds
    assert not Separations("d", 2, 400, 0.1, 0.5).holds


def test_an_open_gate_and_false_flags_break_their_bounds() -> None:
    agreed = rated.Agreed(rated.ORDINARY, 0.649, 50, 1000, 0.95, 1.0, 0.05)
    assert agreed.holds
    assert not replace(agreed, passed=0.43).holds and not replace(agreed, covered=0.9).holds
    assert replace(agreed, true=0.9, passed=0.9).holds
    (found, *_rest) = inverted.inversions(5)
    assert found.holds and not replace(found, false=0.5, error=0.01).holds


def test_parts_of_a_standard_error_are_recovered() -> None:
    found = standard_errors.recovery(1, "mixed tasks", 50, 0.5, 30)
    few = standard_errors.recovery(1, "mixed tasks", 12, 0.5, 5)
    assert few.shown is None and few.holds and few.part == 0
    assert found.shown[1] == pytest.approx(found.true[1], rel=0.1)
    # The true variance between 50 tasks whose rates have a correlation of 0.5.
    assert found.shown[0] == pytest.approx((0.25 * 0.5 / 50) ** 0.5, rel=0.1)
