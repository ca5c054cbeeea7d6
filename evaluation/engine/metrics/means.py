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
    Statistics in Medicine 27, 2008, 1693-1702).
    """
    value = fmean(part.value for part in parts)
    below = [part.value - part.low for part in parts if part.low is not None]
    above = [part.high - part.value for part in parts if part.high is not None]
    if len(below) < len(parts) or len(above) < len(parts):
        return Estimate(value)
    return Estimate(value, value - hypot(*below) / len(parts), value + hypot(*above) / len(parts))
