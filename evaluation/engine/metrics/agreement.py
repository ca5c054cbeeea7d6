"""How far raters agree: Krippendorff's alpha, weighted kappa, one rater against the others.

All of it is about the marks that raters gave by themselves: what an adjudicator made of an
item later says nothing about how far they agreed, and is left out here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from math import isnan, nan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.family import Criterion
from evaluation.engine.metrics.paired import numbers_first
from evaluation.engine.records import Key, Rating, TaskId

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.intp]
Counts: TypeAlias = NDArray[np.int_]
Bounds: TypeAlias = tuple[float, float]

FEWEST_TASKS = 10
RESAMPLES = 999
_SEED = 1970
# Of the resamples, the share that may be without variation before there is no interval.
_UNDEFINED = 0.05
# Differences, plain or squared, below this are rounding: marks are whole numbers.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Item:
    """One generation on one scale: the mark of each rater, and the outcome if it went further.

    `marks` are what raters gave by themselves; `outcome` is the adjudicator's mark.

    Raises ValueError without marks: what nobody rated is no item.
    """

    task_id: TaskId
    marks: Mapping[str, int]
    outcome: Rating | None = None

    def __post_init__(self) -> None:
        if not self.marks:
            raise ValueError(f"nobody has marked this generation of task {self.task_id}")


class Lack(StrEnum):
    """Why there is no figure: machine-readable, the sentence is made elsewhere."""

    RATERS = "too_few_raters"
    SHARED = "too_little_shared"
    VARIATION = "no_variation"


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient of agreement with its 95 % interval: 1 is total, 0 what chance gives.

    `raters` and `tasks` are those of the items that two or more raters marked, `pairs` the pairs
    of marks in them. `lack` says why `value` is None, or, beside a value, why it has no interval.
    """

    value: float | None
    low: float | None
    high: float | None
    raters: int
    tasks: int
    pairs: int
    lack: Lack | None = None


@dataclass(frozen=True, slots=True)
class OwnAgreement:
    """One rater against the mean mark of the others, over the `items` that others marked too.

    `value` is the concordance (1 is total, 0 what chance gives), None where `lack` says why.
    `bias` is by how much the rater marks higher on average, `distance` the mean absolute
    difference, both in marks and None without items.
    """

    rater: str
    value: float | None
    bias: float | None
    distance: float | None
    items: int
    lack: Lack | None = None


def items_of(
    ratings: Iterable[Rating], criterion: Criterion, outcomes: Iterable[Rating] = ()
) -> list[Item]:
    """What one submission's generations were given on one scale, ordered by key.

    Ratings on other scales are left out. Items of several submissions may be put together in
    one list: a key names a generation within one only.

    Raises ValueError for a mark off the scale, two marks or two outcomes where one belongs,
    and an outcome of what nobody marked.
    """
    marks: dict[Key, dict[str, int]] = {}
    for rating in _on_scale(ratings, criterion):
        given = marks.setdefault(rating.key, {})
        if rating.rater in given:
            raise ValueError(f"rater {rating.rater} has marked {rating.key} twice")
        given[rating.rater] = rating.value
    settled: dict[Key, Rating] = {}
    for outcome in _on_scale(outcomes, criterion):
        if outcome.key in settled or outcome.key not in marks:
            raise ValueError(f"{outcome.key} has two outcomes, or one and no marks")
        settled[outcome.key] = outcome
    return [Item(key.task_id, marks[key], settled.get(key)) for key in sorted(marks, key=_in_order)]


def ordinal_alpha(
    items: Sequence[Item], fewest: int = FEWEST_TASKS, resamples: int = RESAMPLES
) -> Agreement:
    """Krippendorff's alpha for ordinal data; it takes any number of raters and missing marks.

    1 - D_o / D_e over all pairs of marks within items, the distance of two marks being
    the number of marks given in between, both ends halved (K. Krippendorff, Computing
    Krippendorff's Alpha-Reliability, 2011; Content Analysis, 4th ed. 2019, chapter 12).
    None below `fewest` tasks (at least two) with an item that several raters marked. The
    interval is `_interval`'s, about these raters and tasks like these.
    """
    table = _Table.of(items)
    values = np.unique(table.marks[~np.isnan(table.marks)])
    counts = (table.marks[:, :, None] == values).sum(axis=1)
    return _agreement(table, lambda rows: _alpha(counts[rows]), fewest, resamples)


