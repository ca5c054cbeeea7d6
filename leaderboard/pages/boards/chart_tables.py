"""The functions of each kind of chart, and its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import isnan
from typing import Any, TypeAlias

import pandas as pd
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from leaderboard.boards.frames import BoardFrames, Frame
from leaderboard.pages.boards.charts import breakdown, passk, references, scatter, tasks
from leaderboard.pages.boards.charts.drawing import Drawing, Height
from leaderboard.pages.boards.words import reference_words, slice_value
from leaderboard.pages.shared.numbers import per_cent, rounded, with_ends
from leaderboard.pages.shared.panel_words import metric_words

# Headings, and rows whose first cell is the row's name. None is an empty cell.
Table: TypeAlias = tuple[list[str], list[list[str | None]]]

_KS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)
# Above this number of cells, the table of the task grid has only the totals of each task.
_MOST_CELLS = 4_000


@dataclass(frozen=True, slots=True)
class Finding:
    name: str
    title: str
    subtitle: str
    height: Height = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """Functions take the slice ("" for the default) and return None if there is nothing to draw.
    `links` returns an address for each row of the table, or none."""

    find: Callable[[BoardFrames, str], Finding | None]
    draw: Callable[[BoardFrames, str], Drawing | None]
    table: Callable[[BoardFrames, str], Table | None]
    links: Callable[[BoardFrames], list[str]] = lambda _known: []


def of_passk(known: BoardFrames, _by: str) -> Table:
    rows, curves = known.rows, passk.curves(known.rows, known.samples)
    every = [int(k) for k in curves.columns]
    ks = [k for k in every if k in _KS or k == every[-1]]
    body = [
        [str(rows.at[key, "name"]), *(_percent(value) for value in curves.loc[key, ks])]
        for key in curves.index
    ]
    return [_("Entrant"), *(f"pass@{k}" for k in ks)], body


def of_breakdown(known: BoardFrames, by: str) -> Table | None:
    rows, kind = known.rows, breakdown.kind_of(known.scores, by)
    if kind is None:
        return None
    parts = breakdown.parts(rows, known.scores, kind)
    values = breakdown.values(parts)
    head = [_("Entrant"), *(slice_value(kind, value) for value in values)]
    body = [
        [
            str(rows.at[key, "name"]),
            *(with_interval(parts.loc[(value, key)], known.top) for value in values),
        ]
        for key in rows.index
    ]
    return head, body


def of_tasks(known: BoardFrames, _by: str) -> Table:
    """By task: solve rate, number of entrants that solve it, and each entrant's result if the table
    has at most `_MOST_CELLS` cells."""
    c, n = tasks.grid(known.rows, known.tasks, known.results)
    rates = tasks.solve_rates(known.rows, c, n)
    solved, faced = (c > 0).sum(), c.notna().sum()
    entrants = list(known.rows.index) if c.size <= _MOST_CELLS else []
    head = [_("Task"), _("Solve rate"), _("Solved by"), *known.rows.loc[entrants, "name"]]
    body: list[list[str | None]] = [
        [
            str(known.tasks.at[task, "id"]),
            _percent(rates[task]),
            _("%(count)s of %(all)s") % {"count": solved[task], "all": faced[task]}
            if faced[task]
            else None,
            *map(_of, c.loc[entrants, task], n.loc[entrants, task]),
        ]
        for task in c.columns
    ]
    return head, body


def task_links(known: BoardFrames) -> list[str]:
    """Addresses of the tasks in the order of `of_tasks`."""
    c, _n = tasks.grid(known.rows, known.tasks, known.results)
    numbers = known.tasks.loc[c.columns, "number"]
    return [known.task_url.replace("@", str(number)) for number in numbers]


def of_references(known: BoardFrames, _by: str) -> Table:
    points = references.chosen(known.rows, known.scores)
    own: list[list[str | None]] = [
        [reference_words(metric), _percent(share)] for metric, share in known.references
    ]
    theirs = [[str(point["name"]), with_interval(point)] for _key, point in points.iterrows()]
    return [_("Entrant"), metric_words(known.metric)], own + theirs


def of_size(known: BoardFrames, _by: str) -> Table:
    return of_sizes(scatter.sizes(known.rows, known.scores), metric_words(known.metric))


def of_sizes(points: Frame, metric: str) -> Table:
    return _of_points(points, _("Billions of parameters"), metric, lambda x: f"{x:g}")


def of_tokens(known: BoardFrames, _by: str) -> Table:
    points = scatter.tokens(known.rows, known.scores, known.tokens)
    head = _("Output tokens per answer")
    return _of_points(points, head, metric_words(known.metric), lambda x: rounded(x, 0))


def of_time(known: BoardFrames, _by: str) -> Table:
    points = scatter.times(known.rows, known.scores)
    words = metric_words(known.metric)
    return _of_points(points, _("Published"), words, lambda x: date_format(x, "DATE_FORMAT"))


def _of_points(points: Frame, x: str, metric: str, told: Callable[[Any], str]) -> Table:
    body: list[list[str | None]] = [
        [point["name"], told(point["x"]), with_interval(point)] for _key, point in points.iterrows()
    ]
    return [_("Entrant"), x, metric], body


def _percent(share: float) -> str | None:
    return None if isnan(share) else per_cent(share)


def two(value: float) -> str | None:
    """Formats with two digits; returns None for NaN."""
    return None if isnan(value) else rounded(value, 2)


def with_interval(score: pd.Series, top: int | None = None) -> str | None:
    """Formats as 78.4 (73.2–83.6), or as marks up to `top`."""
    value, low, high = (score[name] for name in ("value", "low", "high"))
    if top is None:
        return with_ends(value * 100, low * 100, high * 100, 1)
    mark, least, most = (1 + share * (top - 1) for share in (value, low, high))
    return with_ends(mark, least, most, 2)


def _of(c: float, n: float) -> str | None:
    return None if isnan(c) else f"{c:.0f}/{n:.0f}"
