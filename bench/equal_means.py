"""How often two entrants with equal true scores, but unlike results, are told apart."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from bench.simulated import Random, skewed_sizes
from evaluation.engine.metrics.differences import difference_interval
from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.paired import LEVEL, Table, own_p_values, swap_p_values

CLUSTERS = (12, 20, 27, 50, 164, 400)
# The share that each entrant loses.
LOST = 0.05
TESTS = 10
# Maximum share of boards with a difference, from FROM clusters on; Monte Carlo errors on top.
MOST, FROM, ERRORS = 0.07, 20, 2.0
COVERED = 0.93


def of_all(_random: Random, sizes: Sequence[int]) -> Floats:
    """Loses a part of the tests of every task."""
    return np.full(sum(sizes), 1 - LOST)


def of_tests(random: Random, sizes: Sequence[int]) -> Floats:
    """Loses single tests by chance."""
    return random.binomial(TESTS, 1 - LOST, sum(sizes)) / TESTS


def of_tasks(random: Random, sizes: Sequence[int]) -> Floats:
    return (random.random(sum(sizes)) >= LOST) * 1.0


def of_clusters(random: Random, sizes: Sequence[int]) -> Floats:
    return np.repeat((random.random(len(sizes)) >= LOST) * 1.0, sizes)


def _single(_random: Random, clusters: int) -> list[int]:
    return [1] * clusters


def _heavy(random: Random, clusters: int) -> list[int]:
    return [int(size) for size in np.ceil(1 + random.pareto(1.2, clusters))]


_Losses = Callable[[Random, Sequence[int]], Floats]
DESIGNS: Mapping[str, tuple[Callable[[Random, int], list[int]], _Losses, _Losses]] = {
    "a part of every task or whole tasks": (_single, of_all, of_tasks),
    "a part of every task or whole tasks, uneven repositories": (skewed_sizes, of_all, of_tasks),
    "a part of every task or whole repositories": (skewed_sizes, of_all, of_clusters),
    "whole tasks or whole repositories": (skewed_sizes, of_tasks, of_clusters),
    "single tests or whole tasks, uneven repositories": (skewed_sizes, of_tests, of_tasks),
    "single tests or whole repositories": (skewed_sizes, of_tests, of_clusters),
    "a part of every task or whole repositories, a few of them large": (
        *(_heavy, of_all, of_clusters),
    ),
}


@dataclass(frozen=True, slots=True)
class Equality:
    """The share of samples on which the two differ at 5 %, by both tests of a pair; the share of
    the shown intervals that contain 0; and the share of samples with an interval."""

    design: str
    clusters: int
    replicates: int
    differing: float
    covered: float | None
    shown: float

    @property
    def error(self) -> float:
        return sqrt(MOST * (1 - MOST) / self.replicates)

    @property
    def holds(self) -> bool:
        few = self.clusters < FROM or self.differing <= MOST + ERRORS * self.error
        return few and (self.covered is None or self.covered >= COVERED - ERRORS * self.error)


def equalities(replicates: int) -> Iterator[Equality]:
    for design in DESIGNS:
        for clusters in CLUSTERS:
            yield equality(design, clusters, replicates)


def equality(design: str, clusters: int, replicates: int) -> Equality:
    random = np.random.default_rng([zlib.crc32(design.encode()), clusters])
    sizes_of, first, second = DESIGNS[design]
    differing, covered = 0, []
    for _ in range(replicates):
        sizes = sizes_of(random, clusters)
        totals = np.stack([first(random, sizes), second(random, sizes)])[..., None]
        table = Table(totals, np.ones_like(totals)).clustered(sizes)
        differ = own_p_values(table)[0, 1] <= LEVEL
        differing += bool(differ and swap_p_values(table, ~np.eye(2, dtype=bool))[0, 1] <= LEVEL)
        low, high = difference_interval(table, 0, 1)
        if low is not None and high is not None:
            covered.append(low <= 0 <= high)
    share = float(np.mean(covered)) if covered else None
    shown = len(covered) / replicates
    return Equality(design, clusters, replicates, differing / replicates, share, shown)


HEAD = ("design", "clusters", "samples", "differing", "covered", "with an interval")


def row(one: Equality) -> Sequence[str]:
    covered = "" if one.covered is None else f"{one.covered * 100:.1f}"
    shares = (f"{one.differing * 100:.1f}", covered, f"{one.shown * 100:.0f}")
    return [one.design, str(one.clusters), str(one.replicates), *shares]
