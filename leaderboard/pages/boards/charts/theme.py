"""The look of charts: the tokens of static/css/tokens.css as plotly templates, one per theme. A
figure names no colours: traces take them from the template's colorway in order, texts from the
template's annotation of that name."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import plotly.graph_objects as go
from django.contrib.staticfiles import finders

Theme = Literal["light", "dark"]
THEMES: tuple[Theme, ...] = ("light", "dark")
_SHEET = Path(str(finders.find("css/tokens.css"))).read_text("utf-8")
# The colours of each token, light and dark.
TOKENS: Mapping[str, tuple[str, str]] = {
    token: (light, dark)
    for token, light, dark in re.findall(r"--([\w-]+): light-dark\((#\w+), (#\w+)\)", _SHEET)
}
SANS = " ".join(_SHEET.partition("--sans: ")[2].partition(";")[0].split())
# Series of highlighted entrants, in the order in which they are assigned, and of all others.
SERIES = ("accent", "passed", "hallmark", "review", "ink-2", "failed")
REST = "ink-3"
DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
SYMBOLS = ("circle", "diamond", "square", "triangle-up", "cross", "star")
# Steps of a cell in the task grid: nothing solved (0), then 1 to 6.
HEAT = ("sunk", "heat-1", "heat-2", "heat-3", "heat-4", "heat-5", "heat-6")

assert {*SERIES, REST, *HEAT} <= TOKENS.keys(), "css/tokens.css lacks a colour that charts use"
assert SANS, "css/tokens.css names no font for charts"

# Used in place of a token: hatched.
MISSING = "missing"
# Texts on these steps have the background's colour.
STRONG = ("heat-5", "heat-6")

_CLEAR = "rgba(0,0,0,0)"
_SMALL = 12


def template(
    theme: Theme, series: Sequence[str], heat: Sequence[str] = HEAT, bars: Sequence[str] = ()
) -> dict[str, Any]:
    """`series`, `heat` and `bars` are those of `Drawing`; bars with MISSING are hatched."""

    def colour(name: str) -> str:
        return TOKENS[name][THEMES.index(theme)]

    def bar(name: str) -> dict[str, Any]:
        if name == MISSING:
            pattern = {"shape": "/", "size": 4, "solidity": 0.25, "fgcolor": colour("ink-3")}
            lines = {"pattern": {**pattern, "bgcolor": _CLEAR}, "line": {"width": 0}}
            return {"type": "bar", "marker": {"color": _CLEAR, **lines}}
        # Text in the surface colour has enough contrast on strong heat steps.
        text = colour("surface" if name in STRONG else "ink")
        edge = {"color": colour("surface"), "width": 1}
        return {
            "type": "bar",
            "marker": {"color": colour(name), "line": edge},
            "insidetextfont": {"color": text, "size": _SMALL},
        }

    small = {"size": _SMALL, "color": colour("ink-3")}
    axis = {
        "color": colour("ink-3"),
        "gridcolor": colour("line-inner"),
        "linecolor": colour("line"),
        "tickfont": small,
        "title": {"font": small},
        "zeroline": False,
        "ticklabelstandoff": 4,
        # Lets a touch on a chart scroll the page.
        "fixedrange": True,
    }
    # A colour per integer from 0, for an axis from -0.5 to len(heat) - 0.5.
    scale = [
        [(number + edge) / len(heat), colour(name)]
        for number, name in enumerate(heat)
        for edge in (0, 1)
    ]
    layout = go.Layout(
        font={"family": SANS, "size": _SMALL, "color": colour("ink-2")},
        paper_bgcolor=_CLEAR,
        plot_bgcolor=_CLEAR,
        colorway=[colour(name) for name in series],
        coloraxis={"colorscale": scale},
        hoverlabel={
            "bgcolor": colour("surface"),
            "bordercolor": colour("line"),
            "font": {"family": SANS, "size": _SMALL, "color": colour("ink")},
        },
        legend={"font": {"color": colour("ink-2")}, "bgcolor": _CLEAR},
        annotations=[
            *(_label(name, colour(name)) for name in dict.fromkeys((*series, "ink", "ink-3"))),
            # The background covers what they are written over.
            *(
                _label(f"{name} on surface", colour(name), bgcolor=colour("surface"), borderpad=1)
                for name in ("ink", "ink-3")
            ),
        ],
        shapedefaults={"line": {"color": colour("ink-3"), "dash": "dot", "width": 1.5}},
        xaxis=axis,
        yaxis=axis,
    )
    return {
        "layout": layout.to_plotly_json(),
        "data": {"bar": [bar(name) for name in bars or (MISSING,)]},
    }


def _label(name: str, colour: str, **more: Any) -> dict[str, Any]:
    """A hidden annotation item, to which others refer by `templateitemname` for its colour."""
    line = {"arrowcolor": colour, "arrowhead": 0, "arrowwidth": 0.8}
    return {"name": name, "visible": False, "font": {"color": colour, "size": 11}, **line, **more}
