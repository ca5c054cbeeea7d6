"""Tests of agreement against published examples and against loops over the definitions."""

from collections.abc import Callable, Sequence
from itertools import combinations, product
from math import sqrt
from random import Random
from statistics import NormalDist
from typing import TypeAlias

import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from evaluation.engine.family import Criterion
from evaluation.engine.metrics.agreement import (
    Agreement,
    Item,
    Lack,
    items_of,
    ordinal_alpha,
    own_agreements,
    weighted_kappa,
)
from evaluation.engine.records import Key, Rating
from tests.support.linear import at_most

Table: TypeAlias = Sequence[Sequence[int | None]]
Figure: TypeAlias = Callable[..., Agreement]

QUALITY = Criterion("quality", 5)
QUADRATIC = [[(k - m) ** 2 / 16 for m in range(5)] for k in range(5)]


def table_of(rows: str) -> Table:
    """`rows` has a word for each row, with a digit for each mark and a dot for none."""
    return [[None if mark == "." else int(mark) for mark in row] for row in rows.split()]


# K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section C: four observers
# (columns) and twelve units. Section A: Meg, Owen and ten articles.
OBSERVERS = table_of("11.1 2232 3333 3333 2222 1234 4444 1121 2222 .555 ..11 .3..")
ARTICLES = table_of("12 22 12 11 11 12 11 11 21 11")
# J. Cohen, Psychological Bulletin 70 (1968) 213-220, table 1: 200 cases, three diagnoses, and the
# weight that he gave each confusion.
DIAGNOSES = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
GRAVITY = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]
# N. F. Boyd et al. 1982 as in D. G. Altman, Practical Statistics for Medical Research, 1991,
# 403-405, and the Stata Base Reference Manual, kappa, `kap rada radb, wgt(w2)`.
MAMMOGRAMS = [[21, 12, 0, 0], [4, 17, 1, 0], [3, 9, 15, 2], [0, 0, 0, 1]]
# `anxiety` in R's irr, its first two raters: kappa2(anxiety[, 1:2], "squared").
ANXIETY = table_of("33 36 34 46 52 54 22 34 53 23 22 63 13 53 22 22 11 23 43 34")


def items(table: Table) -> list[Item]:
    """One item, with its own task, for each row with a mark; the columns are the raters."""
    rows = [{f"r{j}": mark for j, mark in enumerate(row) if mark is not None} for row in table]
    return [Item(task, marks) for task, marks in enumerate(rows) if marks]


def units(counts: Sequence[Sequence[int]]) -> Table:
    """A square table of counts, written out item by item."""
    return [
        [first + 1, second + 1]
        for first, row in enumerate(counts)
        for second, count in enumerate(row)
        for _ in range(count)
    ]


def alpha(table: Table) -> float | None:
    return ordinal_alpha(items(table), fewest=2, resamples=0, others=0).value


def kappa(table: Table) -> float | None:
    return weighted_kappa(items(table), fewest=2, others=0).value


def kappa_by_definition(table: Table, weights: Sequence[Sequence[float]]) -> float | None:
    """Cohen 1968, summed over all pairs of raters and all cells of the weights."""
    rows = [row for row in table if sum(mark is not None for mark in row) > 1]
    observed = expected = 0.0
    for a, b in combinations(range(len(table[0])), 2):
        shared = [row for row in rows if row[a] is not None and row[b] is not None]
        for k, m in product(range(1, len(weights) + 1), repeat=2):
            weight = weights[k - 1][m - 1]
            observed += weight * sum(row[a] == k and row[b] == m for row in shared)
            expected += weight * len(shared) * _share(rows, a, k) * _share(rows, b, m)
    return 1 - observed / expected if expected > 1e-12 else None


def _share(rows: Table, rater: int, value: int) -> float:
    given = [row[rater] for row in rows if row[rater] is not None]
    return given.count(value) / len(given) if given else 0.0


@st.composite
def tables(draw: st.DrawFn) -> Table:
    raters, top = draw(st.integers(2, 6)), draw(st.integers(2, 5))
    mark = st.one_of(st.none(), st.integers(1, top), st.integers(1, top))
    row = st.lists(mark, min_size=raters, max_size=raters)
    return draw(st.lists(row, min_size=2, max_size=12))


def marks_in(row: Sequence[int | None]) -> list[int]:
    return [mark for mark in row if mark is not None]


def comparable(table: Table) -> bool:
    return sum(len(marks_in(row)) > 1 for row in table) > 1


