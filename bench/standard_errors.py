"""How well the two parts of a standard error are recovered, where both are known."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from bench.simulated import SAMPLES, TASKS, Random
from evaluation.engine.metrics.intervals import Floats, error_parts
from evaluation.engine.metrics.passk import pass_at_k, run_variance

KS, TRUTHS = (1, 5), (0.5, 0.9)
DESIGNS = ("mixed tasks", "even clusters", "skewed clusters")
# Maximum relative difference between the mean shown and the truth.
MOST = 0.1
# The true part of the tasks is the spread of this many times as many scores as replicates.
_MORE = 5
# Minimum share of results with parts: with fewer, their mean says nothing.
_LEAST_SHOWN = 0.1


@dataclass(frozen=True, slots=True)
class Recovery:
    """Standard errors of a score from the tasks and from run to run: the mean of those shown (None
    if there are none), and the true ones. `part` is the share of results that show any."""

    k: int
    design: str
    clusters: int
    truth: float
    shown: tuple[float, float] | None
    part: float
    true: tuple[float, float]
    replicates: int

    @property
    def error(self) -> float:
        """The Monte Carlo error of the true part of the tasks, as a share of it."""
        return 1 / sqrt(2 * _MORE * self.replicates)

    @property
    def holds(self) -> bool:
        return self.shown is None or all(
            abs(shown / true - 1) <= MOST + 2 * self.error
            for shown, true in zip(self.shown, self.true, strict=True)
        )


def recoveries(replicates: int, clusters: tuple[int, ...]) -> Iterator[Recovery]:
    for k in KS:
        for design in DESIGNS:
            for number in clusters:
                for truth in TRUTHS:
                    yield recovery(k, design, number, truth, replicates)


def recovery(k: int, design: str, clusters: int, truth: float, replicates: int) -> Recovery:
    random = np.random.default_rng([zlib.crc32(design.encode()), k, clusters, int(truth * 100)])
    counts = np.arange(SAMPLES + 1)
    values = np.array([pass_at_k(SAMPLES, c, k) for c in counts.tolist()], dtype=np.float64)
    noises = np.array([run_variance(SAMPLES, c, k) for c in counts.tolist()], dtype=np.float64)
    shown, means, variances = [], [], []
    for _ in range(replicates):
        groups = TASKS[design](_rates, random, clusters, truth)
        rates = np.concatenate([np.array(group) for group in groups])
        variances.append(_noise(rates, k, values).sum() / len(rates) ** 2)
        right = [random.binomial(SAMPLES, _once(np.array(group), k)) for group in groups]
        found = error_parts([list(zip(values[c], noises[c], strict=True)) for c in right])
        if found is not None:
            shown.append((found.tasks, found.runs))
    for _ in range(_MORE * replicates):
        groups = TASKS[design](_rates, random, clusters, truth)
        means.append(sum(map(sum, groups)) / sum(map(len, groups)))
    true = float(np.std(means)), sqrt(float(np.mean(variances)))
    part, found_parts = len(shown) / replicates, None
    if part >= _LEAST_SHOWN:
        tasks, runs = np.mean(shown, axis=0).tolist()
        found_parts = tasks, runs
    return Recovery(k, design, clusters, truth, found_parts, part, true, replicates)


def _rates(_random: Random, rates: Floats) -> Floats:
    return rates


def _once(rates: Floats, k: int) -> Floats:
    """The chance that one sample passes, if `rates` are the chances that at least one of k samples
    passes."""
    return 1 - (1 - rates) ** (1 / k)


def _noise(rates: Floats, k: int, values: Floats) -> Floats:
    """By task, the variance of pass@k over all possible samples."""
    from scipy.stats import binom

    chances = binom.pmf(np.arange(SAMPLES + 1), SAMPLES, _once(rates, k)[:, None])
    found: Floats = chances @ values**2 - (chances @ values) ** 2
    return found


HEAD = (
    *("metric", "design", "clusters", "true value", "tasks: shown", "tasks: true"),
    *("runs: shown", "runs: true", "with parts"),
)


def row(one: Recovery) -> Sequence[str]:
    shown = ["", ""] if one.shown is None else [f"{part * 100:.2f}" for part in one.shown]
    true = [f"{part * 100:.2f}" for part in one.true]
    part = f"{0 if one.shown is None else one.part * 100:.0f}"
    both = (shown[0], true[0], shown[1], true[1])
    return [f"pass@{one.k}", one.design, str(one.clusters), f"{one.truth:g}", *both, part]
