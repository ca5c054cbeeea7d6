"""A mean over benchmarks, with an interval from their own intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import hypot
from statistics import fmean


@dataclass(frozen=True, slots=True)
class Estimate:
    value: float
    low: float | None = None
    high: float | None = None


def over_settings(parts: Sequence[Estimate]) -> Estimate:
    """Averages the ends of the intervals, because settings share tasks and their errors may all
    have the same sign."""
    if len(parts) == 1:
        return parts[0]
    ends = []
    for side in ("low", "high"):
        numbers = [end for part in parts if (end := getattr(part, side)) is not None]
        ends.append(fmean(numbers) if len(numbers) == len(parts) else None)
    return Estimate(fmean(part.value for part in parts), *ends)


def over_benchmarks(parts: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates, each with the same weight. No interval if one has none.

    The interval recovers each side's variance from the limits (MOVER: G. Y. Zou, A. Donner,
    Statistics in Medicine 27, 2008, 1693-1702). An estimate at the end of its scale has no
    distance to that limit, and counts with the distance to the other one: otherwise the intervals
    of 20 means near 1 cover 88 %.
    """
    value = fmean(part.value for part in parts)
    below, above = [], []
    for part in parts:
        if part.low is None or part.high is None:
            return Estimate(value)
        sides = part.value - part.low, part.high - part.value
        below.append(sides[0] or sides[1])
        above.append(sides[1] or sides[0])
    low, high = value - hypot(*below) / len(parts), value + hypot(*above) / len(parts)
    return Estimate(value, max(0.0, low), min(1.0, high))
