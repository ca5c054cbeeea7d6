"""Entrants compared with the benchmark's own programs: the reference solution and the stubs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import plotly.graph_objects as go
from django.utils.translation import gettext as _

from leaderboard.boards.frames import BoardFrames, Frame, overall
from leaderboard.pages.boards.charts import drawing
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, ReferenceLine, Table
from leaderboard.pages.boards.words import reference_words
from leaderboard.pages.shared.numbers import per_cent, rounded
from leaderboard.pages.shared.panel_words import metric_words

# Pixels: an entrant's row, the axis, a line's label.
_ROW, _AXIS, _WORDS = 26, 26, 15
# Leaves room for the dots on a phone.
_NAME_MOST = 18


def references_chart(board: BoardFrames, _by: str) -> Chart | None:
    points, lines = chosen(board.rows, board.scores), reference_lines(board)
    if not len(points) or not lines:
        return None
    title = _("Comparison with the benchmark's own programs")
    stubs = [share for metric, share in board.references if metric.startswith("pass_stub")]
    if stubs and not any(stubs) and dict(board.references).get("pass_oracle@1") == 1:
        title = _("No stub passes; the reference solution passes every task")
    subtitle = _(
        "%(metric)s in per cent, with 95 %% intervals; dotted: the scores of the benchmark's "
        "own programs"
    ) % {"metric": metric_words(board.metric)}
    height = drawing.lowest_height(len(points) * _ROW + len(lines) * _WORDS + _AXIS)
    return Chart(
        title, subtitle, partial(_figure, points, lines), partial(_table, board, points), height
    )


def reference_lines(board: BoardFrames) -> list[ReferenceLine]:
    """The reference solution and the stubs, the lowest first."""
    programs = [
        (metric, share)
        for metric, share in board.references
        if metric.startswith(("pass_oracle", "pass_stub"))
    ]
    in_order = sorted(programs, key=lambda program: program[1])
    return [(reference_words(metric), share) for metric, share in in_order]


def chosen(rows: Frame, scores: Frame) -> Frame:
    """name, value, low and high of the entrants to draw, spread evenly over the board."""
    scored = rows.join(overall(scores), how="inner").dropna(subset=["value"])
    most = (drawing.HEIGHTS["very-tall"] - _AXIS - 6 * _WORDS) // _ROW
    return scored[["name", "value", "low", "high"]].iloc[drawing.spread(len(scored), most)]


def _figure(points: Frame, lines: Sequence[ReferenceLine]) -> Drawing:
    """A dot with its interval for each entrant, and a thin vertical line for each program."""
    names = [drawing.shown(name, _NAME_MOST) for name in points["name"]]
    left = max(map(drawing.text_width, names)) + 14
    figure = drawing.new_figure(
        margin={"l": left, "r": 12, "t": len(lines) * _WORDS + 6, "b": _AXIS},
        xaxis={"range": [-1, 101], "dtick": 25, "tick0": 0},
        yaxis={"range": [len(points) - 0.5, -0.5], "showticklabels": False, "showgrid": False},
    )
    dots = go.Scatter(
        x=drawing.percents(points["value"]),
        y=list(range(len(points))),
        error_x=drawing.arms(points["value"], points["low"], points["high"]),
        mode="markers",
        marker={"size": 8},
        text=[drawing.shown(name) for name in points["name"]],
        hovertemplate="%{text}: %{x:.1f}<extra></extra>",
        cliponaxis=False,
    )
    figure.add_trace(dots)
    for place, name in enumerate(names):
        drawing.add_row_name(figure, name, place)
    for place, (words, share) in enumerate(reversed(lines)):
        x = share * 100
        figure.add_shape(type="line", xref="x", x0=x, x1=x, yref="paper", y0=0, y1=1)
        drawing.add_text(
            figure, f"{drawing.shown(words)} {rounded(x, 1)}", colour="ink-3", x=x, xref="x",
            xanchor="left" if x < 50 else "right", y=1, yref="paper", yanchor="bottom",
            yshift=place * _WORDS,
        )  # fmt: skip
    return Drawing(figure, ("accent",))


def _table(board: BoardFrames, points: Frame) -> Table:
    rows: list[list[str | None]] = [
        [reference_words(metric), per_cent(share)] for metric, share in board.references
    ]
    for _key, point in points.iterrows():
        rows.append([str(point["name"]), drawing.with_interval(point)])
    return Table([_("Entrant"), metric_words(board.metric)], rows)
