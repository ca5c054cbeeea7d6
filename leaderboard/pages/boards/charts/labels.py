"""Placement of names next to dots and at the ends of lines, in pixels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import pandas as pd
import plotly.graph_objects as go

from leaderboard.pages.boards.charts import theme
from leaderboard.pages.boards.charts.drawing import (
    HEIGHTS,
    add_text,
    new_figure,
    percents,
    shown,
    text_width,
)

# The width of a chart on a phone: names that do not overlap there overlap nowhere.
WIDTH = 290
# Half of a dot with a margin, and the height of a line of text.
_DOT, _LINE = 6, 14
_DOT_NAME_MOST, _LINE_NAME_MOST = 24, 18
# The distances of a dot from the left edge and the axis.
Place: TypeAlias = tuple[float, float]


class Box(NamedTuple):
    """An occupied rectangle in pixels; heights are above the axis."""

    left: float
    right: float
    bottom: float
    top: float

    def touches(self, other: Box) -> bool:
        beside = self.right < other.left or other.right < self.left
        return not (beside or self.top < other.bottom or other.top < self.bottom)


def dots(
    names: Iterable[str], places: Sequence[Place], taken: Iterable[Box], **more: Any
) -> go.Scatter:
    """Dots with their names, as far as these have room. `more` is passed to `go.Scatter`."""
    texts = [shown(name, _DOT_NAME_MOST) for name in names]
    beside = sides(texts, places, taken)
    return go.Scatter(
        mode="markers+text",
        marker={"size": 8},
        text=[text if side else "" for text, side in zip(texts, beside, strict=True)],
        textposition=[side or "top right" for side in beside],
        textfont={"size": 11},
        cliponaxis=False,
        **more,
    )


def sides(names: Sequence[str], places: Sequence[Place], taken: Iterable[Box]) -> list[str]:
    """The text position of each name in plotly's terms, such as "top right"; "" if it does not fit.
    Names overlap no other name, dot or taken box."""
    boxes = [*taken, *(Box(x - _DOT + 1, x + _DOT - 1, y - _DOT, y + _DOT) for x, y in places)]
    positions = [""] * len(names)
    for number in sorted(range(len(names)), key=lambda number: -places[number][1]):
        wide, (x, y) = text_width(names[number]), places[number]
        for height, bottom in (("top", y + 2), ("bottom", y - 2 - _LINE)):
            for side, left in (("right", x + _DOT), ("left", x - _DOT - wide)):
                box = Box(left, left + wide, bottom, bottom + _LINE)
                inside = left >= 0 and left + wide <= WIDTH and bottom >= 0
                if not positions[number] and inside and not any(map(box.touches, boxes)):
                    positions[number] = f"{height} {side}"
                    boxes.append(box)
    return positions


def figure_of_lines(
    names: Iterable[str], ends: Sequence[float], xaxis: Mapping[str, Any]
) -> go.Figure:
    """An empty figure for a series per name, in per cent. `ends` are last values: the names are in
    the right margin, so that no line crosses a name, even if a line ends early."""
    top, bottom = 10, 36
    pixels = (HEIGHTS[""] - top - bottom) / 100
    texts = [shown(name, _LINE_NAME_MOST) for name in names]
    figure = new_figure(
        margin={"l": 34, "r": 14 + max(map(text_width, texts), default=0), "t": top, "b": bottom},
        xaxis=xaxis,
        yaxis={"range": [0, 100], "tickvals": [0, 25, 50, 75, 100]},
    )
    heights = [end * pixels for end in ends]
    for series, (height, place) in enumerate(zip(heights, apart(heights), strict=True)):
        add_text(
            figure, texts[series], colour=theme.SERIES[series],
            x=1, xref="paper", xanchor="left", xshift=5,
            y=ends[series], yref="y", yanchor="middle", yshift=round(place - height, 1),
        )  # fmt: skip
    return figure


def line(series: int, name: str, x: list[Any], values: pd.Series, **more: Any) -> go.Scatter:
    """The line of a name in per cent. `more` is passed to `go.Scatter`."""
    return go.Scatter(
        x=x,
        y=percents(values),
        line={"dash": theme.DASHES[series], "width": 2},
        # plotly's template finds no text of a whole trace.
        text=[shown(name)] * len(x),
        cliponaxis=False,
        **more,
    )


def apart(heights: Iterable[float], gap: float = _LINE - 1) -> list[float]:
    """Moves heights until neighbours are `gap` apart and none is below 0. Keeps the order."""
    places = list(heights)
    order = sorted(range(len(places)), key=lambda number: -places[number])
    for above, below in zip(order, order[1:], strict=False):
        places[below] = min(places[below], places[above] - gap)
    floor = 0.0
    for number in reversed(order):
        places[number] = max(places[number], floor)
        floor = places[number] + gap
    return places
