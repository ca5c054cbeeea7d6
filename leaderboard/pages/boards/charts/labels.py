"""Where names have room: beside dots, and at the ends of lines. In pixels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import plotly.graph_objects as go

from leaderboard.pages.boards.charts.drawing import shown, text_width

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
    """Dots, each with its name where there is room (`beside`, from `sides`), if there is some.
    `more` is where they lie and what they tell, as plotly takes it."""
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
    """Where beside its dot each name has room: "top right", "bottom left" and the like, above
    rather than below; or "" for nowhere.

    `where` is 0..1 along the axis. No name touches another, a dot, what is taken, or lies below
    the axis; the highest dots are asked first.
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
    """Where a name may stand that goes with a dot there, the best place first."""
    for height, bottom in (("top", y + 2), ("bottom", y - 2 - _LINE)):
        for side, start in (("right", x + _DOT), ("left", x - _DOT - wide)):
            yield f"{height} {side}", Box(start, start + wide, bottom, bottom + _LINE)


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
