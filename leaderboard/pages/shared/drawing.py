"""The geometry of a board: one axis for all intervals, and the bars that join tie groups.

Pure; knows nothing of models, queries or templates. Rows are read by attribute or by key.
Numbers inside SVG are written with a point in every language, those for people are not.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.formats import number_format

# How a metric's numbers are read: a share in per cent, or the number itself.
PERCENT, PLAIN = "percent", "plain"
MOST_TICKS = 7


def unit_of(top: int | None) -> str:
    """How numbers are read: as marks where there is a scale up to `top`, else in per cent."""
    return PERCENT if top is None else PLAIN


def read_on(share: float | None, top: int | None) -> float | None:
    """The mean mark that is stored as this share of the way from 1 to `top`; the share itself
    where there is no scale."""
    return share if share is None or top is None else 1 + share * (top - 1)


def part(row: Any, name: str) -> Any:
    """The row's value of that name, by key or by attribute; None where it has none."""
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name, None)


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """The common axis of a board: its ends in the metric's unit, its ticks, and the leader's
    interval as left edge and width in per cent of the column."""

    low: float
    high: float
    unit: str
    ticks: tuple[Tick, ...]
    leader: tuple[str, str] | None

    def x(self, value: float) -> str:
        """Where the value lies, as an SVG percentage."""
        return _percentage((value - self.low) / (self.high - self.low))


def _percentage(share: float) -> str:
    return f"{min(1.0, max(0.0, share)) * 100:.2f}%"


def tick_step(span: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that gives no more than seven ticks."""
    power = 10.0 ** math.floor(math.log10(span / MOST_TICKS))
    fitting = (factor * power for factor in (1, 2, 5, 10) if span / (factor * power) < MOST_TICKS)
    return next(fitting)


def _tick_label(value: float, step: float, unit: str) -> str:
    scale = 100 if unit == PERCENT else 1
    digits = max(0, -math.floor(math.log10(step * scale) + 1e-9))
    return number_format(round(value * scale, digits), digits)


def _ends(rows: Iterable[Any]) -> tuple[float, float]:
    found = [part(row, name) for row in rows for name in ("value", "low", "high")]
    numbers = [number for number in found if number is not None]
    if not numbers:
        return 0.0, 1.0
    low, high = min(numbers), max(numbers)
    return (low, high) if high > low else (low - 0.05, high + 0.05)


def _leader(rows: Iterable[Any]) -> Any:
    """The first row that is ranked, which means: has a value and is no reference."""
    ranked = (r for r in rows if part(r, "value") is not None and not part(r, "reference"))
    return next(ranked, None)


def interval_axis(rows: Collection[Any], unit: str = PERCENT) -> Axis:
    """The axis on which all rows (value, low, high, reference; in order of rank) are drawn."""
    low, high = _ends(rows)
    step = tick_step(high - low)
    first = math.floor(low / step + 1e-9)
    last = math.floor(high / step + 1e-9)
    low = first * step
    span = high - low
    ticks = tuple(
        Tick(_percentage((n - first) * step / span), _tick_label(n * step, step, unit))
        for n in range(first, last + 1)
    )
    leader = _leader(rows)
    if leader is None or part(leader, "low") is None:
        return Axis(low, high, unit, ticks, None)
    left, right = part(leader, "low"), part(leader, "high")
    tint = (_percentage((left - low) / span), _percentage((right - left) / span))
    return Axis(low, high, unit, ticks, tint)


@dataclass(frozen=True, slots=True)
class Bar:
    """A row's share of one bar: start, middle, end, only, none, or a gap where the bar passes
    a row that is not of its group."""

    state: str
    lead: bool = False


def _bar(row: int, group: Collection[int]) -> Bar:
    first, last = min(group), max(group)
    lead = first == 0
    if row not in group:
        return Bar("gap" if first < row < last else "none", lead)
    if first == last:
        return Bar("only", lead)
    return Bar({first: "start", last: "end"}.get(row, "middle"), lead)


def bar_lanes(groups: Iterable[Collection[int]], rows: int) -> list[list[Bar]]:
    """For each row the bars to draw beside one another, left to right, the same number in each.

    Groups are sets of row numbers from 0 and may overlap; those that do stand in lanes of
    their own.
    """
    lanes: list[list[Collection[int]]] = []
    for group in sorted(groups, key=min):
        free = (lane for lane in lanes if max(lane[-1]) < min(group))
        lane = next(free, None)
        if lane is None:
            lanes.append([group])
        else:
            lane.append(group)
    return [[_lane_bar(row, lane) for lane in lanes] for row in range(rows)]


def _lane_bar(row: int, lane: Iterable[Collection[int]]) -> Bar:
    bars = (_bar(row, group) for group in lane)
    return next((bar for bar in bars if bar.state != "none"), Bar("none"))
