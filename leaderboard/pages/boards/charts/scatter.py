"""Score against size, tokens, cost and time: a dot with its interval for each entrant."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from math import ceil, floor, log10
from typing import Any

import pandas as pd
import plotly.graph_objects as go
from django.utils.formats import date_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboard.boards.frames import BoardFrames, Frame, overall_scores
from leaderboard.pages.boards.charts import drawing, naming
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, NumberTable
from leaderboard.pages.boards.charts.naming import WIDTH, Box
from leaderboard.pages.shared.numbers import EXACT, nearest
from leaderboard.pages.shared.panel_words import metric_words
from leaderboard.pages.shared.score_words import compact_date

# The fewest different sizes or numbers of tokens, and days, for which a chart is drawn.
FEWEST, _FEWEST_DAYS = 3, 2
_MARGIN = {"l": 34, "r": 16, "t": 10, "b": 40}
_MOST_DATES = 4
# Minimum pixels between the texts of two ticks.
_BETWEEN = 14
_LEAST_ROOM = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class _Axis:
    """`where` is 0..1 along the axis; `words` are the texts of each point's x."""

    xs: list[Any]
    where: list[float]
    words: list[str]
    end: Any
    layout: dict[str, Any]


# --- The charts ---------------------------------------------------------------------------


def size_chart(board: BoardFrames, _by: str) -> Chart | None:
    # The axis is logarithmic.
    points = _points(board, board.rows[board.rows["parameters"] > 0], "parameters", FEWEST)
    metric = metric_words(board.metric)
    return None if points is None else chart_of_sizes(points, metric, board.human)


def chart_of_sizes(points: Frame, metric: str, human: float | None = None) -> Chart:
    """Score against billions of parameters, on a logarithmic axis. `points` has the columns name,
    x, value, low and high (0..1), the smallest first."""
    axis = _by_powers(points, lambda x: _("%(number)sB") % {"number": _number(x)}, _("parameters"))
    subtitle = _("%(metric)s in per cent, with 95 %% intervals, of entrants whose size is known")
    head, plot = _("Billions of parameters"), _Plot(points, axis, human)
    return plot.chart(_("Score against size"), subtitle, metric, head, _number)


def tokens_chart(board: BoardFrames, _by: str) -> Chart | None:
    """Score against output tokens per answer, on a logarithmic axis, with the Pareto front: a step
    line for the best score up to each number of tokens."""
    subtitle = _(
        "%(metric)s in per cent, with 95 %% intervals, of entrants whose team states its tokens; "
        "the line is the best score up to each number of tokens"
    )
    best = pgettext("of a result", "best up to each number of tokens")
    axis, head = _("output tokens per answer"), _("Output tokens per answer")
    texts = (_("Score against tokens"), subtitle, axis, head, best)
    return _with_front(board, "tokens", partial(_number, most=0), *texts)


def price_chart(board: BoardFrames, _by: str) -> Chart | None:
    """As `tokens_chart`, against the price of a thousand answers."""
    subtitle = _(
        "%(metric)s in per cent, with 95 %% intervals, by what the answers cost, as the teams "
        "state it; the line is the best score up to each price"
    )
    best = pgettext("of a result", "best up to each price")
    axis = _("US dollars per 1,000 answers")
    texts = (_("Score against cost"), subtitle, axis, axis, best)
    return _with_front(board, "price", _number, *texts)


def _with_front(
    board: BoardFrames, column: str, words: Callable[[Any], str],
    title: str, subtitle: str, axis_title: str, head: str, best: str,
) -> Chart | None:  # fmt: skip
    """The score against a column of `BoardFrames.stated`. `words` formats its numbers on the axis
    and in the table, which `axis_title` and `head` name."""
    points = _points(board, board.rows.join(board.stated), column, FEWEST)
    if points is None:
        return None
    plot = _Plot(points, _by_powers(points, words, axis_title), board.human, best)
    return plot.chart(title, subtitle, metric_words(board.metric), head, words)