def weighted_kappa(
    items: Sequence[Item], fewest: int = FEWEST_TASKS, resamples: int = RESAMPLES
) -> Agreement:
    """Kappa with quadratic weights, for two raters Cohen's, for more the pairs' taken together.

    A disagreement weighs by the square of its distance (J. Cohen, Psychological Bulletin 70
    (1968) 213-220), which makes kappa an intraclass correlation (J. L. Fleiss and J. Cohen,
    Educational and Psychological Measurement 33 (1973) 613-619). For more than two raters
    1 - sum_ab n_ab D_ab / sum_ab n_ab E_ab over the pairs of raters, n_ab the items that both
    marked, D_ab the mean square of their differences there, E_ab the one to expect
    from what each of the two gave in all items marked by two raters or more. That is the mean
    of the pairs' kappas, each weighted by n_ab E_ab; where all marked everything it is the kappa
    of A. J. Conger (Psychological Bulletin 88 (1980) 322-328) with these weights. A plain
    mean of kappas would not do: of 25 raters two share hardly an item.
    None and the interval as for `ordinal_alpha`.
    """
    table = _Table.of(items)
    return _agreement(table, _kappa_by_rows(table), fewest, resamples)


def own_agreements(items: Sequence[Item], fewest: int = FEWEST_TASKS) -> list[OwnAgreement]:
    """Each rater against the others, the rater's own mark left out; ordered by rater.

    The value is L. I. Lin's coefficient of concordance (Biometrics 45 (1989) 255-268) with
    the mean of the others' marks: with quadratic weights, kappa between the two.
    None below `fewest` items that others marked too.
    """
    table = _Table.of(items)
    names = sorted({rater for item in items for rater in item.marks})
    return [_own_agreement(table, name, fewest) for name in names]


