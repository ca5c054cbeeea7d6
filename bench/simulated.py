"""Simulated boards with known true values in 0..1; no benchmark's data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from evaluation.engine.metrics.agreement import Item
from evaluation.engine.metrics.intervals import Floats
from evaluation.engine.metrics.paired import Table
from evaluation.engine.metrics.raters import Raters, margins, variance_between, weights_of

Random: TypeAlias = np.random.Generator
# Each cluster's conversations or tasks, each with its values by place, or one cluster's units.
Groups: TypeAlias = list[list[float]]

SAMPLES, TESTS, MARKS, RATERS, MOST_PAIRS = 10, 7, 3, 3, 6
# Number of declared tests if TESTS tests run.
_DECLARED = 4
# The correlation of results of one task, of one conversation, and of one cluster's tasks.
OF_TASK, OF_TALK, OF_CLUSTER = 0.5, 0.3, 0.25
# Standard deviations in marks on a scale from 1 to TOP: of tasks and of an entrant's generations,
# of raters, and of single marks.
TOP, OF_QUALITY, OF_RATERS, OF_NOISE = 4, 0.5, 0.3, 0.6


def around(random: Random, mean: Floats | float, correlation: float, size: object = None) -> Floats:
    """Probabilities with this mean; two trials with the same probability have this correlation."""
    strength = 1 / correlation - 1
    mean = np.clip(mean, 1e-9, 1 - 1e-9)
    return np.clip(random.beta(mean * strength, (1 - mean) * strength, size), 0.0, 1.0)


def single(random: Random, rates: Floats) -> Floats:
    return (random.random(rates.shape) < rates).astype(np.float64)


def repeated(random: Random, rates: Floats) -> Floats:
    return random.binomial(SAMPLES, rates) / SAMPLES


def best_of_five(random: Random, rates: Floats) -> Floats:
    """pass@5 of ten samples; a rate is the chance that one of five passes."""
    right = random.binomial(SAMPLES, 1 - (1 - rates) ** 0.2)
    left = SAMPLES - right[..., None] - np.arange(5)
    return 1 - np.prod(np.maximum(left, 0) / (SAMPLES - np.arange(5)), axis=-1)


def share_of_tests(random: Random, rates: Floats) -> Floats:
    return random.binomial(TESTS, rates) / TESTS


def weighted_tests(random: Random, rates: Floats) -> Floats:
    """As in aix-bench, where more tests may run than were declared: a share of up to 7/4."""
    return random.binomial(TESTS, rates * _DECLARED / TESTS) / _DECLARED


def mean_mark(random: Random, rates: Floats) -> Floats:
    return random.binomial(MARKS * RATERS, rates) / (MARKS * RATERS)


Values: TypeAlias = Callable[[Random, Floats], Floats]


def of_two(values: Values, share: float) -> Values:
    """The values of two entrants on the last axis; the second one's rates are this share of the
    first one's."""
    return lambda random, rates: np.stack(
        [values(random, rates), values(random, rates * share)], axis=-1
    )


METRICS: Mapping[str, Values] = {
    "pass@1, one sample": single,
    "pass@1, ten samples": repeated,
    "pass@5, ten samples": best_of_five,
    "share of tests": share_of_tests,
    "share of declared tests, up to 7/4": weighted_tests,
    "mean mark": mean_mark,
}


def alike(values: Values, random: Random, tasks: int, truth: float) -> Groups:
    """Tasks that are equally hard."""
    return [[value] for value in values(random, np.full(tasks, truth)).tolist()]


def mixed(values: Values, random: Random, tasks: int, truth: float) -> Groups:
    rates = around(random, truth, OF_TASK, tasks)
    return [[value] for value in values(random, rates).tolist()]


def even_sizes(_random: Random, clusters: int) -> list[int]:
    return [8] * clusters


def skewed_sizes(random: Random, clusters: int) -> list[int]:
    """As in RealCode: most repositories have a few tasks, some have dozens."""
    return [int(size) for size in np.ceil(random.lognormal(1.5, 1.0, clusters))]


def clustered(
    sizes: Callable[[Random, int], list[int]],
    values: Values,
    random: Random,
    clusters: int,
    truth: float,
) -> Groups:
    counts = sizes(random, clusters)
    rates = np.repeat(around(random, truth, OF_CLUSTER, clusters), counts)
    return split(values(random, around(random, rates, OF_TASK)), counts)


def split(values: Floats, sizes: Sequence[int]) -> Groups:
    return [part.tolist() for part in np.split(values, np.cumsum(sizes)[:-1])]