def _number(value: float, most: int = EXACT) -> str:
    """Three digits that are not zeros in front, and all before the point; `most` after it."""
    digits = min(most, max(0, 2 - floor(log10(value))))
    exact = nearest(value, digits).normalize()
    decimals = max(0, -int(exact.as_tuple().exponent))
    return number_format(exact, decimals, force_grouping=True)


def time_chart(board: BoardFrames, _by: str) -> Chart | None:
    points = _points(board, board.rows, "published", _FEWEST_DAYS)
    if points is None:
        return None
    subtitle = _("%(metric)s in per cent, with 95 %% intervals, by the day of publishing")
    words, metric = partial(date_format, format="DATE_FORMAT"), metric_words(board.metric)
    best = pgettext("of a result", "best so far")
    plot = _Plot(points, _by_days(points), board.human, best)
    return plot.chart(_("Score over time"), subtitle, metric, _("Published"), words)


def _points(board: BoardFrames, rows: Frame, by: str, fewest: int) -> Frame | None:
    """name, x (the column `by`), value, low and high (0..1), the smallest x first. None on a scale
    of marks, or with fewer than `fewest` different x, or days."""
    joined = rows.join(overall_scores(board.scores), how="inner").rename(columns={by: "x"})
    points = joined.dropna(subset=["x", "value"])
    x = points["x"]
    different = (x.dt.date if x.dtype.kind == "M" else x).nunique()
    if board.top is not None or different < fewest:
        return None
    return points[["name", "x", "value", "low", "high"]].sort_values("x", kind="stable")


# --- Axes ---------------------------------------------------------------------------------


def _by_powers(points: Frame, words: Callable[[Any], str], title: str) -> _Axis:
    powers = [log10(x) for x in points["x"]]
    room = max(0.15, (powers[-1] - powers[0]) * 0.12)
    start, end = powers[0] - room, powers[-1] + room
    ticks: list[float] = []
    # As many ticks as have room for their texts next to each other on a phone.
    for steps in ((1, 2, 5), (1, 3), (1,)):
        every = [step * 10**power for power in range(-3, 16) for step in steps]
        ticks = [tick for tick in every if start <= log10(tick) <= end]
        widths = (drawing.text_width(words(tick)) + _BETWEEN for tick in ticks)
        if sum(widths) <= WIDTH:
            break
    layout = {
        "type": "log",
        "range": [start, end],
        "tickvals": ticks,
        "ticktext": [words(tick) for tick in ticks],
        "tickangle": 0,
        "showgrid": False,
        "title": {"text": title, "standoff": 4},
    }
    where = [(power - start) / (end - start) for power in powers]
    return _Axis(list(points["x"]), where, [words(x) for x in points["x"]], 10**end, layout)


def _by_days(points: Frame) -> _Axis:
    days = [day.to_pydatetime() for day in points["x"]]
    room = max((days[-1] - days[0]) * 0.12, _LEAST_ROOM)
    start, end = days[0] - room, days[-1] + room
    between = pd.date_range(start, end, periods=_MOST_DATES + 2)[1:-1]
    ticks = list(between.normalize().unique())
    layout = {
        "type": "date",
        "range": [start.isoformat(), end.isoformat()],
        "tickvals": [tick.isoformat() for tick in ticks],
        "ticktext": [compact_date(tick.to_pydatetime()) for tick in ticks],
        "tickangle": 0,
        "showgrid": False,
    }
    where = [(day - start) / (end - start) for day in days]
    words = [compact_date(day) for day in days]
    return _Axis([day.isoformat() for day in days], where, words, end.isoformat(), layout)


def _scale(points: Frame, human: float | None) -> dict[str, Any]:
    """The vertical axis in per cent, with room for a label above and half a mark below."""
    values = [*points["value"], *points["low"].dropna(), *points["high"].dropna()]
    values += [] if human is None else [human]
    top, bottom = max(values), min(values)
    low = floor(bottom * 10) * 10
    high = max(ceil(top * 10) * 10, low + 10)
    room = (high - low) * 0.08
    ends = [min(low, bottom * 100 - room / 4), max(high, top * 100 + room)]
    return {"range": ends, "dtick": 10 if high - low <= 60 else 20, "tick0": 0}


