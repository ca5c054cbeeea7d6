"""Where names have room: beside dots, and at the ends of lines. In pixels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from leaderboard.boards.charts.drawing import shown, text_width

# Of a chart on a phone: what keeps apart there does so everywhere.
WIDTH = 290
# Half of a dot with some room, and a line of text.
_DOT, _LINE = 6, 14
_NAME_MOST = 24


class Box(NamedTuple):
    """What takes room; heights are above the axis."""

    left: float
    right: float
    bottom: float
    top: float

    def touches(self, other: Box) -> bool:
        beside = self.right < other.left or other.right < self.left
        return not (beside or self.top < other.bottom or other.top < self.bottom)


def short(names: Iterable[str]) -> list[str]:
    """The names as they stand beside dots."""
    return [shown(name, _NAME_MOST) for name in names]


def dots(names: Sequence[str], beside: Sequence[str], **more: Any) -> go.Scatter:
    """Dots, each with its name on the side of it that has room (`beside`), if one has. `more` is
    where they lie and what they tell, as plotly takes it."""
    return go.Scatter(
        mode="markers+text",
        marker={"size": 8},
        text=[name if side else "" for name, side in zip(names, beside, strict=True)],
        textposition=[f"top {side or 'right'}" for side in beside],
        textfont={"size": 11},
        cliponaxis=False,
        **more,
    )


def sides(
    names: Sequence[str], where: Sequence[float], heights: Sequence[float], taken: Iterable[Box]
) -> list[str]:
    """On which side above its dot each name has room: "right", "left", or "" for none.

    `where` is 0..1 along the axis. No name touches another, a dot, or what is taken; the
    highest dots are asked first.
    """
    xs = [place * WIDTH for place in where]
    dots = zip(xs, heights, strict=True)
    boxes = [*taken, *(Box(x - _DOT + 1, x + _DOT - 1, y - _DOT, y + _DOT) for x, y in dots)]
    found = [""] * len(names)
    for one in sorted(range(len(names)), key=lambda place: -heights[place]):
        wide, x, y = text_width(names[one]), xs[one], heights[one]
        for side, start in (("right", x + _DOT), ("left", x - _DOT - wide)):
            box = Box(start, start + wide, y + 2, y + 2 + _LINE)
            inside = box.left >= 0 and box.right <= WIDTH
            if inside and not any(map(box.touches, boxes)):
                found[one] = side
                boxes.append(box)
                break
    return found


def apart(heights: Iterable[float], gap: float = _LINE - 1) -> list[float]:
    """Places as near to these heights as leaves a gap between any two, none below 0 and in
    the same order from above; equal ones keep their order."""
    places = list(heights)
    order = sorted(range(len(places)), key=lambda one: -places[one])
    for above, one in zip(order, order[1:], strict=False):
        places[one] = min(places[one], places[above] - gap)
    floor = 0.0
    for one in reversed(order):
        places[one] = max(places[one], floor)
        floor = places[one] + gap
    return places
