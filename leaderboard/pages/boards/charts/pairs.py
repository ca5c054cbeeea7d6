"""One scale against another: mean marks of the entrants."""

from __future__ import annotations

from functools import partial
from itertools import combinations, islice
from math import isnan
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.charts import drawing, labels, rules
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, Table
from leaderboard.pages.boards.charts.labels import Box
from leaderboard.pages.shared.numbers import with_ends
from leaderboard.pages.shared.panel_words import scale_words

_FEWEST = 3
_MARGIN = {"l": 44, "r": 16, "t": 8, "b": 40}
_PIXELS = drawing.HEIGHTS[""] - _MARGIN["t"] - _MARGIN["b"]
# Margin beyond the ends of a scale, so that a dot at an end is not cut off.
_ROOM = 0.12


def pair_chart(board: BoardFrames, _by: str, *, number: int) -> Chart | None:
    """The pair of scales with this index from 0."""
    every = combinations(dict.fromkeys(board.marks["criterion"]), 2)
    scales = next(islice(every, number, None), None)
    if scales is None:
        return None
    means = points(board.rows, board.marks, scales)
    if len(means) < _FEWEST:
        return None
    words = {"one": scale_words(scales[0]), "other": scale_words(scales[1])}
    title = _("%(other)s against %(one)s") % words
    if rules.go_together(means["x"], means["y"]):
        title = _("%(one)s and %(other)s correlate") % words
    subtitle = _("mean marks with intervals of 95 %; each axis shows the whole scale")
    return Chart(
        capfirst(title), subtitle, partial(_figure, means, scales), partial(_table, means, scales)
    )


def points(rows: Frame, marks: Frame, scales: tuple[str, str]) -> Frame:
    """By evaluation: name; x, x_low, x_high and x_top of the first scale; the same for y."""
    joined = rows[["name"]]
    for axis, scale in zip("xy", scales, strict=True):
        part = marks[marks["criterion"] == scale].set_index("evaluation")
        part = part[["value", "low", "high", "top"]]
        part.columns = [axis, f"{axis}_low", f"{axis}_high", f"{axis}_top"]
        joined = joined.join(part, how="inner")
    return joined.dropna(subset=["x", "y"])


def _figure(points: Frame, scales: tuple[str, str]) -> Drawing:
    """A dot with both intervals for each entrant. Both axes show the whole scale."""
    tops = {axis: int(points[f"{axis}_top"].max()) for axis in "xy"}

    def pixels(axis: str, end: str = "") -> list[float]:
        shares = (points[axis + end] - 1 + _ROOM) / (tops[axis] - 1 + 2 * _ROOM)
        return list(shares * (labels.WIDTH if axis == "x" else _PIXELS))

    layout: dict[str, Any] = {}
    dots: dict[str, Any] = {}
    for axis, scale, standoff in zip("xy", scales, (4, 6), strict=True):
        layout[f"{axis}axis"] = {
            "range": [1 - _ROOM, tops[axis] + _ROOM],
            "dtick": 1,
            "tick0": 1,
            "title": {"text": drawing.shown(capfirst(scale_words(scale))), "standoff": standoff},
        }
        value, low, high = points[axis], points[f"{axis}_low"], points[f"{axis}_high"]
        dots[axis] = drawing.gaps(value)
        dots[f"error_{axis}"] = drawing.arms(value, low, high, 1)
    figure = drawing.new_figure(margin=_MARGIN, **layout)
    places = list(zip(pixels("x"), pixels("y"), strict=True))
    lefts_and_rights = zip(pixels("x", "_low"), pixels("x", "_high"), strict=True)
    bottoms_and_tops = zip(pixels("y", "_low"), pixels("y", "_high"), strict=True)
    arms = []
    for (x, y), (left, right), (bottom, top) in zip(
        places, lefts_and_rights, bottoms_and_tops, strict=True
    ):
        if not isnan(left) and not isnan(bottom):
            arms += [Box(left, right, y, y), Box(x, x, bottom, top)]
    trace = labels.dots(
        points["name"],
        places,
        arms,
        customdata=[drawing.shown(name) for name in points["name"]],
        hovertemplate="%{customdata}<br>%{x:.2f} · %{y:.2f}<extra></extra>",
        **dots,
    )
    figure.add_trace(trace)
    return Drawing(figure, ("accent",))


def _table(points: Frame, scales: tuple[str, str]) -> Table:
    rows = [
        [
            str(point["name"]),
            *(
                with_ends(point[axis], point[f"{axis}_low"], point[f"{axis}_high"], 2)
                for axis in "xy"
            ),
        ]
        for _key, point in points.iterrows()
    ]
    return Table([_("Entrant"), *map(scale_words, scales)], rows)
