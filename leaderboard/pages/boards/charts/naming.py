"""The names of dots and lines in charts, if necessary at the end of a line to them. Lengths are in
pixels."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import hypot
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import plotly.graph_objects as go
from django.utils.translation import gettext as _
from numpy.typing import NDArray

from leaderboard.pages.boards.charts.drawing import HEIGHTS, Height, new_figure, shown, text_width

# The width of a chart on a phone, and how much wider and higher charts are elsewhere at most. Boxes
# that are apart, and in the same order, at both sizes are apart at every size between.
WIDTH = 290
_STRETCH = np.array([(1, 1, 1, 1), (4, 4, 1.6, 1.6)])
# Half of a dot with a margin, and the height of a line of text.
_DOT, _LINE = 6, 14
# A name of 20 letters has room on one side of any dot.
_DOT_NAME_MOST, _LINE_NAME_MOST = 20, 18
# From a dot to the near end of its name: beside the dot, or at the end of a line to it.
_BESIDE = [(side * _DOT, up) for up in (9, -9) for side in (1, -1)]
_DISTANT = [
    (side * across, step * 7)
    for across in (10, 20, 32, 46, 64, 84, 110)
    for step in range(-24, 25)
    for side in (1, -1)
    if abs(step) > 2 or across > 10
]
_OFFSETS = np.array([*_BESIDE, *sorted(_DISTANT, key=lambda offset: hypot(*offset))], dtype=float)
_DISTANCES = np.hypot(*_OFFSETS.T)
# Parts of the lines to names, as shares of them: a name beside its dot has no line.
_PARTS = np.where(
    _DISTANCES[:, None] > 2 * _DOT,
    np.linspace(1.6 * _DOT / _DISTANCES, np.full(len(_DISTANCES), 0.95), 5, axis=1),
    0.98,
)
# How many offsets are tried at once.
_TRIED = 32
# Rather than crossing a line of the chart, a name is up to this much further from its dot.
_DETOUR = 40
# Of more dots, only the highest have names; rounds of finding places.
_MOST_DOTS, _ROUNDS = 40, 4
# Names of lines below each other, and the most lines that are drawn.
_TOP, _BOTTOM, _GAP = 10, 36, 13
MOST_LINES = (HEIGHTS["very-tall"] - _TOP - _BOTTOM) // _GAP
# The distances of a dot from the left edge and the axis, or of a name from its dot.
Place: TypeAlias = tuple[float, float]
# Boxes by size of the chart and edge.
_Boxes: TypeAlias = NDArray[np.float64]


class Box(NamedTuple):
    """An occupied rectangle; heights are above the axis."""

    left: float
    right: float
    bottom: float
    top: float


# --- Dots ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DotNames:
    """The text next to each dot, None without one, and the way to it. `line` has what the texts
    leave out."""

    texts: list[str]
    offsets: list[Place | None]
    line: str

    def add_to(self, figure: go.Figure, at: Iterable[tuple[Any, Any]]) -> None:
        """`at` are the dots in the axes' values: powers of ten on a logarithmic axis."""
        for text, (x, y), offset in zip(self.texts, at, self.offsets, strict=True):
            if offset is not None:
                figure.add_annotation(
                    text=text, x=x, y=y, ax=offset[0], ay=-offset[1], standoff=_DOT,
                    xanchor="left" if offset[0] > 0 else "right",
                    templateitemname="ink on surface", visible=True,
                )  # fmt: skip


def names_of_dots(
    names: Iterable[str], places: Iterable[Place], taken: Iterable[Box], height: float
) -> DotNames:
    """The names of dots on a plot of this `height`. If one has no room, its dot has a number, and
    the line explains it. Of very many dots the highest has its name, and others that have room."""
    words, dots, lines = [str(name) for name in names], tuple(places), tuple(taken)
    texts, numbered = [shown(word, _DOT_NAME_MOST) for word in words], list[int]()
    while True:
        offsets = list(name_offsets(tuple(map(text_width, texts)), dots, lines, height))
        if len(dots) > _MOST_DOTS:
            leader = max(range(len(dots)), key=lambda number: dots[number][1])
            offsets[leader] = offsets[leader] or _BESIDE[0]
            counts = {"drawn": len(dots) - offsets.count(None), "all": len(dots)}
            line = _("names of %(drawn)s of %(all)s entrants") % counts
            return DotNames(texts, offsets, line if None in offsets else "")
        without = {number for number, offset in enumerate(offsets) if offset is None}
        if without <= {*numbered}:
            break
        numbered = sorted({*numbered, *without})
        for place, number in enumerate(numbered, 1):
            texts[number] = str(place)
    key = ", ".join(f"{texts[number]} {words[number]}" for number in numbered)
    return DotNames(texts, [offset or _BESIDE[0] for offset in offsets], key)


# A chart is drawn once in each language, mostly with the same names.
@lru_cache(maxsize=64)
def name_offsets(
    widths: tuple[int, ...], places: tuple[Place, ...], taken: tuple[Box, ...], height: float
) -> list[Place | None]:
    """From each dot to the near end of its name; None without room, and for all but the highest of
    very many dots. A name overlaps no other name, dot, or line to a dot; and no taken box, if there
    is another place near."""
    lines = np.array(taken, dtype=float).reshape(-1, 4) * _STRETCH[:, None]
    dots = _around(np.array(places), np.array([[1 - _DOT, _DOT - 1, -_DOT, _DOT]]))
    best: list[Place | None] = []
    by_height = sorted(range(len(places)), key=lambda number: -places[number][1])
    order = by_height[:_MOST_DOTS]
    for _round in range(_ROUNDS if len(places) <= _MOST_DOTS else 1):
        offsets: list[Place | None] = [None] * len(places)
        occupied = dots
        for number in order:
            placed = _placed(widths[number], places[number], occupied, lines, height)
            if placed is not None:
                offsets[number], boxes = placed
                occupied = np.concatenate([occupied, boxes], axis=1)
        if not best or offsets.count(None) < best.count(None):
            best = offsets
        if all(offsets[number] for number in order):
            break
        # Those without room choose first in the next round.
        order.sort(key=lambda number: offsets[number] is not None)
    return best


