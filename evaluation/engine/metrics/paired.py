"""Tests whether entrants differ by more than chance, on the same clusters of tasks."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from itertools import chain
from math import inf, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.metrics.intervals import FEWEST, Floats, by_place, degrees
from evaluation.engine.metrics.swaps import DIGEST, UNKNOWN, Counts, Swaps
from evaluation.engine.records import TaskId

EntrantId: TypeAlias = int | str
# The cluster of each task.
Clusters: TypeAlias = Mapping[TaskId, EntrantId]

LEVEL = 0.05
_SEED = 1928
# The seeds are fixed, so that a board does not change when it is computed again. The number of
# draws plus 1 is divisible by 20, so that p <= 5 % has a chance of exactly 5 %.
_RESAMPLES, _SWAPS = 9_999, 1_999
# Draws per block, to limit memory with thousands of entrants.
_BLOCK = 500
# Differences below this are rounding errors: values lie in 0..1.
_ROUNDING = 1e-9
# The settings that repeat the tests elsewhere, with numpy's default generator.
DRAWS: Mapping[str, float] = {
    "seed": _SEED,
    "resamples": _RESAMPLES,
    "swaps": _SWAPS,
    "block": _BLOCK,
    "level": LEVEL,
}


@dataclass(frozen=True, slots=True)
class Showing:
    """One entrant's units by task (values in 0..1). `by_place`: a task's units have places, and the
    score is the mean over places of their means; otherwise it is the mean over units. Raises
    ValueError without tasks, or if a task has no units: a missing generation is wrong and therefore
    a unit of value 0."""

    entrant: EntrantId
    units: Mapping[TaskId, Sequence[float]]
    by_place: bool = False

    def __post_init__(self) -> None:
        if not self.units or not all(map(len, self.units.values())):
            raise ValueError(f"entrant {self.entrant} has no units, or none of some task")


@dataclass(frozen=True)
class Table:
    """The sums and the numbers of units by entrant, cluster and place. `tasks` has those by task,
    in the order of the clusters, and `counts` each cluster's number of tasks; both are None if each
    task is its own cluster, and with several places: 7 to 8 % of boards of 20 equal entrants had a
    false separation if their conversations counted."""

    totals: Floats
    sizes: Floats
    tasks: "Table | None" = None
    counts: NDArray[np.intp] | None = None

    @classmethod
    def of(cls, showings: Sequence[Showing], clusters: Clusters | None = None) -> "Table":
        """Without `clusters` each task is its own cluster. Raises ValueError if the entrants have
        different tasks."""
        tasks = showings[0].units.keys()
        for showing in showings:
            if showing.units.keys() != tasks:
                raise ValueError(
                    f"entrants {showings[0].entrant} and {showing.entrant} faced different tasks"
                )
        grouped: dict[EntrantId, list[TaskId]] = {}
        for task in sorted(tasks, key=numbers_first):
            grouped.setdefault(task if clusters is None else clusters[task], []).append(task)
        ordered = list(chain.from_iterable(grouped.values()))
        # The sum and the number of units by entrant, task (row) and place.
        sums = []
        for showing in showings:
            units = [showing.units[task] for task in ordered]
            if showing.by_place:
                sums.append(by_place([[values] for values in units]))
            else:
                rows = np.repeat(np.arange(len(ordered)), list(map(len, units)))
                bins = np.bincount(rows, list(chain.from_iterable(units))), np.bincount(rows)
                totals, sizes = (part.astype(np.float64)[:, None] for part in bins)
                sums.append((totals, sizes))
        parts = np.zeros((2, len(showings), len(ordered), max(t.shape[1] for t, _sizes in sums)))
        for row, pair in enumerate(sums):
            parts[:, row, :, : pair[0].shape[1]] = pair
        return cls(*parts).clustered(list(map(len, grouped.values())))

    def clustered(self, counts: Sequence[int]) -> "Table":
        """The tasks of this table in clusters of so many tasks each."""
        if len(counts) == self.clusters:
            return self
        starts = np.cumsum([0, *counts[:-1]])
        totals, sizes = (np.add.reduceat(part, starts, 1) for part in (self.totals, self.sizes))
        if totals.shape[2] > 1:
            return Table(totals, sizes)
        return Table(totals, sizes, self, np.array(counts))

    def select(self, rows: Sequence[int]) -> "Table":
        """These entrants, in this order."""
        tasks = None if self.tasks is None else self.tasks.select(rows)
        return Table(self.totals[rows], self.sizes[rows], tasks, self.counts)

    @property
    def scores(self) -> Floats:
        return published(self.totals.sum(axis=1), self.sizes.sum(axis=1))

    @property
    def clusters(self) -> int:
        return int(self.totals.shape[1])

    @property
    def by_cluster(self) -> tuple[Floats, Floats]:
        """The totals and the sizes, with the cluster as the first axis. The sizes are those of one
        entrant if they are the same for all."""
        sizes = self.sizes[:1] if (self.sizes == self.sizes[0]).all() else self.sizes
        totals, sizes = (np.ascontiguousarray(part.swapaxes(0, 1)) for part in (self.totals, sizes))
        return totals, sizes

    @property
    def shares(self) -> Floats:
        """By entrant, each cluster's share of the units; with places, of those that all have."""
        sizes: Floats = self.sizes[..., 0] / self.sizes[..., 0].sum(axis=1, keepdims=True)
        return sizes

    @property
    def whole(self) -> Floats:
        """By entrant, the share of the score that a cluster of mean size has, weighted by size;
        with places, its mean share of them. A place that few clusters reach makes it greater."""
        counts = self.sizes.sum(axis=1, keepdims=True)
        shares = np.divide(self.sizes, counts, where=counts > 0, out=np.zeros_like(self.sizes))
        sums: Floats = np.square(shares.sum(axis=2) / (counts > 0).sum(axis=2)).sum(axis=1)
        return sums

    @property
    def contributions(self) -> Floats:
        """By entrant, each cluster's part of the score. With places, it is the cluster's effect on
        the score (see `changes`) and its share of the score."""
        if self.totals.shape[2] == 1:
            parts: Floats = self.totals[..., 0] / self.sizes[..., 0].sum(axis=1, keepdims=True)
            return parts
        effects = -(self.clusters - 1) / self.clusters * self.changes.T
        return effects + self.scores[:, None] * self.shares

    @property
    def changes(self) -> Floats:
        """By cluster (row) and entrant, the score without this cluster less the score."""
        left, sizes = (part.sum(axis=1, keepdims=True) - part for part in (self.totals, self.sizes))
        return (published(left, sizes) - self.scores[:, None]).T

    @cached_property
    def variances(self) -> Floats:
        """By pair, the variance V of the difference of two scores that are truly equal: the sum of
        the squares of the clusters' contributions, plus what the greatest one in each direction
        lacks to w (r w + (1 - r) v). w is the contribution of a cluster of mean size (weighted by
        size) on which one entrant has everything and the other nothing, v that of such a task, and
        r the `likeness` of the tasks on which the one is better. Otherwise an entrant that fails a
        part of each task would be worse, in every sample without a failed task, than one with the
        same true score that fails a few whole tasks. The sum is at least what it would be if the
        mean of a cluster's tasks did not depend on their number: that a few large clusters have not
        failed is often chance."""
        parts, whole, tasks, counts = self.contributions, self.whole, self.tasks, self.counts
        variances = np.zeros((len(parts), len(parts)))
        if tasks is not None:
            of_tasks, single = tasks.contributions, tasks.whole
            by_cluster, by_task = self.shares, tasks.shares
        for entrant, part in enumerate(parts):
            apart = part - parts[entrant:]
            squares, lacking = np.square(apart).sum(axis=1), np.zeros(len(apart))
            size = (whole[entrant] + whole[entrant:]) / 2
            missing = [np.square(size)] * 2
            if tasks is not None and counts is not None:
                shares = (by_cluster[entrant] + by_cluster[entrant:]) / 2
                share = (by_task[entrant] + by_task[entrant:]) / 2
                leads = of_tasks[entrant] - of_tasks[entrant:]
                both, *alike = (
                    likeness(lead - lead.sum(axis=1, keepdims=True) * share, counts)
                    for lead in (leads, np.maximum(leads, 0.0), np.maximum(-leads, 0.0))
                )
                # Proportional to the variance of the mean of a cluster's tasks.
                spread = both[:, None] + (1 - both[:, None]) / counts
                of_means = np.square(apart / shares).sum(axis=1) / spread.sum(axis=1)
                squares = np.maximum(squares, of_means * (np.square(shares) * spread).sum(axis=1))
                small = (single[entrant] + single[entrant:]) / 2
                missing = [size * (r * size + (1 - r) * small) for r in alike]
            for ahead, square in zip((apart, -apart), missing, strict=True):
                lacking += np.maximum(0.0, square - np.square(np.maximum(ahead.max(axis=1), 0.0)))
            variances[entrant, entrant:] = squares + lacking
        return np.triu(variances) + np.triu(variances, 1).T

    @property
    def digests(self) -> list[bytes]:
        """By entrant. Two digests are equal only if every test gives both entrants the same
        result."""
        digests = []
        for totals, sizes in zip(self.totals, self.sizes, strict=True):
            # With the numbers of the places, so that a wider table of the same results has the
            # same digests.
            places = np.flatnonzero(sizes.any(axis=0))
            test = f"{_SEED} {_RESAMPLES} {_SWAPS} {self.clusters} {places.tolist()}".encode()
            result = test + bytes(totals[:, places]) + bytes(sizes[:, places])
            digests.append(blake2b(result, digest_size=DIGEST).digest())
        return digests


