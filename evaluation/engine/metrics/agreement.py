"""Agreement of raters: Krippendorff's alpha, weighted kappa, one rater against the others. Uses
only the raters' own marks: an adjudicator's later mark says nothing about their agreement."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial
from math import isnan, isqrt, nan, sqrt
from statistics import NormalDist
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.family import Criterion
from evaluation.engine.metrics.intervals import t_quantile
from evaluation.engine.metrics.paired import numbers_first
from evaluation.engine.records import Key, Rating, TaskId

Floats: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = NDArray[np.intp]

FEWEST_TASKS = 10
RESAMPLES = 999
_SEED = 1970
# Tasks with a generation that most of its raters gave another mark than the most frequent one. With
# fewer, a few tasks decide the coefficient: in simulations, 60 to 90 % of its intervals covered.
FEWEST_OTHERS = 5
# Differences, plain or squared, below this are rounding errors: marks are integers.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Item:
    """The marks of one generation on one scale. Raises ValueError if there are none."""

    task_id: TaskId
    marks: Mapping[str, int]
    outcome: Rating | None = None

    def __post_init__(self) -> None:
        if not self.marks:
            raise ValueError(f"nobody has marked this generation of task {self.task_id}")

    @property
    def counting(self) -> Mapping[str, int]:
        """The marks that count by person: the outcome replaces the raters' marks."""
        return {self.outcome.rater: self.outcome.value} if self.outcome else self.marks


class Lack(StrEnum):
    RATERS = "too_few_raters"
    SHARED = "too_little_shared"
    OTHERS = "too_few_other_marks"
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
        by_rater = marks.setdefault(rating.key, {})
        if rating.rater in by_rater:
            raise ValueError(f"rater {rating.rater} has marked {rating.key} twice")
        by_rater[rating.rater] = rating.value
    settled: dict[Key, Rating] = {}
    for outcome in _on_scale(outcomes, criterion):
        if outcome.key in settled or outcome.key not in marks:
            raise ValueError(f"{outcome.key} has two outcomes, or one and no marks")
        settled[outcome.key] = outcome

    def place(key: Key) -> tuple[tuple[bool, int, str], int, str, int]:
        turn = -1 if key.turn is None else key.turn
        return numbers_first(key.task_id), key.sample, key.requirement or "", turn

    return [Item(key.task_id, marks[key], settled.get(key)) for key in sorted(marks, key=place)]


def _on_scale(ratings: Iterable[Rating], criterion: Criterion) -> Iterator[Rating]:
    for rating in ratings:
        if rating.criterion == criterion.name:
            if not 1 <= rating.value <= criterion.top:
                raise ValueError(f"{rating.value} is no mark from 1 to {criterion.top}")
            yield rating


def ordinal_alpha(
    items: Sequence[Item],
    fewest: int = FEWEST_TASKS,
    resamples: int = RESAMPLES,
    others: int = FEWEST_OTHERS,
) -> Agreement:
    """Krippendorff's alpha for ordinal data, with any number of raters and missing marks. With the
    coincidences o_ck and their margins n_c it is 1 - (n - 1) sum o_ck d_ck^2 / sum n_c n_k d_ck^2
    (K. Krippendorff, Computing Krippendorff's Alpha-Reliability, 2011, section C; Content Analysis,
    4th ed. 2019, chapter 12). None if fewer than `fewest` tasks (at least two) have an item that
    several raters marked.

    If all marks of each item are equal, the lower end assumes the share of disputed tasks at which
    2.5 % of the samples have no disputed task, and that the marks of such a task are the least and
    the greatest one."""
    table = _Table.of(items)
    values = np.unique(table.marks[~np.isnan(table.marks)])

    def coincidences(marks: Floats) -> Floats:
        """The coincidences o_ck of the values, item by item; their margins are sums of these."""
        counts = (marks[:, :, None] == values).sum(axis=1)
        weights = 1 / (counts.sum(axis=1) - 1)
        pairs: Floats = (counts * weights[:, None]).T @ counts
        return (pairs - np.diag(weights @ counts)).ravel()

    def alpha(sums: Floats) -> Floats:
        observed, expected, count, _distances = _disagreement(sums)
        return _one_less((count - 1) * observed, expected)

    agreement = _agreement(table, coincidences, alpha, fewest, others, resamples)
    if agreement.value is None or agreement.value < 1 or agreement.low is not None:
        return agreement
    _observed, expected, count, distances = _disagreement(coincidences(table.marks))
    share = 1 - 0.025 ** (1 / agreement.tasks)
    least = 1 - share * float(distances.max() * count * (count - 1) / expected)
    return replace(agreement, low=max(-1.0, least), high=1.0, lack=None)


