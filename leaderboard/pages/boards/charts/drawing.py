"""Elements that all charts share, and the form in which a chart is sent to the browser."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from html import escape
from typing import Any, Literal, NamedTuple, TypeAlias

import orjson
import pandas as pd
import plotly.graph_objects as go
from django.utils.formats import get_format

from leaderboard.pages.boards.charts import theme
from leaderboard.pages.shared.numbers import EXACT, ends, with_ends

Height = Literal["short", "", "tall", "very-tall"]
# Pixels. static/css/charts.css has the same height for each class.
HEIGHTS: Mapping[Height, int] = {"short": 200, "": 300, "tall": 440, "very-tall": 640}
# Readers cannot tell more lines apart by colour, dash, symbol and name.
MOST_SERIES = len(theme.SERIES)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure without colours, and the theme tokens to colour it with: `series` one per trace,
    `heat` one per integer from 0 for a coloraxis, `bars` one per bar trace (empty: all hatched)."""

    figure: go.Figure
    series: tuple[str, ...]
    heat: tuple[str, ...] = theme.HEAT
    bars: tuple[str, ...] = ()

    def json(self) -> bytes:
        """The figure with a layout patch per theme; static/js/charts.js applies one."""
        patches = {
            name: {"template": theme.template(name, self.series, self.heat, self.bars)}
            for name in theme.THEMES
        }
        parts = self.figure.to_plotly_json()
        figure = {"data": parts["data"], "layout": parts["layout"], "themes": patches}
        return orjson.dumps(figure, option=orjson.OPT_SERIALIZE_NUMPY)


# The words of a line, and its height as a share of 1.
ReferenceLine: TypeAlias = tuple[str, float]


@dataclass(frozen=True, slots=True)
class NumberTable:
    """A chart's numbers: headings, and rows whose first cell is the row's name; None is an empty
    cell. `links` has an address for each row, or nothing; `title` and `line` are the chart's."""

    head: list[str]
    rows: list[list[str | None]]
    links: list[str] = field(default_factory=list)
    title: str = ""
    line: str = ""

    @property
    def linked_rows(self) -> list[tuple[list[str | None], str]]:
        return list(zip(self.rows, self.links or [""] * len(self.rows), strict=True))


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart that has something to draw. Figure and table are made when they are called for."""

    title: str
    subtitle: str
    figure: Callable[[], Drawing]
    table: Callable[[], NumberTable]
    height: Height = ""

    def numbers(self) -> NumberTable:
        return replace(self.table(), title=self.title, line=self.subtitle)


class Unit(NamedTuple):
    """How a stored share is shown: as `zero` + share * `length`, with this number of digits."""

    zero: float
    length: float
    digits: int

    def read(self, values: pd.Series) -> pd.Series:
        return self.zero + values * self.length


PER_CENT, PLAIN = Unit(0, 100, 1), Unit(0, 1, 2)


def chart_unit(top: int | None) -> Unit:
    return PER_CENT if top is None else Unit(1, top - 1, 2)


def with_interval(score: pd.Series, unit: Unit = PER_CENT) -> str | None:
    """Formats value, low and high as 78.4 (73.2–83.6); None for NaN."""
    value, low, high = (unit.zero + score[name] * unit.length for name in ("value", "low", "high"))
    return with_ends(value, low, high, unit.digits)


def new_figure(**layout: Any) -> go.Figure:
    """An empty figure in the language's number format, without plotly's template."""
    separators = get_format("DECIMAL_SEPARATOR") + get_format("THOUSAND_SEPARATOR")
    common = {"hovermode": "closest", "showlegend": False, "separators": separators}
    # The theme's patch brings the template; plotly's own would only add to the transfer.
    return go.Figure(layout={"template": go.layout.Template(), **common, **layout})


def lowest_height(pixels: float) -> Height:
    """The lowest height with room for this number of pixels, or the tallest one."""
    return next((name for name, room in HEIGHTS.items() if room >= pixels), "very-tall")


def spread(count: int, most: int = MOST_SERIES) -> list[int]:
    """At most `most` of the positions 0 to count - 1: first, last, and others evenly between."""
    if count <= most:
        return list(range(count))
    return [round(step * (count - 1) / (most - 1)) for step in range(most)] if most > 1 else [0]


def shown(text: object, most: int = 60) -> str:
    """Escapes and shortens user text: plotly interprets tags, entities and formulas."""
    whole = str(text)
    short = whole if len(whole) <= most else whole[: most - 1] + "…"
    return escape(short, quote=False).replace("$", "&#36;")


def gaps(values: pd.Series, factor: float = 1) -> list[float | None]:
    """NaN as None, which plotly leaves blank. The browser rounds as `numbers.nearest` does."""
    return [None if pd.isna(value) else round(value * factor, EXACT) for value in values]


def percents(values: pd.Series) -> list[float | None]:
    return gaps(values, 100)


def arms(value: pd.Series, low: pd.Series, high: pd.Series, factor: float = 100) -> dict[str, Any]:
    """The interval as plotly error bars; `factor` is the length of a share of 1 on the axis."""
    above, below = gaps((high - value).fillna(0), factor), gaps((value - low).fillna(0), factor)
    return {"array": above, "arrayminus": below, "symmetric": False, "width": 0, "thickness": 1.5}


def interval_dots(
    scores: pd.DataFrame, names: Iterable[object], unit: Unit, *, series: int, **more: Any
) -> go.Scatter:
    """A series of dots with horizontal intervals, from value, low and high; `names` say on hover
    what each dot is. `more` is passed to `go.Scatter`."""
    low, high = unit.read(scores["low"]), unit.read(scores["high"])
    return go.Scatter(
        x=gaps(unit.read(scores["value"])),
        error_x=arms(scores["value"], scores["low"], scores["high"], unit.length),
        mode="markers",
        text=[shown(name) for name in names],
        customdata=[ends(*pair, unit.digits) for pair in zip(low, high, strict=True)],
        hovertemplate=f"%{{fullData.name}}<br>%{{text}}: %{{x:.{unit.digits}f}}%{{customdata}}"
        "<extra></extra>",
        cliponaxis=False,
        **{"marker": {"symbol": theme.SYMBOLS[series], "size": 7}, **more},
    )


def figure_of_groups(count: int, xaxis: Mapping[str, Any]) -> go.Figure:
    """An empty figure for series of `interval_dots` in `count` groups below each other."""
    legend = {"orientation": "h", "x": 0, "y": 1.01, "yanchor": "bottom"}
    return new_figure(
        margin={"l": 10, "r": 12, "t": 8, "b": 26},
        showlegend=True,
        legend={**legend, "itemclick": False, "itemdoubleclick": False},
        xaxis=xaxis,
        yaxis={"range": [count, 0], "showticklabels": False, "showgrid": False},
    )


def add_text(figure: go.Figure, text: str, *, colour: str, **where: Any) -> None:
    """`colour` is a token for which the theme's template has an annotation item."""
    figure.add_annotation(
        text=text, templateitemname=colour, visible=True, showarrow=False, **where
    )


