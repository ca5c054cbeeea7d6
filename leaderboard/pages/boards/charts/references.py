"""Entrants compared with the benchmark's own programs: the reference solution and the stubs."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go

from leaderboard.boards.frames import Frame, overall
from leaderboard.pages.boards.charts import drawing
from leaderboard.pages.boards.charts.drawing import Drawing, ReferenceLine
from leaderboard.pages.shared.numbers import rounded

# Pixels: an entrant's row, the axis, a line's label.
_ROW, _AXIS, _WORDS = 26, 26, 15
# Leaves room for the dots on a phone.
_NAME_MOST = 18


def chosen(rows: Frame, scores: Frame) -> Frame:
    """name, value, low and high of the entrants to draw, spread evenly over the board."""
    found = rows.join(overall(scores), how="inner").dropna(subset=["value"])
    found = found[["name", "value", "low", "high"]]
    most = (drawing.HEIGHTS["very-tall"] - _AXIS - 6 * _WORDS) // _ROW
    return found.iloc[drawing.spread(len(found), most)]


def drawable(points: Frame, lines: Sequence[ReferenceLine]) -> bool:
    return len(points) > 0 and len(lines) > 0


def height(points: Frame, lines: Sequence[ReferenceLine]) -> drawing.Height:
    return drawing.lowest_height(len(points) * _ROW + len(lines) * _WORDS + _AXIS)


def figure(points: Frame, lines: Sequence[ReferenceLine]) -> Drawing:
    """A dot with its interval for each entrant, and a thin vertical line for each program."""
    names = [drawing.shown(name, _NAME_MOST) for name in points["name"]]
    drawn = drawing.new_figure(
        margin={"l": drawing.widest(names) + 14, "r": 12, "t": len(lines) * _WORDS + 6, "b": _AXIS},
        xaxis={"range": [-1, 101], "dtick": 25, "tick0": 0},
        yaxis={"range": [len(points) - 0.5, -0.5], "showticklabels": False, "showgrid": False},
    )
    drawn.add_trace(_dots(points))
    for place, name in enumerate(names):
        where = {"xref": "paper", "x": 0, "xanchor": "right", "yref": "y", "yanchor": "middle"}
        drawing.add_text(drawn, name, colour="ink", font={"size": 12}, y=place, xshift=-6, **where)
    for place, line in enumerate(reversed(lines)):
        _line_down(drawn, line, place * _WORDS)
    return Drawing(drawn, ("accent",))


def _dots(points: pd.DataFrame) -> go.Scatter:
    return go.Scatter(
        x=drawing.percents(points["value"]),
        y=list(range(len(points))),
        error_x=drawing.arms(points),
        mode="markers",
        marker={"size": 8},
        text=[drawing.shown(name) for name in points["name"]],
        hovertemplate="%{text}: %{x:.1f}<extra></extra>",
        cliponaxis=False,
    )


def _line_down(drawn: go.Figure, line: ReferenceLine, above: int) -> None:
    x = line.share * 100
    drawn.add_shape(type="line", xref="x", x0=x, x1=x, yref="paper", y0=0, y1=1)
    drawing.add_text(
        drawn, f"{drawing.shown(line.words)} {rounded(x, 1)}", colour="ink-3", x=x, xref="x",
        xanchor="left" if x < 50 else "right", y=1, yref="paper", yanchor="bottom", yshift=above,
    )  # fmt: skip
