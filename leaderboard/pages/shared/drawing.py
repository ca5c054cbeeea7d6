"""The geometry of a board: one axis for all intervals. Pure. Rows are read by attribute or by key;
SVG needs a decimal point in every language."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from leaderboard.pages.shared.numbers import rounded

# Display units of a metric: a share in per cent, or the plain number.
PERCENT, PLAIN = "percent", "plain"
MOST_TICKS = 7
# Maximum marks of a task in a row. Showing 1,000 samples per task would take megabytes.
MARKS_SHOWN = 60


def unit_of(top: int | None) -> str:
    return PERCENT if top is None else PLAIN


def part(row: Any, name: str) -> Any:
    return row.get(name) if isinstance(row, Mapping) else getattr(row, name, None)


@dataclass(frozen=True, slots=True)
class Tick:
    x: str
    label: str


@dataclass(frozen=True, slots=True)
class Axis:
    """low and high are in the metric's unit; `leader` is left edge and width in per cent."""

    low: float
    high: float
    unit: str
    ticks: tuple[Tick, ...]
    leader: tuple[str, str] | None

    def x(self, value: float) -> str:
        return _percentage((value - self.low) / (self.high - self.low))


def _percentage(share: float) -> str:
    return f"{min(1.0, max(0.0, share)) * 100:.2f}%"


def tick_step(span: float) -> float:
    """The smallest of 1, 2 and 5 times a power of ten that gives at most seven ticks."""
    power = 10.0 ** math.floor(math.log10(span / MOST_TICKS))
    fitting = (factor * power for factor in (1, 2, 5, 10) if span / (factor * power) < MOST_TICKS)
    return next(fitting)


def interval_axis(rows: Collection[Any], unit: str = PERCENT) -> Axis:
    """The axis for all rows (value, low, high, reference), which are in order of rank."""
    values = [part(row, name) for row in rows for name in ("value", "low", "high")]
    numbers = [number for number in values if number is not None] or [0.0, 1.0]
    low, high = min(numbers), max(numbers)
    if low == high:
        low, high = low - 0.05, high + 0.05
    step = tick_step(high - low)
    first = math.floor(low / step + 1e-9)
    last = math.floor(high / step + 1e-9)
    low = first * step
    span = high - low
    scale = 100 if unit == PERCENT else 1
    digits = max(0, -math.floor(math.log10(step * scale) + 1e-9))
    ticks = tuple(
        Tick(_percentage((n - first) * step / span), rounded(n * step * scale, digits))
        for n in range(first, last + 1)
    )
    ranked = (r for r in rows if part(r, "value") is not None and not part(r, "reference"))
    leader = next(ranked, None)
    if leader is None or part(leader, "low") is None:
        return Axis(low, high, unit, ticks, None)
    left, right = part(leader, "low"), part(leader, "high")
    tint = (_percentage((left - low) / span), _percentage((right - left) / span))
    return Axis(low, high, unit, ticks, tint)