def numbers_first(key: int | str) -> tuple[bool, int, str]:
    return (False, key, "") if isinstance(key, int) else (True, 0, key)


def published(totals: Floats, sizes: Floats) -> Floats:
    """The mean of the places' means, over the places (the last axis) that have units."""
    if totals.shape[-1] == 1:
        return (totals / sizes)[..., 0]
    reached = sizes > 0
    ratios = np.divide(totals, sizes, out=np.zeros_like(totals), where=reached)
    means: Floats = ratios.sum(axis=-1) / reached.sum(axis=-1)
    return means


def p_values(
    table: Table,
    swaps: Swaps | None = None,
    maxima: Floats | None = None,
    margins: Floats | None = None,
) -> Floats:
    """Returns each pair's two-sided p-value, corrected for the number of pairs: square, 1 on the
    diagonal, and 1 for all pairs with fewer than `FEWEST` clusters. `margins` are differences that
    have other reasons than the entrants, by pair: see `raters.margins`. p is the greater one of
    two:

    - `joint_p_values`, which holds for all pairs of the board at once; `maxima` are its
      `joint_maxima`, if they are known;
    - the pair's own `swap_p_values`, exact for any number of clusters if the two results on each
      cluster are exchangeable. It is computed only where the first one is at most 5 %."""
    if len(table.totals) < 2 or table.clusters < FEWEST:
        return np.ones((len(table.totals), len(table.totals)))
    p = joint_p_values(table, joint_maxima(table, swaps) if maxima is None else maxima, margins)
    return np.maximum(p, swap_p_values(table, p <= LEVEL, swaps))


