"""Coverage of the intervals of differences, which the compare page shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TypeAlias

import numpy as np

from bench.rated import marks_of_three
from bench.simulated import (
    METRICS,
    TASKS,
    Groups,
    Lengths,
    Random,
    Values,
    in_pairs,
    of_two,
    single,
    six_turns,
    talk_lengths,
    turns,
)
from evaluation.engine.metrics.differences import difference_interval
from evaluation.engine.metrics.intervals import Interval, by_place
from evaluation.engine.metrics.paired import Table

# True values of the better entrant, and its true differences from the other one.
FIRST, DIFFERENCES = (0.5, 0.97), (0.0, 0.1, 0.4)
_VALUES: Mapping[str, Values] = {**METRICS, "marks of the same 3 raters": marks_of_three}
_DESIGNS = (
    ("pass@1, one sample", "tasks alike"),
    ("pass@1, ten samples", "mixed tasks"),
    ("pass@1, one sample", "skewed clusters"),
    ("marks of the same 3 raters", "mixed tasks"),
)
# Draws an interval, given the number of clusters and the true difference.
Draw: TypeAlias = Callable[[Random, int, float], Interval]


def draws() -> Iterator[tuple[str, str, Draw]]:
    for first in FIRST:
        for metric, design in _DESIGNS:
            drawn = partial(_plain, TASKS[design], _VALUES[metric], first)
            yield f"{metric}, first at {first:g}", design, drawn
        for design, lengths in (("conversations", talk_lengths), ("even conversations", six_turns)):
            yield f"IFE, first at {first:g}", design, partial(_placed, lengths, first)


def _plain(
    made: Callable[[Values, Random, int, float], Groups],
    values: Values,
    first: float,
    random: Random,
    clusters: int,
    difference: float,
) -> Interval:
    groups = made(of_two(values, 1 - difference / first), random, clusters, first)
    totals = np.concatenate([np.array(group) for group in groups]).T[..., None]
    return _interval(Table(totals, np.ones_like(totals)).clustered(list(map(len, groups))))


def _placed(
    lengths: Lengths, first: float, random: Random, talks: int, difference: float
) -> Interval:
    found = turns(lengths, random, talks, first, of_two(single, 1 - difference / first))
    parts = [by_place([[in_pairs(one)] for one in own]) for own in _of_each(found)]
    totals, sizes = map(np.array, zip(*parts, strict=True))
    return _interval(Table(totals, sizes))


def _of_each(talks: Groups) -> Iterator[Groups]:
    """The conversations of each of the two entrants."""
    for entrant in (0, 1):
        yield [np.array(talk)[:, entrant].tolist() for talk in talks]


def _interval(table: Table) -> Interval:
    low, high = difference_interval(table, 0, 1)
    value = float(table.scores[0] - table.scores[1])
    return Interval(value, low, high, int(table.sizes[0].sum()), table.clusters)