Lengths: TypeAlias = Callable[[Random, int], list[int]]


def talk_lengths(random: Random, talks: int) -> list[int]:
    """From 2 to 10 turns; few conversations are long."""
    return [2 + int(length) for length in random.binomial(8, 0.3, talks)]


def six_turns(_random: Random, talks: int) -> list[int]:
    return [6] * talks


def turns(
    lengths: Lengths, random: Random, talks: int, truth: float, values: Values = single
) -> Groups:
    counts = lengths(random, talks)
    rates = np.repeat(around(random, truth, OF_TALK, talks), counts)
    return split(values(random, rates), counts)


def pairs_of_turns(lengths: Lengths, random: Random, talks: int, truth: float) -> Groups:
    return [in_pairs(talk) for talk in turns(lengths, random, talks, truth)]


def pairs_in_projects(
    sizes: Callable[[Random, int], list[int]], random: Random, projects: int, truth: float
) -> list[Groups]:
    """By project: its conversations, with values by pair of turns."""
    counts = sizes(random, projects)
    rates = np.repeat(around(random, truth, OF_CLUSTER, projects), counts)
    lengths = random.integers(3, 7, len(rates))
    values = random.binomial(2, around(random, rates, OF_TALK)[:, None], (len(rates), 6)) / 2
    talks = [row[:length] for row, length in zip(values.tolist(), lengths.tolist(), strict=True)]
    ends = np.cumsum(counts).tolist()
    return [talks[end - count : end] for end, count in zip(ends, counts, strict=True)]


def in_pairs(talk: Sequence[float]) -> list[float]:
    return [sum(pair) / len(pair) for pair in (talk[i : i + 2] for i in range(0, len(talk), 2))]


TASKS: Mapping[str, Callable[[Values, Random, int, float], Groups]] = {
    "tasks alike": alike,
    "mixed tasks": mixed,
    "even clusters": partial(clustered, even_sizes),
    "skewed clusters": partial(clustered, skewed_sizes),
}


# Number of boards from which the effect of a gain is estimated.
_PILOTS = 100
# Number of tasks from which the effect of a gain is estimated if people rate.
_MANY = 20_000


# --- Boards -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Design:
    """A board: the sizes of its clusters (drawn again for each board), the values of a task, and
    whether the values of a cluster have places."""

    title: str
    sizes: Callable[[Random], Sequence[int]]
    values: Values
    by_place: bool = False
    mean: float = 0.5
    # Whether one entrant's results are more alike from task to task than another's.
    unlike: bool = False

    def board(
        self, random: Random, entrants: int, gains: Floats | float = 0.0
    ) -> tuple[Table, None]:
        """The table of results; without margins, which only ratings have."""
        return self.table(random, entrants, gains), None

    def table(self, random: Random, entrants: int, gains: Floats | float = 0.0) -> Table:
        """The results of entrants that are equally good on average, plus their gains. How good each
        one is on a cluster and on a task varies by chance."""
        rates, row = self.rates(random, entrants, gains)
        made = self._placed if self.by_place else self._plain
        return made(random, rates, row)

    def gain_for(self, random: Random, difference: float) -> float | None:
        """The gain, below 0, that makes one entrant truly worse by `difference` than another. It
        may be larger in size than the difference, because a rate cannot fall below 0. None if no
        gain does that."""
        for gain in np.linspace(difference, 1.0, 41):
            pairs = [self.rates(random, 2, np.array([-gain, 0.0]))[0] for _ in range(_PILOTS)]
            if np.mean([own.mean() - worse.mean() for worse, own in pairs]) >= difference:
                return float(-gain)
        return None

    def rates(
        self, random: Random, entrants: int, gains: Floats | float
    ) -> tuple[Floats, NDArray[np.intp]]:
        """The rates by entrant (row) and task, and the cluster of each task."""
        sizes = self.sizes(random)
        row = np.repeat(np.arange(len(sizes)), sizes)
        means = around(random, self.mean, OF_CLUSTER, len(sizes))[row]
        common = around(random, means, OF_CLUSTER)
        if self.unlike:
            strengths = np.resize([0.02, 0.9, 0.1, 0.5], entrants)
            common = np.stack([around(random, common, one) for one in strengths])
        own = np.broadcast_to(np.asarray(gains)[..., None], (entrants, len(row)))
        bias = around(random, 0.5, 0.05, (entrants, len(sizes)))[:, row] - 0.5
        return np.clip(common + own + bias, 0, 1), row

    def _plain(self, random: Random, rates: Floats, row: NDArray[np.intp]) -> Table:
        totals = self.values(random, rates)[..., None]
        return Table(totals, np.ones_like(totals)).clustered(np.bincount(row).tolist())

    def _placed(self, random: Random, rates: Floats, row: NDArray[np.intp]) -> Table:
        """Conversations. Their lengths are drawn for each entrant, because on real boards an
        entrant's own results decide them."""
        lengths = 1 + random.binomial(MOST_PAIRS - 1, 0.3, rates.shape)
        reached = np.arange(MOST_PAIRS) < lengths[..., None]
        values = random.binomial(2, rates[..., None], reached.shape) / 2
        table = Table(np.where(reached, values, 0.0), reached.astype(np.float64))
        return table.clustered(np.bincount(row).tolist())


