"""The task grid: results by entrant and task, from the easiest task to the hardest."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from numpy.typing import NDArray

from leaderboard.boards.frames import Frame
from leaderboard.pages.boards.charts import drawing, theme
from leaderboard.pages.boards.charts.drawing import Drawing

_STEPS = len(theme.HEAT) - 1
# More hatched stretches would make the page slow; the longest are drawn.
_MOST_HATCHED = 2_000
# Up to these numbers, cells have room for a gap between them, also on a phone.
_MOST_COLUMNS, _MOST_ROWS = 90, 60
# With more samples than this, one colour per number of correct samples is no longer small.
_MOST_UNIFORM = 50
_TOP, _BOTTOM, _ROW = 4, 30, 17
# Pixels of a name, and its most characters: longer ones leave no room for cells on a phone.
_LEAST_ROW, _NAME_MOST = 11, 16


def grid(rows: Frame, tasks: Frame, results: Frame) -> tuple[Frame, Frame]:
    """c and n by evaluation and task, most solved first. NaN if there is no settled result."""
    settled = results[results["open"] == 0]
    c, n = (
        settled[name].unstack("task").reindex(index=rows.index, columns=tasks.index).astype(float)
        for name in ("c", "n")
    )
    rates = solve_rates(rows, c, n)
    order = rates.sort_values(ascending=False, kind="stable", na_position="last").index
    return c[order], n[order]


def solve_rates(rows: Frame, c: Frame, n: Frame) -> pd.Series:
    """By task: the mean share of correct samples over the ranked entrants; NaN without any."""
    return (c / n)[rows["place"].notna()].mean()


def unsolved(results: Frame) -> int:
    """The number of tasks without a correct or unsettled sample from any entrant."""
    best = results[["c", "open"]].groupby(level="task").sum()
    return int((best.sum(axis=1) == 0).sum())


def drawable(c: Frame) -> bool:
    return bool(c.notna().any().any())


def height(rows: Frame) -> drawing.Height:
    return drawing.lowest_height(_TOP + _BOTTOM + len(rows) * _ROW)


def heat_steps(c: NDArray[Any], n: NDArray[Any]) -> NDArray[Any]:
    """0 if nothing is solved, else 1 to 6, as in the page's tables; NaN stays NaN."""
    steps = np.minimum(_STEPS, np.floor(c / n * _STEPS) + 1)
    found: NDArray[Any] = np.where(c == 0, 0, steps)
    return found


def figure(rows: Frame, tasks: Frame, c: Frame, n: Frame, task_url: str) -> Drawing:
    """A row for each entrant and a column for each task; missing results are hatched. Rows have
    names with links, or every n-th row if there is no room for all. static/js/charts.js links the
    cells: `task_url` is the address of a task with "@" in place of its number."""
    names = list(_told_apart(drawing.shown(name) for name in rows["name"]))
    ids = list(_told_apart(drawing.shown(one) for one in tasks.loc[c.columns, "id"]))
    drawn = drawing.new_figure(
        meta={"url": task_url, "numbers": [int(one) for one in tasks.loc[c.columns, "number"]]},
        margin={"l": drawing.widest(_short_names(rows)) + 8, "r": 0, "t": _TOP, "b": _BOTTOM},
        xaxis=_axis("category"),
        yaxis={**_axis("category"), **_named(rows, names), "autorange": "reversed"},
        # Missing cells are drawn by number on separate axes.
        xaxis2={**_axis("linear"), "overlaying": "x", "range": [-0.5, len(ids) - 0.5]},
        yaxis2={**_axis("linear"), "overlaying": "y", "range": [len(names) - 0.5, -0.5]},
        barmode="overlay",
    )
    cells, heat = _heat(names, ids, c.to_numpy(), n.to_numpy())
    drawn.add_trace(cells)
    missing = c.isna().to_numpy()
    if missing.any():
        drawn.add_trace(_hatched(names, missing))
    _name_sides(drawn)
    drawn.update_layout(coloraxis={"cmin": -0.5, "cmax": len(heat) - 0.5, "showscale": False})
    return Drawing(drawn, ("accent",), heat)


def _short_names(rows: Frame) -> list[str]:
    return [drawing.shown(name, _NAME_MOST) for name in rows["name"]]


