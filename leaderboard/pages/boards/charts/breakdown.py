"""The breakdown: scores of entrants in each part of the benchmark."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd
import plotly.graph_objects as go
from django.utils.translation import gettext_lazy, pgettext_lazy

from evaluation.engine.metrics.summary import SLICES
from leaderboard.boards.frames import Frame
from leaderboard.boards.scores import in_metric_order
from leaderboard.pages.boards.charts import drawing, theme
from leaderboard.pages.boards.charts.drawing import Drawing
from leaderboard.pages.boards.words import are_repositories, slice_value
from leaderboard.pages.shared.numbers import ends

WORDS: Mapping[str, object] = {
    "category": gettext_lazy("category"),
    "level": gettext_lazy("level"),
    "language": gettext_lazy("programming language"),
    "natural_language": gettext_lazy("language of the instructions"),
    "domain": gettext_lazy("domain"),
    "turn": pgettext_lazy("of a conversation", "turn"),
}
# Pixels: a dot's row; the group's name with its margins; legend and axis.
_ROW, _BETWEEN, _AROUND = 8, 24, 78
_NAME = 19
_MOST = 48
_LEGEND = {
    "orientation": "h",
    "x": 0,
    "y": 1.01,
    "yanchor": "bottom",
    "itemclick": False,
    "itemdoubleclick": False,
}


def words(kind: str, values: Iterable[str]) -> str:
    named = gettext_lazy("repository") if are_repositories(kind, values) else WORDS[kind]
    return str(named)


def kinds(scores: Frame) -> list[str]:
    """The slices with at least two values that have a score, most values first."""
    known = scores.dropna(subset=["value"])
    counts = known.groupby("slice")["slice_value"].nunique()
    found = [kind for kind in SLICES if counts.get(kind, 0) >= 2]
    return sorted(found, key=lambda kind: -counts[kind])


def kind_of(scores: Frame, by: str) -> str | None:
    """The requested slice if it can be drawn, else the default; None if no slice can be drawn."""
    found = kinds(scores)
    return by if by in found else next(iter(found), None)


def parts(rows: Frame, scores: Frame, kind: str) -> Frame:
    """value, low and high by slice value and evaluation, in order. Missing scores are NaN."""
    found = scores[scores["slice"] == kind]
    # Sorted as the board's cells are: the first entrant may lack the first value.
    known = in_metric_order(set(found["slice_value"]))
    every = pd.MultiIndex.from_product([known, rows.index], names=["slice_value", "evaluation"])
    return found.set_index(["slice_value", "evaluation"])[["value", "low", "high"]].reindex(every)


def values(parts: Frame) -> list[str]:
    return list(dict.fromkeys(parts.index.get_level_values("slice_value")))


def chosen(rows: Frame, parts: Frame) -> list[int]:
    """The evaluations to draw: those with a score, spread evenly over the board."""
    known = parts["value"].groupby(level="evaluation").count()
    found = [key for key in rows.index if known.get(key, 0)]
    room = (drawing.HEIGHTS["very-tall"] - _AROUND) / max(1, len(values(parts))) - _BETWEEN
    most = min(drawing.MOST_SERIES, max(1, int(room // _ROW)))
    return [found[position] for position in drawing.spread(len(found), most)]


def height(rows: Frame, parts: Frame) -> drawing.Height:
    pixels = len(values(parts)) * (len(chosen(rows, parts)) * _ROW + _BETWEEN) + _AROUND
    return drawing.lowest_height(pixels)


def figure(rows: Frame, parts: Frame, kind: str, top: int | None = None) -> Drawing:
    """A dot with its interval for each slice value and entrant; per cent, or marks up to `top`."""
    every = values(parts)
    entrants = chosen(rows, parts)
    drawn = drawing.new_figure(
        margin={"l": 10, "r": 12, "t": 8, "b": 26},
        showlegend=True,
        legend=_LEGEND,
        xaxis={"range": [0, 100], "dtick": 25} if top is None else {"range": [1, top], "dtick": 1},
        yaxis={"range": [len(every), 0], "showticklabels": False, "showgrid": False},
    )
    for series, entrant in enumerate(entrants):
        part = parts.loc[[(value, entrant) for value in every]].droplevel("evaluation")
        down = (_NAME + series * _ROW) / (len(entrants) * _ROW + _BETWEEN)
        name = drawing.shown(rows.at[entrant, "name"], 28)
        drawn.add_trace(_dots(part, kind, name, series, down, top))
    for place, value in enumerate(every):
        where = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "y", "yanchor": "top"}
        text = drawing.shown(slice_value(kind, value), _MOST)
        drawing.add_text(drawn, text, colour="ink", font={"size": 12}, y=place, **where)
    return Drawing(drawn, theme.SERIES[: len(entrants)])


def _dots(
    part: Frame, kind: str, name: str, series: int, down: float, top: int | None
) -> go.Scatter:
    digits = 1 if top is None else 2
    return go.Scatter(
        x=drawing.read_values(part["value"], top),
        y=[round(place + down, 3) for place in range(len(part))],
        error_x=drawing.arms(part, 100 if top is None else top - 1),
        mode="markers",
        marker={"symbol": theme.SYMBOLS[series], "size": 7},
        name=name,
        text=[drawing.shown(slice_value(kind, str(value))) for value in part.index],
        customdata=[
            "" if low is None or high is None else ends(low, high, digits)
            for low, high in zip(
                drawing.read_values(part["low"], top),
                drawing.read_values(part["high"], top),
                strict=True,
            )
        ],
        hovertemplate="%{fullData.name}<br>%{text}: %{x:."
        + f"{digits}f"
        + "}%{customdata}<extra></extra>",
        cliponaxis=False,
    )
