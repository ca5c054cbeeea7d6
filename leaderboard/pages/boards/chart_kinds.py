"""The functions that make up one kind of chart: finding, figure and table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leaderboard.pages.boards.chart_tables import Table
from leaderboard.pages.boards.charts.drawing import Drawing, Height
from leaderboard.pages.boards.frames import BoardFrames


@dataclass(frozen=True, slots=True)
class Finding:
    """The title, subtitle and height of a chart that has enough data to be drawn."""

    name: str
    title: str
    subtitle: str
    height: Height = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A kind of chart. Each function takes the breakdown's slice ("" for the default) and returns
    None if there is nothing to draw."""

    find: Callable[[BoardFrames, str], Finding | None]
    draw: Callable[[BoardFrames, str], Drawing | None]
    table: Callable[[BoardFrames, str], Table | None]