def test_ordinal_alpha_equals_the_published_examples() -> None:
    agreement = ordinal_alpha(items(OBSERVERS))
    assert agreement.value == pytest.approx(0.815, abs=5e-4)
    assert (agreement.raters, agreement.tasks, agreement.pairs) == (4, 11, 55)
    # Two values have only one distance, so ordinal alpha equals nominal alpha.
    assert alpha(ARTICLES) == pytest.approx(0.095, abs=5e-4)


def test_the_definition_gives_cohens_own_weighted_kappa() -> None:
    assert kappa_by_definition(units(DIAGNOSES), GRAVITY) == pytest.approx(0.348, abs=5e-4)


@pytest.mark.parametrize(
    ("table", "published"), [(units(MAMMOGRAMS), "0.6714"), (ANXIETY, "0.297")]
)
def test_weighted_kappa_equals_the_published_examples(table: Table, published: str) -> None:
    value = weighted_kappa(items(table)).value
    assert value is not None
    assert f"{value:.{len(published) - 2}f}" == published


@settings(deadline=None)
@given(tables().filter(comparable))
def test_alpha_equals_the_package_of_that_name_on_any_table(table: Table) -> None:
    values = {mark for row in table if len(marks_in(row)) > 1 for mark in marks_in(row)}
    assume(len(values) > 1)
    theirs = krippendorff.alpha(np.array(table, dtype=float).T, level_of_measurement="ordinal")
    assert alpha(table) == pytest.approx(theirs, abs=1e-9)


@settings(deadline=None)
@given(tables().filter(comparable))
def test_kappa_equals_the_definition_on_any_table(table: Table) -> None:
    expected = kappa_by_definition(table, QUADRATIC)
    assert kappa(table) == (None if expected is None else pytest.approx(expected, abs=1e-9))


def noisy(tasks: int, seed: int, raters: int = 3) -> list[Item]:
    random = Random(seed)
    good = [random.uniform(1, 5) for _ in range(tasks)]
    return items(
        [[min(5, max(1, round(one + random.gauss(0, 0.8)))) for _ in range(raters)] for one in good]
    )


@pytest.mark.parametrize("raters", [3, 7])
def test_the_interval_is_that_of_figures_of_the_tasks_drawn(raters: int) -> None:
    shared = noisy(12, seed=5, raters=raters)
    draws = np.random.default_rng(1970).integers(12, size=(99, 12))
    samples = [[Item(n, shared[task].marks) for n, task in enumerate(draw)] for draw in draws]
    values = [ordinal_alpha(sample, fewest=2, others=0).value for sample in samples]
    assert None not in values
    # Student's quantile of 97.5 % with eleven degrees of freedom.
    beyond = NormalDist().cdf(-sqrt(12 / 11) * 2.20098516)
    bounds = np.quantile(np.array(values), [beyond, 1 - beyond], method="weibull")
    found = ordinal_alpha(shared, resamples=99)
    assert (found.low, found.high) == pytest.approx(tuple(bounds), abs=1e-6)


def test_intervals_of_few_tasks_hold() -> None:
    """Plain percentiles contain the true value in less than 93 % of panels with twelve tasks."""
    found = [ordinal_alpha(noisy(12, seed)) for seed in range(300)]
    ends = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    assert len(ends) == 300
    assert sum(low <= 0.661 <= high for low, high in ends) >= 279


@pytest.mark.parametrize(("tasks", "low"), [(12, 0.493), (20, 0.672), (164, 0.956)])
def test_total_agreement_so_far_does_not_prove_total_agreement(tasks: int, low: float) -> None:
    """Two independent marks that take either of two values half of the time differ half of the
    time. If a task's marks differ with probability p, none of `tasks` tasks differs with
    probability (1 - p)^tasks."""
    half = tasks // 2
    found = ordinal_alpha(items([[1, 1], [2, 2]] * half))
    marks = 4 * half
    least = 1 - (1 - 0.025 ** (1 / tasks)) / (marks / 2 / (marks - 1))
    assert found.low == pytest.approx(least) == pytest.approx(low, abs=0.001)
    assert (found.value, found.high, found.lack) == (1.0, 1.0, None)


def test_a_large_panel_takes_no_time() -> None:
    """Without shared work, a resample of 25 raters and 1,600 items took 20 ms of processor time."""
    shared = noisy(1600, seed=6, raters=25)
    with at_most(1):
        ordinal_alpha(shared, resamples=200)


def test_more_samples_of_a_task_do_not_make_the_interval_narrower() -> None:
    once = ordinal_alpha(noisy(20, 2))
    copied = ordinal_alpha([item for item in noisy(20, 2) for _ in range(16)])
    assert copied.high - copied.low > 0.8 * (once.high - once.low)


