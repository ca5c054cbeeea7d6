"""Forecasts the end of judging from the recent speed of the workers. Pure functions.

Seconds per run are lognormal, with one part that varies between evaluations and one that varies
between the chunks of an evaluation. Both are learnt from recent chunks; before there are any, the
plan of cutting counts. Evaluations share the workers equally (evaluation/work/bells.py).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

# The ends of an interval that covers 80 % of a normal distribution.
Z80 = 1.2816
# Standard deviations of log seconds before anything is learnt, and the number of observations that
# this expectation equals.
BETWEEN, WITHIN = 0.9, 0.4
WEIGHT = 2.0
# Standard deviation of log seconds for changes that no speed shows: workers and other submissions
# that come and go. While submissions come faster than they are judged, the end is later still.
UNKNOWN = 0.6


class TimedChunk(NamedTuple):
    """A chunk of an evaluation that is being judged, or one that ended recently. Times are seconds
    since a common moment, `open_runs` its runs without a verdict."""

    evaluation: int
    benchmark: int
    runs: int
    open_runs: float
    started: float | None
    finished: float | None

    def seconds_per_run(self, now: float) -> float | None:
        done = self.runs - self.open_runs
        if self.started is None or done <= 0:
            return None
        return max(1e-3, (self.finished or now) - self.started) / done


class Interval(NamedTuple):
    """Seconds until the end of judging: the middle 80 % of the forecast."""

    low: float
    high: float


class Speed(NamedTuple):
    """Log seconds per run: its mean, and its variances between and within evaluations."""

    mean: float
    between: float
    within: float

    def after(self, seen: Sequence[tuple[float, float]]) -> Speed:
        """The speed of one evaluation with `seen`: log seconds per run and weight of its chunks."""
        weight = sum(part for _, part in seen)
        precision = 1 / self.between + weight / self.within
        total = self.mean / self.between + sum(x * part for x, part in seen) / self.within
        return Speed(total / precision, 1 / precision, self.within)


def forecast(
    evaluation: int, chunks: Iterable[TimedChunk], *, now: float, workers: int, planned: float
) -> Interval | None:
    """`planned` is the expected seconds per run. Returns None without workers or open runs."""
    by_evaluation: dict[int, list[TimedChunk]] = defaultdict(list)
    for chunk in chunks:
        by_evaluation[chunk.evaluation].append(chunk)
    loads = {key: _load(found) for key, found in by_evaluation.items()}
    own = by_evaluation.pop(evaluation, [])
    if not workers or not loads.get(evaluation):
        return None
    works = {
        key: _Work.of(found, _speed(found[0].benchmark, by_evaluation, now, planned), now)
        for key, found in [(evaluation, own), *by_evaluation.items()]
        if loads[key]
    }
    mine = works.pop(evaluation)
    shares = [(min(one.seconds, mine.seconds), one.variance) for one in works.values()]
    shares.append((mine.seconds, mine.variance))
    total = sum(seconds for seconds, _ in shares)
    variance = sum(seconds**2 * own for seconds, own in shares) / total**2 + UNKNOWN**2
    # Workers that find no further chunk are idle for half a chunk on average.
    tail = (1 - 1 / workers) / 2 * mine.longest
    seconds = max(total / workers + tail, mine.longest)
    factor = math.exp(Z80 * math.sqrt(variance))
    return Interval(seconds / factor, max(seconds * factor, mine.overdue))


def _load(chunks: Sequence[TimedChunk]) -> float:
    return sum(chunk.open_runs for chunk in chunks if chunk.finished is None)


class _Work(NamedTuple):
    """The open runs of an evaluation in seconds of one worker, and the variance of the logarithm.
    `overdue` is the longest time that a running chunk takes beyond its verdicts so far."""

    seconds: float
    variance: float
    longest: float
    overdue: float

    @classmethod
    def of(cls, chunks: Sequence[TimedChunk], speed: Speed, now: float) -> _Work:
        own = speed.after(_seen(chunks, now))
        per_run = math.exp(own.mean + own.within / 2)
        left = [c for c in chunks if c.finished is None and c.open_runs]
        runs = [chunk.open_runs for chunk in left]
        parts = sum(runs) ** 2 / sum(number**2 for number in runs)
        return cls(
            sum(runs) * per_run,
            own.between + own.within / parts,
            max(runs) * per_run,
            max(
                now - c.started - (c.runs - c.open_runs) * per_run if c.started is not None else 0.0
                for c in left
            ),
        )


def _seen(chunks: Iterable[TimedChunk], now: float) -> list[tuple[float, float]]:
    """Log seconds per run of each chunk with verdicts, with the judged part of its runs."""
    found = [(chunk, chunk.seconds_per_run(now)) for chunk in chunks]
    return [
        (math.log(seconds), 1 - chunk.open_runs / chunk.runs)
        for chunk, seconds in found
        if seconds is not None
    ]


def _speed(
    benchmark: int, others: dict[int, list[TimedChunk]], now: float, planned: float
) -> Speed:
    """Learnt from the benchmark's other evaluations, by moments of a one-way layout (Searle,
    Casella and McCulloch, Variance Components, 1992, chapter 3) with a weak prior."""
    seen = (_seen(found, now) for found in others.values() if found[0].benchmark == benchmark)
    groups = [[x for x, part in found if part == 1] for found in seen]
    groups = [group for group in groups if group]
    means = [sum(group) / len(group) for group in groups]
    # The plan is a guess: it counts for half an evaluation.
    mean = (math.log(planned) / 2 + sum(means)) / (0.5 + len(means))
    squares = sum((x - own) ** 2 for group, own in zip(groups, means, strict=True) for x in group)
    freedom = sum(len(group) - 1 for group in groups)
    within = (squares + WEIGHT * WITHIN**2) / (freedom + WEIGHT)
    spread = sum((own - mean) ** 2 for own in means)
    between = (spread + WEIGHT * BETWEEN**2) / (len(means) + WEIGHT)
    return Speed(mean, between, within)
