"""Forecasts the end of judging. Pure functions.

The queue is first in, first out by chunks. Each evaluation has at most AHEAD chunks in it, and a
chunk that needs longer than a turn goes to its end again. From this order and from the recent speed
follows the work that is done before an evaluation's last run. How far such forecasts were off
recently gives the interval: it covers what the order does not show, such as submissions and workers
that come and go.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

# Maximum queued chunks per evaluation, so that evaluations of any size take turns.
AHEAD = 4
# After this many times its planned length a chunk lets other evaluations take its worker.
TURN = 2.0
# Quantiles of the ratio of real to forecast time at which the interval begins and ends.
BELOW, ABOVE = 0.1, 0.9
# Logarithms of the ratio of real to forecast time, assumed in addition to the recent ones: about
# the quantiles of a normal distribution with a standard deviation of 0.9.
ASSUMED = (-1.2, -0.4, 0.4, 1.2)
# Weights in chunks: of the planned speed in the benchmark's estimate, and of the benchmark's
# estimate in the evaluation's own.
PLAN_WEIGHT, BENCHMARK_WEIGHT = 0.5, 0.5
# A chunk that takes longer than expected goes on for this share of the time since its last verdict.
OVERDUE = 0.4


class Pace(NamedTuple):
    """Seconds that workers spent, and the runs that they judged in that time."""

    seconds: float = 0.0
    runs: float = 0.0

    def with_(self, seconds: float, runs: float) -> Pace:
        return Pace(self.seconds + seconds, self.runs + runs)

    def per_run(self, expected: float, weight: float) -> float:
        """Seconds per run; the prior of `expected` seconds per run weighs as much as `weight`
        runs."""
        return (self.seconds + expected * weight) / (self.runs + weight)


class Running(NamedTuple):
    """A chunk at a worker: its runs, those with a verdict, and the seconds spent on it."""

    runs: float
    judged: float
    spent: float

    def seconds_left(self, per_run: float) -> float:
        """Verdicts come in batches: the time since the last one counts as work. A chunk that is
        overdue goes on for a share of that time."""
        unseen = max(0.0, self.spent - self.judged * per_run)
        return max((self.runs - self.judged) * per_run - unseen, OVERDUE * unseen)


class Load(NamedTuple):
    """The open chunks of an evaluation: their number; the runs without a verdict of those that
    wait, in total and in the longest one; those at a worker; and the runs of a whole chunk.
    `ahead` of them are at a worker, or are before the last queued chunk of the evaluation that is
    forecast.
    `pace` is the evaluation's own."""

    benchmark: int
    chunks: int
    runs: float
    longest: float
    running: Sequence[Running]
    whole: int
    ahead: int
    pace: Pace


class Interval(NamedTuple):
    """Seconds until the end of judging: the middle 80 % of the forecast."""

    low: float
    high: float


class Past(NamedTuple):
    """An earlier forecast, as the logarithm of the ratio of real to forecast time. If the
    evaluation is not `over`, the real time is the time that has passed."""

    ratio: float
    over: bool


def phase_of(passed: float, left: float) -> int:
    """The quarter of the whole time, 0 to 4, that is nearest to the seconds that have passed."""
    return round(4 * passed / (passed + left))


def seconds_left(
    mine: Load,
    others: Iterable[Load],
    paces: Mapping[int, Pace],
    *,
    workers: float,
    chunk_seconds: float,
) -> float:
    """`paces` are the recent ones by benchmark; `chunk_seconds` is the planned time of a chunk."""
    own = _Demand.of(mine, paces, chunk_seconds)
    # A chunk passes through the queue once for each of its turns, and AHEAD chunks at a time.
    passes = max(own.turns / AHEAD, own.longest / (TURN * chunk_seconds))
    later = AHEAD * (math.ceil(passes) - 1)
    total = own.seconds
    for other in others:
        work = _Demand.of(other, paces, chunk_seconds)
        total += work.seconds * min(1.0, (other.ahead + later) / work.turns)
    # Workers that find no further chunk are idle for half a chunk on average.
    tail = max(0.0, 1 - 1 / workers) / 2 * own.longest
    return max(total / workers + tail, own.longest)


class _Demand(NamedTuple):
    """A load in seconds of work for one worker, and in turns at a worker."""

    seconds: float
    longest: float
    turns: float

    @classmethod
    def of(cls, load: Load, paces: Mapping[int, Pace], chunk_seconds: float) -> _Demand:
        recent = paces.get(load.benchmark, Pace())
        usual = recent.per_run(chunk_seconds / load.whole, PLAN_WEIGHT * load.whole)
        per_run = load.pace.per_run(usual, BENCHMARK_WEIGHT * load.whole)
        rest = [one.seconds_left(per_run) for one in load.running]
        seconds = load.runs * per_run + sum(rest)
        turns = load.chunks * max(1.0, seconds / load.chunks / (TURN * chunk_seconds))
        return cls(seconds, max(load.longest * per_run, *rest, 0.0), turns)


def interval(seconds: float, past: Sequence[Past]) -> Interval:
    """The interval of a forecast of `seconds`, by the recent forecasts of the same phase."""
    low, high = quantiles([*past, *(Past(ratio, over=True) for ratio in ASSUMED)])
    return Interval(seconds * math.exp(low), seconds * math.exp(high))


def quantiles(past: Iterable[Past]) -> tuple[float, float]:
    """The interval of the next ratio, by their order: one more of n is equally likely at each of
    n + 1 places (conformal prediction; Vovk, Gammerman and Shafer, Algorithmic Learning in a Random
    World, 2005). Forecasts of evaluations that go on are censored observations (Kaplan and Meier,
    Journal of the American Statistical Association 53 (1958) 457-481): without them, only the
    quick evaluations of a growing queue would count."""
    ordered = sorted(past, key=lambda one: (one.ratio, not one.over))
    beyond, reached = 1.0, list[tuple[float, float]]()
    for number, one in enumerate(ordered):
        if one.over:
            beyond *= 1 - 1 / (len(ordered) + 1 - number)
            reached.append((1 - beyond, one.ratio))
    low = [ratio for share, ratio in reached if share <= BELOW]
    high = [ratio for share, ratio in reached if share >= ABOVE]
    return (low or [reached[0][1]])[-1], (high or [reached[-1][1]])[0]
