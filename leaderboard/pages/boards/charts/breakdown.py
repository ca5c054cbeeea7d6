"""The breakdown: scores of entrants in each part of the benchmark."""

from __future__ import annotations

from functools import partial

import pandas as pd
from django.utils.translation import gettext as _

from evaluation.engine.metrics.summary import SLICES
from leaderboard.boards.frames import BoardFrames, Frame, overall
from leaderboard.boards.scores import in_metric_order
from leaderboard.pages.boards.charts import drawing, rules, theme
from leaderboard.pages.boards.charts.drawing import Chart, Drawing, Table
from leaderboard.pages.boards.words import slice_value, slice_words

# Pixels: a dot's row; the group's name with its margins; legend and axis.
_ROW, _BETWEEN, _AROUND = 8, 24, 78
_NAME = 19
_MOST = 48


def breakdown_chart(board: BoardFrames, by: str) -> Chart | None:
    kind = kind_of(board.scores, by)
    if kind is None:
        return None
    scores = parts(board.rows, board.scores, kind)
    words = str(slice_words(kind, values(scores)).plain)
    title = _("Score by %(slice)s") % {"slice": words}
    hardest = rules.hardest_for_all(scores, overall(board.scores))
    if hardest:
        title = _("%(value)s: the hardest for every entrant") % {
            "value": slice_value(kind, hardest)
        }
    # Those with a score, spread evenly over the board.
    groups, counts = len(values(scores)), scores["value"].groupby(level="evaluation").count()
    scored = [key for key in board.rows.index if counts.get(key, 0)]
    room = (drawing.HEIGHTS["very-tall"] - _AROUND) / max(1, groups) - _BETWEEN
    most = min(drawing.MOST_SERIES, max(1, int(room // _ROW)))
    entrants = [scored[position] for position in drawing.spread(len(scored), most)]
    if board.top is not None:
        subtitle = _("mean marks by %(slice)s, with 95 %% intervals")
    elif len(entrants) == len(board.rows):
        subtitle = _("per cent by %(slice)s, with 95 %% intervals")
    else:
        subtitle = _("per cent by %(slice)s, with 95 %% intervals; %(drawn)s of %(all)s entrants")
    numbers = {"slice": words, "drawn": len(entrants), "all": len(board.rows)}
    pixels = groups * (len(entrants) * _ROW + _BETWEEN) + _AROUND
    return Chart(
        title,
        subtitle % numbers,
        partial(_figure, board.rows, scores, kind, entrants, board.top),
        partial(_table, board.rows, scores, kind, board.top),
        drawing.lowest_height(pixels),
    )


def kinds(scores: Frame) -> list[str]:
    """The slices with at least two values that have a score, most values first."""
    counts = scores.dropna(subset=["value"]).groupby("slice")["slice_value"].nunique()
    several = [kind for kind in SLICES if counts.get(kind, 0) >= 2]
    return sorted(several, key=lambda kind: -counts[kind])


def kind_of(scores: Frame, by: str) -> str | None:
    """The requested slice if it can be drawn, else the default; None if no slice can be drawn."""
    drawable = kinds(scores)
    return by if by in drawable else next(iter(drawable), None)


def parts(rows: Frame, scores: Frame, kind: str) -> Frame:
    """value, low and high by slice value and evaluation, in order. Missing scores are NaN."""
    of_kind = scores[scores["slice"] == kind]
    # Sorted as the board's cells are: the first entrant may lack the first value.
    in_order = in_metric_order(set(of_kind["slice_value"]))
    every = pd.MultiIndex.from_product([in_order, rows.index], names=["slice_value", "evaluation"])
    return of_kind.set_index(["slice_value", "evaluation"])[["value", "low", "high"]].reindex(every)


def values(parts: Frame) -> list[str]:
    return list(dict.fromkeys(parts.index.get_level_values("slice_value")))


def _figure(rows: Frame, parts: Frame, kind: str, entrants: list[int], top: int | None) -> Drawing:
    """A dot with its interval for each slice value and entrant; per cent, or marks up to `top`."""
    every = values(parts)
    names = [slice_value(kind, value) for value in every]
    axis = {"range": [0, 100], "dtick": 25} if top is None else {"range": [1, top], "dtick": 1}
    figure = drawing.figure_of_groups(len(every), axis)
    for series, entrant in enumerate(entrants):
        scores = parts.loc[[(value, entrant) for value in every]]
        down = (_NAME + series * _ROW) / (len(entrants) * _ROW + _BETWEEN)
        dots = drawing.interval_dots(
            scores,
            names,
            drawing.unit_of(top),
            series=series,
            y=[round(place + down, 3) for place in range(len(every))],
            name=drawing.shown(rows.at[entrant, "name"], 28),
        )
        figure.add_trace(dots)
    for place, name in enumerate(names):
        drawing.add_group_name(figure, drawing.shown(name, _MOST), place)
    return Drawing(figure, theme.SERIES[: len(entrants)])


def _table(rows: Frame, parts: Frame, kind: str, top: int | None) -> Table:
    every, unit = values(parts), drawing.unit_of(top)
    body = [
        [
            str(rows.at[key, "name"]),
            *(drawing.with_interval(parts.loc[(value, key)], unit) for value in every),
        ]
        for key in rows.index
    ]
    return Table([_("Entrant"), *(slice_value(kind, value) for value in every)], body)
