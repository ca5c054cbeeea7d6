"""Signs that a model knows a benchmark's tasks from its training. They are not a verdict: a model
may have the style of the references, or be better at what older tasks ask for.

Each sign compares an entrant with the other entrants of its board, after a logistic model with a
parameter by entrant and one by task (G. Rasch, Probabilistic Models for Some Intelligence and
Attainment Tests, 1960) has removed the differences between entrants and between tasks. The others'
median and their median absolute deviation (P. J. Rousseeuw and C. Croux, JASA 88 (1993) 1273-1283)
are the centre and the spread, so that several entrants that memorised do not hide each other."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.metrics.intervals import FEWEST, Floats

Masks = NDArray[np.bool_]
# Fewest entrants on a board, and fewest tasks, for a sign.
FEWEST_ENTRANTS, FEWEST_TASKS = 10, 20
LEVEL = 0.05
# For normal values: the deviation per median absolute deviation, the variance of a median per that
# of a mean, and the efficiency of the median absolute deviation, which scales degrees of freedom.
_DEVIATION, _MEDIAN, _EFFICIENCY = 1.4826, 1.5708, 0.37
# The deviation of the model's weak normal priors, and its iterations.
_PRIOR, _ITERATIONS = 3.0, 20
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Sign:
    """`excess` over the expectation from the other entrants' results, as a share of 1, over `tasks`
    tasks, with its 95 % interval. `flagged`: it is above 0, and not by chance at 5 % over all
    entrants of the board."""

    excess: float
    low: float
    high: float
    tasks: int
    flagged: bool


@dataclass(frozen=True, slots=True)
class _Others:
    """The centre of the other entrants' estimates, and the variance of one more entrant's estimate
    around it, apart from its own noise."""

    centre: float
    variance: float
    freedom: float

    @classmethod
    def of(cls, estimates: Floats, noise: Floats, row: int) -> "_Others | None":
        """`noise` has the estimates' own variances; a missing estimate is NaN. Returns None if the
        row's own estimate or too many others are missing."""
        others = ~np.isnan(estimates)
        others[row] = False
        count = int(others.sum())
        if np.isnan(estimates[row]) or count + 1 < FEWEST_ENTRANTS:
            return None
        centre = float(np.median(estimates[others]))
        deviation = _DEVIATION * float(np.median(np.abs(estimates[others] - centre)))
        # C. Croux and P. J. Rousseeuw, COMPSTAT (1992) 411-428: the deviation of n values is too
        # small by the factor 1 - 0.8 / n.
        whole = (deviation * count / (count - 0.8)) ** 2
        typical = float(np.median(noise[others]))
        variance = max(0.0, whole - typical) + _MEDIAN * max(whole, typical) / count
        return cls(centre, variance, _EFFICIENCY * (count - 1))

    def margin(self, level: float, noise: float, freedom: float = 0) -> float:
        """The distance above the centre that an estimate exceeds with the probability `level`;
        `noise` is the estimate's own variance. If the noise was estimated with `freedom` degrees of
        freedom, those of the sum follow F. E. Satterthwaite, Biometrics Bulletin 2 (1946)
        110-114."""
        # Lazy, as in `intervals`.
        from scipy.special import stdtrit

        whole, degrees = self.variance + noise, self.freedom
        if freedom:
            degrees = whole**2 / (self.variance**2 / self.freedom + noise**2 / freedom)
        return float(stdtrit(degrees, 1 - level)) * sqrt(whole)


def overlaps(equal: Floats, right: Masks, clusters: Sequence[Hashable]) -> list[Sign | None]:
    """By entrant, how much more often than expected its right answers are the reference solution.
    `equal` has the share of its answers that equal the hidden reference, by entrant (row) and task.
    Only tasks that it solves (`right`) count, so that solving more is no sign. Leave out tasks
    whose reference is so short that independent answers equal it."""
    style, ease = _fitted(equal, right)
    chance = _chance(style, ease)
    noise = 1 / _information(chance, right)
    rest = _by_cluster(np.where(right, equal - chance, 0), clusters)
    # Tasks of one cluster are alike.
    inflation = np.maximum(1, np.square(rest).sum(axis=1) * noise)
    enough = _enough(right, clusters)
    styles = np.where(enough, style[:, 0], np.nan)
    signs: list[Sign | None] = [None] * len(equal)
    for row in np.flatnonzero(enough).tolist():
        others = _Others.of(styles, noise, row)
        if others is None:
            continue
        share, tasks = equal[row, right[row]].mean(), ease[:, right[row]]
        # Computed at the centre: the entrant's own style has a large error near 1.
        at_centre = inflation[row] / _information(_chance(others.centre, tasks), np.True_)[0]
        half, bound = (others.margin(at, at_centre) for at in (LEVEL / 2, LEVEL / enough.sum()))
        excess, low, high, least = (
            float(share - _chance(others.centre + shift, tasks).mean())
            for shift in (0, half, -half, bound)
        )
        signs[row] = Sign(excess, low, high, tasks.size, least > _ROUNDING)
    return signs


