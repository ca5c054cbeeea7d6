"""The task grid: results by entrant and task, from the easiest task to the hardest."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext
from numpy.typing import NDArray

from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.charts import drawing, theme
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, NumberTable
from leaderboard.pages.boards.charts.naming import WIDTH
from leaderboard.pages.shared.numbers import per_cent

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
# Above this number of cells, the table has only the totals of each task.
_MOST_CELLS = 4_000


def tasks_chart(board: BoardFrames, _by: str) -> Chart | None:
    c, n = grid(board.rows, board.tasks, board.results)
    if not c.notna().any().any():
        return None
    title = _("Task by task")
    if len(board.rows) > 1:
        # Tasks without a correct or unsettled sample from any entrant.
        best = board.results[["c", "open"]].groupby(level="task").sum().sum(axis=1)
        unsolved = int((best == 0).sum())
        title = ngettext(
            "%(number)s task is solved by no entrant",
            "%(number)s tasks are solved by no entrant",
            unsolved,
        ) % {"number": number_at_start(unsolved)}
        if not unsolved:
            title = _("Every task is solved by an entrant")
    subtitle = _(
        "each row is an entrant, each cell links to a task; a stronger colour means solved more "
        "often"
    )
    height = drawing.lowest_height(_TOP + _BOTTOM + len(board.rows) * _ROW)

    def table() -> NumberTable:
        rates, solved, faced = solve_rates(board.rows, c, n), (c > 0).sum(), c.notna().sum()
        entrants = list(board.rows.index) if c.size <= _MOST_CELLS else []
        rows: list[list[str | None]] = []
        for task in c.columns:
            solvers = _("%(count)s of %(all)s") % {"count": solved[task], "all": faced[task]}
            rate = None if pd.isna(rates[task]) else per_cent(rates[task])
            name = str(board.tasks.at[task, "external_id"])
            rows.append([name, rate, solvers if faced[task] else None])
            for right, of in zip(c.loc[entrants, task], n.loc[entrants, task], strict=True):
                rows[-1].append(None if pd.isna(right) else f"{right:.0f}/{of:.0f}")
        head = [_("Task"), _("Solve rate"), _("Solved by"), *board.rows.loc[entrants, "name"]]
        numbers = board.tasks.loc[c.columns, "number"]
        return NumberTable(
            head, rows, [board.task_url.replace("@", str(number)) for number in numbers]
        )

    return Chart(title, subtitle, partial(_figure, board, c, n, height), table, height)


def number_at_start(count: int) -> str:
    """Numbers up to ten as a word that starts a sentence about tasks; others as digits."""
    words = (
        pgettext("number of tasks, at the start", "One"),
        pgettext("number of tasks, at the start", "Two"),
        pgettext("number of tasks, at the start", "Three"),
        pgettext("number of tasks, at the start", "Four"),
        pgettext("number of tasks, at the start", "Five"),
        pgettext("number of tasks, at the start", "Six"),
        pgettext("number of tasks, at the start", "Seven"),
        pgettext("number of tasks, at the start", "Eight"),
        pgettext("number of tasks, at the start", "Nine"),
        pgettext("number of tasks, at the start", "Ten"),
    )
    return words[count - 1] if 1 <= count <= len(words) else number_format(count)


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


def heat_steps(c: NDArray[Any], n: NDArray[Any]) -> NDArray[Any]:
    """0 if nothing is solved, else 1 to 6, as in the page's tables; NaN stays NaN."""
    steps: NDArray[Any] = np.minimum(_STEPS, np.floor(c / n * _STEPS) + 1)
    return np.where(c == 0, 0, steps)


