"""The pass@k curve: the gain from further samples."""

from __future__ import annotations

from functools import lru_cache, partial
from math import nan
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from evaluation.engine.metrics.passk import pass_at_k
from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.charts import drawing, labels, rules, theme
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, Table
from leaderboard.pages.boards.charts.references import reference_lines
from leaderboard.pages.shared.numbers import per_cent

# Up to _EVERY, each k has a point and the axis is linear. Beyond, points are spaced by factor.
_EVERY, _STEPS = 20, 12
_TICKS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
_HOVER = "%{text}<br>pass@%{x}: %{y:.1f}<extra></extra>"
# The columns of the table.
_KS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)

_pass_at_k = lru_cache(maxsize=65_536)(pass_at_k)


def passk_chart(board: BoardFrames, _by: str) -> Chart | None:
    passk_curves = curves(board.rows, board.samples)
    # No entrant has at least two samples of every task.
    if len(passk_curves.columns) < 2:
        return None
    title = {
        "weaker": _("More tries help weaker entrants more"),
        "stronger": _("More tries help stronger entrants more"),
        "": _("Score by number of tries"),
    }[rules.more_tries_help(passk_curves, board.results)]
    most = int(passk_curves.columns[-1])
    subtitle = ngettext(
        "pass@k in per cent, from up to %(count)s generation per task",
        "pass@k in per cent, from up to %(count)s generations per task",
        most,
    ) % {"count": most}
    return Chart(
        title, subtitle, partial(_figure, board, passk_curves), partial(_table, board, passk_curves)
    )


def curves(rows: Frame, samples: Frame) -> Frame:
    """pass@k (0..1) by evaluation and k, as in the engine's scores. Leaves out unsettled rows.

    NaN if a task has fewer than k samples.
    """
    unsettled = set(samples.loc[samples["open"] > 0, "evaluation"])
    counts: dict[int, list[tuple[int, int, int]]] = {}
    columns = samples[["evaluation", "n", "c", "times"]]
    for key, n, c, times in columns.itertuples(index=False, name=None):
        counts.setdefault(key, []).append((n, c, times))
    settled = [key for key in rows.index if key in counts and key not in unsettled]
    ks = points(max((min(n for n, _c, _times in counts[key]) for key in settled), default=0))

    def mean(results: list[tuple[int, int, int]], k: int) -> float:
        total = 0.0
        for n, c, times in results:
            value = _pass_at_k(n, c, k)
            total += nan if value is None else value * times
        return total / sum(times for _n, _c, times in results)

    values = [[mean(counts[key], k) for k in ks] for key in settled]
    return pd.DataFrame(values, index=pd.Index(settled, name="evaluation"), columns=ks, dtype=float)


def points(most: int) -> list[int]:
    """The k to draw: all up to 20, then roughly geometric steps up to and including `most`."""
    if most <= _EVERY:
        return list(range(1, most + 1))
    factor = (most / _EVERY) ** (1 / _STEPS)
    later = {round(_EVERY * factor**step) for step in range(1, _STEPS + 1)}
    return [*range(1, _EVERY + 1), *sorted(later - set(range(_EVERY + 1)))]


def _figure(board: BoardFrames, curves: Frame) -> Drawing:
    """A line for each row, at most `MOST_SERIES` of them highlighted and named."""
    chosen = drawing.spread(len(curves))
    ends = [float(curve.dropna().iloc[-1]) * 100 for _key, curve in curves.iloc[chosen].iterrows()]
    names, ks = board.rows.loc[curves.index, "name"], [int(k) for k in curves.columns]
    axis: dict[str, Any] = {"showgrid": False, "title": {"text": "k", "standoff": 4}}
    if ks[-1] > _EVERY:
        axis |= {"type": "log", "tickvals": [tick for tick in _TICKS if tick <= ks[-1]]}
    else:
        ticks = [1, *range(5, ks[-1] + 1, 5)] if ks[-1] > 4 else ks
        axis |= {"range": [1, ks[-1]], "tickvals": ticks}
    figure = labels.figure_of_lines(names.iloc[chosen], ends, axis)
    for series, position in enumerate(chosen):
        curve = curves.iloc[position].dropna()
        line = labels.line(
            series,
            names.iloc[position],
            [int(k) for k in curve.index],
            curve,
            # A single point would be invisible as a line.
            mode="lines" if len(curve) > 1 else "markers",
            marker={"symbol": theme.SYMBOLS[series], "size": 8},
            hovertemplate=_HOVER,
        )
        figure.add_trace(line)
    others = curves.drop(index=curves.index[chosen])
    if len(others):
        # One trace with gaps between the lines.
        line = go.Scatter(
            x=[k for _key in others.index for k in (*ks, None)],
            y=[y for _key, curve in others.iterrows() for y in (*drawing.percents(curve), None)],
            mode="lines",
            line={"width": 1},
            opacity=0.35,
            text=[drawing.shown(names[key]) for key in others.index for _k in (*ks, None)],
            hovertemplate=_HOVER,
            connectgaps=False,
            zorder=-1,
        )
        figure.add_trace(line)
    human = [] if board.human is None else [(_("human"), board.human)]
    drawing.reference_lines(figure, [*human, *reference_lines(board)])
    return Drawing(figure, (*theme.SERIES[: len(chosen)], theme.REST))


def _table(board: BoardFrames, curves: Frame) -> Table:
    every = [int(k) for k in curves.columns]
    ks = [k for k in every if k in _KS or k == every[-1]]
    rows = [
        [
            str(board.rows.at[key, "name"]),
            *(None if pd.isna(share) else per_cent(share) for share in curves.loc[key, ks]),
        ]
        for key in curves.index
    ]
    return Table([_("Entrant"), *(f"pass@{k}" for k in ks)], rows)