@dataclass(frozen=True, slots=True)
class _Table:
    """The items that two or more raters marked: `marks` by item (row) and rater, NaN for none.

    `rows` holds the rows of each task, `people` is how many marked anything at all.
    """

    people: int
    raters: list[str]
    marks: Floats
    rows: list[Rows]

    @classmethod
    def of(cls, items: Sequence[Item]) -> _Table:
        people = {rater for item in items for rater in item.marks}
        shared = [item for item in items if len(item.marks) >= 2]
        raters = sorted(set(chain.from_iterable(item.marks for item in shared)))
        rows: dict[TaskId, list[int]] = {}
        for row, item in enumerate(shared):
            rows.setdefault(item.task_id, []).append(row)
        by_task = [np.array(rows[task], dtype=np.intp) for task in sorted(rows, key=numbers_first)]
        return cls(len(people), raters, marks_by_rater(shared, raters), by_task)

    @property
    def pairs(self) -> int:
        sizes = (~np.isnan(self.marks)).sum(axis=1)
        return int((sizes * (sizes - 1) // 2).sum())


def marks_by_rater(items: Sequence[Item], raters: Sequence[str]) -> Floats:
    """The marks by item (row) and rater (column), NaN where there is none."""
    marks = np.full((len(items), len(raters)), np.nan)
    columns = {rater: column for column, rater in enumerate(raters)}
    for row, item in enumerate(items):
        for rater, value in item.marks.items():
            marks[row, columns[rater]] = value
    return marks


def _agreement(
    table: _Table, statistic: Callable[[Rows], float], fewest: int, resamples: int
) -> Agreement:
    """The statistic over all rows, NaN being undefined, with its interval."""
    tasks = len(table.rows)
    nothing = Agreement(None, None, None, len(table.raters), tasks, table.pairs)
    if table.people < 2:
        return replace(nothing, lack=Lack.RATERS)
    if tasks < max(fewest, 2):
        return replace(nothing, lack=Lack.SHARED)
    value = statistic(np.arange(len(table.marks)))
    if np.isnan(value):
        return replace(nothing, lack=Lack.VARIATION)
    bounds = _interval(statistic, table.rows, resamples)
    if bounds is None:
        return replace(nothing, value=value, lack=Lack.VARIATION)
    return replace(nothing, value=value, low=bounds[0], high=bounds[1])


def _interval(
    statistic: Callable[[Rows], float], tasks: Sequence[Rows], resamples: int
) -> Bounds | None:
    """The percentile interval of resamples of the tasks, each with all of its items.

    As A. Zapf et al., BMC Medical Research Methodology 16 (2016) 93, for the resampling of
    items; A. C. Davison and D. V. Hinkley, Bootstrap Methods and their Application, 1997,
    section 5.3, for the percentiles. The seed is fixed, so the same marks give the
    same interval. None where more than 5 % of the resamples are without variation, or where
    they all come to the same: total agreement so far is not certain for good.
    """
    random = np.random.default_rng(_SEED)
    drawn = random.integers(len(tasks), size=(resamples, len(tasks)))
    values = np.array([statistic(np.concatenate([tasks[i] for i in draw])) for draw in drawn])
    defined = values[~np.isnan(values)]
    if len(defined) < (1 - _UNDEFINED) * resamples:
        return None
    low, high = np.quantile(defined, [0.025, 0.975], method="weibull")
    return (float(low), float(high)) if high - low > _ROUNDING else None


def _alpha(counts: Counts) -> float:
    """Alpha from how often each item (row), marked twice or more, got each value in their order;
    NaN without variation.

    In the words of Computing Krippendorff's Alpha-Reliability, 2011, section C: o_ck are the
    coincidences, each item's pairs weighing 1/(m_u - 1), n_c their margins, and
    alpha = 1 - (n - 1) sum o_ck d_ck^2 / sum n_c n_k d_ck^2. The ordinal d_ck, all marks from c
    to k less half of those at both ends, is the difference of the two values' mid-ranks.
    """
    margins = counts.sum(axis=0)
    if np.count_nonzero(margins) < 2:
        return nan
    weights = 1 / (counts.sum(axis=1) - 1)
    pairs = (counts * weights[:, None]).T @ counts
    coincidences = pairs - np.diag(weights @ counts)
    middles = np.cumsum(margins) - margins / 2
    distances = np.square(middles[:, None] - middles)
    observed = (coincidences * distances).sum()
    expected = (np.outer(margins, margins) * distances).sum()
    return float(1 - (margins.sum() - 1) * observed / expected)


def _kappa(marks: Floats) -> float:
    """The pairs' kappas taken together, from marks by item and rater; NaN without variation."""
    return _kappa_of(_kappa_sums(marks), marks.shape[1])


def _kappa_by_rows(table: _Table) -> Callable[[Rows], float]:
    """`_kappa` of some of the table's rows, all of a task or none of it, as often as they stand
    there. Tasks are summed up once: of 25 raters and 1,600 items a thousand resamples would take
    half a minute otherwise."""
    by_task = np.array([_kappa_sums(table.marks[rows]) for rows in table.rows])
    first = np.array([rows[0] for rows in table.rows], dtype=np.intp)
    size, raters = len(table.marks), len(table.raters)

    def kappa(rows: Rows) -> float:
        drawn = np.bincount(rows, minlength=size)[first]
        return _kappa_of(drawn @ by_task, raters)

    return kappa


def _kappa_sums(marks: Floats) -> Floats:
    """What kappa is made of, each a sum over items: squared differences, marks of each rater, their
    sum, the sum of their squares, and items that each two share."""
    given = (~np.isnan(marks)).astype(np.float64)
    marks = np.nan_to_num(marks)
    sizes, sums, squares = given.sum(axis=1), marks.sum(axis=1), np.square(marks).sum(axis=1)
    observed = (sizes * squares - sums**2).sum()
    shared = given.T @ given
    np.fill_diagonal(shared, 0)
    by_rater = (given.sum(axis=0), marks.sum(axis=0), np.square(marks).sum(axis=0))
    return np.concatenate([[observed], *by_rater, shared.ravel()])


def _kappa_of(sums: Floats, raters: int) -> float:
    observed, rest = sums[0], sums[1:]
    totals, marked, squared = rest[: 3 * raters].reshape(3, raters)
    shared = rest[3 * raters :].reshape(raters, raters)
    totals = np.maximum(totals, 1)
    means, mean_squares = marked / totals, squared / totals
    # The mean square of the difference of one mark of a and one of b, drawn independently.
    expected = mean_squares[:, None] + mean_squares - 2 * np.outer(means, means)
    chance = (shared * expected).sum() / 2
    return float(1 - observed / chance) if chance > _ROUNDING else nan


def _own_agreement(table: _Table, rater: str, fewest: int) -> OwnAgreement:
    if table.people < 2:
        return OwnAgreement(rater, None, None, None, 0, Lack.RATERS)
    if rater not in table.raters:
        return OwnAgreement(rater, None, None, None, 0, Lack.SHARED)
    column = table.raters.index(rater)
    marks = table.marks[~np.isnan(table.marks[:, column])]
    own, others = marks[:, column], np.nanmean(np.delete(marks, column, axis=1), axis=1)
    apart, items = own - others, len(own)
    found = OwnAgreement(rater, None, float(apart.mean()), float(np.abs(apart).mean()), items)
    if items < fewest:
        return replace(found, lack=Lack.SHARED)
    value = _kappa(np.column_stack([own, others]))
    return replace(found, lack=Lack.VARIATION) if isnan(value) else replace(found, value=value)


def _on_scale(ratings: Iterable[Rating], criterion: Criterion) -> list[Rating]:
    found = [rating for rating in ratings if rating.criterion == criterion.name]
    for rating in found:
        if not 1 <= rating.value <= criterion.top:
            raise ValueError(f"{rating.value} is no mark from 1 to {criterion.top}")
    return found


def _in_order(key: Key) -> tuple[tuple[bool, int, str], int, str, int]:
    turn = -1 if key.turn is None else key.turn
    return numbers_first(key.task_id), key.sample, key.requirement or "", turn
