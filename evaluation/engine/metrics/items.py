"""Statistics of a board's tasks: how many entrants solve a task, and whether the strong ones do."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.records import TaskId

# Fewest entrants for a discrimination, and for the two-parameter model.
FEWEST, FEWEST_FOR_MODEL = 10, 200
# The rate of false alarms among flagged tasks.
LEVEL = 0.05
_SEED = 1963
# Only tasks whose approximate p is below the bound are permuted.
_PERMUTATIONS, _BOUND = 4_999, 0.02
_BLOCK = 2_000
_ROUNDING = 1e-9
# The model's quadrature nodes, iterations, and the spread of the weak priors.
_NODES, _ITERATIONS, _CONVERGED = 31, 100, 1e-3
_SLOPE_SPREAD, _INTERCEPT_SPREAD = 1.0, 3.0


@dataclass(frozen=True, slots=True)
class Item:
    """A task's statistics over `n` entrants.

    rate: the entrants' mean value, 0..1.
    discrimination: the correlation of an entrant's value with its mean over the other tasks, -1..1.
        None with fewer than `FEWEST` entrants, or if one of the two does not vary.
    flagged: the discrimination is below 0 over makers, and not by chance.
    slope, difficulty: those of the two-parameter model, from `FEWEST_FOR_MODEL` entrants on."""

    n: int
    rate: float
    discrimination: float | None = None
    flagged: bool = False
    slope: float | None = None
    difficulty: float | None = None


def items(
    rows: Sequence[Mapping[TaskId, float]], makers: Sequence[Hashable] | None = None
) -> dict[TaskId, Item]:
    """`rows` have an entrant's values by task, in 0..1, more is better; all have the same tasks.
    `makers` are those of the rows; without them each row has its own. A maker's models are alike,
    so that the flags are of the means by maker: twelve models of three makers are three results."""
    if not rows:
        return {}
    tasks = list(rows[0])
    values = np.array([[row[task] for task in tasks] for row in rows])
    n, rates = len(values), values.mean(axis=0)
    discriminations, flagged = discrimination(values)
    if makers is not None:
        places = {maker: place for place, maker in enumerate(dict.fromkeys(makers))}
        weights = np.zeros((len(places), n))
        weights[[places[maker] for maker in makers], range(n)] = 1
        _, flagged = discrimination(weights @ values / weights.sum(axis=1, keepdims=True))

    def defined(numbers: Floats) -> list[float | None]:
        return [None if isnan(number) else number for number in numbers.tolist()]

    model = map(defined, two_parameters(values))
    columns = rates.tolist(), defined(discriminations), flagged.tolist(), *model
    return {task: Item(n, *statistics) for task, *statistics in zip(tasks, *columns, strict=True)}


def discrimination(values: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The item-rest correlation by task (NaN if it is undefined), and whether it is negative at a
    false discovery rate of 5 %. `values` are by entrant (row) and task.

    F. M. Lord and M. R. Novick, Statistical Theories of Mental Test Scores (1968), chapter 15; Y.
    Benjamini and Y. Hochberg, JRSS B 57 (1995) 289-300. Each p is that of E. J. G. Pitman's
    permutation test on one side, Supplement to the JRSS 4 (1937) 225-232: the chance of so low a
    correlation if values and means are unrelated; 1 if it is undefined."""
    # Lazy, as in `intervals`.
    from scipy.special import stdtr
    from scipy.stats import false_discovery_control

    entrants, tasks = values.shape
    if entrants < FEWEST or tasks < 2:
        return np.full(tasks, np.nan), np.zeros(tasks, dtype=np.bool_)
    standard = _standard(values)
    rest = _standard((values.sum(axis=1)[:, None] - values) / (tasks - 1))
    correlations = (standard * rest).sum(axis=0)
    # An approximation by Student's t, and from it the tasks to permute.
    freedom = entrants - 2
    with np.errstate(divide="ignore", invalid="ignore"):
        p = stdtr(freedom, correlations * np.sqrt(freedom / (1 - np.square(correlations))))
    # A perfect correlation may be rounded to more than 1.
    p = np.where(correlations < 1, np.where(correlations <= -1 + _ROUNDING, 0, p), 1)
    near = np.flatnonzero(p <= _BOUND)
    random = np.random.default_rng(_SEED)
    reached = np.zeros(len(near), dtype=np.int64)
    for start in range(0, _PERMUTATIONS if len(near) else 0, _BLOCK):
        draws = min(_BLOCK, _PERMUTATIONS - start)
        orders = random.permuted(np.tile(np.arange(entrants), (draws, 1)), axis=1)
        for place, task in enumerate(near):
            drawn = standard[orders, task] @ rest[:, task]
            reached[place] += np.count_nonzero(drawn <= correlations[task] + _ROUNDING)
    p[near] = np.maximum(p[near], reached / _PERMUTATIONS)
    flagged: NDArray[np.bool_] = false_discovery_control(p) <= LEVEL
    return correlations, flagged


