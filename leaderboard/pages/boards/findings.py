"""The charts of a board and their titles, cached until the board changes.

A title states a finding only if its rule (charts.rules, or here) holds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import urlencode

from django.core.cache import cache
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from leaderboard.pages.boards import chart_tables
from leaderboard.pages.boards.chart_tables import Chart, Finding, Table
from leaderboard.pages.boards.charts import breakdown, passk, references, rules, scatter, tasks
from leaderboard.pages.boards.charts.drawing import Drawing, Height, Line
from leaderboard.pages.boards.frames import BoardFrames, Frame, overall
from leaderboard.pages.boards.panel_findings import CHARTS_OF_MARKS
from leaderboard.pages.boards.turn_findings import CHARTS_OF_TURNS
from leaderboard.pages.boards.words import reference_words, slice_value
from leaderboard.scores.models import Board

T = TypeVar("T")

# Seconds. A changed board gets another key; a renamed entrant waits until this expires.
KEEP = 600


@dataclass(frozen=True, slots=True)
class Card:
    name: str
    title: str
    line: str
    url: str
    size: Height
    numbers: Mapping[str, object]


def cards(board: Board, slug: str, query: str = "", by: str = "") -> list[Card]:
    """`query` selects the board in an address; `by` is the slice of the breakdown."""
    # Limits cache keys to known slices.
    by = by if by in breakdown.WORDS else ""
    found = kept(board, f"cards.{by}", lambda known: _findings_with_tables(known, by))
    asked = f"{'&' if query else '?'}{urlencode({'by': by})}" if by else ""
    return [
        Card(
            one.name,
            one.title,
            one.subtitle,
            reverse("chart", args=[slug, one.name]) + query + asked,
            one.height,
            {"head": head, "rows": rows},
        )
        for one, (head, rows) in found
    ]


def _kinds_in_words(known: BoardFrames) -> list[tuple[str, str]]:
    scores = known.scores
    return [
        (kind, breakdown.words(kind, scores.loc[scores["slice"] == kind, "slice_value"]))
        for kind in breakdown.kinds(scores)
    ]


def breakdowns(board: Board) -> list[tuple[str, str]]:
    """The slices that the breakdown offers, as name and words, the default first."""
    return kept(board, "breakdowns", _kinds_in_words)


def kept(board: Board, what: str, make: Callable[[BoardFrames], T]) -> T:
    """Returns the cached value for this board and language, or computes it.

    The key has `made` and `wanted`: a board that waits to be remade may already have lost a row.
    """
    key = f"board.{board.pk}.{board.made}.{board.wanted}.{get_language()}.{what}"
    value: T | None = cache.get(key)
    if value is None:
        value = make(BoardFrames(board))
        cache.set(key, value, KEEP)
    return value


def _findings_with_tables(known: BoardFrames, by: str) -> list[tuple[Finding, Table]]:
    return [
        (finding, CHARTS[finding.name].table(known, by) or ([], []))
        for finding in findings_of(known, by)
    ]


def findings_of(known: BoardFrames, by: str = "") -> list[Finding]:
    """Uncached."""
    found = (chart.find(known, by) for chart in CHARTS.values())
    return [finding for finding in found if finding is not None]


# --- pass@k -------------------------------------------------------------------------------


def _find_passk(known: BoardFrames, _by: str) -> Finding | None:
    curves = passk.curves(known.rows, known.samples)
    if not passk.drawable(curves):
        return None
    most = int(curves.columns[-1])
    title = {
        "weaker": _("More tries help weaker entrants more"),
        "stronger": _("More tries help stronger entrants more"),
        "": _("Score by number of tries"),
    }[rules.more_tries_help(curves, known.results)]
    subtitle = ngettext(
        "pass@k in per cent, from up to %(count)s generation per task",
        "pass@k in per cent, from up to %(count)s generations per task",
        most,
    )
    return Finding("passk", title, subtitle % {"count": most})


def _draw_passk(known: BoardFrames, _by: str) -> Drawing | None:
    curves = passk.curves(known.rows, known.samples)
    human = [] if known.human is None else [Line(_("human"), known.human)]
    lines = [*human, *_lines(known)]
    return passk.figure(known.rows, curves, lines) if passk.drawable(curves) else None


# --- Tasks --------------------------------------------------------------------------------


def _find_tasks(known: BoardFrames, _by: str) -> Finding | None:
    if not (known.results["open"] == 0).any():
        return None
    several = len(known.rows) > 1
    title = _told_unsolved(tasks.unsolved(known.results)) if several else _("Task by task")
    subtitle = _(
        "each row is an entrant, each column a task; a stronger colour means solved more often"
    )
    return Finding("tasks", title, subtitle, tasks.height(known.rows))


def _told_unsolved(count: int) -> str:
    if count == 0:
        return _("Every task is solved by an entrant")
    told = ngettext(
        "%(number)s task is solved by no entrant",
        "%(number)s tasks are solved by no entrant",
        count,
    )
    return told % {"number": number_word(count)}


def number_word(count: int) -> str:
    """Numbers up to ten as a word that starts a sentence about tasks; others as digits."""
    words = (
        pgettext("number of tasks, at the start", "One"),
        pgettext("number of tasks, at the start", "Two"),
        pgettext("number of tasks, at the start", "Three"),
        pgettext("number of tasks, at the start", "Four"),
        pgettext("number of tasks, at the start", "Five"),
        pgettext("number of tasks, at the start", "Six"),
        pgettext("number of tasks, at the start", "Seven"),
        pgettext("number of tasks, at the start", "Eight"),
        pgettext("number of tasks, at the start", "Nine"),
        pgettext("number of tasks, at the start", "Ten"),
    )
    return words[count - 1] if 1 <= count <= len(words) else number_format(count)


def _draw_tasks(known: BoardFrames, _by: str) -> Drawing | None:
    c, n = tasks.grid(known.rows, known.tasks, known.results)
    return tasks.figure(known.rows, known.tasks, c, n) if tasks.drawable(c) else None


# --- Breakdown ----------------------------------------------------------------------------


def _find_breakdown(known: BoardFrames, by: str) -> Finding | None:
    kind = breakdown.kind_of(known.scores, by)
    if kind is None:
        return None
    parts = breakdown.parts(known.rows, known.scores, kind)
    words = breakdown.words(kind, breakdown.values(parts))
    hardest = rules.hardest_for_all(parts, overall(known.scores))
    title = _("Score by %(slice)s") % {"slice": words}
    if hardest:
        value = slice_value(kind, hardest)
        title = _("%(value)s: the hardest for every entrant") % {"value": value}
    drawn = len(breakdown.chosen(known.rows, parts))
    subtitle = _told_breakdown(words, drawn, len(known.rows), known.top)
    return Finding("breakdown", title, subtitle, breakdown.height(known.rows, parts))


def _told_breakdown(words: str, drawn: int, entrants: int, top: int | None) -> str:
    numbers = {"slice": words, "drawn": drawn, "all": entrants}
    if top is not None:
        return _("mean marks by %(slice)s, with 95 %% intervals") % numbers
    if drawn == entrants:
        return _("per cent by %(slice)s, with 95 %% intervals") % numbers
    return _("per cent by %(slice)s, with 95 %% intervals; %(drawn)s of %(all)s entrants") % numbers


def _draw_breakdown(known: BoardFrames, by: str) -> Drawing | None:
    kind = breakdown.kind_of(known.scores, by)
    if kind is None:
        return None
    parts = breakdown.parts(known.rows, known.scores, kind)
    return breakdown.figure(known.rows, parts, kind, known.top)


# --- The benchmark's own programs ---------------------------------------------------------


def _lines(known: BoardFrames) -> list[Line]:
    shown = (pair for pair in known.references if pair[0].startswith(("pass_oracle", "pass_stub")))
    found = sorted(shown, key=lambda pair: pair[1])
    return [Line(reference_words(metric), share) for metric, share in found]


def _find_references(known: BoardFrames, _by: str) -> Finding | None:
    points, lines = references.chosen(known.rows, known.scores), _lines(known)
    if not references.drawable(points, lines):
        return None
    title = _("Comparison with the benchmark's own programs")
    if _at_its_ends(dict(known.references)):
        title = _("No stub passes; the reference solution passes every task")
    subtitle = _(
        "%(metric)s in per cent, with 95 %% intervals; dotted: the scores of the benchmark's "
        "own programs"
    )
    height = references.height(points, lines)
    return Finding("references", title, subtitle % {"metric": known.metric}, height)


def _at_its_ends(scores: Mapping[str, float]) -> bool:
    """Whether all stubs score 0 and the reference solution scores 1."""
    stubs = [value for metric, value in scores.items() if metric.startswith("pass_stub")]
    return bool(stubs) and not any(stubs) and scores.get("pass_oracle@1") == 1


def _draw_references(known: BoardFrames, _by: str) -> Drawing | None:
    points, lines = references.chosen(known.rows, known.scores), _lines(known)
    return references.figure(points, lines) if references.drawable(points, lines) else None


# --- Size and time ------------------------------------------------------------------------


def _in_per_cent(known: BoardFrames, points: Frame) -> bool:
    return known.top is None and scatter.drawable(points)


def _find_size(known: BoardFrames, _by: str) -> Finding | None:
    if not _in_per_cent(known, scatter.sizes(known.rows, known.scores)):
        return None
    subtitle = _("%(metric)s in per cent, with 95 %% intervals, of entrants whose size is known")
    return Finding("size", _("Score against size"), subtitle % {"metric": known.metric})


def _find_time(known: BoardFrames, _by: str) -> Finding | None:
    if not _in_per_cent(known, scatter.times(known.rows, known.scores)):
        return None
    subtitle = _("%(metric)s in per cent, with 95 %% intervals, by the day of publishing")
    return Finding("time", _("Score over time"), subtitle % {"metric": known.metric})


def _draw_size(known: BoardFrames, _by: str) -> Drawing | None:
    points = scatter.sizes(known.rows, known.scores)
    return scatter.size(points, known.human) if _in_per_cent(known, points) else None


def _draw_time(known: BoardFrames, _by: str) -> Drawing | None:
    points = scatter.times(known.rows, known.scores)
    return scatter.time(points, known.human) if _in_per_cent(known, points) else None


CHARTS: Mapping[str, Chart] = {
    "passk": Chart(_find_passk, _draw_passk, chart_tables.of_passk),
    "references": Chart(_find_references, _draw_references, chart_tables.of_references),
    "tasks": Chart(_find_tasks, _draw_tasks, chart_tables.of_tasks),
    "size": Chart(_find_size, _draw_size, chart_tables.of_size),
    "time": Chart(_find_time, _draw_time, chart_tables.of_time),
    **CHARTS_OF_MARKS,
    **CHARTS_OF_TURNS,
    "breakdown": Chart(_find_breakdown, _draw_breakdown, chart_tables.of_breakdown),
}