def add_group_name(figure: go.Figure, text: str, y: float) -> None:
    """Writes the name of a group of rows from the left edge, below this height."""
    here = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "y", "y": y, "yanchor": "top"}
    add_text(figure, text, colour="ink", font={"size": 12}, **here)


def add_row_name(figure: go.Figure, name: str, y: float) -> None:
    here = {"xref": "paper", "x": 0, "xanchor": "right", "yref": "y", "y": y, "yanchor": "middle"}
    add_text(figure, name, colour="ink", font={"size": 12}, xshift=-6, **here)


def add_reference_lines(figure: go.Figure, lines: Iterable[ReferenceLine]) -> None:
    """Draws a labelled horizontal line for each; lines at the same height share one label."""
    texts: dict[float, list[str]] = {}
    for words, share in lines:
        texts.setdefault(round(share, 3), []).append(words)
    for share, of_height in texts.items():
        add_reference_line(figure, share, ", ".join(of_height))


def add_reference_line(figure: go.Figure, share: float, words: str) -> None:
    y = share * 100
    figure.add_shape(type="line", xref="paper", x0=0, x1=1, yref="y", y0=y, y1=y)
    here = {"xref": "paper", "x": 0, "xanchor": "left", "yref": "y", "y": y}
    add_text(figure, shown(words), colour="ink-3 on surface", yanchor="bottom", **here)


def text_width(text: str) -> int:
    """The approximate width in pixels: 6.8 for a letter, 11 for a Chinese character."""
    return round(sum(11 if ord(letter) > 0x2E7F else 6.8 for letter in text))


def line_trace(series: int, name: str, x: list[Any], values: pd.Series, **more: Any) -> go.Scatter:
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
