"""What a kind of chart is: how it is found, drawn, and told as a table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from leaderboard.pages.boards.chart_tables import Table
from leaderboard.pages.boards.charts.drawing import Drawing, Height
from leaderboard.pages.boards.frames import BoardFrames


@dataclass(frozen=True, slots=True)
class Finding:
    """A chart that can be drawn: what it shows, how, and the height to keep for it."""

    name: str
    title: str
    subtitle: str
    height: Height = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A kind of chart: each function answers None where there is nothing to draw.

    Each takes what the chart is to be by, "" for the usual.
    """

    find: Callable[[BoardFrames, str], Finding | None]
    draw: Callable[[BoardFrames, str], Drawing | None]
    table: Callable[[BoardFrames, str], Table | None]
