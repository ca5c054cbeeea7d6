"""Placement of names next to dots and at the ends of lines, in pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from leaderboard.pages.boards.charts import theme
from leaderboard.pages.boards.charts.drawing import add_text, shown, text_width

# The width of a chart on a phone: names that do not overlap there overlap nowhere.
WIDTH = 290
# Half of a dot with a margin, and the height of a line of text.
_DOT, _LINE = 6, 14
_NAME_MOST = 24


class Box(NamedTuple):
    """An occupied rectangle in pixels; heights are above the axis."""

    left: float
    right: float
    bottom: float
    top: float

    def touches(self, other: Box) -> bool:
        beside = self.right < other.left or other.right < self.left
        return not (beside or self.top < other.bottom or other.top < self.bottom)


def short(names: Iterable[str]) -> list[str]:
    return [shown(name, _NAME_MOST) for name in names]


def dots(names: Sequence[str], beside: Sequence[str], **more: Any) -> go.Scatter:
    """`beside` is the result of `sides`: "" hides the name. `more` is passed to `go.Scatter`."""
    return go.Scatter(
        mode="markers+text",
        marker={"size": 8},
        text=[name if side else "" for name, side in zip(names, beside, strict=True)],
        textposition=[side or "top right" for side in beside],
        textfont={"size": 11},
        cliponaxis=False,
        **more,
    )


def sides(
    names: Sequence[str], where: Sequence[float], heights: Sequence[float], taken: Iterable[Box]
) -> list[str]:
    """The text position of each name in plotly's terms, such as "top right"; "" if it does not fit.

    `where` is 0..1 along the axis. Names overlap no other name, dot or taken box.
    """
    xs = [place * WIDTH for place in where]
    dots = zip(xs, heights, strict=True)
    boxes = [*taken, *(Box(x - _DOT + 1, x + _DOT - 1, y - _DOT, y + _DOT) for x, y in dots)]
    found = [""] * len(names)
    for one in sorted(range(len(names)), key=lambda place: -heights[place]):
        for side, box in _places(text_width(names[one]), xs[one], heights[one]):
            inside = box.left >= 0 and box.right <= WIDTH and box.bottom >= 0
            if inside and not any(map(box.touches, boxes)):
                found[one] = side
                boxes.append(box)
                break
    return found


def _places(wide: float, x: float, y: float) -> Iterator[tuple[str, Box]]:
    for height, bottom in (("top", y + 2), ("bottom", y - 2 - _LINE)):
        for side, start in (("right", x + _DOT), ("left", x - _DOT - wide)):
            yield f"{height} {side}", Box(start, start + wide, bottom, bottom + _LINE)


def name_ends(
    figure: go.Figure, names: Sequence[str], ends: Sequence[float], pixels: float
) -> None:
    """Names each series in the right margin, so that no line crosses a name, even if a line ends
    early. `ends` are last values in per cent; one per cent is `pixels` high."""
    heights = [end * pixels for end in ends]
    for series, (height, place) in enumerate(zip(heights, apart(heights), strict=True)):
        add_text(
            figure, names[series], colour=theme.SERIES[series],
            x=1, xref="paper", xanchor="left", xshift=5,
            y=ends[series], yref="y", yanchor="middle", yshift=round(place - height, 1),
        )  # fmt: skip


def apart(heights: Iterable[float], gap: float = _LINE - 1) -> list[float]:
    """Moves heights until neighbours are `gap` apart and none is below 0. Keeps the order."""
    places = list(heights)
    order = sorted(range(len(places)), key=lambda one: -places[one])
    for above, one in zip(order, order[1:], strict=False):
        places[one] = min(places[one], places[above] - gap)
    floor = 0.0
    for one in reversed(order):
        places[one] = max(places[one], floor)
        floor = places[one] + gap
    return places
