"""A mean over benchmarks, with an interval from their own intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
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
    return Estimate(
        fmean(one.value for one in parts),
        _mean([one.low for one in parts]),
        _mean([one.high for one in parts]),
    )


def over_benchmarks(parts: Sequence[Estimate]) -> Estimate:
    """The mean of independent estimates, each with the same weight. No interval if one has none.

    The interval recovers each side's variance from the limits (MOVER: G. Y. Zou, A. Donner,
    Statistics in Medicine 27, 2008, 1693-1702).
    """
    value = fmean(one.value for one in parts)
    below = [one.value - one.low for one in parts if one.low is not None]
    above = [one.high - one.value for one in parts if one.high is not None]
    if len(below) < len(parts) or len(above) < len(parts):
        return Estimate(value)
    return Estimate(value, value - _joined(below), value + _joined(above))


def _joined(sides: Sequence[float]) -> float:
    return sqrt(sum(side * side for side in sides)) / len(sides)


def _mean(ends: Sequence[float | None]) -> float | None:
    known = [end for end in ends if end is not None]
    return fmean(known) if len(known) == len(ends) else None
