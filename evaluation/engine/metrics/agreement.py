"""Agreement of raters: Krippendorff's alpha, weighted kappa, one rater against the others. Uses
only the raters' own marks: an adjudicator's later mark says nothing about their agreement."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from itertools import chain
from math import isnan, isqrt, nan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.family import Criterion
from evaluation.engine.metrics.paired import numbers_first
from evaluation.engine.records import Key, Rating, TaskId

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.intp]
Bounds: TypeAlias = tuple[float, float]

FEWEST_TASKS = 10
RESAMPLES = 999
_SEED = 1970
# Maximum share of resamples without variation; above it there is no interval.
_UNDEFINED = 0.05
# Differences, plain or squared, below this are rounding errors: marks are integers.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Item:
    """The marks of one generation on one scale. Raises ValueError without marks."""

    task_id: TaskId
    marks: Mapping[str, int]
    outcome: Rating | None = None

    def __post_init__(self) -> None:
        if not self.marks:
            raise ValueError(f"nobody has marked this generation of task {self.task_id}")


class Lack(StrEnum):
    RATERS = "too_few_raters"
    SHARED = "too_little_shared"
    VARIATION = "no_variation"


@dataclass(frozen=True, slots=True)
class Agreement:
    """A coefficient of agreement with its 95 % interval: 1 is total, 0 is chance. `raters`,
    `tasks` and `pairs` count items with two or more marks. `lack` says why `value` or the
    interval is None."""

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
    `value` is the concordance: 1 is total, 0 is chance. `bias` is how much higher the rater marks
    on average, `distance` the mean absolute difference, both in marks."""

    rater: str
    value: float | None
    bias: float | None
    distance: float | None
    items: int
    lack: Lack | None = None


def items_of(
    ratings: Iterable[Rating], criterion: Criterion, outcomes: Iterable[Rating] = ()
) -> list[Item]:
    """Returns the marks of one submission's generations on one scale, ordered by key. Raises
    ValueError for a mark off the scale, for two marks by one rater, for two outcomes, and for an
    outcome without marks."""
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
    """Krippendorff's alpha for ordinal data, with any number of raters and missing marks: 1 - D_o /
    D_e over all pairs of marks within items (K. Krippendorff, Computing Krippendorff's
    Alpha-Reliability, 2011; Content Analysis, 4th ed. 2019, chapter 12). None if fewer than
    `fewest` tasks (at least two) have an item that several raters marked."""
    table = _Table.of(items)
    values = np.unique(table.marks[~np.isnan(table.marks)])
    sums = partial(_alpha_sums, values)
    return _agreement(table, _by_rows(table, sums, _alpha_of), fewest, resamples)


def weighted_kappa(
    items: Sequence[Item], fewest: int = FEWEST_TASKS, resamples: int = RESAMPLES
) -> Agreement:
    """Kappa with quadratic weights: Cohen's for two raters, a pooled one for more.

    Sources: J. Cohen, Psychological Bulletin 70 (1968) 213-220; J. L. Fleiss and J. Cohen,
    Educational and Psychological Measurement 33 (1973) 613-619. For more raters it is 1 - sum_ab
    n_ab D_ab / sum_ab n_ab E_ab over the pairs: n_ab counts the items that both marked, D_ab is the
    mean square of their differences there, E_ab its expectation from each one's own marks. If all
    raters marked everything, it is the kappa of A. J. Conger (Psychological Bulletin 88 (1980)
    322-328). A plain mean of kappas would not work: of 25 raters, two share hardly an item. None is
    as for `ordinal_alpha`.
    """
    table = _Table.of(items)
    kappa = partial(_kappa_of, len(table.raters))
    return _agreement(table, _by_rows(table, _kappa_sums, kappa), fewest, resamples)


def own_agreements(items: Sequence[Item], fewest: int = FEWEST_TASKS) -> list[OwnAgreement]:
    """Compares each rater with the mean mark of the others; ordered by rater. The value is L. I.
    Lin's coefficient of concordance (Biometrics 45 (1989) 255-268); None below `fewest` items."""
    table = _Table.of(items)
    names = sorted({rater for item in items for rater in item.marks})
    return [_own_agreement(table, name, fewest) for name in names]