def _placed(
    width: int, place: Place, occupied: _Boxes, lines: _Boxes, height: float
) -> tuple[Place, _Boxes] | None:
    """The offset of a dot's name, and the boxes of the name and of the line to it."""
    x, y = place
    across, up = _OFFSETS.T
    left = np.where(across > 0, across, across - width)
    names = np.stack([left, left + width, up - _LINE / 2, up + _LINE / 2], axis=1)
    inside = (
        (x + left >= 0) & (x + left + width <= WIDTH)
        & (y + names[:, 2] >= 0) & (y + names[:, 3] <= height + _DOT)
    )  # fmt: skip
    choice, least = None, np.inf
    (chosen,) = np.nonzero(inside)
    for start in range(0, len(chosen), _TRIED):
        tried = chosen[start : start + _TRIED]
        if _DISTANCES[tried[0]] >= least:
            break
        # By offset, part and edge.
        parts = _PARTS[tried, :, None] * np.stack([across, across, up, up], axis=1)[tried, None]
        boxes = np.concatenate([names[tried, None], parts], axis=1)
        around = _around(np.array([place]), boxes.reshape(-1, 4))
        touched = _touched(around, occupied).reshape(len(tried), -1).any(axis=1)
        crossing = _touched(_around(np.array([place]), names[tried]), lines)
        cost = np.where(touched, np.inf, _DISTANCES[tried] + _DETOUR * crossing)
        if cost.min() < least:
            least, number = cost.min(), cost.argmin()
            across_, up_ = _OFFSETS[tried[number]]
            choice = (float(across_), float(up_)), around.reshape(2, len(tried), -1, 4)[:, number]
    return choice


def _around(places: _Boxes, boxes: _Boxes) -> _Boxes:
    """Boxes of fixed size around places, which move with the chart."""
    moved: _Boxes = np.repeat(places, 2, axis=1) * _STRETCH[:, None] + boxes
    return moved


def _touched(ours: _Boxes, others: _Boxes) -> NDArray[np.int64]:
    """How many of the others each of ours touches."""
    left, right, bottom, top = np.moveaxis(ours[:, :, None], -1, 0)
    their_left, their_right, their_bottom, their_top = np.moveaxis(others[:, None], -1, 0)
    sides = (right < their_left, their_right < left, top < their_bottom, their_top < bottom)
    apart = np.any([side.all(axis=0) for side in sides], axis=0)
    counts: NDArray[np.int64] = np.count_nonzero(~apart, axis=1)
    return counts


# --- Lines --------------------------------------------------------------------------------------


def height_of_lines(count: int) -> Height:
    needed = max(HEIGHTS[""], _TOP + _BOTTOM + count * _GAP * 1.3)
    return next((name for name, room in HEIGHTS.items() if room >= needed), "very-tall")


def figure_of_lines(
    names: Iterable[str], colours: Sequence[str], ends: Sequence[Place], xaxis: Mapping[str, Any],
    edge: float, height: Height = "",
) -> go.Figure:  # fmt: skip
    """An empty figure for a line per name, in per cent. `ends` are their last points: the names are
    in the right margin, so that no line crosses a name, and joined to the ends, also to those
    before the `edge` of the plot."""
    pixels = (HEIGHTS[height] - _TOP - _BOTTOM) / 100
    texts = [shown(name, _LINE_NAME_MOST) for name in names]
    figure = new_figure(
        margin={"l": 34, "r": 24 + max(map(text_width, texts), default=0), "t": _TOP, "b": _BOTTOM},
        xaxis=xaxis,
        yaxis={"range": [0, 100], "tickvals": [0, 25, 50, 75, 100]},
    )
    heights = apart([y * pixels for _x, y in ends], 100 * pixels)
    for text, colour, (x, y), place in zip(texts, colours, ends, heights, strict=True):
        figure.add_annotation(
            text=text, templateitemname=colour, visible=True, x=1, xref="paper", y=y, yref="y",
            ax=16, ay=round(y * pixels - place, 1), xanchor="left",
        )  # fmt: skip
        if x < edge:
            figure.add_shape(type="line", x0=x, x1=edge, y0=y, y1=y, line={"width": 1})
    return figure


def apart(heights: Iterable[float], top: float, gap: float = _GAP) -> list[float]:
    """Moves heights as little as possible until neighbours are `gap` apart and all are from 0 to
    `top`, if they have room. Keeps the order."""
    places = list(heights)
    order = sorted(range(len(places)), key=lambda number: (places[number], -number))
    # Neighbours that touch: the place of the lowest, and where each one would have it.
    groups: list[tuple[float, list[float]]] = []
    for number in order:
        wishes = [places[number]]
        while True:
            low = sum(wishes) / len(wishes)
            low = max(0.0, min(low, top - gap * (len(wishes) - 1)))
            if not groups or groups[-1][0] + gap * len(groups[-1][1]) <= low:
                break
            _low, below = groups.pop()
            wishes = [*below, *(wish - gap * len(below) for wish in wishes)]
        groups.append((low, wishes))
    moved = [low + gap * step for low, wishes in groups for step in range(len(wishes))]
    for number, height in zip(order, moved, strict=True):
        places[number] = height
    return places
