"""The charts of a board, stored when the board is made: cards, figures and tables of numbers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.urls import reverse
from django.utils.translation import get_language, override

from evaluation.engine.metrics.summary import SLICES
from leaderboard.boards.frames import BoardFrames
from leaderboard.pages.boards import stored_charts
from leaderboard.pages.boards.charts import dots, lines, marks, scatter
from leaderboard.pages.boards.charts.drawing import Chart, Height, NumberTable
from leaderboard.pages.boards.charts.tasks import tasks_chart
from leaderboard.pages.boards.words import slice_words
from leaderboard.pages.models import BoardPart
from leaderboard.scores.models import Board

# Maximum number of charts of scale pairs.
_PAIRS = 3
CHARTS: Mapping[str, Callable[[BoardFrames, str], Chart | None]] = {
    "passk": lines.passk_chart,
    "references": dots.references_chart,
    "tasks": tasks_chart,
    "size": scatter.size_chart,
    "tokens": scatter.tokens_chart,
    "cost": scatter.price_chart,
    "time": scatter.time_chart,
    "spread": marks.spread_chart,
    **{f"pair-{number + 1}": partial(marks.pair_chart, number=number) for number in range(_PAIRS)},
    "agreement": marks.agreement_chart,
    **{f"turns-{name.lower()}": partial(lines.turns_chart, metric=name) for name in lines.METRICS},
    "breakdown": dots.breakdown_chart,
}
# Seconds. A changed board gets another key.
KEEP = 600


@dataclass(frozen=True, slots=True)
class Card:
    name: str
    title: str
    line: str
    size: Height
    url: str
    table_url: str


@dataclass(frozen=True, slots=True)
class Offered:
    """The charts of a board, and the slices of the breakdown: name and words."""

    cards: Sequence[Card] = ()
    breakdowns: Sequence[tuple[str, str]] = ()


def offered(board: Board, slug: str, query: str = "", by: str = "") -> Offered:
    """`query` selects the board in an address; `by` is the slice of the breakdown."""
    # Limits keys to known slices.
    by = by if by in SLICES else ""
    part = _read(board, f"offered.{by}")
    if by:
        query += f"{'&' if query else '?'}{urlencode({'by': by})}"
    cards = []
    for card in part["cards"]:
        of_chart = [slug, card["name"]]
        url, table_url = reverse("chart", args=of_chart), reverse("chart-table", args=of_chart)
        cards.append(Card(**card, url=url + query, table_url=table_url + query))
    return Offered(cards, part["breakdowns"])


def figure(board: Board, name: str, by: str = "") -> bytes:
    """The chart `name` as JSON; empty if there is nothing to draw."""
    figure: str = _read(board, _name("chart", name, by))
    return figure.encode()


def numbers(board: Board, name: str, by: str = "") -> NumberTable | None:
    """The table of the chart `name`; None if there is nothing to draw."""
    part = _read(board, _name("table", name, by))
    return NumberTable(**part) if part else None


def _name(kind: str, name: str, by: str) -> str:
    return f"{kind}.{name}.{by if name == 'breakdown' and by in SLICES else ''}"


def _read(board: Board, name: str) -> Any:
    """The part's JSON value: from the cache, else as stored (one query), else newly made."""
    made_of, language = stored_charts.made_of(board), get_language()
    key = f"board.{board.pk}.{made_of}.{language}.{name}"
    value = cache.get(key)
    if value is None:
        rows = BoardPart.objects.filter(board=board, language=language, made_of=made_of, name=name)
        value = rows.values_list("content", flat=True).first()
        if value is None:
            value = _Parts(BoardFrames(board)).make(name)
        cache.set(key, value, KEEP)
    return value


def store(board: Board) -> None:
    made_of, frames = stored_charts.made_of(board), BoardFrames(board)
    rows = []
    for language, _name in settings.LANGUAGES:
        with override(language):
            parts = _Parts(frames)
            facts = {"board": board, "language": language, "made_of": made_of}
            rows += [BoardPart(name=name, content=parts.make(name), **facts) for name in parts]
    with transaction.atomic():
        # Only one process at a time replaces a board's parts.
        Board.objects.select_for_update(no_key=True).get(pk=board.pk)
        BoardPart.objects.filter(board=board).delete()
        BoardPart.objects.bulk_create(rows, batch_size=20)


class _Parts:
    """The names of a board's stored parts, and their values in the language of the moment."""

    def __init__(self, frames: BoardFrames) -> None:
        self.frames = frames
        self._charts: dict[tuple[str, str], Chart | None] = {}

    def __iter__(self) -> Iterator[str]:
        slices = ("", *dots.kinds(self.frames.scores))
        yield from (f"offered.{by}" for by in slices)
        for name in CHARTS:
            for by in slices if name == "breakdown" else ("",):
                yield f"chart.{name}.{by}"
                yield f"table.{name}.{by}"

    def make(self, part: str) -> Any:
        kind, *which = part.split(".")
        if kind == "offered":
            (by,), scores = which, self.frames.scores
            every = {n: self._chart(n, by if n == "breakdown" else "") for n in CHARTS}
            breakdowns = []
            for name in dots.kinds(scores):
                values = scores.loc[scores["slice"] == name, "slice_value"]
                breakdowns.append((name, str(slice_words(name, values).plain)))
            cards = [
                {"name": name, "title": chart.title, "line": chart.subtitle, "size": chart.height}
                for name, chart in every.items()
                if chart
            ]
            return {"cards": cards, "breakdowns": breakdowns}
        chart = self._chart(*which)
        if kind == "chart":
            return chart.figure().json().decode() if chart else ""
        return asdict(chart.numbers()) if chart else {}

    def _chart(self, name: str, by: str) -> Chart | None:
        if (name, by) not in self._charts:
            self._charts[name, by] = CHARTS[name](self.frames, by)
        return self._charts[name, by]