def joint_p_values(table: Table, maxima: Floats, margins: Floats | None = None) -> Floats:
    """A pair's p is the share of `maxima` that reach its `ratios`."""
    reached = len(maxima) - np.searchsorted(maxima, ratios(table, margins) - _ROUNDING)
    return np.minimum(1.0, (reached + 1) / (len(maxima) + 1))


def own_p_values(table: Table, margins: Floats | None = None) -> Floats:
    """Each pair's p without a correction: the share of all directions that reach its `ratios`. With
    even clusters it is that of Student's paired test."""
    # Lazy, as in `intervals`.
    from scipy.special import betainc

    p: Floats = betainc((table.clusters - 1) / 2, 0.5, 1 - np.square(ratios(table, margins)))
    return p


def ratios(table: Table, margins: Floats | None = None) -> Floats:
    """By pair, the difference of the scores over sqrt(T V), at most 1; T is the number of clusters
    and V is from `Table.variances`. The margin of a pair, an independent error, is subtracted from
    the square of its difference."""
    gaps = np.abs(table.scores[:, None] - table.scores)
    if margins is not None:
        gaps = np.sqrt(np.maximum(0.0, np.square(gaps) - np.square(margins)))
    of_pairs: Floats = np.minimum(1.0, gaps / np.sqrt(table.clusters * table.variances))
    return of_pairs