@dataclass(frozen=True, slots=True)
class RatedDesign:
    """A board that people rate, on one scale: `panels(random, entrants, tasks)` has the raters of
    each generation by entrant and task (the last axis)."""

    title: str
    panels: Callable[[Random, int, int], NDArray[np.intp]]
    tasks: int = 100

    def board(
        self, random: Random, entrants: int, gains: Floats | float = 0.0
    ) -> tuple[Table, Floats]:
        """The marks, and the margins of all pairs. Entrants, tasks and raters differ by chance;
        gains are shares of the scale."""
        raters, marks = self.marked(random, entrants, gains)
        items = [_items(*one) for one in zip(raters.tolist(), marks.tolist(), strict=True)]
        totals = (marks.mean(axis=-1)[..., None] - 1) / (TOP - 1)
        return Table(totals, np.ones_like(totals)), margins(_panels(items))

    def gain_for(self, random: Random, difference: float) -> float | None:
        """As `Design.gain_for`; here no mark can fall below 1."""
        many = replace(self, tasks=_MANY)
        for gain in np.linspace(difference, 1.0, 41):
            _raters, marks = many.marked(random, 2, np.array([-gain, 0.0]))
            worse, own = (marks.mean(axis=(1, 2)) - 1) / (TOP - 1)
            if own - worse >= difference:
                return float(-gain)
        return None

    def marked(
        self, random: Random, entrants: int, gains: Floats | float
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Raters and marks by entrant, task and place."""
        raters = self.panels(random, entrants, self.tasks)
        leniency = random.normal(0, OF_RATERS, raters.max() + 1)
        quality = random.normal(0, OF_QUALITY, (entrants, self.tasks))
        quality = quality + (TOP - 1) * np.asarray(gains)[..., None]
        value = quality + random.normal(0, OF_QUALITY, self.tasks) + (TOP + 1) / 2
        noise = random.normal(0, OF_NOISE, raters.shape)
        marks = np.clip(np.rint(value[..., None] + leniency[raters] + noise), 1, TOP)
        return raters, marks.astype(np.intp)


def _items(raters: list[list[int]], marks: list[list[int]]) -> list[Item]:
    pairs = enumerate(zip(raters, marks, strict=True))
    return [Item(task, dict(zip(map(str, who), own, strict=True))) for task, (who, own) in pairs]


def _panels(items: Sequence[Sequence[Item]]) -> list[Raters]:
    """Entrants with some rater in common were rated in one campaign."""
    weights = [weights_of(own) for own in items]
    spreads: dict[tuple[int, ...], tuple[float | None, int]] = {}
    found = []
    for mine in weights:
        campaign = tuple(n for n, theirs in enumerate(weights) if mine.keys() & theirs)
        if campaign not in spreads:
            every = [item for n in campaign for item in items[n]]
            spreads[campaign] = variance_between(every, TOP)
        found.append(Raters(mine, *spreads[campaign]))
    return found


def same_three(_random: Random, entrants: int, tasks: int) -> NDArray[np.intp]:
    return np.broadcast_to(np.arange(3), (entrants, tasks, 3))


def own_three(_random: Random, entrants: int, tasks: int) -> NDArray[np.intp]:
    own = np.arange(3 * entrants).reshape(entrants, 1, 3)
    return np.broadcast_to(own, (entrants, tasks, 3))


def two_in_common(_random: Random, entrants: int, tasks: int) -> NDArray[np.intp]:
    """Raters 0 and 1 rate everybody; each entrant has its own third rater."""
    found = np.zeros((entrants, tasks, 3), dtype=np.intp)
    found[..., 1] = 1
    found[..., 2] = 2 + np.arange(entrants)[:, None]
    return found


def two_of_six(random: Random, entrants: int, tasks: int) -> NDArray[np.intp]:
    """Two raters for each generation, drawn from six."""
    return random.random((entrants, tasks, 6)).argsort(axis=-1)[..., :2]
