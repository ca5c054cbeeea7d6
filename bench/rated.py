"""Simulated panels of raters: means of marks, and how far the raters agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from math import sqrt

import numpy as np

from bench.simulated import MARKS, OF_TASK, Random, around
from evaluation.engine.metrics.agreement import Item, ordinal_alpha
from evaluation.engine.metrics.intervals import Floats, Interval
from evaluation.engine.metrics.panel import panel_mean

# Raters of a panel, and raters of each generation.
PANELS, OF_EACH = (3, 25), 3
# How far raters differ, as a multiple of rate * (1 - rate).
_LENIENCY = 0.5


def rated(raters: int, random: Random, tasks: int, truth: float) -> list[Item]:
    """One generation of each task, with marks from 1 to MARKS + 1 by three of the raters. The mean
    mark over tasks and raters is 1 + MARKS * truth; if there are only three raters, over tasks and
    these three."""
    rates = around(random, truth, OF_TASK, tasks)
    if raters == OF_EACH:
        leniency = np.linspace(-_LENIENCY, _LENIENCY, raters)
    else:
        leniency = random.uniform(-2 * _LENIENCY, 2 * _LENIENCY, raters)
    who = random.random((tasks, raters)).argsort(axis=1)[:, :OF_EACH]
    own = rates[:, None] + leniency[who] * (rates * (1 - rates))[:, None]
    marks = 1 + random.binomial(MARKS, own)
    return [
        Item(task, dict(zip(map(str, people), given, strict=True)))
        for task, (people, given) in enumerate(zip(who.tolist(), marks.tolist(), strict=True))
    ]


def marks_of_three(random: Random, rates: Floats) -> Floats:
    """The mean share of the scale by the same three raters. Their leniencies sum to 0."""
    leniency = np.linspace(-_LENIENCY, _LENIENCY, OF_EACH)
    own = rates[:, None] + leniency * (rates * (1 - rates))[:, None]
    found: Floats = random.binomial(MARKS, own).mean(axis=1) / MARKS
    return found


def panel_interval(raters: int, random: Random, tasks: int, truth: float) -> Interval:
    """The interval in shares of the scale."""
    found = panel_mean(rated(raters, random, tasks, truth), MARKS + 1)
    assert found.value is not None
    low, high = (None if one is None else (one - 1) / MARKS for one in (found.low, found.high))
    return Interval((found.value - 1) / MARKS, low, high, found.items, found.tasks)


# --- Agreement ----------------------------------------------------------------------------

# Noise of single marks, around values with a standard deviation of 1. The second noise gives an
# alpha of 0.649, for which the gate must stay closed.
NOISE, REQUIRED = (1.05, 0.6213, 0.25), 0.667
LEVEL, LEAST, ERRORS = 0.05, 0.93, 2.0
# The share of bad generations on a scale whose other marks are nearly all the best one, and the
# noise.
BAD, _OF_BAD = 0.03, 0.3
ORDINARY, CEILING = "values around the middle", f"{BAD * 100:g} % bad, the others near the top"
# Numbers of tasks in the second design.
FEW_BAD = (30, 100, 164)
# Number of tasks from which the true agreement is computed.
_MANY = 200_000
# Fewer intervals say nothing of their coverage.
ENOUGH = 20


@dataclass(frozen=True, slots=True)
class Agreed:
    """The result of `panels` simulated panels, as shares: of intervals that contain the true
    agreement (None for fewer than ENOUGH intervals), of panels with an interval, and of panels
    whose interval begins at or above REQUIRED."""

    design: str
    true: float
    tasks: int
    panels: int
    covered: float | None
    shown: float
    passed: float

    @property
    def error(self) -> float:
        return sqrt(LEVEL * (1 - LEVEL) / self.panels)

    @property
    def holds(self) -> bool:
        """If the true agreement is below REQUIRED, the gate may open only by chance."""
        closed = self.true >= REQUIRED or self.passed <= LEVEL + ERRORS * self.error
        return (self.covered is None or self.covered >= LEAST) and closed


def agreements(panels: int, clusters: Sequence[int]) -> Iterator[Agreed]:
    for design, noise in [*((ORDINARY, noise) for noise in NOISE), (CEILING, _OF_BAD)]:
        true = _true(design, noise)
        for tasks in clusters if design == ORDINARY else FEW_BAD:
            yield _agreed(design, noise, true, tasks, panels)


def _agreed(design: str, noise: float, true: float, tasks: int, panels: int) -> Agreed:
    random = np.random.default_rng([tasks, int(noise * 10_000)])
    found = [ordinal_alpha(_marked(random, tasks, noise, design)) for _ in range(panels)]
    ends = [(one.low, one.high) for one in found if one.low is not None and one.high is not None]
    within = sum(low <= true <= high for low, high in ends)
    covered = within / len(ends) if len(ends) >= ENOUGH else None
    passed = sum(low >= REQUIRED for low, _high in ends) / panels
    return Agreed(design, true, tasks, panels, covered, len(ends) / panels, passed)


def _marked(random: Random, tasks: int, noise: float, design: str = ORDINARY) -> list[Item]:
    marks = _marks(random, tasks, noise, design).astype(int).tolist()
    return [Item(task, dict(zip("abc", own, strict=True))) for task, own in enumerate(marks)]


def _marks(random: Random, tasks: int, noise: float, design: str) -> Floats:
    values = random.normal((MARKS + 2) / 2, 1, (tasks, 1))
    if design == CEILING:
        values = np.where(random.random((tasks, 1)) < BAD, 1.5, MARKS + 1.0)
    marks: Floats = np.clip(
        np.rint(values + random.normal(0, noise, (tasks, OF_EACH))), 1, MARKS + 1
    )
    return marks


def _true(design: str, noise: float) -> float:
    """Alpha in a large panel with one item for each task."""
    marks = _marks(np.random.default_rng(99), _MANY, noise, design)
    rows, counts = np.unique(marks, axis=0, return_counts=True)
    joint = np.zeros((MARKS + 1, MARKS + 1))
    for own, count in zip(rows.astype(int) - 1, counts.tolist(), strict=True):
        for one, other in permutations(own.tolist(), 2):
            joint[one, other] += count
    # Raters do not differ, so that the chance of a pair is that of any two marks.
    margins = joint.sum(axis=0)
    values = np.cumsum(margins) - margins / 2
    apart, chance = np.square(values[:, None] - values), np.outer(margins, margins) / joint.sum()
    return float(1 - (joint * apart).sum() / (chance * apart).sum())


HEAD = ("marks", "true value", "tasks", "panels", "covered", "with an interval", "passed")


def row(one: Agreed) -> Sequence[str]:
    covered = "" if one.covered is None else f"{one.covered * 100:.1f}"
    shares = (f"{one.shown * 100:.0f}", f"{one.passed * 100:.1f}")
    return [one.design, f"{one.true:.3f}", str(one.tasks), str(one.panels), covered, *shares]