def likeness(effects: Floats, counts: NDArray[np.intp]) -> Floats:
    """By row, the correlation between tasks of one cluster, 0 to 1: 1 if the squares of the
    clusters' sums are as great as possible, or if the row does not show it. `effects` are by task,
    with mean 0, and `counts` the numbers of tasks of the clusters."""
    squares, clusters = np.square(effects), np.add.reduceat(effects, np.cumsum(counts) - counts, 1)
    of_tasks, most = squares.sum(axis=1), squares @ np.repeat(counts, counts)
    excess, shown = np.square(clusters).sum(axis=1) - of_tasks, most - of_tasks > _ROUNDING**2
    shares: Floats = np.divide(excess, most - of_tasks, where=shown, out=np.ones_like(most))
    return np.clip(shares, 0.0, 1.0)


def critical_difference(table: Table, maxima: Floats) -> float:
    """The difference above which the joint test separates two scores with the median of V. A
    difference adds its square to V, too: 1 / T of it with even clusters, which is subtracted here,
    and more with uneven ones. Infinite if no difference is great enough."""
    gaps = np.abs(table.scores[:, None] - table.scores)
    equal = table.variances - np.square(gaps) / table.clusters
    variance = table.clusters * float(np.median(equal[np.triu_indices(len(gaps), 1)]))
    ratio = float(maxima[len(maxima) - int(LEVEL * (len(maxima) + 1))])
    left = 1 - ratio**2 * (table.clusters * float(np.median(table.whole)) - 1)
    return ratio * sqrt(variance / left) if left > 0 else inf


def joint_maxima(
    table: Table, swaps: Swaps | None = None, directions: Iterable[Floats] | None = None
) -> Floats:
    """The greatest `ratio` of all pairs that chance gives, for each of many random directions, in
    ascending order: the contributions of the clusters to each difference are projected on a random
    direction, the same for all pairs. Each pair's ratio then has the same distribution, however
    much it varies, and with normal contributions the order of a pair's ratio among the maxima is
    exact for any number of clusters (random rotations: O. Langsrud, Statistics and Computing 15
    (2005) 53-60). One step of P. H. Westfall and S. S. Young, Resampling-Based Multiple Testing,
    1993. `swaps` supplies the maxima of an earlier board, to which new entrants add their pairs,
    and then holds those of this one. `directions` are the `rotations` for this number of clusters,
    if they are known."""
    swaps = swaps or Swaps()
    swaps.limit_to(table.digests)
    if not len(swaps.maxima):
        swaps.maxima = np.zeros(_RESAMPLES)
    joined = np.array([digest in swaps.joined for digest in swaps.digests])
    parts, factors = table.contributions[np.argsort(joined, kind="stable")], []
    for row in range(np.count_nonzero(~joined)):
        sums = np.square(parts[row] - parts[row + 1 :]).sum(axis=1)
        factors.append(np.sqrt(np.divide(1, sums, where=sums > 0, out=np.zeros_like(sums))))
    blocks_of_maxima = np.split(swaps.maxima, range(_BLOCK, _RESAMPLES, _BLOCK))
    drawn = rotations(table.clusters) if directions is None else directions
    for block, rows in zip(blocks_of_maxima, drawn, strict=True):
        projected = parts @ rows.T
        # One buffer for all rows: a new array for each would take most of the time.
        buffer = np.empty_like(projected)
        for row, factor in enumerate(factors):
            if len(factor):
                gaps = np.subtract(projected[row], projected[row + 1 :], out=buffer[row + 1 :])
                np.multiply(np.abs(gaps, out=gaps), factor[:, None], out=gaps)
                np.maximum(block, gaps.max(axis=0), out=block)
    swaps.joined = frozenset(swaps.digests)
    return np.sort(swaps.maxima)


