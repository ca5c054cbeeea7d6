"""The pass@k curve: the gain from further samples."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import pandas as pd
import plotly.graph_objects as go

from evaluation.engine.metrics.passk import pass_at_k
from leaderboard.boards.frames import Frame
from leaderboard.pages.boards.charts import drawing, labels, theme
from leaderboard.pages.boards.charts.drawing import Drawing, ReferenceLine

# Up to _EVERY, each k has a point and the axis is linear. Beyond, points are spaced by factor.
_EVERY, _STEPS = 20, 12
_TOP, _BOTTOM, _LEFT = 10, 36, 34
_LABEL_MOST = 18
_HOVER = "%{text}<br>pass@%{x}: %{y:.1f}<extra></extra>"

_pass_at_k = lru_cache(maxsize=65_536)(pass_at_k)


def curves(rows: Frame, samples: Frame) -> Frame:
    """pass@k (0..1) by evaluation and k, as in the engine's scores. Leaves out unsettled rows.

    NaN if a task has fewer than k samples.
    """
    open_ones = set(samples.loc[samples["open"] > 0, "evaluation"])
    counts: dict[int, list[tuple[int, int, int]]] = {}
    columns = samples[["evaluation", "n", "c", "times"]]
    for key, n, c, times in columns.itertuples(index=False, name=None):
        counts.setdefault(key, []).append((n, c, times))
    kept = [key for key in rows.index if key in counts and key not in open_ones]
    ks = points(max((min(n for n, _c, _times in counts[key]) for key in kept), default=0))
    values = [[_mean(counts[key], k) for k in ks] for key in kept]
    return pd.DataFrame(values, index=pd.Index(kept, name="evaluation"), columns=ks, dtype=float)


def points(most: int) -> list[int]:
    """The k to draw: all up to 20, then roughly geometric steps up to and including `most`."""
    if most <= _EVERY:
        return list(range(1, most + 1))
    factor = (most / _EVERY) ** (1 / _STEPS)
    later = {round(_EVERY * factor**step) for step in range(1, _STEPS + 1)}
    return [*range(1, _EVERY + 1), *sorted(later - set(range(_EVERY + 1)))]


def drawable(curves: Frame) -> bool:
    """Whether any entrant has at least two samples of every task."""
    return len(curves.columns) >= 2


def figure(rows: Frame, curves: Frame, lines: Iterable[ReferenceLine] = ()) -> Drawing:
    """A line for each row, at most `MOST_SERIES` of them highlighted and named."""
    names = [drawing.shown(name, _LABEL_MOST) for name in rows.loc[curves.index, "name"]]
    chosen = drawing.spread(len(curves))
    ends = [names[position] for position in chosen]
    drawn = drawing.new_figure(
        margin={"l": _LEFT, "r": 14 + drawing.widest(ends), "t": _TOP, "b": _BOTTOM},
        xaxis=_tries([int(k) for k in curves.columns]),
        yaxis={"range": [0, 100], "tickvals": [0, 25, 50, 75, 100]},
    )
    for series, position in enumerate(chosen):
        drawn.add_trace(_line(curves.iloc[position], rows, series))
    rest = curves.drop(index=curves.index[chosen])
    if len(rest):
        drawn.add_trace(_others(rest, rows))
    last = [float(curve.dropna().iloc[-1]) * 100 for _key, curve in curves.iloc[chosen].iterrows()]
    labels.name_ends(drawn, ends, last, (drawing.HEIGHTS[""] - _TOP - _BOTTOM) / 100)
    drawing.reference_lines(drawn, lines)
    return Drawing(drawn, (*theme.SERIES[: len(chosen)], theme.REST))


def _mean(counts: list[tuple[int, int, int]], k: int) -> float | None:
    """The mean over results given as (n, c, times). Returns None if an n is below k."""
    total, results = 0.0, 0
    for n, c, times in counts:
        value = _pass_at_k(n, c, k)
        if value is None:
            return None
        total += value * times
        results += times
    return total / results


def _line(curve: pd.Series, rows: Frame, series: int) -> go.Scatter:
    known = curve.dropna()
    name = drawing.shown(rows.at[curve.name, "name"])
    return go.Scatter(
        x=[int(k) for k in known.index],
        y=drawing.percents(known),
        # A single point would be invisible as a line.
        mode="lines" if len(known) > 1 else "markers",
        line={"dash": theme.DASHES[series], "width": 2},
        marker={"symbol": theme.SYMBOLS[series], "size": 8},
        text=[name] * len(known),  # plotly's template finds no text of a whole trace
        hovertemplate=_HOVER,
        cliponaxis=False,
    )


def _others(curves: Frame, rows: Frame) -> go.Scatter:
    """All other lines as one trace with gaps between them."""
    ks = [int(k) for k in curves.columns]
    names = [drawing.shown(rows.at[key, "name"]) for key in curves.index]
    return go.Scatter(
        x=[k for _key in curves.index for k in (*ks, None)],
        y=[y for _key, curve in curves.iterrows() for y in (*drawing.percents(curve), None)],
        mode="lines",
        line={"width": 1},
        opacity=0.35,
        text=[name for name in names for _k in (*ks, None)],
        hovertemplate=_HOVER,
        connectgaps=False,
        zorder=-1,
    )


def _tries(ks: list[int]) -> dict[str, object]:
    last = ks[-1] if ks else 1
    title = {"text": "k", "standoff": 4}
    if last <= _EVERY:
        ticks = [1, *range(5, last + 1, 5)] if last > 4 else ks
        return {"range": [1, max(last, 2)], "tickvals": ticks, "showgrid": False, "title": title}
    ticks = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
    shown = [tick for tick in ticks if tick <= last]
    return {"type": "log", "tickvals": shown, "showgrid": False, "title": title}
