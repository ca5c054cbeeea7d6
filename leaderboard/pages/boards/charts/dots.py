"""Entrants' scores as dots with their intervals: in each part of the benchmark, and next to the
benchmark's own programs, the reference solution and the stubs."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import plotly.graph_objects as go
from django.utils.translation import gettext as _

from evaluation.engine.metrics.summary import SLICES
from leaderboard.boards.frames import BoardFrames, Frame, overall_scores
from leaderboard.boards.scores import in_metric_order
from leaderboard.pages.boards.charts import drawing, theme
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, NumberTable, ReferenceLine
from leaderboard.pages.boards.words import reference_words, slice_value, slice_words
from leaderboard.pages.shared.numbers import per_cent, rounded
from leaderboard.pages.shared.panel_words import metric_words

# --- The breakdown ------------------------------------------------------------------------------

# Pixels: a dot's row; the group's name with its margins; legend and axis.
_ROW, _BETWEEN, _AROUND = 8, 24, 78
_NAME = 19
_MOST = 48


def breakdown_chart(board: BoardFrames, by: str) -> Chart | None:
    kind = kind_of(board.scores, by)
    if kind is None:
        return None
    scores = parts(board.rows, board.scores, kind)
    every = list(scores.index.unique("slice_value"))
    words = str(slice_words(kind, every).plain)
    title = _("Score by %(slice)s") % {"slice": words}
    if hardest := hardest_for_all(scores, overall_scores(board.scores)):
        hardest = slice_value(kind, hardest)
        title = _("%(value)s: the hardest for every entrant") % {"value": hardest}
    # Those with a score, spread evenly over the board.
    groups, counts = len(every), scores["value"].groupby(level="evaluation").count()
    scored = [key for key in board.rows.index if counts.get(key, 0)]
    room = (drawing.HEIGHTS["very-tall"] - _AROUND) / max(1, groups) - _BETWEEN
    most = min(drawing.MOST_SERIES, max(1, int(room // _ROW)))
    entrants = [scored[position] for position in drawing.spread(len(scored), most)]
    if board.top is not None:
        subtitle = _("mean marks by %(slice)s, with 95 %% intervals")
    elif len(entrants) == len(board.rows):
        subtitle = _("per cent by %(slice)s, with 95 %% intervals")
    else:
        subtitle = _("per cent by %(slice)s, with 95 %% intervals; %(drawn)s of %(all)s entrants")
    numbers = {"slice": words, "drawn": len(entrants), "all": len(board.rows)}
    pixels = groups * (len(entrants) * _ROW + _BETWEEN) + _AROUND

    def table() -> NumberTable:
        unit = drawing.chart_unit(board.top)
        rows: list[list[str | None]] = []
        for key in board.rows.index:
            cells = (drawing.with_interval(scores.loc[(value, key)], unit) for value in every)
            rows.append([str(board.rows.at[key, "name"]), *cells])
        return NumberTable([_("Entrant"), *(slice_value(kind, value) for value in every)], rows)

    figure = partial(_breakdown, board.rows, scores, kind, entrants, board.top)
    return Chart(title, subtitle % numbers, figure, table, drawing.lowest_height(pixels))


def hardest_for_all(parts: Frame, overall: Frame) -> str:
    """The slice value with everyone's lowest score; "" if uncertain. Certain: at least two entrants
    all have their lowest score there, with an interval wholly below their overall score."""
    values = parts["value"].unstack("slice_value").dropna()
    lowest = set(values.idxmin(axis=1)) if len(values) >= 2 else set()
    if len(lowest) != 1:
        return ""
    name = str(lowest.pop())
    high = parts["high"].xs(name, level="slice_value").reindex(values.index)
    return name if (high < overall["value"].reindex(values.index)).all() else ""


def kinds(scores: Frame) -> list[str]:
    """The slices with at least two values that have a score, most values first."""
    counts = scores.dropna(subset=["value"]).groupby("slice")["slice_value"].nunique()
    several = [kind for kind in SLICES if counts.get(kind, 0) >= 2]
    return sorted(several, key=lambda kind: -counts[kind])


def kind_of(scores: Frame, by: str) -> str | None:
    """The requested slice if it can be drawn, else the default; None if no slice can be drawn."""
    drawable = kinds(scores)
    return by if by in drawable else next(iter(drawable), None)


def parts(rows: Frame, scores: Frame, kind: str) -> Frame:
    """value, low and high by slice value and evaluation, in order. Missing scores are NaN."""
    of_kind = scores[scores["slice"] == kind]
    # Sorted as the board's cells are: the first entrant may lack the first value.
    in_order = in_metric_order(set(of_kind["slice_value"]))
    every = pd.MultiIndex.from_product([in_order, rows.index], names=["slice_value", "evaluation"])
    return of_kind.set_index(["slice_value", "evaluation"])[["value", "low", "high"]].reindex(every)


def _breakdown(
    rows: Frame, parts: Frame, kind: str, entrants: list[int], top: int | None
) -> Drawing:
    every = list(parts.index.unique("slice_value"))
    names = [slice_value(kind, value) for value in every]
    axis = {"range": [0, 100], "dtick": 25} if top is None else {"range": [1, top], "dtick": 1}
    figure = drawing.figure_of_groups(len(every), axis)
    for series, entrant in enumerate(entrants):
        scores = parts.loc[[(value, entrant) for value in every]]
        down = (_NAME + series * _ROW) / (len(entrants) * _ROW + _BETWEEN)
        dots = drawing.interval_dots(
            scores,
            names,
            drawing.chart_unit(top),
            series=series,
            y=[round(place + down, 3) for place in range(len(every))],
            name=drawing.shown(rows.at[entrant, "name"], 28),
        )
        figure.add_trace(dots)
    for place, name in enumerate(names):
        drawing.add_group_name(figure, drawing.shown(name, _MOST), place)
    return Drawing(figure, theme.SERIES[: len(entrants)])


# --- The benchmark's own programs ---------------------------------------------------------------

# Pixels: an entrant's row, the axis, a line's label.
_LINE, _AXIS, _WORDS = 26, 26, 15
# Leaves room for the dots on a phone.
_LINE_NAME_MOST = 18


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
    height = drawing.lowest_height(len(points) * _LINE + len(lines) * _WORDS + _AXIS)

    def table() -> NumberTable:
        rows: list[list[str | None]] = [
            [reference_words(name), per_cent(share)] for name, share in board.references
        ]
        for _key, point in points.iterrows():
            rows.append([str(point["name"]), drawing.with_interval(point)])
        return NumberTable([_("Entrant"), metric_words(board.metric)], rows)

    return Chart(title, subtitle, partial(_references, points, lines), table, height)


def reference_lines(board: BoardFrames) -> list[ReferenceLine]:
    """The reference solution and the stubs, the lowest first."""
    in_order = sorted(board.references, key=lambda program: program[1])
    drawn = ("pass_oracle", "pass_stub")
    return [(reference_words(name), share) for name, share in in_order if name.startswith(drawn)]


def chosen(rows: Frame, scores: Frame) -> Frame:
    """name, value, low and high of the entrants to draw, spread evenly over the board."""
    scored = rows.join(overall_scores(scores), how="inner").dropna(subset=["value"])
    most = (drawing.HEIGHTS["very-tall"] - _AXIS - 6 * _WORDS) // _LINE
    return scored[["name", "value", "low", "high"]].iloc[drawing.spread(len(scored), most)]


def _references(points: Frame, lines: Sequence[ReferenceLine]) -> Drawing:
    names = [drawing.shown(name, _LINE_NAME_MOST) for name in points["name"]]
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
