"""The charts of a board and their titles, stored when the board is made.

A title states a finding only if its rule (charts.rules, or here) holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.core.cache import cache
from django.db import transaction
from django.urls import reverse
from django.utils.formats import number_format
from django.utils.translation import get_language, ngettext, override, pgettext
from django.utils.translation import gettext as _

from leaderboard.boards.frames import BoardFrames, Frame, overall
from leaderboard.boards.queries import Passes
from leaderboard.pages.boards import chart_tables, stored_charts
from leaderboard.pages.boards.chart_tables import Chart, Finding
from leaderboard.pages.boards.charts import breakdown, passk, references, rules, scatter, tasks
from leaderboard.pages.boards.charts.drawing import Drawing, Height, ReferenceLine
from leaderboard.pages.boards.panel_findings import CHARTS_OF_MARKS
from leaderboard.pages.boards.turn_findings import CHARTS_OF_TURNS
from leaderboard.pages.boards.words import reference_words, slice_value
from leaderboard.pages.models import BoardPart
from leaderboard.pages.shared.panel_words import metric_words
from leaderboard.scores.models import Board

# Seconds. A changed board gets another key.
KEEP = 600
# The name of a stored part.
_PASSES = "passes"


@dataclass(frozen=True, slots=True)
class Card:
    name: str
    title: str
    line: str
    url: str
    size: Height
    table_url: str


@dataclass(frozen=True, slots=True)
class Numbers:
    """A chart's numbers as a table, with the chart's title and line. `links` has an address for
    each row, or nothing."""

    title: str
    line: str
    head: list[str]
    rows: list[list[str | None]]
    links: list[str] = field(default_factory=list)

    @property
    def linked_rows(self) -> list[tuple[list[str | None], str]]:
        return list(zip(self.rows, self.links or [""] * len(self.rows), strict=True))


def cards(
    board: Board, slug: str, query: str = "", by: str = ""
) -> tuple[list[Card], list[tuple[str, str]], dict[int, Passes]]:
    """The charts; the slices that the breakdown offers, as name and words, the default first; and
    the board's `passes`.
    `query` selects the board in an address; `by` is the slice of the breakdown."""
    by = _known(by)
    name = f"offered.{by}"
    parts = kept(board, {name: partial(_offered, by=by), _PASSES: _passes})
    found, kinds = parts[name]
    asked = query + (f"{'&' if query else '?'}{urlencode({'by': by})}" if by else "")
    charts = [
        Card(
            one.name,
            one.title,
            one.subtitle,
            reverse("chart", args=[slug, one.name]) + asked,
            one.height,
            reverse("chart-table", args=[slug, one.name]) + asked,
        )
        for one in (Finding(*facts) for facts in found)
    ]
    return charts, [(kind, words) for kind, words in kinds], _restored(parts[_PASSES])


def figure(board: Board, name: str, by: str = "") -> bytes:
    """The chart `name` as JSON; empty if there is nothing to draw."""
    by = _by_of(name, by)
    part = f"chart.{name}.{by}"
    drawn: str = kept(board, {part: partial(_figure, name=name, by=by)})[part]
    return drawn.encode()


def numbers(board: Board, name: str, by: str = "") -> Numbers | None:
    """The table of the chart `name`; None if there is nothing to draw."""
    by = _by_of(name, by)
    part = f"table.{name}.{by}"
    found = kept(board, {part: partial(_numbers, name=name, by=by)})[part]
    return Numbers(*found) if found else None


def passes(board: Board) -> dict[int, Passes]:
    """As `queries.passes_of`, stored with the charts."""
    return _restored(kept(board, {_PASSES: _passes})[_PASSES])


def _restored(stored: Mapping[str, Sequence[int]]) -> dict[int, Passes]:
    return {int(submission): Passes(*counts) for submission, counts in stored.items()}


def _known(by: str) -> str:
    """Limits keys to known slices."""
    return by if by in breakdown.WORDS else ""


def _by_of(name: str, by: str) -> str:
    return _known(by) if name == "breakdown" else ""


# Stored parts: JSON values, made from the board's frames.


def _offered(known: BoardFrames, by: str) -> list[list[tuple[Any, ...]]]:
    scores = known.scores
    return [
        [(one.name, one.title, one.subtitle, one.height) for one in findings_of(known, by)],
        [
            (kind, breakdown.words(kind, scores.loc[scores["slice"] == kind, "slice_value"]))
            for kind in breakdown.kinds(scores)
        ],
    ]


def _passes(known: BoardFrames) -> dict[str, Passes]:
    return {str(submission): counts for submission, counts in known.passes.items()}


def _figure(known: BoardFrames, name: str, by: str) -> str:
    drawing = CHARTS[name].draw(known, by)
    return drawing.json().decode() if drawing else ""


def _numbers(known: BoardFrames, name: str, by: str) -> list[Any]:
    chart = CHARTS[name]
    finding, table = chart.find(known, by), chart.table(known, by)
    if finding is None or table is None:
        return []
    return [finding.title, finding.subtitle, *table, chart.links(known)]


def kept(board: Board, parts: Mapping[str, Callable[[BoardFrames], Any]]) -> dict[str, Any]:
    """Returns the parts' JSON values for this board and language: from the process's cache, else as
    stored, else newly made. One query for all that the cache lacks."""
    made_of, language = stored_charts.made_of(board), get_language()
    keys = {name: f"board.{board.pk}.{made_of}.{language}.{name}" for name in parts}
    cached = cache.get_many(keys.values())
    values = {name: cached[key] for name, key in keys.items() if key in cached}
    if len(values) < len(parts):
        rows = BoardPart.objects.filter(
            board=board, language=language, made_of=made_of, name__in=parts.keys() - values.keys()
        )
        stored = dict(rows.values_list("name", "content"))
        known = BoardFrames(board)
        for name in parts.keys() - values.keys():
            values[name] = stored[name] if name in stored else parts[name](known)
            cache.set(keys[name], values[name], KEEP)
    return values


def store(board: Board) -> None:
    """Makes the board's charts in every language and stores them."""
    made_of, known = stored_charts.made_of(board), BoardFrames(board)
    parts = []
    for language, _name in settings.LANGUAGES:
        with override(language):
            parts += [
                BoardPart(
                    board=board, language=language, name=name, made_of=made_of, content=make(known)
                )
                for name, make in _parts(known)
            ]
    with transaction.atomic():
        # Only one process at a time replaces a board's parts.
        Board.objects.select_for_update(no_key=True).get(pk=board.pk)
        BoardPart.objects.filter(board=board).delete()
        BoardPart.objects.bulk_create(parts, batch_size=20)


