"""One scale against another: mean marks of the entrants."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import plotly.graph_objects as go

from leaderboard.boards.frames import Frame
from leaderboard.pages.boards.charts import drawing, labels
from leaderboard.pages.boards.charts.drawing import Drawing
from leaderboard.pages.boards.charts.labels import Box
from leaderboard.pages.shared.panel_words import scale_words

FEWEST = 3
_MARGIN = {"l": 44, "r": 16, "t": 8, "b": 40}
# Margin beyond the ends of a scale, so that a dot at an end is not cut off.
_ROOM = 0.12


def pair(marks: Frame, number: int) -> tuple[str, str] | None:
    """The pair of scales with this index from 0; None if there are fewer pairs."""
    found = list(combinations(dict.fromkeys(marks["criterion"]), 2))
    return found[number] if number < len(found) else None


def points(rows: Frame, marks: Frame, scales: tuple[str, str]) -> Frame:
    """By evaluation: name; x, x_low, x_high and x_top of the first scale; the same for y."""
    found = rows[["name"]]
    for axis, scale in zip("xy", scales, strict=True):
        part = marks[marks["criterion"] == scale].set_index("evaluation")
        part = part[["value", "low", "high", "top"]]
        part.columns = [axis, f"{axis}_low", f"{axis}_high", f"{axis}_top"]
        found = found.join(part, how="inner")
    return found.dropna(subset=["x", "y"])


def drawable(points: Frame) -> bool:
    return len(points) >= FEWEST


def figure(points: Frame, scales: tuple[str, str]) -> Drawing:
    """A dot with both intervals for each entrant. Both axes show the whole scale."""
    x_top, y_top = int(points["x_top"].max()), int(points["y_top"].max())
    drawn = drawing.new_figure(
        margin=_MARGIN,
        xaxis={**_axis(x_top), "title": {"text": _title(scales[0]), "standoff": 4}},
        yaxis={**_axis(y_top), "title": {"text": _title(scales[1]), "standoff": 6}},
    )
    drawn.add_trace(_dots(points, x_top, y_top))
    return Drawing(drawn, ("accent",))


def _title(scale: str) -> str:
    words = scale_words(scale)
    return drawing.shown(words[:1].upper() + words[1:])


def _axis(top: int) -> dict[str, Any]:
    return {"range": [1 - _ROOM, top + _ROOM], "dtick": 1, "tick0": 1}


def _dots(points: Frame, x_top: int, y_top: int) -> go.Scatter:
    names = labels.short(points["name"])
    across = [_part(x, x_top) for x in points["x"]]
    pixels = drawing.HEIGHTS[""] - _MARGIN["t"] - _MARGIN["b"]
    up = [_part(y, y_top) * pixels for y in points["y"]]
    sides = labels.sides(names, across, up, _arms(points, x_top, y_top, pixels))
    return labels.dots(
        names,
        sides,
        x=drawing.gaps(points["x"]),
        y=drawing.gaps(points["y"]),
        error_x=_interval(points, "x"),
        error_y=_interval(points, "y"),
        customdata=[drawing.shown(name) for name in points["name"]],
        hovertemplate="%{customdata}<br>%{x:.2f} · %{y:.2f}<extra></extra>",
    )


def _part(mark: float, top: int) -> float:
    """The position of a mark along its axis, 0..1."""
    return (mark - 1 + _ROOM) / (top - 1 + 2 * _ROOM)


def _arms(points: Frame, x_top: int, y_top: int, pixels: int) -> list[Box]:
    found = []
    for _key, one in points.dropna(subset=["x_low", "y_low"]).iterrows():
        x, y = _part(one["x"], x_top) * labels.WIDTH, _part(one["y"], y_top) * pixels
        left, right = (_part(one[end], x_top) * labels.WIDTH for end in ("x_low", "x_high"))
        low, high = (_part(one[end], y_top) * pixels for end in ("y_low", "y_high"))
        found += [Box(left, right, y, y), Box(x, x, low, high)]
    return found


def _interval(points: Frame, axis: str) -> dict[str, Any]:
    value, low, high = points[axis], points[f"{axis}_low"], points[f"{axis}_high"]
    return {
        "array": drawing.gaps((high - value).fillna(0)),
        "arrayminus": drawing.gaps((value - low).fillna(0)),
        "symmetric": False,
        "width": 0,
        "thickness": 1.5,
    }
