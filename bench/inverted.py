"""How often boards flag the task with inverted tests, and how often they flag other tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from bench.simulated import Random
from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.items import LEVEL, items

ENTRANTS, TASKS, SLOPE = (12, 20, 40, 200), 60, -2.0
# Models of a maker in the boards of families, and the share of a model's results that are not
# those of its family.
OF_MAKER, _OWN = 4, 0.05
# Number of tasks that do not separate entrants.
_USELESS = 12
# Number of Monte Carlo errors by which the share of false flags may exceed the level.
_ERRORS = 2.0


@dataclass(frozen=True, slots=True)
class Inversion:
    """`found`: the share of boards that flag the inverted task; `false`: the mean share of a
    board's flags that are of other tasks, with its Monte Carlo error."""

    entrants: int
    makers: int
    boards: int
    found: float
    false: float
    error: float

    @property
    def holds(self) -> bool:
        return self.false <= LEVEL + _ERRORS * self.error


def inversions(boards: int) -> Iterator[Inversion]:
    for entrants, makers in [(n, n) for n in ENTRANTS] + [(n, n // OF_MAKER) for n in ENTRANTS]:
        random = np.random.default_rng([entrants, makers])
        flags = np.array([_flags(random, entrants, makers) for _ in range(boards)])
        false = flags[:, :-1].sum(axis=1) / np.maximum(1, flags.sum(axis=1))
        error = max(float(false.std()), sqrt(LEVEL * (1 - LEVEL)) / 2) / sqrt(boards)
        found = float(flags[:, -1].mean())
        yield Inversion(entrants, makers, boards, found, float(false.mean()), error)


def _flags(random: Random, entrants: int, makers: int) -> list[bool]:
    values = _board(random, makers)[np.arange(entrants) * makers // entrants]
    if makers < entrants:
        values = np.where(random.random(values.shape) < _OWN, 1 - values, values)
    rows = [dict(enumerate(row)) for row in values.tolist()]
    own = [n * makers // entrants for n in range(entrants)]
    return [item.flagged for item in items(rows, own).values()]


def _board(random: Random, entrants: int) -> Floats:
    """Results by entrant and task; the last task is inverted."""
    slopes = random.lognormal(0, 0.3, TASKS)
    slopes[:_USELESS], slopes[-1] = 0, SLOPE
    logits = slopes * (random.normal(size=(entrants, 1)) - random.normal(size=TASKS))
    return (random.random(logits.shape) < 1 / (1 + np.exp(-logits))).astype(np.float64)


HEAD = ("entrants", "makers", "boards", "found", "false", "error of false")


def row(one: Inversion) -> Sequence[str]:
    false = (f"{share * 100:.1f}" for share in (one.false, one.error))
    return [str(one.entrants), str(one.makers), str(one.boards), f"{one.found * 100:.0f}", *false]
