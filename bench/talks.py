"""Simulated static conversations: metrics of turns, from matrices of passed tests."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from bench.simulated import OF_TALK, Groups, Random, around, talk_lengths
from evaluation.engine.metrics.conversations import Matrix, TurnMetrics, turn_metrics

# Draws a conversation's matrix of passed tests from a chance that decides how much of it passes,
# its number of turns, and the share of instructions followed at their own turn.
Draw: TypeAlias = Callable[[Random, float, int, float], Matrix]
# Number of conversations of a population, steps of the search for its mean, and the mean's
# tolerance.
_POPULATION, _STEPS, _NEAR = 2_000, 16, 0.0005


def keeping(random: Random, rate: float, turns: int, _followed: float) -> Matrix:
    """Each turn follows each instruction so far with this chance, if it can at all."""
    return _matrix(random.random((turns, turns)) < rate)


def forgetting(random: Random, rate: float, turns: int, followed: float) -> Matrix:
    """An instruction that is followed at its own turn is failed later with this chance; the others
    are never followed, so that some turns have nothing to forget."""
    kept = random.random(turns) < followed
    later = random.random((turns, turns)) >= rate
    return _matrix(kept & (later | np.eye(turns, dtype=np.bool_)))


# The chance that an instruction is followed at its own turn: forgetting is rarely great otherwise.
_FOLLOWED, _NEARLY_ALL = 0.7, 0.995


def _matrix(passed: NDArray[np.bool_]) -> Matrix:
    turns = len(passed)
    whole = [bool(passed[turn, : turn + 1].all()) for turn in range(turns)]
    return Matrix(passed.tolist(), whole)


@dataclass(frozen=True, slots=True)
class Metric:
    draw: Draw
    of: Callable[[TurnMetrics], float | None]


METRICS: Mapping[str, Metric] = {
    "CA": Metric(keeping, lambda turn: turn.ca),
    "strict CA": Metric(keeping, lambda turn: turn.strict_ca),
    "IFR": Metric(forgetting, lambda turn: turn.ifr),
    "script IFR": Metric(forgetting, lambda turn: turn.script_ifr),
}


def conversations(metric: str, random: Random, talks: int, truth: float) -> Groups:
    """Conversations from a population in which turns have this mean."""
    population = _population(metric, truth)
    return [population[talk] for talk in random.integers(len(population), size=talks)]


@cache
def _population(metric: str, truth: float) -> Groups:
    """Finds the chance that gives this mean by bisection, with the same seed in each step."""
    low, high = 0.0, 1.0
    for _step in range(_STEPS):
        found = _with(metric, (low + high) / 2, _FOLLOWED if truth <= 0.5 else _NEARLY_ALL)
        turns = [value for talk in found for value in talk]
        if abs(sum(turns) / len(turns) - truth) < _NEAR:
            break
        low, high = (low, (low + high) / 2) if np.mean(turns) > truth else ((low + high) / 2, high)
    return found


def _with(metric: str, mean: float, followed: float) -> Groups:
    random, one = np.random.default_rng(zlib.crc32(metric.encode())), METRICS[metric]
    lengths = talk_lengths(random, _POPULATION)
    # Uses the same quantiles each time, so that the mean of the turns grows with `mean`.
    rates = np.sort(around(random, mean, OF_TALK, _POPULATION))
    seeds = random.integers(2**31, size=_POPULATION).tolist()
    found = []
    for length, rate, seed in zip(lengths, random.permutation(rates).tolist(), seeds, strict=True):
        turns = turn_metrics(one.draw(np.random.default_rng(seed), rate, length, followed))
        values = [one.of(turn) for turn in turns]
        found.append([value for value in values if value is not None])
    return found
