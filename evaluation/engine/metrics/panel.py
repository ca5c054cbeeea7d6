"""The mean of human ratings with its interval, and whether to publish it."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from evaluation.engine.metrics import intervals
from evaluation.engine.metrics.agreement import Agreement, Floats, Item, marks_by_rater, raters_of
from evaluation.engine.records import TaskId

# Fewest raters for an interval that covers raters like these instead of only these.
RATERS = 20
# A difference below this is a rounding error: values lie in 0..1.
_ROUNDING = 1e-12
# Eigenvalues below this are zero: the others result from fractions of small integers.
_SINGULAR = 1e-9


class Scope(StrEnum):
    """The population that an interval covers, besides tasks like these. PANEL: raters drawn from
    this panel, but no other raters. POPULATION: raters like these."""

    PANEL = "panel"
    POPULATION = "population"


@dataclass(frozen=True, slots=True)
class PanelMean:
    """The mean consensus on a scale from 1 up, with its 95 % interval, in marks. `shares` is the
    distribution of items over the marks from 1 up; its mean is `value`. `low` and `high` are None
    with fewer than six tasks. `ratings` and `raters` exclude adjudicators."""

    value: float | None
    low: float | None
    high: float | None
    scope: Scope
    shares: tuple[float, ...]
    ratings: int
    raters: int
    items: int
    tasks: int


class Hold(StrEnum):
    RATINGS = "too_few_ratings"
    UNKNOWN_AGREEMENT = "agreement_unknown"
    AGREEMENT = "too_little_agreement"


def holds_of(
    mean: PanelMean, agreement: Agreement, fewest_ratings: int, least_agreement: float
) -> list[Hold]:
    """Why the mean is provisional; empty if it may be published. The lower end of alpha's interval
    has to reach `least_agreement`: K. Krippendorff (Content Analysis, 4th ed. 2019, chapter 12)
    draws tentative conclusions from an alpha of 0.667 on and relies on 0.8. Unknown agreement does
    not suffice."""
    holds = []
    if mean.ratings < fewest_ratings:
        holds.append(Hold.RATINGS)
    if agreement.low is None:
        holds.append(Hold.UNKNOWN_AGREEMENT)
    elif agreement.low < least_agreement:
        holds.append(Hold.AGREEMENT)
    return holds


def consensus(item: Item) -> float:
    return sum(item.counting.values()) / len(item.counting)


def panel_mean(items: Sequence[Item], top: int) -> PanelMean:
    """Returns the mean of the items' consensus, with an interval that is valid for few raters.
    Below 20 raters it is `mean_interval` over tasks, which covers only this panel; from 20 on it is
    `_interval_over_raters`, if shared items separate the effects of raters and tasks."""
    groups: dict[TaskId, list[float]] = {}
    shares = [0.0] * top
    for item in items:
        groups.setdefault(item.task_id, []).append((consensus(item) - 1) / (top - 1))
        for mark in item.counting.values():
            shares[mark - 1] += 1 / len(item.counting)
    over_tasks = intervals.mean_interval(list(groups.values()))
    bounds = _interval_over_raters(items, top) if len(groups) >= intervals.FEWEST else None
    value, low, high = (
        None if unit is None else 1 + unit * (top - 1)
        for unit in (over_tasks.value, *(bounds or (over_tasks.low, over_tasks.high)))
    )
    return PanelMean(
        value=value,
        low=low,
        high=high,
        scope=Scope.POPULATION if bounds else Scope.PANEL,
        shares=tuple(share / len(items) for share in shares) if items else (),
        ratings=sum(len(item.marks) for item in items),
        raters=len(raters_of(items)),
        items=len(items),
        tasks=len(groups),
    )


class Spread(NamedTuple):
    """The variance between raters, the variance of its estimate, and its degrees of freedom."""

    variance: float
    error: float
    rank: int


def _interval_over_raters(items: Sequence[Item], top: int) -> tuple[float, float] | None:
    """The 95 % interval in 0..1 over tasks and raters, both drawn at random and crossed.

    With w_tj the weight of rater j's marks of task t in the mean, all together 1, and s_b^2 the
    variance between raters, the mean's variance is V = S + c s_b^2, c = T/(T-1) (sum_j (sum_t
    w_tj)^2 - sum_tj w_tj^2), where S is the variance by task of `score_interval`. S lacks only the
    covariance of two tasks that the same rater marked; the part for raters is that of A. B. Owen,
    The Pigeonhole Bootstrap, Annals of Applied Statistics 1 (2007) 386-411, less its share in S.
    An adjudicator is one more rater with a weight. The interval is that of `score_interval`, since
    m +- t sqrt(V) has only 85 % coverage near the ends of the scale. Returns None below 20 raters,
    or if comparisons within items link fewer."""
    raters = raters_of(items)
    spread = rater_spread((marks_by_rater(items, raters) - 1) / (top - 1))
    if len(raters) < RATERS or spread is None or spread.rank < RATERS - 1:
        return None
    numbers: dict[TaskId, int] = {}
    rows = [numbers.setdefault(item.task_id, len(numbers)) for item in items]
    tasks = len(numbers)
    values = np.array([(consensus(item) - 1) / (top - 1) for item in items])
    if np.ptp(values) < _ROUNDING:
        return intervals.wilson(float(values.mean()), min(tasks, len(raters)))
    columns: dict[str, int] = {}
    for item in items:
        for who in item.counting:
            columns.setdefault(who, len(columns))
    weights = np.zeros((tasks, len(columns)))
    for row, item in zip(rows, items, strict=True):
        for who in item.counting:
            weights[row, columns[who]] += 1 / len(item.counting) / len(items)
    factor = np.square(weights.sum(axis=0)) - np.square(weights).sum(axis=0)
    part = tasks / (tasks - 1) * float(factor.sum())
    besides = part * spread.variance, part**2 * spread.error
    sums = np.column_stack([np.bincount(rows, values), np.bincount(rows).astype(np.float64)])
    order = np.lexsort(sums.T)
    return intervals.score_interval(sums[order, :1], sums[order, 1:], besides)


def rater_spread(marks: Floats, *, alike: bool = False) -> Spread | None:
    """The variance between raters, estimated by comparisons within items. `alike`: each rater has
    the same weight. Otherwise a rater's weight grows with its number of marks, which is more
    precise only if these numbers are about equal.

    C. R. Henderson's method 3 (Biometrics 9 (1953) 226-252; S. R. Searle, G. Casella and C. E.
    McCulloch, Variance Components, 1992, section 5.5). Subtract each item's mean; let r be the
    raters' sums of the rest and C their matrix of coefficients. R = r' C^- r has expectation s_b^2
    tr(C) + s_e^2 rank(C), and the sum of squares within items less R has s_e^2 times the remaining
    degrees of freedom. For normal effects Var(R) = 2 tr((s_b^2 C + s_e^2 I)^2) over C's range.
    With `alike`, R is the sum of the squares of C^- r, with expectation s_b^2 rank(C) + s_e^2
    tr(C^-). Returns None if no items are shared, or without remaining degrees of freedom."""
    marks = marks[(~np.isnan(marks)).sum(axis=1) >= 2]
    marked = (~np.isnan(marks)).astype(np.float64)
    sizes = marked.sum(axis=1, keepdims=True)
    apart = np.nan_to_num(marks - np.nansum(marks, axis=1, keepdims=True) / sizes)
    roots, vectors = np.linalg.eigh(np.diag(marked.sum(axis=0)) - (marked / sizes).T @ marked)
    linked = roots > _SINGULAR
    rank, roots = int(linked.sum()), roots[linked]
    degrees = int(marked.sum()) - len(marks) - rank
    if rank < 1 or degrees < 1:
        return None
    squares = np.square((vectors.T @ apart.sum(axis=0))[linked]) / roots
    noise = max(0.0, float(np.square(apart).sum() - squares.sum())) / degrees
    # By eigenvector, the weight of its square; then the factor of the variance and the expected
    # noise in the weighted sum.
    weights = 1 / roots if alike else np.ones_like(roots)
    parts, errors = (weights * roots).sum(), noise * weights.sum()
    variance = max(0.0, float(weights @ squares - errors) / parts)
    error = 2 * np.square(weights * (variance * roots + noise)).sum() + 2 * errors**2 / degrees
    return Spread(variance, float(error / parts**2), rank)