# --- The figure ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Plot:
    """`best` names the step line for the highest score up to each x; "" draws none."""

    points: Frame
    axis: _Axis
    human: float | None
    best: str = ""

    def chart(
        self, title: str, subtitle: str, metric: str, head: str, words: Callable[[Any], str]
    ) -> Chart:
        """In the table, `words` formats each x and `head` names them."""

        def table() -> NumberTable:
            rows = [
                [point["name"], words(point["x"]), drawing.with_interval(point)]
                for _key, point in self.points.iterrows()
            ]
            return NumberTable([_("Entrant"), head, metric], rows)

        count, scale = len(self.points), _scale(self.points, self.human)
        height: drawing.Height = "" if count <= 8 else "tall" if count <= 14 else "very-tall"
        names = self._names(scale, drawing.HEIGHTS[height] - _MARGIN["t"] - _MARGIN["b"])
        line = "; ".join(filter(None, (subtitle % {"metric": metric}, names.line)))
        return Chart(title, line, partial(self._figure, scale, names), table, height)

    def _names(self, scale: Mapping[str, Any], height: float) -> naming.DotNames:
        low, high = scale["range"]

        def pixels(share: Any) -> Any:
            return (share * 100 - low) / (high - low) * height

        points, xs = self.points, [place * WIDTH for place in (*self.axis.where, 1.0)]
        taken = [
            Box(x, x, pixels(below), pixels(above))
            for x, below, above in zip(xs[:-1], points["low"], points["high"], strict=True)
            if not pd.isna(below)
        ]
        if self.human is not None:
            taken.append(Box(0, WIDTH, pixels(self.human), pixels(self.human)))
        if self.best:
            # The horizontal and the vertical parts of the step line to the axis's end.
            heights = [pixels(share) for share in points["value"].cummax()]
            taken += [Box(x, end, y, y) for x, end, y in zip(xs, xs[1:], heights, strict=False)]
            steps = zip(xs[1:], heights, heights[1:], strict=False)
            taken += [Box(x, x, below, above) for x, below, above in steps]
        places = zip(xs[:-1], map(pixels, points["value"]), strict=True)
        return naming.names_of_dots(points["name"], places, taken, height)

    def _figure(self, scale: Mapping[str, Any], names: naming.DotNames) -> Drawing:
        points, axis = self.points, self.axis
        figure = drawing.new_figure(margin=_MARGIN, xaxis=axis.layout, yaxis=scale)
        if self.human is not None:
            drawing.add_reference_line(figure, self.human, _("human"))
        texts = zip(points["name"], axis.words, strict=True)
        y = drawing.percents(points["value"])
        dots = go.Scatter(
            mode="markers",
            marker={"size": 8},
            cliponaxis=False,
            x=axis.xs,
            y=y,
            error_y=drawing.arms(points["value"], points["low"], points["high"]),
            customdata=[f"{drawing.shown(name)} · {words}" for name, words in texts],
            hovertemplate="%{customdata}<br>%{y:.1f}<extra></extra>",
        )
        figure.add_trace(dots)
        logarithmic = axis.layout["type"] == "log"
        names.add_to(figure, zip(map(log10, axis.xs) if logarithmic else axis.xs, y, strict=True))
        if self.best:
            shares = drawing.percents(points["value"].cummax())
            line = go.Scatter(
                x=[*axis.xs, axis.end],
                y=[*shares, shares[-1]],
                mode="lines",
                line={"shape": "hv", "width": 1},
                hovertemplate=self.best + ": %{y:.1f}<extra></extra>",
                zorder=-1,
            )
            figure.add_trace(line)
        return Drawing(figure, ("accent", "ink-3"))