def _disagreement(sums: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """The sums of o_ck d_ck^2 and of n_c n_k d_ck^2, the number of marks n, and the d_ck^2. The
    ordinal d_ck is the difference of the two values' mid-ranks."""
    values = isqrt(sums.shape[-1])
    coincidences = sums.reshape(*sums.shape[:-1], values, values)
    margins = coincidences.sum(axis=-2)
    middles = np.cumsum(margins, axis=-1) - margins / 2
    distances = np.square(middles[..., :, None] - middles[..., None, :])
    observed = (coincidences * distances).sum(axis=(-2, -1))
    expected = (margins[..., :, None] * margins[..., None, :] * distances).sum(axis=(-2, -1))
    return observed, expected, margins.sum(axis=-1), distances


def weighted_kappa(
    items: Sequence[Item], fewest: int = FEWEST_TASKS, others: int = FEWEST_OTHERS
) -> Agreement:
    """Kappa with quadratic weights: Cohen's for two raters, a pooled one for more. It has no
    interval: if few generations are bad, one of them moves it by more than an interval says.

    Sources: J. Cohen, Psychological Bulletin 70 (1968) 213-220; J. L. Fleiss and J. Cohen,
    Educational and Psychological Measurement 33 (1973) 613-619. For more raters it is 1 - sum_ab
    n_ab D_ab / sum_ab n_ab E_ab over the pairs: n_ab counts the items that both marked, D_ab is the
    mean square of their differences there, E_ab its expectation from each rater's own marks. If all
    raters marked everything, it is the kappa of A. J. Conger (Psychological Bulletin 88 (1980)
    322-328). A plain mean of kappas would not work: two of 25 raters share hardly an item. The
    value is None as in `ordinal_alpha`."""
    table = _Table.of(items)
    kappa = partial(_kappa, len(table.raters))
    return _agreement(table, _kappa_sums, kappa, fewest, others, resamples=0)


def _kappa_sums(marks: Floats) -> Floats:
    """Sums over items: squared differences; each rater's number of marks, their sum and the sum of
    their squares; and items shared by each two raters."""
    marked = (~np.isnan(marks)).astype(np.float64)
    marks = np.nan_to_num(marks)
    sizes, sums, squares = marked.sum(axis=1), marks.sum(axis=1), np.square(marks).sum(axis=1)
    observed = (sizes * squares - sums**2).sum()
    shared = marked.T @ marked
    np.fill_diagonal(shared, 0)
    by_rater = (marked.sum(axis=0), marks.sum(axis=0), np.square(marks).sum(axis=0))
    return np.concatenate([[observed], *by_rater, shared.ravel()])


def _kappa(raters: int, sums: Floats) -> Floats:
    observed, rest, before = sums[..., 0], sums[..., 1:], sums.shape[:-1]
    by_rater = rest[..., : 3 * raters].reshape(*before, 3, raters)
    totals, marked, squared = np.moveaxis(by_rater, -2, 0)
    shared = rest[..., 3 * raters :].reshape(*before, raters, raters)
    totals = np.maximum(totals, 1)
    means, mean_squares = marked / totals, squared / totals
    # The mean square of the difference of one mark of a and one of b, drawn independently.
    both = means[..., :, None] * means[..., None, :]
    expected = mean_squares[..., :, None] + mean_squares[..., None, :] - 2 * both
    chance = (shared * expected).sum(axis=(-2, -1)) / 2
    return _one_less(observed, chance)


def _one_less(observed: Floats, expected: Floats) -> Floats:
    """1 - observed / expected; NaN without variation."""
    varied = expected > _ROUNDING
    coefficients: Floats = np.where(varied, 1 - observed / np.where(varied, expected, 1), nan)
    return coefficients


def own_agreements(items: Sequence[Item]) -> list[OwnAgreement]:
    """Compares each rater with the mean mark of the others; ordered by rater. The value is L. I.
    Lin's coefficient of concordance (Biometrics 45 (1989) 255-268); None below FEWEST_TASKS items.
    """
    table = _Table.of(items)
    agreements = []
    for rater in table.people:
        if rater not in table.raters:
            lack = Lack.RATERS if len(table.people) < 2 else Lack.SHARED
            agreements.append(OwnAgreement(rater, None, None, None, 0, lack))
            continue
        column = table.raters.index(rater)
        marks = table.marks[~np.isnan(table.marks[:, column])]
        others = np.nanmean(np.delete(marks, column, axis=1), axis=1)
        pair = np.column_stack([marks[:, column], others])
        apart, number = pair[:, 0] - pair[:, 1], len(pair)
        value = float(_kappa(2, _kappa_sums(pair))) if number >= FEWEST_TASKS else nan
        lack = Lack.SHARED if number < FEWEST_TASKS else Lack.VARIATION
        agreements.append(
            OwnAgreement(
                rater,
                None if isnan(value) else value,
                bias=float(apart.mean()),
                distance=float(np.abs(apart).mean()),
                items=number,
                lack=lack if isnan(value) else None,
            )
        )
    return agreements


@dataclass(frozen=True, slots=True)
class _Table:
    """Items with several marks: `marks` by item (row) and rater, NaN for none; `rows` by task.
    `people` are the raters of any items."""

    people: list[str]
    raters: list[str]
    marks: Floats
    rows: list[Rows]

    @classmethod
    def of(cls, items: Sequence[Item]) -> "_Table":
        shared = [item for item in items if len(item.marks) >= 2]
        rows: dict[TaskId, list[int]] = {}
        for row, item in enumerate(shared):
            rows.setdefault(item.task_id, []).append(row)
        raters = raters_of(shared)
        return cls(
            people=raters_of(items),
            raters=raters,
            marks=marks_by_rater(shared, raters),
            rows=[np.array(rows[task]) for task in sorted(rows, key=numbers_first)],
        )


def raters_of(items: Iterable[Item]) -> list[str]:
    return sorted({rater for item in items for rater in item.marks})


def marks_by_rater(items: Sequence[Item], raters: Sequence[str]) -> Floats:
    """Returns the marks by item (row) and rater (column), NaN for a missing mark."""
    marks = np.full((len(items), len(raters)), np.nan)
    columns = {rater: column for column, rater in enumerate(raters)}
    for row, item in enumerate(items):
        for rater, value in item.marks.items():
            marks[row, columns[rater]] = value
    return marks


def _agreement(
    table: _Table,
    sums: Callable[[Floats], Floats],
    statistic: Callable[[Floats], Floats],
    fewest: int,
    others: int,
    resamples: int,
) -> Agreement:
    """`sums` returns the sums over a task's items. `statistic` computes the coefficient from sums
    over some tasks, along the last axis; NaN without variation.

    The interval is the expanded percentile interval over resampled tasks, each with all of its
    items; the seed is fixed. Percentiles over so few tasks are too close together: the levels used
    are those of Student's quantile times sqrt(T / (T - 1)). Sources: A. Zapf et al., BMC Medical
    Research Methodology 16 (2016) 93; T. C. Hesterberg, The American Statistician 69 (2015)
    371-386, section 3.2. There is none if all resamples are equal: total agreement so far does not
    prove total agreement. There is neither a value nor an interval with fewer than `others` tasks
    as in `FEWEST_OTHERS`."""
    tasks, sizes = len(table.rows), (~np.isnan(table.marks)).sum(axis=1)
    pairs = int((sizes * (sizes - 1) // 2).sum())
    nothing = Agreement(None, None, None, len(table.raters), tasks, pairs)
    if len(table.people) < 2:
        return replace(nothing, lack=Lack.RATERS)
    if tasks < max(fewest, 2):
        return replace(nothing, lack=Lack.SHARED)
    # The sums are computed once for each task: otherwise 1,000 resamples of 25 raters and 1,600
    # items take 30 s.
    by_task = np.array([sums(table.marks[rows]) for rows in table.rows])
    value = float(statistic(by_task.sum(axis=0)))
    if isnan(value):
        return replace(nothing, lack=Lack.VARIATION)
    marks, counts = np.unique(table.marks[~np.isnan(table.marks)], return_counts=True)
    other = ((table.marks != marks[counts.argmax()]) & ~np.isnan(table.marks)).sum(axis=1)
    if sum((2 * other[rows] > sizes[rows]).any() for rows in table.rows) < others:
        return replace(nothing, lack=Lack.OTHERS)
    if not resamples:
        return replace(nothing, value=value)
    drawn = np.random.default_rng(_SEED).integers(tasks, size=(resamples, tasks))
    times = np.array([np.bincount(draw, minlength=tasks) for draw in drawn])
    values = statistic(times @ by_task)
    defined = values[~np.isnan(values)]
    beyond = NormalDist().cdf(-sqrt(tasks / (tasks - 1)) * t_quantile(tasks - 1))
    low, high = np.quantile(defined, [beyond, 1 - beyond], method="weibull").tolist()
    if high - low <= _ROUNDING:
        return replace(nothing, value=value, lack=Lack.VARIATION)
    return replace(nothing, value=value, low=low, high=high)
