"""A metric of conversations by turn: a line for each entrant, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import plotly.graph_objects as go
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from leaderboard.boards.frames import Frame
from leaderboard.pages.boards.charts import drawing, labels, theme
from leaderboard.pages.boards.charts.drawing import Drawing
from leaderboard.pages.shared.numbers import with_ends

# The offset between the first and the last entrant at one turn, in turns.
_DODGE = 0.36
_TOP, _BOTTOM, _LEFT = 10, 36, 34
_LABEL_MOST = 18
# With more turns than this, only some have a tick.
_MOST_TICKS = 10


def parts(rows: Frame, turns: Frame, metric: str) -> Frame:
    """value, low and high by evaluation and turn. Unsettled scores are left out."""
    found = turns[(turns["metric"] == metric) & turns["evaluation"].isin(rows.index)]
    found = found.dropna(subset=["value"])
    place = found["evaluation"].map({key: place for place, key in enumerate(rows.index)})
    ordered = found.assign(place=place).sort_values(["place", "turn"], kind="stable")
    return ordered.set_index(["evaluation", "turn"])[["value", "low", "high"]]


def drawable(parts: Frame) -> bool:
    return bool(len(parts)) and int(parts.groupby(level="evaluation").size().max()) > 1


def entrants(parts: Frame) -> list[Any]:
    return list(dict.fromkeys(parts.index.get_level_values("evaluation")))


def chosen(parts: Frame) -> list[Any]:
    """The entrants to draw: at most `MOST_SERIES`, spread evenly over the board."""
    found = entrants(parts)
    return [found[position] for position in drawing.spread(len(found))]


def changed_for_all(parts: Frame, *, rises: bool) -> tuple[int, int] | None:
    """The first and last common turn if everyone's value falls (`rises`: rises) between them.

    Returns None if there are fewer than two entrants or an entrant's two intervals overlap.
    """
    several = [set(parts.loc[key].dropna().index) for key in entrants(parts)]
    common = sorted(set.intersection(*several)) if len(several) > 1 else []
    if len(common) < 2:
        return None
    first, last = (parts.xs(turn, level="turn") for turn in (common[0], common[-1]))
    below, above = (first, last) if rises else (last, first)
    return (common[0], common[-1]) if (below["high"] < above["low"]).all() else None


def figure(rows: Frame, parts: Frame) -> Drawing:
    """Per cent by turn, with entrants side by side and names at the ends of lines."""
    keys = chosen(parts)
    names = [drawing.shown(rows.at[key, "name"], _LABEL_MOST) for key in keys]
    turns = sorted({int(turn) for turn in parts.index.get_level_values("turn")})
    drawn = drawing.new_figure(
        margin={"l": _LEFT, "r": 14 + drawing.widest(names), "t": _TOP, "b": _BOTTOM},
        xaxis=_axis(turns),
        yaxis={"range": [0, 100], "tickvals": [0, 25, 50, 75, 100]},
    )
    shifts = _shifts(len(keys))
    for series, key in enumerate(keys):
        drawn.add_trace(_line(parts.loc[key], str(rows.at[key, "name"]), series, shifts[series]))
    ends = [float(parts.loc[key, "value"].iloc[-1]) * 100 for key in keys]
    labels.name_ends(drawn, names, ends, (drawing.HEIGHTS[""] - _TOP - _BOTTOM) / 100)
    return Drawing(drawn, theme.SERIES[: len(keys)])


def _shifts(count: int) -> list[float]:
    if count < 2:
        return [0.0] * count
    return [round(_DODGE * (place / (count - 1) - 0.5), 3) for place in range(count)]


def _axis(turns: Sequence[int]) -> dict[str, object]:
    step = 1 + (len(turns) - 1) // _MOST_TICKS
    return {
        "range": [turns[0] - 0.3, turns[-1] + 0.3],
        "tickvals": list(turns)[::step],
        "showgrid": False,
        "title": {"text": pgettext("of a conversation", "turn"), "standoff": 4},
    }


def _line(part: Frame, name: str, series: int, shift: float) -> go.Scatter:
    return go.Scatter(
        x=[round(int(turn) + shift, 3) for turn in part.index],
        y=drawing.percents(part["value"]),
        error_y=drawing.arms(part),
        mode="lines+markers",
        line={"dash": theme.DASHES[series], "width": 2},
        marker={"symbol": theme.SYMBOLS[series], "size": 7},
        text=[drawing.shown(name)] * len(part),
        customdata=[_hover_text(turn, row) for turn, row in part.iterrows()],
        hovertemplate="%{text}<br>%{customdata}<extra></extra>",
        cliponaxis=False,
    )


def _hover_text(turn: object, row: Any) -> str:
    value, low, high = (row[name] * 100 for name in ("value", "low", "high"))
    words = _("turn %(number)s") % {"number": turn}
    return f"{words}: {with_ends(value, low, high, 1)}"