def _standard(values: Floats) -> Floats:
    """Centred columns of length 1; NaN in those that do not vary."""
    centred = values - values.mean(axis=0)
    lengths = np.sqrt(np.square(centred).sum(axis=0))
    standard: Floats = centred / np.where(lengths > _ROUNDING, lengths, np.nan)
    return standard


def two_parameters(values: Floats) -> tuple[Floats, Floats]:
    """Slope a and difficulty b by task of the logistic model: an entrant of ability x solves the
    task with a chance of 1 / (1 + exp(-a (x - b))), abilities are normal with mean 0 and variance
    1. A value between 0 and 1 counts as a share of a pass. NaN with fewer than `FEWEST_FOR_MODEL`
    entrants, and b if a task's slope is about 0.

    Marginal maximum likelihood by EM: R. D. Bock and M. Aitkin, Psychometrika 46 (1981) 443-459,
    with weak normal priors, so that tasks that all solve have finite values."""
    entrants, tasks = values.shape
    nothing = np.full(tasks, np.nan)
    if entrants < FEWEST_FOR_MODEL:
        return nothing, nothing
    nodes, weights = np.polynomial.hermite_e.hermegauss(_NODES)
    log_weights = np.log(weights / weights.sum())
    slopes = np.ones(tasks)
    share = np.clip(values.mean(axis=0), 0.5 / entrants, 1 - 0.5 / entrants)
    intercepts = np.log(share / (1 - share))
    for _iteration in range(_ITERATIONS):
        logits = nodes[:, None] * slopes + intercepts
        # log(1 - p) = log p - logit = -log(1 + exp(logit))
        failed = -np.logaddexp(0, logits)
        log_chance = values @ logits.T + failed.sum(axis=1) + log_weights
        # The chance of each node (column) by entrant.
        posterior = np.exp(log_chance - log_chance.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
        # The expected entrants by node, and their expected passes by node and task.
        counts, passes = posterior.sum(axis=0), posterior.T @ values
        # A step of Newton's method for all tasks.
        chance = 1 / (1 + np.exp(-logits))
        residuals = passes - counts[:, None] * chance
        spread = counts[:, None] * chance * (1 - chance)
        gradient_a = nodes @ residuals - (slopes - 1) / _SLOPE_SPREAD**2
        gradient_b = residuals.sum(axis=0) - intercepts / _INTERCEPT_SPREAD**2
        curve_aa = np.square(nodes) @ spread + 1 / _SLOPE_SPREAD**2
        curve_ab = nodes @ spread
        curve_bb = spread.sum(axis=0) + 1 / _INTERCEPT_SPREAD**2
        determinant = curve_aa * curve_bb - np.square(curve_ab)
        step_a = (curve_bb * gradient_a - curve_ab * gradient_b) / determinant
        step_b = (curve_aa * gradient_b - curve_ab * gradient_a) / determinant
        before = slopes
        # Shorten the step where the quadratic approximation is poor.
        slopes = slopes + np.clip(step_a, -1, 1)
        intercepts = intercepts + np.clip(step_b, -2, 2)
        if np.abs(slopes - before).max() < _CONVERGED:
            break
    steep = np.abs(slopes) > 0.05
    return slopes, np.where(steep, -intercepts / np.where(steep, slopes, 1), np.nan)
