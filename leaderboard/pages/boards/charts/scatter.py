"""Score against size, and score over time: a dot with its interval for each entrant."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from math import ceil, floor, log10
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboard.pages.boards.charts import drawing, labels
from leaderboard.pages.boards.charts.drawing import Drawing
from leaderboard.pages.boards.charts.labels import Box
from leaderboard.pages.boards.frames import Frame, overall
from leaderboard.pages.templatetags.assay import compact_date

FEWEST = 3
_MARGIN = {"l": 34, "r": 16, "t": 10, "b": 40}
_MOST_DATES = 4
_LEAST_ROOM = timedelta(days=1)


def sizes(rows: Frame, scores: Frame) -> Frame:
    """name, x (billions of parameters), value, low and high (0..1), the smallest first."""
    # The axis is logarithmic.
    return _points(rows[rows["parameters"] > 0], scores, "parameters")


def times(rows: Frame, scores: Frame) -> Frame:
    """name, x (date of publication), value, low and high (0..1), the earliest first."""
    return _points(rows, scores, "published")


def drawable(points: Frame) -> bool:
    return len(points) >= FEWEST


def size(points: Frame, human: float | None = None) -> Drawing:
    """Score against parameters in billions, on a logarithmic axis."""
    powers = [log10(x) for x in points["x"]]
    room = max(0.15, (powers[-1] - powers[0]) * 0.12)
    start, end = powers[0] - room, powers[-1] + room
    drawn = _frame(points, _powers(start, end), human)
    where = [(power - start) / (end - start) for power in powers]
    words = [f"{x:g}B" for x in points["x"]]
    drawn.add_trace(_dots(drawn, points, list(points["x"]), where, words, []))
    return Drawing(drawn, ("accent",))


def time(points: Frame, human: float | None = None) -> Drawing:
    """Score by date of publication, with a step line for the best score to date."""
    days = [day.to_pydatetime() for day in points["x"]]
    room = max((days[-1] - days[0]) * 0.12, _LEAST_ROOM)
    start, end = days[0] - room, days[-1] + room
    drawn = _frame(points, _dates(start, end), human)
    where = [(day - start) / (end - start) for day in days]
    best = points["value"].cummax()
    ends = zip(where, [*where[1:], 1.0], _heights(drawn, best), strict=True)
    # The horizontal parts of the step line.
    steps = [Box(x * labels.WIDTH, until * labels.WIDTH, y, y) for x, until, y in ends]
    texts = [day.isoformat() for day in days]
    words = [compact_date(day) for day in days]
    drawn.add_trace(_dots(drawn, points, texts, where, words, steps))
    drawn.add_trace(_best([*texts, end.isoformat()], drawing.percents(best)))
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
    """The ends of the axis and its step, in per cent, with room for a label above."""
    values = [*points["value"], *points["low"].dropna(), *points["high"].dropna()]
    top = max(values) if human is None else max(*values, human)
    bottom = min(values) if human is None else min(*values, human)
    low, high = floor(bottom * 10) * 10, ceil(top * 10) * 10
    room = (high - low) * 0.08
    return low, max(high, top * 100 + room), 10 if high - low <= 60 else 20


def _powers(start: float, end: float) -> dict[str, Any]:
    steps = [step * 10**power for power in range(-3, 5) for step in (1, 2, 5)]
    ticks = [size for size in steps if start <= log10(size) <= end]
    return {
        "type": "log",
        "range": [start, end],
        "tickvals": ticks,
        "ticktext": [f"{size:g}B" for size in ticks],
        "showgrid": False,
        "title": {"text": _("parameters"), "standoff": 4},
    }


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


def _dots(
    drawn: go.Figure,
    points: Frame,
    xs: list[Any],
    where: list[float],
    words: list[str],
    lines: Sequence[Box],
) -> go.Scatter:
    names = labels.short(points["name"])
    arms = [
        Box(x * labels.WIDTH, x * labels.WIDTH, low, high)
        for x, low, high in zip(
            where, _heights(drawn, points["low"]), _heights(drawn, points["high"]), strict=True
        )
        if low == low  # not NaN
    ]
    heights = _heights(drawn, points["value"])
    sides = labels.sides(names, where, heights, [*arms, *lines])
    told = zip(points["name"], words, strict=True)
    return labels.dots(
        names,
        sides,
        x=xs,
        y=drawing.percents(points["value"]),
        error_y=drawing.arms(points),
        customdata=[f"{drawing.shown(name)} · {word}" for name, word in told],
        hovertemplate="%{customdata}<br>%{y:.1f}<extra></extra>",
    )


def _best(xs: list[str], values: list[float | None]) -> go.Scatter:
    return go.Scatter(
        x=xs,
        y=[*values, values[-1]],
        mode="lines",
        line={"shape": "hv", "width": 1},
        hovertemplate=pgettext("of a result", "best so far") + ": %{y:.1f}<extra></extra>",
        zorder=-1,
    )


def _heights(drawn: go.Figure, shares: pd.Series) -> list[float]:
    """Heights in pixels above the axis."""
    low, high = drawn.layout.yaxis.range
    pixels = drawing.HEIGHTS[""] - _MARGIN["t"] - _MARGIN["b"]
    return [(share * 100 - low) / (high - low) * pixels for share in shares]