@dataclass(frozen=True, slots=True)
class _Table:
    """Items with several marks: `marks` by item (row) and rater, NaN for none; `rows` by task."""

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
    """Returns the marks by item (row) and rater (column), NaN for a missing mark."""
    marks = np.full((len(items), len(raters)), np.nan)
    columns = {rater: column for column, rater in enumerate(raters)}
    for row, item in enumerate(items):
        for rater, value in item.marks.items():
            marks[row, columns[rater]] = value
    return marks


def _agreement(
    table: _Table, statistic: Callable[[Rows], float], fewest: int, resamples: int
) -> Agreement:
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
    """The percentile interval over resampled tasks, each with all of its items; the seed is fixed.

    Sources: A. Zapf et al., BMC Medical Research Methodology 16 (2016) 93; A. C. Davison and D. V.
    Hinkley, Bootstrap Methods and their Application, 1997, section 5.3. None if more than 5 % of
    the resamples lack variation, or if all are equal: total agreement so far does not prove total
    agreement.
    """
    random = np.random.default_rng(_SEED)
    drawn = random.integers(len(tasks), size=(resamples, len(tasks)))
    values = np.array([statistic(np.concatenate([tasks[i] for i in draw])) for draw in drawn])
    defined = values[~np.isnan(values)]
    if len(defined) < (1 - _UNDEFINED) * resamples:
        return None
    low, high = np.quantile(defined, [0.025, 0.975], method="weibull")
    return (float(low), float(high)) if high - low > _ROUNDING else None


def _by_rows(
    table: _Table, sums: Callable[[Floats], Floats], statistic: Callable[[Floats], float]
) -> Callable[[Rows], float]:
    """Sums up each task once: otherwise 1,000 resamples of 25 raters and 1,600 items take 30 s."""
    by_task = np.array([sums(table.marks[rows]) for rows in table.rows])
    first = np.array([rows[0] for rows in table.rows], dtype=np.intp)
    size = len(table.marks)
    return lambda rows: statistic(np.bincount(rows, minlength=size)[first] @ by_task)


def _alpha_sums(values: Floats, marks: Floats) -> Floats:
    """The coincidences o_ck of the values, item by item; their margins are sums of these."""
    counts = (marks[:, :, None] == values).sum(axis=1)
    weights = 1 / (counts.sum(axis=1) - 1)
    pairs = (counts * weights[:, None]).T @ counts
    found: Floats = (pairs - np.diag(weights @ counts)).ravel()
    return found


def _alpha_of(sums: Floats) -> float:
    """Alpha; NaN without variation. As in Computing Krippendorff's Alpha-Reliability, 2011, section
    C: o_ck are the coincidences, n_c their margins, and alpha = 1 - (n - 1) sum o_ck d_ck^2 / sum
    n_c n_k d_ck^2. The ordinal d_ck is the difference of the two values' mid-ranks."""
    values = isqrt(len(sums))
    coincidences = sums.reshape(values, values)
    margins = coincidences.sum(axis=0)
    if np.count_nonzero(margins > _ROUNDING) < 2:
        return nan
    middles = np.cumsum(margins) - margins / 2
    distances = np.square(middles[:, None] - middles)
    observed = (coincidences * distances).sum()
    expected = (np.outer(margins, margins) * distances).sum()
    return float(1 - (margins.sum() - 1) * observed / expected)


def _kappa(marks: Floats) -> float:
    return _kappa_of(marks.shape[1], _kappa_sums(marks))


def _kappa_sums(marks: Floats) -> Floats:
    """Sums over items: squared differences; each rater's number of marks, their sum and the sum of
    their squares; and items shared by each two raters."""
    given = (~np.isnan(marks)).astype(np.float64)
    marks = np.nan_to_num(marks)
    sizes, sums, squares = given.sum(axis=1), marks.sum(axis=1), np.square(marks).sum(axis=1)
    observed = (sizes * squares - sums**2).sum()
    shared = given.T @ given
    np.fill_diagonal(shared, 0)
    by_rater = (given.sum(axis=0), marks.sum(axis=0), np.square(marks).sum(axis=0))
    return np.concatenate([[observed], *by_rater, shared.ravel()])


def _kappa_of(raters: int, sums: Floats) -> float:
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