def _named(rows: Frame, places: list[str]) -> dict[str, Any]:
    """Names as links to the entrants, at these places of the axis."""
    room = drawing.HEIGHTS[height(rows)] - _TOP - _BOTTOM
    every = math.ceil(len(rows) * _LEAST_ROW / room)
    links = [
        f'<a href="{reverse("entrant", args=[slug])}">{name}</a>'
        for slug, name in zip(rows["slug"], _short_names(rows), strict=True)
    ]
    ticks = {"tickvals": places[::every], "ticktext": links[::every]}
    return {"showticklabels": True, **ticks, "tickfont": {"size": _LEAST_ROW}}


def _axis(kind: str) -> dict[str, Any]:
    return {"type": kind, "showticklabels": False, "showgrid": False, "ticks": ""}


def _heat(
    names: list[str], ids: list[str], c: NDArray[Any], n: NDArray[Any]
) -> tuple[go.Heatmap, tuple[str, ...]]:
    """The heatmap, and the token of each integer in it.

    If every cell has the same number of samples, the figure has c only, a third of the data.
    """
    sizes = np.unique(n[~np.isnan(n)])
    uniform = len(sizes) == 1 and sizes[0] <= _MOST_UNIFORM
    told = ("%{z}", f"{sizes[0]:.0f}") if uniform else ("%{customdata}", "%{text}")
    cells = go.Heatmap(
        x=ids,
        y=names,
        z=_compact(c if uniform else heat_steps(c, n)),
        customdata=None if uniform else _compact(c),
        text=None if uniform else _compact(n),
        coloraxis="coloraxis",
        xgap=int(len(ids) <= _MOST_COLUMNS),
        ygap=3 if len(names) <= _MOST_ROWS // 2 else int(len(names) <= _MOST_ROWS),
        hoverongaps=False,
        hovertemplate=_("%(entrant)s<br>%(task)s: %(right)s of %(samples)s right")
        % {"entrant": "%{y}", "task": "%{x}", "right": told[0], "samples": told[1]}
        + "<extra></extra>",
    )
    numbers = np.arange(sizes[0] + 1) if uniform else np.arange(_STEPS + 1)
    steps = heat_steps(numbers, np.full_like(numbers, sizes[0])) if uniform else numbers
    return cells, tuple(theme.HEAT[int(step)] for step in steps)


def _compact(cells: NDArray[Any]) -> NDArray[Any] | list[list[int | None]]:
    """Integers in plotly's smallest encoding; lists if some are missing."""
    if np.isnan(cells).any():
        return [[None if np.isnan(one) else int(one) for one in row] for row in cells]
    return cells.astype(np.uint8 if cells.max(initial=0) < 256 else np.uint32)


def _hatched(names: list[str], missing: NDArray[Any]) -> go.Bar:
    stretches = sorted(_stretches(missing), key=lambda one: one[1] - one[2])[:_MOST_HATCHED]
    return go.Bar(
        orientation="h",
        y=[row for row, _start, _stop in stretches],
        base=[start - 0.5 for _row, start, _stop in stretches],
        x=[stop - start for _row, start, stop in stretches],
        width=0.8,
        xaxis="x2",
        yaxis="y2",
        text=[names[row] for row, _start, _stop in stretches],
        textposition="none",
        hovertemplate="%{text}<br>– " + _("no final result") + "<extra></extra>",
    )


def _stretches(missing: NDArray[Any]) -> Iterable[tuple[int, int, int]]:
    """Yields row, start and stop of each run of missing cells."""
    edges = np.diff(np.pad(missing.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    starts, stops = np.argwhere(edges == 1), np.argwhere(edges == -1)
    for (row, start), (_row, stop) in zip(starts.tolist(), stops.tolist(), strict=True):
        yield row, start, stop


def _told_apart(texts: Iterable[str]) -> Iterable[str]:
    """Numbers repeated texts: plotly merges rows or columns with equal names."""
    seen: Counter[str] = Counter()
    for text in texts:
        seen[text] += 1
        yield text if seen[text] == 1 else f"{text} ({seen[text]})"


def _name_sides(drawn: go.Figure) -> None:
    words = (
        (0, "left", pgettext("end of an axis of tasks", "easy")),
        (0.5, "center", _("tasks by solve rate")),
        (1, "right", pgettext("end of an axis of tasks", "hard")),
    )
    for x, anchor, text in words:
        drawing.add_text(
            drawn, text, colour="ink-3", font={"size": 12},
            xref="paper", x=x, xanchor=anchor, yref="paper", y=0, yanchor="top", yshift=-6,
        )  # fmt: skip