def _figure(board: BoardFrames, c: Frame, n: Frame, height: drawing.Height) -> Drawing:
    """A row for each entrant and a column for each task; missing results are hatched. Rows have
    names with links, or every n-th row if there is no room for all. static/js/charts.js links the
    cells: the board's `task_url` has "@" in place of a task's number."""
    rows, tasks = board.rows, board.tasks.loc[c.columns]
    names = list(_told_apart(drawing.shown(name) for name in rows["name"]))
    ids = list(_told_apart(drawing.shown(name) for name in tasks["external_id"]))
    short = [drawing.shown(name, _NAME_MOST) for name in rows["name"]]
    room = drawing.HEIGHTS[height] - _TOP - _BOTTOM
    every = math.ceil(len(rows) * _LEAST_ROW / room)
    links = [
        f'<a href="{reverse("entrant", args=[slug])}">{name}</a>'
        for slug, name in zip(rows["slug"], short, strict=True)
    ]
    left = max(map(drawing.text_width, short)) + 8
    easy = pgettext("end of an axis of tasks", "easy")
    hard, order = pgettext("end of an axis of tasks", "hard"), _("tasks by solve rate")
    # A line of its own for the order, if the three texts have no room in one on a phone.
    lower = _ROW * (drawing.text_width(easy + order + hard) > WIDTH - left)
    axis = {"showticklabels": False, "showgrid": False, "ticks": ""}
    figure = drawing.new_figure(
        meta={"url": board.task_url, "numbers": [int(number) for number in tasks["number"]]},
        margin={"l": left, "r": 0, "t": _TOP, "b": _BOTTOM + lower},
        xaxis={"type": "category", **axis},
        yaxis={
            **axis,
            "type": "category",
            "showticklabels": True,
            "tickvals": names[::every],
            "ticktext": links[::every],
            "tickfont": {"size": _LEAST_ROW},
            "autorange": "reversed",
        },
        # Missing cells are drawn by number on separate axes.
        xaxis2={**axis, "type": "linear", "overlaying": "x", "range": [-0.5, len(ids) - 0.5]},
        yaxis2={**axis, "type": "linear", "overlaying": "y", "range": [len(names) - 0.5, -0.5]},
        barmode="overlay",
    )
    cells, heat = _heat(names, ids, c.to_numpy(), n.to_numpy())
    figure.add_trace(cells)
    missing = c.isna().to_numpy()
    if missing.any():
        figure.add_trace(_hatched(names, missing))
    for x, anchor, text, down in (
        (0, "left", easy, 6), (0.5, "center", order, 6 + lower), (1, "right", hard, 6),
    ):  # fmt: skip
        drawing.add_text(
            figure, text, colour="ink-3", font={"size": 12},
            xref="paper", x=x, xanchor=anchor, yref="paper", y=0, yanchor="top", yshift=-down,
        )  # fmt: skip
    figure.update_layout(coloraxis={"cmin": -0.5, "cmax": len(heat) - 0.5, "showscale": False})
    return Drawing(figure, ("accent",), heat)


def _heat(
    names: list[str], ids: list[str], c: NDArray[Any], n: NDArray[Any]
) -> tuple[go.Heatmap, tuple[str, ...]]:
    """The heatmap, and the token of each integer in it. If every cell has the same number of
    samples, it has c only, a third of the data."""
    sizes = np.unique(n[~np.isnan(n)])
    uniform = len(sizes) == 1 and sizes[0] <= _MOST_UNIFORM
    right, samples = ("%{z}", f"{sizes[0]:.0f}") if uniform else ("%{customdata}", "%{text}")
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
        % {"entrant": "%{y}", "task": "%{x}", "right": right, "samples": samples}
        + "<extra></extra>",
    )
    numbers = np.arange(sizes[0] + 1) if uniform else np.arange(_STEPS + 1)
    steps = heat_steps(numbers, np.full_like(numbers, sizes[0])) if uniform else numbers
    return cells, tuple(theme.HEAT[int(step)] for step in steps)


def _compact(cells: NDArray[Any]) -> NDArray[Any] | list[list[int | None]]:
    """Integers in plotly's smallest encoding; lists if some are missing."""
    if np.isnan(cells).any():
        return [[None if np.isnan(cell) else int(cell) for cell in row] for row in cells]
    return cells.astype(np.uint8 if cells.max(initial=0) < 256 else np.uint32)


def _hatched(names: list[str], missing: NDArray[Any]) -> go.Bar:
    edges = np.diff(np.pad(missing.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    rows, starts = np.nonzero(edges == 1)
    _rows, stops = np.nonzero(edges == -1)
    longest = np.argsort(starts - stops, kind="stable")[:_MOST_HATCHED]
    rows, starts, stops = rows[longest], starts[longest], stops[longest]
    return go.Bar(
        orientation="h",
        y=rows.tolist(),
        base=(starts - 0.5).tolist(),
        x=(stops - starts).tolist(),
        width=0.8,
        xaxis="x2",
        yaxis="y2",
        text=[names[row] for row in rows],
        textposition="none",
        hovertemplate="%{text}<br>– " + _("no final result") + "<extra></extra>",
    )


def _told_apart(texts: Iterable[str]) -> Iterator[str]:
    """Numbers repeated texts: plotly merges rows or columns with equal names."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts[text] += 1
        yield text if counts[text] == 1 else f"{text} ({counts[text]})"
