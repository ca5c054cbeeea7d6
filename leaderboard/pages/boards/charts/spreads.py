"""Distribution of marks: for each scale and entrant, a bar of the generations by mark."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from django.utils.translation import gettext as _

from leaderboard.boards.frames import Frame
from leaderboard.pages.boards.charts import drawing, theme
from leaderboard.pages.boards.charts.drawing import Drawing
from leaderboard.pages.shared.numbers import EXACT
from leaderboard.pages.shared.panel_words import scale_words

# Pixels: an entrant's bar; a scale's name with its margins; the margin of the chart.
_ROW, _HEAD, _AROUND = 22, 34, 20
_NAME_MOST = 18
# A narrower segment has no room for its mark.
_ROOM = 0.06
# Half the width of the last tick's label, which plotly omits if it does not fit.
_TICK = 24


def scales(marks: Frame) -> list[str]:
    """The scales with ratings, in the family's order."""
    return list(dict.fromkeys(marks["criterion"]))


def chosen(rows: Frame, marks: Frame) -> list[int]:
    """The evaluations to draw: those with ratings, spread evenly over the board."""
    rated = set(marks["evaluation"])
    found = [key for key in rows.index if key in rated]
    each = (drawing.HEIGHTS["very-tall"] - _AROUND) / max(1, len(scales(marks))) - _HEAD
    return [found[place] for place in drawing.spread(len(found), max(1, int(each // _ROW)))]


def drawable(rows: Frame, marks: Frame) -> bool:
    return bool(marks.loc[marks["evaluation"].isin(rows.index), "value"].notna().any())


def height(rows: Frame, marks: Frame) -> drawing.Height:
    each = len(chosen(rows, marks)) * _ROW + _HEAD
    return drawing.lowest_height(len(scales(marks)) * each + _AROUND)


def seldom_best(rows: Frame, marks: Frame) -> list[str]:
    """The scales on which no entrant got the best mark for at least half of its generations."""
    known = marks[marks["evaluation"].isin(rows.index)].dropna(subset=["value"])
    best = known["shares"].map(lambda shares: shares[-1])
    most = best.groupby(known["criterion"], sort=False).max()
    return [name for name in scales(known) if most[name] < 0.5]


def figure(rows: Frame, marks: Frame) -> Drawing:
    """Stacked bars of shares; stronger colours are better marks. Missing parts are hatched."""
    entrants, names = chosen(rows, marks), {}
    for key in entrants:
        names[key] = drawing.shown(rows.at[key, "name"], _NAME_MOST)
    every = scales(marks)
    group = len(entrants) * _ROW + _HEAD
    drawn = drawing.new_figure(
        barmode="stack",
        margin={"l": drawing.widest(list(names.values())) + 14, "r": _TICK, "t": 0, "b": _AROUND},
        xaxis={"range": [0, 100], "dtick": 25, "ticksuffix": " %"},
        yaxis={"range": [len(every) * group, 0], "showticklabels": False, "showgrid": False},
    )
    bars: list[str] = []
    for place, scale in enumerate(every):
        part = marks[marks["criterion"] == scale].set_index("evaluation").reindex(entrants)
        heights = [place * group + _HEAD + (n + 0.5) * _ROW for n in range(len(entrants))]
        _add_head(drawn, scale, int(part["top"].max()), place * group)
        _add_names(drawn, list(names.values()), heights)
        bars += _add_bars(drawn, part, list(names.values()), scale, heights)
    return Drawing(drawn, (), bars=tuple(bars))


def _add_head(drawn: go.Figure, scale: str, top: int, y: float) -> None:
    words = _("%(scale)s, 1 to %(top)s") % {"scale": scale_words(scale), "top": top}
    where = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "y", "yanchor": "top"}
    text = drawing.shown(words[:1].upper() + words[1:])
    drawing.add_text(drawn, text, colour="ink", font={"size": 12}, y=y + 12, **where)


def _add_names(drawn: go.Figure, names: Sequence[str], heights: Sequence[float]) -> None:
    where = {"xref": "paper", "x": 0, "xanchor": "right", "yref": "y", "yanchor": "middle"}
    for name, y in zip(names, heights, strict=True):
        drawing.add_text(drawn, name, colour="ink", font={"size": 12}, y=y, xshift=-6, **where)


def _add_bars(
    drawn: go.Figure, part: Frame, names: Sequence[str], scale: str, heights: Sequence[float]
) -> list[str]:
    """Adds a trace for each mark and one for missing marks; returns their tokens."""
    top = int(part["top"].max())
    shares = [_shares(row, top) for _key, row in part.iterrows()]
    for mark in range(1, top + 1):
        widths = [one[mark] for one in shares]
        words = _("%(scale)s %(mark)s") % {"scale": scale_words(scale), "mark": mark}
        texts = [str(mark) if width >= _ROOM else "" for width in widths]
        drawn.add_trace(_bar(widths, heights, names, words, texts))
    missing = [one[0] for one in shares]
    drawn.add_trace(_bar(missing, heights, names, _("missing or provisional"), [""] * len(missing)))
    return [*(step(mark, top) for mark in range(1, top + 1)), theme.MISSING]


def _shares(row: pd.Series, top: int) -> list[float]:
    """The share of missing generations, then the share of each mark."""
    if pd.isna(row["value"]):
        return [1.0, *[0.0] * top]
    first, *others = row["shares"]
    return [row["missing"], max(0.0, first - row["missing"]), *others]


def step(mark: int, top: int) -> str:
    """The token of a mark: the six steps of heat, spread over the scale."""
    return f"heat-{1 + floor(5 * (mark - 1) / (top - 1) + 0.5)}"


def _bar(
    widths: Sequence[float],
    heights: Sequence[float],
    names: Sequence[str],
    words: str,
    texts: Sequence[str],
) -> go.Bar:
    told: dict[str, Any] = {"customdata": [f"{name} · {drawing.shown(words)}" for name in names]}
    return go.Bar(
        x=[round(width * 100, EXACT) for width in widths],
        y=list(heights),
        orientation="h",
        width=_ROW - 5,
        text=list(texts),
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        hovertemplate="%{customdata}: %{x:.1f} %<extra></extra>",
        **told,
    )
