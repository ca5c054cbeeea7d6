"""The look of charts: the site's tokens as plotly templates, one for each theme.

The values are those of static/css/tokens.css; a test holds the two together. A figure names no
colour: its traces take them from the template's colorway in their order, its texts from the
template's annotation of the name that they refer to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import plotly.graph_objects as go

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")

# Light and dark.
TOKENS: Mapping[str, tuple[str, str]] = {
    "surface": ("#ffffff", "#191c21"),
    "sunk": ("#f1efe9", "#20242a"),
    "ink": ("#15181c", "#e9e7e1"),
    "ink-2": ("#535a65", "#a8aeb8"),
    "ink-3": ("#636a75", "#949ba6"),
    "line": ("#e2dfd7", "#2d323a"),
    "line-inner": ("#edebe4", "#242930"),
    "accent": ("#2b45b8", "#97abff"),
    "hallmark": ("#8c6211", "#e0b355"),
    "passed": ("#177857", "#4fc19a"),
    "failed": ("#bc3d2d", "#f07f6d"),
    "review": ("#7a3fc4", "#b491f2"),
    "heat-1": ("#e9f0ee", "#1d2a2a"),
    "heat-2": ("#c6dcd6", "#1f3f3b"),
    "heat-3": ("#97c2b7", "#25584f"),
    "heat-4": ("#5fa294", "#286a5e"),
    "heat-5": ("#2b7a6d", "#46a08f"),
    "heat-6": ("#0d564b", "#7fd3c1"),
}
SANS = (
    'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", '
    '"PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif'
)
# Entrants that stand out, in the order in which they are given away, and the rest.
SERIES = ("accent", "passed", "hallmark", "review", "ink-2", "failed")
REST = "ink-3"
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star")
# A cell of the task grid has nothing solved (0) or one of six steps.
HEAT = ("sunk", "heat-1", "heat-2", "heat-3", "heat-4", "heat-5", "heat-6")

# In place of a token: hatched.
MISSING = "missing"
# On these the text has the ground's colour.
STRONG = ("heat-5", "heat-6")

_CLEAR = "rgba(0,0,0,0)"
_SMALL = 12


def token(name: str, theme: Theme) -> str:
    """The colour of that name."""
    return TOKENS[name][THEMES.index(theme)]


def template(
    theme: Theme, series: Sequence[str], heat: Sequence[str] = HEAT, bars: Sequence[str] = ()
) -> dict[str, Any]:
    """The template for a figure whose traces have these tokens as their colours, in order, and
    whose cells have those of `heat` for the whole numbers from 0. Its bars have those of `bars`,
    in order; all that MISSING names are hatched, as they all are where none are named."""

    def colour(name: str) -> str:
        return token(name, theme)

    layout = go.Layout(
        font={"family": SANS, "size": _SMALL, "color": colour("ink-2")},
        paper_bgcolor=_CLEAR,
        plot_bgcolor=_CLEAR,
        colorway=[colour(name) for name in series],
        coloraxis={"colorscale": _steps([colour(name) for name in heat])},
        hoverlabel={
            "bgcolor": colour("surface"),
            "bordercolor": colour("line"),
            "font": {"family": SANS, "size": _SMALL, "color": colour("ink")},
        },
        modebar={"bgcolor": _CLEAR, "color": colour("ink-3"), "activecolor": colour("ink")},
        legend={"font": {"color": colour("ink-2")}, "bgcolor": _CLEAR},
        annotations=[
            _label(name, colour(name)) for name in dict.fromkeys((*series, "ink", "ink-3"))
        ],
        shapedefaults={"line": {"color": colour("ink-3"), "dash": "dot", "width": 1.5}},
        xaxis=_axis(colour),
        yaxis=_axis(colour),
    )
    return {
        "layout": layout.to_plotly_json(),
        "data": {"bar": [_bar(name, colour) for name in bars or (MISSING,)]},
    }


def _label(name: str, colour: str) -> dict[str, Any]:
    """What an annotation takes that refers to a token by its `templateitemname`. The item is
    not shown by itself."""
    return {"name": name, "visible": False, "font": {"color": colour, "size": 11}}


def _axis(colour: Any) -> dict[str, Any]:
    return {
        "color": colour("ink-3"),
        "gridcolor": colour("line-inner"),
        "linecolor": colour("line"),
        "tickfont": {"size": _SMALL, "color": colour("ink-3")},
        "title": {"font": {"size": _SMALL, "color": colour("ink-3")}},
        "zeroline": False,
        "ticklabelstandoff": 4,
        # A finger that moves over a chart scrolls the page.
        "fixedrange": True,
    }


def _bar(name: str, colour: Any) -> dict[str, Any]:
    return _hatched(colour("ink-3")) if name == MISSING else _filled(name, colour)


def _filled(name: str, colour: Any) -> dict[str, Any]:
    """With a text that is read on it: on strong steps of heat that of the page's ground."""
    words = "surface" if name in STRONG else "ink"
    edge = {"color": colour("surface"), "width": 1}
    return {
        "type": "bar",
        "marker": {"color": colour(name), "line": edge},
        "insidetextfont": {"color": colour(words), "size": _SMALL},
    }


def _hatched(colour: str) -> dict[str, Any]:
    """Bars stand for what is missing."""
    pattern = {"shape": "/", "size": 4, "solidity": 0.25, "fgcolor": colour, "bgcolor": _CLEAR}
    return {"type": "bar", "marker": {"color": _CLEAR, "pattern": pattern, "line": {"width": 0}}}


def _steps(colours: Sequence[str]) -> list[list[Any]]:
    """A colour scale that does not blend: whole numbers from 0 have one colour each, where the
    axis runs from -0.5 to len(colours) - 0.5."""
    parts = len(colours)
    return [
        [(number + edge) / parts, colour]
        for number, colour in enumerate(colours)
        for edge in (0, 1)
    ]
