"""Agreement of raters on each scale: alpha and kappa with their intervals, and the threshold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from django.utils.translation import gettext_lazy

from leaderboard.boards.frames import Frame
from leaderboard.pages.boards.charts import drawing, theme
from leaderboard.pages.boards.charts.drawing import Drawing
from leaderboard.pages.shared.numbers import ends
from leaderboard.pages.shared.panel_words import lack_words, scale_words

MEASURES: Mapping[str, object] = {
    "alpha": gettext_lazy("Krippendorff's alpha"),
    "kappa": gettext_lazy("weighted kappa"),
}
# Pixels: the rows of a scale including its name; legend and axis.
_ROW, _AROUND = 54, 64
_LEGEND = {
    "orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom", "itemclick": False,
    "itemdoubleclick": False,
}  # fmt: skip


def first_campaign(agreements: Frame) -> Frame:
    first = agreements["campaign"].iloc[:1]
    return agreements[agreements["campaign"].isin(first)]


def drawable(agreements: Frame) -> bool:
    return bool(agreements["value"].notna().any())


def height(agreements: Frame) -> drawing.Height:
    return drawing.lowest_height(agreements["criterion"].nunique() * _ROW + _AROUND)


def clear(agreements: Frame) -> str:
    """Alpha's intervals are all above the threshold: "past"; all below: "short"; else ""."""
    alphas = agreements[agreements["measure"] == "alpha"]
    if alphas.empty or alphas[["low", "high"]].isna().any(axis=None):
        return ""
    if (alphas["low"] >= alphas["least"]).all():
        return "past"
    return "short" if (alphas["high"] < alphas["least"]).all() else ""


def figure(agreements: Frame) -> Drawing:
    """A dot with its interval for each scale and measure, and a line at the threshold."""
    scales = list(dict.fromkeys(agreements["criterion"]))
    least = float(agreements["least"].iloc[0])
    lowest = min(0.0, agreements["low"].min(), agreements["value"].min())
    drawn = drawing.new_figure(
        margin={"l": 10, "r": 12, "t": 8, "b": 26},
        showlegend=True,
        legend=_LEGEND,
        xaxis={"range": [lowest - 0.02, 1.02], "dtick": 0.2, "tick0": 0},
        yaxis={"range": [len(scales), 0], "showticklabels": False, "showgrid": False},
    )
    for series, measure in enumerate(MEASURES):
        part = agreements[agreements["measure"] == measure].set_index("criterion").reindex(scales)
        drawn.add_trace(_dots(part, measure, series))
    for place, scale in enumerate(scales):
        _add_name(drawn, scale, agreements[agreements["criterion"] == scale], place)
    drawn.add_shape(type="line", xref="x", x0=least, x1=least, yref="paper", y0=0, y1=1)
    return Drawing(drawn, theme.SERIES[: len(MEASURES)])


def _add_name(drawn: go.Figure, scale: str, found: Frame, place: int) -> None:
    words = scale_words(scale)
    lacks = [lack for lack, value in zip(found["lack"], found["value"], strict=True)
             if lack and pd.isna(value)]  # fmt: skip
    told = f"{words[:1].upper()}{words[1:]}" + (f": {lack_words(lacks[0])}" if lacks else "")
    where: dict[str, Any] = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "y"}
    drawing.add_text(
        drawn, drawing.shown(told), colour="ink", font={"size": 12}, y=place, yanchor="top", **where
    )


def _dots(part: Frame, measure: str, series: int) -> go.Scatter:
    return go.Scatter(
        x=drawing.gaps(part["value"]),
        y=[place + 0.52 + 0.24 * series for place in range(len(part))],
        error_x=drawing.arms(part, 1),
        mode="markers",
        marker={"symbol": theme.SYMBOLS[series], "size": 8},
        name=str(MEASURES[measure]),
        text=[drawing.shown(scale_words(str(scale))) for scale in part.index],
        customdata=[
            ends(low, high, 2) for low, high in zip(part["low"], part["high"], strict=True)
        ],
        hovertemplate="%{fullData.name}<br>%{text}: %{x:.2f}%{customdata}<extra></extra>",
        cliponaxis=False,
    )