@pytest.mark.parametrize("figure", [ordinal_alpha, weighted_kappa])
@pytest.mark.parametrize(
    ("table", "lack"),
    [
        ([], Lack.RATERS),
        ([[1], [2]] * 10, Lack.RATERS),
        ([[1, None], [None, 2]] * 10, Lack.SHARED),
        ([[1, 2], [2, 2]] * 4, Lack.SHARED),
        ([[3, 3, 3]] * 30, Lack.VARIATION),
        ([[1, 1]] * 30 + [[1, 2]], Lack.OTHERS),
        ([[5, 5, 5]] * 26 + [[1, 2, 1]] * 4, Lack.OTHERS),
        # Most raters of a generation, not one of them.
        ([[5, 5, 4]] * 20 + [[1, 2, 1]] * 4, Lack.OTHERS),
    ],
)
def test_what_cannot_be_said_is_neither_zero_nor_one(
    figure: Figure, table: Table, lack: Lack
) -> None:
    found = figure(items(table))
    assert (found.value, found.low, found.high) == (None, None, None)
    assert found.lack is lack


def test_five_tasks_with_other_marks_are_enough_and_kappa_has_no_interval() -> None:
    ceiling = items([[5, 5, 5]] * 25 + [[1, 2, 1]] * 5)
    found, kappa_of_it = ordinal_alpha(ceiling), weighted_kappa(ceiling)
    assert found.low is not None and found.lack is None
    assert kappa_of_it.value is not None and (kappa_of_it.low, kappa_of_it.lack) == (None, None)


def test_an_outcome_changes_no_agreement() -> None:
    plain = items(OBSERVERS)
    outcome = Rating(Key(0, 0), "judge", "quality", 5)
    settled = [Item(item.task_id, item.marks, outcome) for item in plain]
    assert ordinal_alpha(settled) == ordinal_alpha(plain)
    assert weighted_kappa(settled) == weighted_kappa(plain)


def test_a_raters_own_agreement_leaves_the_own_mark_out() -> None:
    table: list[list[int | None]] = [[1, 2, 2], [3, 2, 4], [5, 5, 5], [2, None, None]]
    strict, *_ = own_agreements(items(table * 4))
    # Own 1, 3, 5 against 2, 3, 5: mean square difference 1/3; expected 35/3 + 38/3 - 2*3*10/3.
    assert strict.value == pytest.approx(1 - (1 / 3) / (35 / 3 + 38 / 3 - 20))
    assert strict.bias == pytest.approx(-1 / 3)
    assert strict.distance == pytest.approx(1 / 3)
    assert (strict.rater, strict.items, strict.lack) == ("r0", 12, None)


def test_own_agreement_says_what_it_lacks() -> None:
    table: Table = [[1, 1, None], [2, 3, None], [None, None, 3]]
    first, _, third = own_agreements(items(table))
    assert (first.value, first.bias, first.lack) == (None, -0.5, Lack.SHARED)
    assert (third.value, third.bias, third.items, third.lack) == (None, None, 0, Lack.SHARED)
    (alone,) = own_agreements(items([[1], [2]]))
    assert alone.lack is Lack.RATERS
    same = own_agreements(items([[2, 2]] * 12))
    assert [own.lack for own in same] == [Lack.VARIATION] * 2


def rating(task: int | str, rater: str, value: int, criterion: str = "quality") -> Rating:
    return Rating(Key(task, 0), rater, criterion, value)


def test_items_are_gathered_by_generation_on_one_scale() -> None:
    settled = rating(3, "judge", 2)
    found = items_of(
        [
            rating(3, "ann", 4),
            rating("b", "ann", 5),
            rating(3, "bob", 1),
            rating(3, "bob", 9, "other"),
        ],
        QUALITY,
        [settled],
    )
    assert found == [Item(3, {"ann": 4, "bob": 1}, settled), Item("b", {"ann": 5})]


@pytest.mark.parametrize(
    ("ratings", "outcomes"),
    [
        ([rating(1, "ann", 6)], []),
        ([rating(1, "ann", 0)], []),
        ([rating(1, "ann", 2), rating(1, "ann", 3)], []),
        ([rating(1, "ann", 2)], [rating(2, "judge", 3)]),
        ([rating(1, "ann", 2)], [rating(1, "judge", 3), rating(1, "judge", 3)]),
    ],
)
def test_ratings_that_contradict_each_other_are_refused(
    ratings: list[Rating], outcomes: list[Rating]
) -> None:
    with pytest.raises(ValueError):
        items_of(ratings, QUALITY, outcomes)


def test_what_nobody_marked_is_no_item() -> None:
    with pytest.raises(ValueError):
        Item(1, {})
