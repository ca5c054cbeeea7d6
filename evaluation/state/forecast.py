"""Forecasts the end of judging. Pure functions.

Evaluations take turns at the workers, so before an evaluation's last run the others get about as
much work done as it does. How far such forecasts were off recently gives the interval: it covers
what the order of the queue does not show, such as submissions and workers that come and go."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Self

# Quantiles of the ratio of real to forecast time at which the interval begins and ends.
BELOW, ABOVE = 0.1, 0.9
# Logarithms of the ratio of real to forecast time, assumed in addition to the recent ones: about
# the quantiles of a normal distribution with a standard deviation of 0.9.
ASSUMED = (-1.2, -0.4, 0.4, 1.2)
# A chunk that takes longer than expected goes on for this share of the time since its last verdict.
OVERDUE = 0.4


class Pace(NamedTuple):
    """Seconds that workers spent, and the runs that they judged in that time."""

    seconds: float = 0.0
    runs: float = 0.0

    def with_(self, seconds: float, runs: float) -> Self:
        return self._replace(seconds=self.seconds + seconds, runs=self.runs + runs)

    def per_run(self, expected: float, weight: float) -> float:
        """Seconds per run; the prior of `expected` seconds weighs as much as `weight` runs."""
        return (self.seconds + expected * weight) / (self.runs + weight)


class Work(NamedTuple):
    """Runs without a verdict: of chunks that wait, or of one at a worker, with the runs that have
    one and the seconds spent on it."""

    runs: float
    judged: float = 0.0
    spent: float = 0.0

    def seconds_left(self, per_run: float) -> float:
        """Verdicts come in batches: the time since the last one counts as work. A chunk that is
        overdue goes on for a share of that time."""
        unseen = max(0.0, self.spent - self.judged * per_run)
        return max(self.runs * per_run - unseen, OVERDUE * unseen)


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
    chunks: Sequence[float], others: Iterable[tuple[float, float]], *, workers: float
) -> float:
    """`chunks` are the seconds of work in each open chunk; `others` those of each other evaluation,
    in all and in the chunks that are taken before these."""
    work, longest = sum(chunks), max(chunks)
    total = work + sum(min(theirs, before + work) for theirs, before in others)
    # Workers that find no further chunk are idle for half a chunk on average.
    tail = max(0.0, 1 - 1 / workers) / 2 * longest
    return max(total / workers + tail, longest)


def interval(seconds: float, past: Iterable[Past]) -> Interval:
    """The interval of a forecast of `seconds`, by the recent forecasts of the same phase: one more
    of n ratios is equally likely at each of n + 1 places of their order (conformal prediction;
    Vovk, Gammerman and Shafer, Algorithmic Learning in a Random World, 2005). Forecasts of
    evaluations that go on are censored observations (Kaplan and Meier, Journal of the American
    Statistical Association 53 (1958) 457-481): without them, only the quick evaluations of a
    growing queue would count."""
    ratios = [*past, *(Past(ratio, over=True) for ratio in ASSUMED)]
    ratios.sort(key=lambda forecast: (forecast.ratio, not forecast.over))
    beyond, reached = 1.0, list[tuple[float, float]]()
    for number, (ratio, over) in enumerate(ratios):
        if over:
            beyond *= 1 - 1 / (len(ratios) + 1 - number)
            reached.append((1 - beyond, ratio))
    low = [ratio for share, ratio in reached if share <= BELOW]
    high = [ratio for share, ratio in reached if share >= ABOVE]
    low_ratio, high_ratio = (low or [reached[0][1]])[-1], (high or [reached[-1][1]])[0]
    return Interval(seconds * math.exp(low_ratio), seconds * math.exp(high_ratio))
