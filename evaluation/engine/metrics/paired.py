"""Tests whether entrants differ by more than chance, on the same tasks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from math import fsum, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.records import TaskId

EntrantId: TypeAlias = int | str
Floats: TypeAlias = NDArray[np.float64]

_SEED = 1928
_RESAMPLES = 9_999
# Resamples per block, to limit memory with thousands of tasks.
_BLOCK = 500
# Fewest resamples in a tail: with less, its share would be off by over 20 %.
_FEWEST = 25
# Differences below this are rounding errors: values lie in 0..1.
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Showing:
    """One entrant's units by task (values in 0..1). Raises ValueError without tasks, or if a task
    has no units: a missing generation is wrong and therefore a unit of value 0."""

    entrant: EntrantId
    units: Mapping[TaskId, Sequence[float]]

    def __post_init__(self) -> None:
        if not self.units or not all(map(len, self.units.values())):
            raise ValueError(f"entrant {self.entrant} has no units, or none of some task")

    @property
    def score(self) -> float:
        return fsum(chain.from_iterable(self.units.values())) / sum(map(len, self.units.values()))

    @property
    def single_trials(self) -> bool:
        return all(len(units) == 1 and units[0] in (0, 1) for units in self.units.values())


def paired_p_values(showings: Sequence[Showing]) -> Floats:
    """Returns the two-sided p-value of each pair's difference in score: square, 1 on the diagonal.
    Uses McNemar's exact test if both entrants of a pair have single trials only, else the paired
    bootstrap over tasks. Independent of other entrants and of any order; not corrected for the
    number of pairs. Raises ValueError if the entrants have different tasks."""
    if not showings:
        return np.ones((0, 0))
    totals, sizes = _totals_and_sizes(showings)
    single = np.array([showing.single_trials for showing in showings])
    if single.all():
        return _mcnemar(totals)
    p = _bootstrap(totals, sizes)
    p[np.ix_(single, single)] = _mcnemar(totals[single])
    return p


def numbers_first(key: int | str) -> tuple[bool, int, str]:
    return (False, key, "") if isinstance(key, int) else (True, 0, key)


def _totals_and_sizes(showings: Sequence[Showing]) -> tuple[Floats, Floats]:
    """The sum and the number of units by entrant (row) and task (column). Raises ValueError."""
    tasks = sorted(showings[0].units, key=numbers_first)
    for showing in showings:
        if showing.units.keys() != showings[0].units.keys():
            raise ValueError(
                f"entrants {showings[0].entrant} and {showing.entrant} faced different tasks"
            )
    totals = [[fsum(showing.units[task]) for task in tasks] for showing in showings]
    sizes = [[len(showing.units[task]) for task in tasks] for showing in showings]
    return np.array(totals, dtype=np.float64), np.array(sizes, dtype=np.float64)


def _mcnemar(passed: Floats) -> Floats:
    """McNemar's exact test of each pair of rows of zeros and ones. Q. McNemar, Psychometrika 12
    (1947) 153-157, in its exact form; M. W. Fagerland et al., BMC Medical Research Methodology 13
    (2013) 91."""
    from scipy.special import bdtr

    only = passed @ (1 - passed).T
    differing = (only + only.T).astype(np.intp)
    p: Floats = np.minimum(1.0, 2 * bdtr(np.minimum(only, only.T), differing, 0.5))
    return p


def _bootstrap(totals: Floats, sizes: Floats) -> Floats:
    """The paired bootstrap over tasks; p is the largest of the three in docs/users/metrics.md.

    - The share of resamples (A. C. Davison and D. V. Hinkley, Bootstrap Methods and their
        Application, 1997, section 4.4), with deviations widened by sqrt(T/(T-1)), because T
        resampled tasks spread too little. Left out if fewer than 25 resamples reach that far:
        Holm's correction over 200 entrants needs p = 2.5e-6, which no share of 9,999 resolves.
    - The tail of the t distribution with T - 1 degrees of freedom. Its standard error is the
        bootstrap's limit for infinitely many resamples, which adds no noise to the tails.
    - 2^(1-k), where k is the number of tasks on which the two differ. It also applies if the
        differences show no spread at all.
    """
    entrants, tasks = totals.shape
    p = np.ones((entrants, entrants))
    if tasks < 2:
        return p
    scores = totals.sum(axis=1) / sizes.sum(axis=1)
    shifts = (_resampled_scores(totals, sizes) - scores[:, None]) * sqrt(tasks / (tasks - 1))
    residuals = (totals - scores[:, None] * sizes) / sizes.sum(axis=1)[:, None]
    for a in range(entrants - 1):
        gaps = np.abs(scores[a + 1 :] - scores[a])
        p[a, a + 1 :] = np.maximum.reduce(
            [
                _resolved_share(shifts[a + 1 :] - shifts[a], gaps),
                _t_tail(residuals[a + 1 :] - residuals[a], gaps),
                _least(totals[a + 1 :] - totals[a], sizes[a + 1 :] - sizes[a]),
            ]
        )
    return np.minimum(p, p.T)


def _resampled_scores(totals: Floats, sizes: Floats) -> Floats:
    """The score of each entrant (row) in each resample (column), all on the same tasks. The seed is
    fixed, so that a board does not change when it is computed again."""
    random = np.random.default_rng(_SEED)
    tasks = totals.shape[1]
    blocks = []
    for start in range(0, _RESAMPLES, _BLOCK):
        times = _times_drawn(random, min(_BLOCK, _RESAMPLES - start), tasks)
        blocks.append((totals @ times.T) / (sizes @ times.T))
    return np.concatenate(blocks, axis=1)


def _times_drawn(random: np.random.Generator, resamples: int, tasks: int) -> Floats:
    draws = random.integers(tasks, size=(resamples, tasks))
    draws += np.arange(resamples)[:, None] * tasks
    times = np.bincount(draws.ravel(), minlength=resamples * tasks)
    return times.reshape(resamples, tasks).astype(np.float64)


def _resolved_share(deviations: Floats, gaps: Floats) -> Floats:
    np.abs(deviations, out=deviations)
    # Few distinct values occur, and many are equally far: rounding must not decide.
    counts = np.count_nonzero(deviations >= gaps[:, None] - _ROUNDING, axis=1)
    return np.where(counts >= _FEWEST, (counts + 1) / (_RESAMPLES + 1), 0.0)


def _t_tail(residuals: Floats, gaps: Floats) -> Floats:
    from scipy.special import stdtr

    tasks = residuals.shape[1]
    errors = np.sqrt(tasks / (tasks - 1) * np.square(residuals).sum(axis=1))
    # Without spread, a difference of zero is certain to be none and any other is certain to exist.
    certain = np.where(gaps > _ROUNDING, np.inf, 0.0)
    t = np.divide(gaps, errors, out=certain, where=errors > _ROUNDING)
    tail: Floats = 2 * stdtr(tasks - 1, -t)
    return tail


def _least(totals: Floats, sizes: Floats) -> Floats:
    differing = np.count_nonzero((np.abs(totals) > _ROUNDING) | (sizes != 0), axis=1)
    least: Floats = np.minimum(1.0, np.exp2(1.0 - differing))
    return least
