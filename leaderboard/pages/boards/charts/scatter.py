"""Score against size, tokens and time: a dot with its interval for each entrant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil, floor, log10
from typing import Any, NamedTuple

import pandas as pd
import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboard.boards.frames import Frame, overall
from leaderboard.pages.boards.charts import drawing, labels
from leaderboard.pages.boards.charts.drawing import Drawing
from leaderboard.pages.boards.charts.labels import Box
from leaderboard.pages.shared.score_words import compact_date

# The fewest different sizes, numbers of tokens and days for which a chart is drawn.
SIZES, TOKENS, DAYS = 3, 3, 2
_MARGIN = {"l": 34, "r": 16, "t": 10, "b": 40}
_MOST_DATES = 4
# Minimum pixels between the texts of two ticks.
_BETWEEN = 14
_LEAST_ROOM = timedelta(days=1)


def sizes(rows: Frame, scores: Frame) -> Frame:
    """name, x (billions of parameters), value, low and high (0..1), the smallest first."""
    # The axis is logarithmic.
    return _points(rows[rows["parameters"] > 0], scores, "parameters")


def times(rows: Frame, scores: Frame) -> Frame:
    """name, x (date of publication), value, low and high (0..1), the earliest first."""
    return _points(rows, scores, "published")


def tokens(rows: Frame, scores: Frame, stated: pd.Series) -> Frame:
    """name, x (output tokens per answer), value, low and high (0..1), the fewest first. `stated`:
    tokens by evaluation."""
    return _points(rows.assign(tokens=stated), scores, "tokens")


def distinct(points: Frame) -> int:
    """The number of different sizes, numbers of tokens, or days."""
    x = points["x"]
    return int((x.dt.date if x.dtype.kind == "M" else x).nunique())


def size(points: Frame, human: float | None = None) -> Drawing:
    """Score against parameters in billions, on a logarithmic axis."""
    return _drawn(points, _by_powers(points, "{:g}B", _("parameters")), human)


def spent(points: Frame, human: float | None = None) -> Drawing:
    """Score against tokens, on a logarithmic axis, with the Pareto front: a step line for the best
    score up to each number of tokens."""
    axis = _by_powers(points, "{:,g}", _("output tokens per answer"))
    return _drawn(
        points, axis, human, best=pgettext("of a result", "best up to each number of tokens")
    )


def time(points: Frame, human: float | None = None) -> Drawing:
    """Score by date of publication, with a step line for the best score to date."""
    return _drawn(points, _by_days(points), human, best=pgettext("of a result", "best so far"))


class _Axis(NamedTuple):
    """`where` is 0..1 along the axis, `words` are the texts for each point's x, `end` is the axis's
    end."""

    xs: list[Any]
    where: list[float]
    words: list[str]
    end: Any
    layout: dict[str, Any]


def _by_powers(points: Frame, unit: str, title: str) -> _Axis:
    powers = [log10(x) for x in points["x"]]
    room = max(0.15, (powers[-1] - powers[0]) * 0.12)
    start, end = powers[0] - room, powers[-1] + room
    where = [(power - start) / (end - start) for power in powers]
    words = [unit.format(x) for x in points["x"]]
    layout = _powers(start, end, unit, title)
    return _Axis(list(points["x"]), where, words, 10**end, layout)


def _by_days(points: Frame) -> _Axis:
    days = [day.to_pydatetime() for day in points["x"]]
    room = max((days[-1] - days[0]) * 0.12, _LEAST_ROOM)
    start, end = days[0] - room, days[-1] + room
    where = [(day - start) / (end - start) for day in days]
    words = [compact_date(day) for day in days]
    layout = _dates(start, end)
    return _Axis([day.isoformat() for day in days], where, words, end.isoformat(), layout)


def _drawn(points: Frame, axis: _Axis, human: float | None, best: str = "") -> Drawing:
    """`best` names the step line for the highest score up to each x; "" draws none."""
    drawn = _frame(points, axis.layout, human)
    lines = (
        [] if human is None else [Box(0, labels.WIDTH, *_heights(drawn, pd.Series([human] * 2)))]
    )
    highest = points["value"].cummax()
    if best:
        lines += _steps([*axis.where, 1.0], _heights(drawn, highest))
    drawn.add_trace(_dots(drawn, points, axis, lines))
    if best:
        drawn.add_trace(_best([*axis.xs, axis.end], drawing.percents(highest), best))
    return Drawing(drawn, ("accent", "ink-3"))


def _points(rows: Frame, scores: Frame, by: str) -> Frame:
    joined = rows.join(overall(scores), how="inner").rename(columns={by: "x"})
    found = joined.dropna(subset=["x", "value"])
    return found[["name", "x", "value", "low", "high"]].sort_values("x", kind="stable")


def _frame(points: Frame, axis: dict[str, Any], human: float | None) -> go.Figure:
    low, high, tick = _range(points, human)
    scale = {"range": [low, high], "dtick": tick, "tick0": 0}
    drawn = drawing.new_figure(margin=_MARGIN, xaxis=axis, yaxis=scale)
    drawing.reference_line(drawn, human, _("human"))
    return drawn


def _range(points: Frame, human: float | None) -> tuple[float, float, int]:
    """The ends of the axis and its step, in per cent, with room for a label above and half a mark
    below."""
    values = [*points["value"], *points["low"].dropna(), *points["high"].dropna()]
    top = max(values) if human is None else max(*values, human)
    bottom = min(values) if human is None else min(*values, human)
    low = floor(bottom * 10) * 10
    high = max(ceil(top * 10) * 10, low + 10)
    room = (high - low) * 0.08
    step = 10 if high - low <= 60 else 20
    return min(low, bottom * 100 - room / 4), max(high, top * 100 + room), step


def _powers(start: float, end: float, unit: str, title: str) -> dict[str, Any]:
    ticks = _ticks(start, end, unit)
    return {
        "type": "log",
        "range": [start, end],
        "tickvals": ticks,
        "ticktext": [unit.format(tick) for tick in ticks],
        "tickangle": 0,
        "showgrid": False,
        "title": {"text": title, "standoff": 4},
    }


def _ticks(start: float, end: float, unit: str) -> list[float]:
    """As many ticks as have room for their texts next to each other on a phone."""
    ticks: list[float] = []
    for steps in ((1, 2, 5), (1, 3), (1,)):
        every = [step * 10**power for power in range(-3, 16) for step in steps]
        ticks = [tick for tick in every if start <= log10(tick) <= end]
        if sum(drawing.text_width(unit.format(tick)) + _BETWEEN for tick in ticks) <= labels.WIDTH:
            break
    return ticks


def _dates(start: datetime, end: datetime) -> dict[str, Any]:
    between = pd.date_range(start, end, periods=_MOST_DATES + 2)[1:-1]
    days = list(between.normalize().unique())
    return {
        "type": "date",
        "range": [start.isoformat(), end.isoformat()],
        "tickvals": [day.isoformat() for day in days],
        "ticktext": [compact_date(day.to_pydatetime()) for day in days],
        "tickangle": 0,
        "showgrid": False,
    }


def _steps(where: list[float], heights: list[float]) -> list[Box]:
    """The horizontal and the vertical parts of a step line to the axis's end."""
    xs = [x * labels.WIDTH for x in where]
    across = [Box(x, until, y, y) for x, until, y in zip(xs, xs[1:], heights, strict=False)]
    steps = zip(xs[1:], heights, heights[1:], strict=False)
    return [*across, *(Box(x, x, low, high) for x, low, high in steps)]