def _parts(known: BoardFrames) -> Iterator[tuple[str, Callable[[BoardFrames], Any]]]:
    kinds = breakdown.kinds(known.scores)
    yield _PASSES, _passes
    for by in ("", *kinds):
        yield f"offered.{by}", partial(_offered, by=by)
    for name in CHARTS:
        for by in ("", *kinds) if name == "breakdown" else ("",):
            yield f"chart.{name}.{by}", partial(_figure, name=name, by=by)
            yield f"table.{name}.{by}", partial(_numbers, name=name, by=by)


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
    human = [] if known.human is None else [ReferenceLine(_("human"), known.human)]
    lines = [*human, *_lines(known)]
    return passk.figure(known.rows, curves, lines) if passk.drawable(curves) else None


# --- Tasks --------------------------------------------------------------------------------


def _find_tasks(known: BoardFrames, _by: str) -> Finding | None:
    if not (known.results["open"] == 0).any():
        return None
    several = len(known.rows) > 1
    title = _told_unsolved(tasks.unsolved(known.results)) if several else _("Task by task")
    subtitle = _(
        "each row is an entrant, each cell links to a task; a stronger colour means solved more "
        "often"
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
    return (
        tasks.figure(known.rows, known.tasks, c, n, known.task_url) if tasks.drawable(c) else None
    )


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


def _lines(known: BoardFrames) -> list[ReferenceLine]:
    shown = (pair for pair in known.references if pair[0].startswith(("pass_oracle", "pass_stub")))
    found = sorted(shown, key=lambda pair: pair[1])
    return [ReferenceLine(reference_words(metric), share) for metric, share in found]


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
    return Finding("references", title, subtitle % {"metric": metric_words(known.metric)}, height)


def _at_its_ends(scores: Mapping[str, float]) -> bool:
    """Whether all stubs score 0 and the reference solution scores 1."""
    stubs = [value for metric, value in scores.items() if metric.startswith("pass_stub")]
    return bool(stubs) and not any(stubs) and scores.get("pass_oracle@1") == 1


def _draw_references(known: BoardFrames, _by: str) -> Drawing | None:
    points, lines = references.chosen(known.rows, known.scores), _lines(known)
    return references.figure(points, lines) if references.drawable(points, lines) else None


# --- Size, tokens and time ----------------------------------------------------------------


def _sizes(known: BoardFrames) -> Frame | None:
    return _enough(known, scatter.sizes(known.rows, known.scores), scatter.SIZES)


def _tokens(known: BoardFrames) -> Frame | None:
    points = scatter.tokens(known.rows, known.scores, known.tokens)
    return _enough(known, points, scatter.TOKENS)


def _times(known: BoardFrames) -> Frame | None:
    return _enough(known, scatter.times(known.rows, known.scores), scatter.DAYS)


def _enough(known: BoardFrames, points: Frame, least: int) -> Frame | None:
    """The points; None on a scale of marks, or with fewer than `least` different x."""
    return points if known.top is None and scatter.distinct(points) >= least else None


def _find_size(known: BoardFrames, _by: str) -> Finding | None:
    if _sizes(known) is None:
        return None
    subtitle = _("%(metric)s in per cent, with 95 %% intervals, of entrants whose size is known")
    return Finding(
        "size", _("Score against size"), subtitle % {"metric": metric_words(known.metric)}
    )


def _find_tokens(known: BoardFrames, _by: str) -> Finding | None:
    if _tokens(known) is None:
        return None
    subtitle = _(
        "%(metric)s in per cent, with 95 %% intervals, of entrants whose team states its tokens; "
        "the line is the best score up to each number of tokens"
    )
    return Finding(
        "tokens", _("Score against tokens"), subtitle % {"metric": metric_words(known.metric)}
    )


def _find_time(known: BoardFrames, _by: str) -> Finding | None:
    if _times(known) is None:
        return None
    subtitle = _("%(metric)s in per cent, with 95 %% intervals, by the day of publishing")
    return Finding("time", _("Score over time"), subtitle % {"metric": metric_words(known.metric)})


def _draw_size(known: BoardFrames, _by: str) -> Drawing | None:
    points = _sizes(known)
    return None if points is None else scatter.size(points, known.human)


def _draw_tokens(known: BoardFrames, _by: str) -> Drawing | None:
    points = _tokens(known)
    return None if points is None else scatter.spent(points, known.human)


def _draw_time(known: BoardFrames, _by: str) -> Drawing | None:
    points = _times(known)
    return None if points is None else scatter.time(points, known.human)


CHARTS: Mapping[str, Chart] = {
    "passk": Chart(_find_passk, _draw_passk, chart_tables.of_passk),
    "references": Chart(_find_references, _draw_references, chart_tables.of_references),
    "tasks": Chart(_find_tasks, _draw_tasks, chart_tables.of_tasks, chart_tables.task_links),
    "size": Chart(_find_size, _draw_size, chart_tables.of_size),
    "tokens": Chart(_find_tokens, _draw_tokens, chart_tables.of_tokens),
    "time": Chart(_find_time, _draw_time, chart_tables.of_time),
    **CHARTS_OF_MARKS,
    **CHARTS_OF_TURNS,
    "breakdown": Chart(_find_breakdown, _draw_breakdown, chart_tables.of_breakdown),
}