def ages(
    values: Floats, older: Sequence[Masks | None], clusters: Sequence[Hashable]
) -> list[Sign | None]:
    """By entrant, how much better it does on tasks older than its model's cut-off than on newer
    ones, beyond what differences in difficulty explain. `values` are by entrant (row) and task, in
    0..1, more is better; `older` has the mask of older tasks by entrant, None without a cut-off."""
    rest = values - _chance(*_fitted(values, np.ones_like(values, dtype=np.bool_)))
    tests = sum(mask is not None for mask in older)
    freedom = len(set(clusters)) - 1
    signs: list[Sign | None] = [None] * len(values)
    # Many cut-offs lie between the same two tasks, so that their masks are equal.
    masks = {mask.tobytes(): mask for mask in older if mask is not None}
    # By mask and entrant, the mean over the older tasks less that over the others, and its variance
    # between clusters.
    differences: dict[bytes, tuple[Floats, Floats]] = {}
    for key, before in masks.items():
        if not _enough(np.array([before, ~before]), clusters).all():
            continue
        means, changes = np.zeros(len(rest)), np.zeros_like(rest)
        for chosen, sign in ((before, 1), (~before, -1)):
            mean = rest[:, chosen].mean(axis=1)
            means += sign * mean
            changes[:, chosen] = sign * (rest[:, chosen] - mean[:, None]) / chosen.sum()
        sums = _by_cluster(changes, clusters)
        variances = sums.shape[1] / (sums.shape[1] - 1) * np.square(sums).sum(axis=1)
        differences[key] = means, variances
    for row, mask in enumerate(older):
        if mask is None or mask.tobytes() not in differences:
            continue
        means, noise = differences[mask.tobytes()]
        others = _Others.of(means, noise, row)
        if others is not None:
            excess = float(means[row]) - others.centre
            levels = LEVEL / 2, LEVEL / tests
            half, bound = (others.margin(level, noise[row], freedom) for level in levels)
            flagged = excess > bound + _ROUNDING
            signs[row] = Sign(excess, excess - half, excess + half, len(mask), flagged)
    return signs


def _fitted(values: Floats, masks: Masks) -> tuple[Floats, Floats]:
    """The model's parameters, by entrant (a column) and by task (a row), by Newton's method."""
    style, ease = np.zeros((len(values), 1)), np.zeros((1, values.shape[1]))
    for _iteration in range(_ITERATIONS):
        for axis, parameter in ((1, style), (0, ease)):
            chance = _chance(style, ease)
            gradient = np.where(masks, values - chance, 0).sum(axis=axis, keepdims=True)
            curve = np.expand_dims(_information(chance, masks, axis), axis)
            parameter += np.clip((gradient - parameter / _PRIOR**2) / curve, -1, 1)
    return style, ease


def _chance(style: Floats | float, ease: Floats) -> Floats:
    chance: Floats = 1 / (1 + np.exp(-(style + ease)))
    return chance


def _information(chance: Floats, masks: Masks | np.bool_, axis: int = 1) -> Floats:
    """The information on each parameter, including the prior's: the inverse of the variance of its
    estimate."""
    inside: Floats = np.where(masks, chance * (1 - chance), 0).sum(axis=axis)
    return inside + 1 / _PRIOR**2


def _enough(masks: Masks, clusters: Sequence[Hashable]) -> Masks:
    reached = np.count_nonzero(_by_cluster(masks.astype(np.float64), clusters), axis=1)
    enough: Masks = (masks.sum(axis=1) >= FEWEST_TASKS) & (reached >= FEWEST)
    return enough


def _by_cluster(values: Floats, clusters: Sequence[Hashable]) -> Floats:
    """The sums over each cluster's tasks (columns)."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    sums = np.zeros((len(values), len(numbers)))
    np.add.at(sums.T, [numbers[name] for name in clusters], values.T)
    return sums