def _dots(drawn: go.Figure, points: Frame, axis: _Axis, lines: Sequence[Box]) -> go.Scatter:
    names = labels.short(points["name"])
    arms = [
        Box(x * labels.WIDTH, x * labels.WIDTH, low, high)
        for x, low, high in zip(
            axis.where,
            _heights(drawn, points["low"]),
            _heights(drawn, points["high"]),
            strict=True,
        )
        if low == low  # not NaN
    ]
    heights = _heights(drawn, points["value"])
    sides = labels.sides(names, axis.where, heights, [*arms, *lines])
    told = zip(points["name"], axis.words, strict=True)
    return labels.dots(
        names,
        sides,
        x=axis.xs,
        y=drawing.percents(points["value"]),
        error_y=drawing.arms(points),
        customdata=[f"{drawing.shown(name)} · {word}" for name, word in told],
        hovertemplate="%{customdata}<br>%{y:.1f}<extra></extra>",
    )


def _best(xs: list[Any], values: list[float | None], words: str) -> go.Scatter:
    return go.Scatter(
        x=xs,
        y=[*values, values[-1]],
        mode="lines",
        line={"shape": "hv", "width": 1},
        hovertemplate=words + ": %{y:.1f}<extra></extra>",
        zorder=-1,
    )


def _heights(drawn: go.Figure, shares: pd.Series) -> list[float]:
    """Heights in pixels above the axis."""
    low, high = drawn.layout.yaxis.range
    pixels = drawing.HEIGHTS[""] - _MARGIN["t"] - _MARGIN["b"]
    return [(share * 100 - low) / (high - low) * pixels for share in shares]
