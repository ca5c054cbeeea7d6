"""What every chart is made of, and what it hands to the browser."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

import orjson
import pandas as pd
import plotly.graph_objects as go
from django.utils.formats import get_format

from leaderboard.pages.boards.charts import theme

Height = Literal["short", "", "tall", "very-tall"]
# Pixels that static/css/charts.css keeps for a chart of that class.
HEIGHTS: Mapping[Height, int] = {"short": 200, "": 300, "tall": 440, "very-tall": 640}
# As many entrants stand out by colour, dash, symbol and name; more no reader tells apart.
MOST_SERIES = len(theme.SERIES)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure without colours, and the tokens that they come from: those of its traces in
    order, those of the whole numbers from 0 where it has a coloraxis, and those of its bars in
    order where they do not all stand for what is missing."""

    figure: go.Figure
    series: tuple[str, ...]
    heat: tuple[str, ...] = theme.HEAT
    bars: tuple[str, ...] = ()

    def for_browser(self) -> dict[str, Any]:
        """The figure with a patch of its layout for each theme; see static/js/charts.js."""
        patches = {
            name: {"template": theme.template(name, self.series, self.heat, self.bars)}
            for name in theme.THEMES
        }
        drawn = self.figure.to_plotly_json()
        return {"data": drawn["data"], "layout": drawn["layout"], "themes": patches}

    def json(self) -> bytes:
        return orjson.dumps(self.for_browser(), option=orjson.OPT_SERIALIZE_NUMPY)


@dataclass(frozen=True, slots=True)
class Line:
    """What entrants are compared with beside each other, at this share of 1."""

    words: str
    share: float


def new_figure(**layout: Any) -> go.Figure:
    """An empty figure in the reader's way of writing numbers, without plotly's own look."""
    separators = get_format("DECIMAL_SEPARATOR") + get_format("THOUSAND_SEPARATOR")
    common = {"hovermode": "closest", "showlegend": False, "separators": separators}
    # The patch of the theme brings the template; plotly's own would only be sent for nothing.
    return go.Figure(layout={"template": go.layout.Template(), **common, **layout})


def lowest_height(pixels: float) -> Height:
    """The lowest that has room for so many pixels, or the highest of all."""
    return next((name for name, room in HEIGHTS.items() if room >= pixels), "very-tall")


def spread(count: int, most: int = MOST_SERIES) -> list[int]:
    """At most so many of the positions 0 to count - 1: the first, the last, evenly between."""
    if count <= most:
        return list(range(count))
    return [round(step * (count - 1) / (most - 1)) for step in range(most)] if most > 1 else [0]


def shown(text: object, most: int = 60) -> str:
    """A text from people as plotly draws it unchanged: it reads tags, entities and formulas.

    Longer ones end in an ellipsis.
    """
    whole = str(text)
    short = whole if len(whole) <= most else whole[: most - 1] + "…"
    return escape(short, quote=False).replace("$", "&#36;")


def gaps(values: pd.Series, factor: float = 1) -> list[float | None]:
    """As JSON has it: NaN becomes None, which plotly leaves blank."""
    return [None if pd.isna(value) else round(value * factor, 4) for value in values]


def percents(values: pd.Series) -> list[float | None]:
    """Shares as per cent."""
    return gaps(values, 100)


def read_values(values: pd.Series, top: int | None) -> list[float | None]:
    """Shares as per cent, or as mean marks on a scale from 1 to `top`."""
    return percents(values) if top is None else gaps(1 + values * (top - 1))


def arms(frame: pd.DataFrame, factor: float = 100) -> dict[str, Any]:
    """The interval from low to high around value, as plotly's error bars; none where NaN.

    `factor` is what a share of 1 is on the axis, per cent unless told otherwise.
    """
    above = gaps((frame["high"] - frame["value"]).fillna(0), factor)
    below = gaps((frame["value"] - frame["low"]).fillna(0), factor)
    return {"array": above, "arrayminus": below, "symmetric": False, "width": 0, "thickness": 1.5}


def add_text(figure: go.Figure, text: str, *, colour: str, **where: Any) -> None:
    """A text in the colour of that token, which the theme's template has an item for."""
    figure.add_annotation(
        text=text, templateitemname=colour, visible=True, showarrow=False, **where
    )


def reference_lines(figure: go.Figure, lines: Iterable[Line]) -> None:
    """A dotted line across for each, with its words above it; those at one height share both."""
    at: dict[float, list[str]] = {}
    for line in lines:
        at.setdefault(round(line.share, 3), []).append(line.words)
    for share, words in at.items():
        reference_line(figure, share, shown(", ".join(words)))


def reference_line(figure: go.Figure, share: float | None, words: str) -> None:
    """A dotted line across at this share of 1, with its words above it; nothing for None."""
    if share is None:
        return
    figure.add_shape(
        type="line", xref="paper", x0=0, x1=1, yref="y", y0=share * 100, y1=share * 100
    )
    here = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "y", "y": share * 100}
    add_text(figure, words, colour="ink-3", yanchor="bottom", **here)


def widest(texts: Sequence[str]) -> int:
    """About how many pixels the longest needs at the size of labels."""
    return max((text_width(text) for text in texts), default=0)


def text_width(text: str) -> int:
    """About how many pixels a text needs: letters 6.8, those of Chinese 11."""
    return round(sum(11 if ord(letter) > 0x2E7F else 6.8 for letter in text))
