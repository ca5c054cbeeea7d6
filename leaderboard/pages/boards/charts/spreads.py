"""Distribution of marks: for each scale and entrant, a bar of the generations by mark."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import floor, isnan

import pandas as pd
import plotly.graph_objects as go
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.charts import drawing, theme
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, Table
from leaderboard.pages.shared.numbers import EXACT, per_cent, with_ends
from leaderboard.pages.shared.panel_words import scale_words

# Pixels: an entrant's bar; a scale's name with its margins; the margin of the chart.
_ROW, _HEAD, _AROUND = 22, 34, 20
_NAME_MOST = 18
# A narrower segment has no room for its mark.
_ROOM = 0.06
# Half the width of the last tick's label, which plotly omits if it does not fit.
_TICK = 24


def spread_chart(board: BoardFrames, _by: str) -> Chart | None:
    rows, marks = board.rows, board.marks
    published = marks[marks["evaluation"].isin(rows.index)].dropna(subset=["value"])
    if published.empty:
        return None
    title = _("Distribution of the marks")
    # The scales on which no entrant got the best mark for at least half of its generations.
    best = published["shares"].map(lambda shares: shares[-1])
    most = best.groupby(published["criterion"], sort=False).max()
    seldom = [scale_words(str(scale)) for scale in most.index if most[scale] < 0.5]
    if seldom and len(rows) > 1:
        title = _("No entrant gets the best mark half of the time: %(scales)s") % {
            "scales": ", ".join(seldom)
        }
    subtitle = _(
        "share of the generations by mark; a stronger colour is better, hatched is missing"
    )
    entrants = drawn_evaluations(rows, marks)
    group = len(entrants) * _ROW + _HEAD
    height = drawing.lowest_height(marks["criterion"].nunique() * group + _AROUND)
    return Chart(
        title, subtitle, partial(_figure, rows, marks, entrants), partial(_table, board), height
    )


def drawn_evaluations(rows: Frame, marks: Frame) -> list[int]:
    """The evaluations to draw: those with ratings, spread evenly over the board."""
    with_marks = set(marks["evaluation"])
    rated = [key for key in rows.index if key in with_marks]
    room = (drawing.HEIGHTS["very-tall"] - _AROUND) / marks["criterion"].nunique() - _HEAD
    return [rated[place] for place in drawing.spread(len(rated), max(1, int(room // _ROW)))]


def _figure(rows: Frame, marks: Frame, entrants: Sequence[int]) -> Drawing:
    """Stacked bars of shares; stronger colours are better marks. Missing parts are hatched."""
    names = [drawing.shown(rows.at[key, "name"], _NAME_MOST) for key in entrants]
    scales = list(dict.fromkeys(marks["criterion"]))
    group = len(entrants) * _ROW + _HEAD
    left = max(map(drawing.text_width, names)) + 14
    figure = drawing.new_figure(
        barmode="stack",
        margin={"l": left, "r": _TICK, "t": 0, "b": _AROUND},
        xaxis={"range": [0, 100], "dtick": 25, "ticksuffix": " %"},
        yaxis={"range": [len(scales) * group, 0], "showticklabels": False, "showgrid": False},
    )
    tokens: list[str] = []
    for place, scale in enumerate(scales):
        part = marks[marks["criterion"] == scale].set_index("evaluation").reindex(entrants)
        top, words = int(part["top"].max()), scale_words(scale)
        heading = _("%(scale)s, 1 to %(top)s") % {"scale": words, "top": top}
        drawing.add_group_name(figure, drawing.shown(capfirst(heading)), place * group + 12)
        heights = [place * group + _HEAD + (n + 0.5) * _ROW for n in range(len(entrants))]
        for name, height in zip(names, heights, strict=True):
            drawing.add_row_name(figure, name, height)
        # The share of missing generations, then the share of each mark.
        shares = [[1.0, *[0.0] * top] for _name in names]
        for number, (_key, row) in enumerate(part.iterrows()):
            if not pd.isna(row["value"]):
                first, *others = row["shares"]
                shares[number] = [row["missing"], max(0.0, first - row["missing"]), *others]
        for mark in range(1, top + 1):
            text = _("%(scale)s %(mark)s") % {"scale": words, "mark": mark}
            figure.add_trace(_bar([row[mark] for row in shares], heights, names, text, str(mark)))
        text = _("missing or provisional")
        figure.add_trace(_bar([row[0] for row in shares], heights, names, text))
        tokens += [*(step(mark, top) for mark in range(1, top + 1)), theme.MISSING]
    return Drawing(figure, (), bars=tuple(tokens))


def step(mark: int, top: int) -> str:
    """The token of a mark: the six steps of heat, spread over the scale."""
    return f"heat-{1 + floor(5 * (mark - 1) / (top - 1) + 0.5)}"


def _bar(
    shares: Sequence[float], heights: Sequence[float], names: Sequence[str], words: str,
    mark: str = "",
) -> go.Bar:  # fmt: skip
    return go.Bar(
        x=[round(share * 100, EXACT) for share in shares],
        y=heights,
        orientation="h",
        width=_ROW - 5,
        text=[mark if share >= _ROOM else "" for share in shares],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        customdata=[f"{name} · {drawing.shown(words)}" for name in names],
        hovertemplate="%{customdata}: %{x:.1f} %<extra></extra>",
    )


def _table(board: BoardFrames) -> Table:
    marks, rows = board.marks, []
    most = int(marks["top"].max())

    def cell(share: float) -> str | None:
        if isnan(share):
            return None
        return _("%(number)s %%") % {"number": per_cent(share, 0)}

    for key in board.rows.index:
        for _place, row in marks[marks["evaluation"] == key].iterrows():
            shares = [] if pd.isna(row["value"]) else list(row["shares"])
            cells = [*map(cell, shares), *[None] * (most - len(shares)), cell(row["missing"])]
            mean = with_ends(row["value"], row["low"], row["high"], 2)
            name = str(board.rows.at[key, "name"])
            rows.append([name, scale_words(row["criterion"]), mean, *cells])
    head = [_("Entrant"), _("Scale"), _("Mean mark"), *map(str, range(1, most + 1)), _("missing")]
    return Table(head, rows)