def rotations(clusters: int) -> Iterator[Floats]:
    """Random directions (rows, of length 1), in blocks."""
    random = np.random.default_rng(_SEED)
    for size in blocks(_RESAMPLES):
        directions = random.standard_normal((size, clusters))
        yield directions / np.sqrt(np.square(directions).sum(axis=1, keepdims=True))


def freedom(sizes: Floats) -> float:
    """The degrees of freedom of a score's variance; `sizes` are by cluster and place."""
    reached = sizes[:, sizes.any(axis=0)]
    return degrees((reached / reached.sum(axis=0)).mean(axis=1))


def blocks(draws: int) -> Iterator[int]:
    for start in range(0, draws, _BLOCK):
        yield min(_BLOCK, draws - start)


def swap_p_values(table: Table, wanted: NDArray[np.bool_], swaps: Swaps | None = None) -> Floats:
    """Each wanted pair's permutation test: the two entrants' whole results on a cluster are swapped
    or not, by a fair coin, and the published difference is computed again. p is the share of swaps
    that reach the observed difference. E. J. G. Pitman, Supplement to the JRSS 4 (1937) 119-130; B.
    Phipson and G. K. Smyth, Statistical Applications in Genetics 9 (2010) 39. Other pairs have 0.
    `swaps` supplies the tests of an earlier board and then holds those of this one."""
    swaps = swaps or Swaps()
    swaps.limit_to(table.digests)
    missing = np.triu(wanted, 1) & (swaps.counts == UNKNOWN)
    if missing.any():
        counts = _counts_of_swaps(table, missing)
        swaps.counts = np.where(missing | missing.T, counts, swaps.counts)
    off_diagonal = wanted & ~np.eye(len(wanted), dtype=np.bool_)
    return np.where(off_diagonal, (swaps.counts + 1) / (_SWAPS + 1), 0.0)


def _counts_of_swaps(table: Table, missing: NDArray[np.bool_]) -> Counts:
    # Each pair once, as an entrant and several others: all pairs of a new entrant are together.
    rows, left, scores, parts = [], missing | missing.T, table.scores, table.by_cluster
    for entrant in map(int, np.argsort(-left.sum(axis=1), kind="stable")):
        others = np.flatnonzero(left[entrant])
        left[entrant] = left[:, entrant] = False
        if len(others):
            gaps = np.abs(scores[others] - scores[entrant]) - _ROUNDING
            rows.append((entrant, others, gaps))
    counts = np.zeros_like(missing, dtype=np.int16)
    shape, random = table.totals.shape, np.random.default_rng(_SEED)
    for draws in blocks(_SWAPS):
        coins = random.integers(2, size=(draws, table.clusters)).astype(np.float64)
        # The sums over the clusters that are swapped, by draw, entrant and place.
        swapped = [
            np.broadcast_to(np.tensordot(coins, part, 1), (draws, shape[0], shape[2]))
            for part in parts
        ]
        for entrant, others, gaps in rows:
            ours, theirs = [], []
            for part, away in zip((table.totals, table.sizes), swapped, strict=True):
                gained = away[:, others] - away[:, entrant, None]
                ours.append(part[entrant].sum(axis=0) + gained)
                theirs.append(part[others].sum(axis=1) - gained)
            reached = np.abs(published(*ours) - published(*theirs)) >= gaps
            counts[entrant, others] += np.count_nonzero(reached, axis=0).astype(np.int16)
    return counts + counts.T
