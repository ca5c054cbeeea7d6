"""Charts of ratings: agreement of the raters, distribution of marks, one scale against another."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import combinations, islice
from math import floor, isnan
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.charts import drawing, theme
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, NumberTable
from leaderboard.pages.boards.charts.naming import WIDTH, Box, DotNames, names_of_dots
from leaderboard.pages.shared.numbers import EXACT, per_cent, rounded, with_ends
from leaderboard.pages.shared.panel_words import lack_words, scale_words

# --- Agreement of raters on each scale: alpha with its interval, kappa, and the threshold -------

_MEASURES: Mapping[str, object] = {
    "alpha": gettext_lazy("Krippendorff's alpha"),
    "kappa": gettext_lazy("weighted kappa"),
}
# Pixels: the rows of a scale including its name; legend and axis.
_SCALE, _LEGEND = 54, 64


def agreement_chart(board: BoardFrames, _by: str) -> Chart | None:
    """The figure shows the first campaign, the table all of them."""
    campaigns = board.agreements["campaign"]
    first = board.agreements[campaigns.isin(campaigns.iloc[:1])]
    if not len(board.rows) or not first["value"].notna().any():
        return None
    title = _("Agreement between raters")
    alphas = first[first["measure"] == "alpha"]
    if not alphas.empty and not alphas[["low", "high"]].isna().any(axis=None):
        if (alphas["low"] >= alphas["least"]).all():
            title = _("The raters agree enough to publish means on every scale")
        elif (alphas["high"] < alphas["least"]).all():
            title = _("The raters agree too little on every scale")
    subtitle = _(
        "alpha with 95 %% intervals; 1 is full agreement, 0 is chance; dotted: the alpha required "
        "to publish a mean, %(least)s"
    ) % {"least": rounded(float(first["least"].iloc[0]), 3)}
    height = drawing.lowest_height(first["criterion"].nunique() * _SCALE + _LEGEND)

    def table() -> NumberTable:
        rows: list[list[str | None]] = []
        several = campaigns.nunique() > 1
        by_scale = board.agreements.groupby(["campaign", "criterion"], sort=False)
        for (_campaign, scale), part in by_scale:
            name = scale_words(str(scale))
            rows.append([f"{part['title'].iloc[0]} · {name}" if several else name])
            for measure in _MEASURES:
                row = part[part["measure"] == measure].iloc[0]
                lacking = pd.isna(row["value"]) and row["lack"]
                number = None if lacking else drawing.with_interval(row, drawing.PLAIN)
                rows[-1].append(lack_words(row["lack"]) if lacking else number)
        return NumberTable([_("Scale"), *map(str, _MEASURES.values())], rows)

    return Chart(title, subtitle, partial(_agreement, first), table, height)


def _agreement(agreements: Frame) -> Drawing:
    scales = list(dict.fromkeys(agreements["criterion"]))
    least = float(agreements["least"].iloc[0])
    lowest = min(0.0, agreements["low"].min(), agreements["value"].min())
    axis = {"range": [lowest - 0.02, 1.02], "dtick": 0.2, "tick0": 0}
    figure = drawing.figure_of_groups(len(scales), axis)
    for series, (measure, words) in enumerate(_MEASURES.items()):
        part = agreements[agreements["measure"] == measure].set_index("criterion").reindex(scales)
        dots = drawing.interval_dots(
            part,
            map(scale_words, scales),
            drawing.PLAIN,
            series=series,
            y=[place + 0.52 + 0.24 * series for place in range(len(scales))],
            marker={"symbol": theme.SYMBOLS[series], "size": 8},
            name=str(words),
        )
        figure.add_trace(dots)
    for place, scale in enumerate(scales):
        part = agreements[(agreements["criterion"] == scale) & agreements["value"].isna()]
        lack = next(filter(None, part["lack"]), "")
        text = capfirst(scale_words(scale)) + (f": {lack_words(lack)}" if lack else "")
        drawing.add_group_name(figure, drawing.shown(text), place)
    figure.add_shape(type="line", xref="x", x0=least, x1=least, yref="paper", y0=0, y1=1)
    return Drawing(figure, theme.SERIES[: len(_MEASURES)])


# --- Distribution: for each scale and entrant, a bar of the generations by mark -----------------

# Pixels: an entrant's bar; a scale's name with its margins; the margin of the chart.
_ROW, _HEAD, _AROUND = 22, 34, 20
_NAME_MOST = 18
# A narrower segment has no room for its mark.
_MARK_ROOM = 0.06
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
    largest = best.groupby(published["criterion"], sort=False).max()
    seldom = [scale_words(str(scale)) for scale in largest.index if largest[scale] < 0.5]
    if seldom and len(rows) > 1:
        title = _("No entrant gets the best mark half of the time: %(scales)s")
        title %= {"scales": ", ".join(seldom)}
    subtitle = _(
        "share of the generations by mark; a stronger colour is better, hatched is missing"
    )
    rated = rows.index[rows.index.isin(marks["evaluation"])]
    room = (drawing.HEIGHTS["very-tall"] - _AROUND) / marks["criterion"].nunique() - _HEAD
    most = max(1, int(room // _ROW))
    entrants = [int(rated[place]) for place in drawing.spread(len(rated), most)]
    group = len(entrants) * _ROW + _HEAD
    height = drawing.lowest_height(marks["criterion"].nunique() * group + _AROUND)

    def table() -> NumberTable:
        most, lines = int(marks["top"].max()), []

        def cell(share: float) -> str | None:
            return None if isnan(share) else _("%(number)s %%") % {"number": per_cent(share, 0)}

        for key in rows.index:
            for _place, row in marks[marks["evaluation"] == key].iterrows():
                shares = [] if pd.isna(row["value"]) else list(row["shares"])
                cells = [*map(cell, shares), *[None] * (most - len(shares)), cell(row["missing"])]
                mean = with_ends(row["value"], row["low"], row["high"], 2)
                name = str(rows.at[key, "name"])
                lines.append([name, scale_words(row["criterion"]), mean, *cells])
        by_mark = (*map(str, range(1, most + 1)), _("missing"))
        return NumberTable([_("Entrant"), _("Scale"), _("Mean mark"), *by_mark], lines)

    return Chart(title, subtitle, partial(_spread, rows, marks, entrants), table, height)


def _spread(rows: Frame, marks: Frame, entrants: Sequence[int]) -> Drawing:
    """Stacked bars of shares; stronger colours are better marks. Missing parts are hatched."""
    names = [drawing.shown(rows.at[key, "name"], _NAME_MOST) for key in entrants]
    scales = list(dict.fromkeys(marks["criterion"]))
    group = len(entrants) * _ROW + _HEAD
    figure = drawing.new_figure(
        barmode="stack",
        margin={"l": max(map(drawing.text_width, names)) + 14, "r": _TICK, "t": 0, "b": _AROUND},
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
        text=[mark if share >= _MARK_ROOM else "" for share in shares],
        textposition="inside",
        insidetextanchor="middle",
        textangle=0,
        customdata=[f"{name} · {drawing.shown(words)}" for name in names],
        hovertemplate="%{customdata}: %{x:.1f} %<extra></extra>",
    )


# --- One scale against another: mean marks of the entrants --------------------------------------

_FEWEST = 3
_MARGIN = {"l": 44, "r": 16, "t": 8, "b": 40}
_LENGTHS = {"x": WIDTH, "y": drawing.HEIGHTS[""] - _MARGIN["t"] - _MARGIN["b"]}
# With fewer pairs, no order of ranks or only one is rare enough.
_FEWEST_PAIRED, _ORDERS, _SEED = 6, 9_999, 1904
_LEVEL, _ROUNDING = 0.05, 1e-9
# Margin beyond the ends of a scale, so that a dot at an end is not cut off.
_ROOM = 0.12


def pair_chart(board: BoardFrames, _by: str, *, number: int) -> Chart | None:
    """The pair of scales with this index from 0."""
    every = combinations(dict.fromkeys(board.marks["criterion"]), 2)
    scales = next(islice(every, number, None), None)
    if scales is None:
        return None
    means = mean_points(board.rows, board.marks, scales)
    if len(means) < _FEWEST:
        return None
    words = {"one": scale_words(scales[0]), "other": scale_words(scales[1])}
    title = _("%(other)s against %(one)s") % words
    if go_together(means["x"], means["y"]):
        title = _("%(one)s and %(other)s correlate") % words
    subtitle = _("mean marks with intervals of 95 %; each axis shows the whole scale")

    def table() -> NumberTable:
        rows: list[list[str | None]] = []
        for _key, point in means.iterrows():
            cells = (with_ends(point[a], point[f"{a}_low"], point[f"{a}_high"], 2) for a in "xy")
            rows.append([str(point["name"]), *cells])
        return NumberTable([_("Entrant"), *map(scale_words, scales)], rows)

    names = _names(means)
    line = "; ".join(filter(None, (subtitle, names.line)))
    return Chart(capfirst(title), line, partial(_pair, means, scales, names), table)


def go_together(x: pd.Series, y: pd.Series) -> bool:
    """Whether x and y of at least six entrants correlate beyond chance: Spearman's correlation
    (American Journal of Psychology 15 (1904) 72-101) is positive, and at most 5 % of 9,999 random
    pairings with a fixed seed reach it."""
    if len(x) < _FEWEST_PAIRED or x.nunique() < 2 or y.nunique() < 2:
        return False
    xs, ys = ((ranks - ranks.mean()).to_numpy() for ranks in (x.rank(), y.rank()))
    product = float((xs * ys).sum())
    random = np.random.default_rng(_SEED)
    products = random.permuted(np.tile(ys, (_ORDERS, 1)), axis=1) @ xs
    reached = int((np.abs(products) >= abs(product) - _ROUNDING).sum())
    return product > 0 and (reached + 1) / (_ORDERS + 1) <= _LEVEL


def mean_points(rows: Frame, marks: Frame, scales: tuple[str, str]) -> Frame:
    """By evaluation: name; x, x_low, x_high and x_top of the first scale; the same for y."""
    joined = rows[["name"]]
    for axis, scale in zip("xy", scales, strict=True):
        part = marks[marks["criterion"] == scale].set_index("evaluation")
        part = part[["value", "low", "high", "top"]]
        part.columns = [axis, f"{axis}_low", f"{axis}_high", f"{axis}_top"]
        joined = joined.join(part, how="inner")
    return joined.dropna(subset=["x", "y"])


def _names(points: Frame) -> DotNames:
    pixels = pd.DataFrame(index=points.index)
    for axis in "xy":
        top, ends = int(points[f"{axis}_top"].max()), [axis, f"{axis}_low", f"{axis}_high"]
        pixels[ends] = (points[ends] - 1 + _ROOM) / (top - 1 + 2 * _ROOM) * _LENGTHS[axis]
    arms: list[Box] = []
    for x, left, right, y, bottom, up in pixels.dropna().itertuples(index=False):
        arms += [Box(left, right, y, y), Box(x, x, bottom, up)]
    places = zip(pixels["x"], pixels["y"], strict=True)
    return names_of_dots(points["name"], places, arms, _LENGTHS["y"])


def _pair(points: Frame, scales: tuple[str, str], names: DotNames) -> Drawing:
    layout: dict[str, Any] = {}
    dots: dict[str, Any] = {}
    for axis, scale, standoff in zip("xy", scales, (4, 6), strict=True):
        top, ends = int(points[f"{axis}_top"].max()), [axis, f"{axis}_low", f"{axis}_high"]
        layout[f"{axis}axis"] = {
            "range": [1 - _ROOM, top + _ROOM],
            "dtick": 1,
            "tick0": 1,
            "title": {"text": drawing.shown(capfirst(scale_words(scale))), "standoff": standoff},
        }
        dots[axis] = drawing.gaps(points[axis])
        value, low, high = (points[end] for end in ends)
        dots[f"error_{axis}"] = drawing.arms(value, low, high, 1)
    figure = drawing.new_figure(margin=_MARGIN, **layout)
    names.add_to(figure, zip(points["x"], points["y"], strict=True))
    trace = go.Scatter(
        mode="markers",
        marker={"size": 8},
        cliponaxis=False,
        customdata=[drawing.shown(name) for name in points["name"]],
        hovertemplate="%{customdata}<br>%{x:.2f} · %{y:.2f}<extra></extra>",
        **dots,
    )
    figure.add_trace(trace)
    return Drawing(figure, ("accent",))
