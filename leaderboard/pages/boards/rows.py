"""Stored standings and scores, arranged for a page or a file. Pure: no queries, no statistics."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from evaluation.engine.metrics.summary import SLICES
from leaderboard.pages.boards.filters import Filters
from leaderboard.pages.boards.queries import (
    OVERALL,
    BoardResult,
    Ledger,
    Scores,
    ShownEntrant,
    ShownScore,
    ShownSubmission,
)
from leaderboard.pages.boards.words import entrant_line, slice_value
from leaderboard.pages.shared.drawing import Bar, bar_lanes, read_on, unit_of
from leaderboard.pages.shared.panel_words import in_order as holds_in_order
from leaderboard.scores.models import Board, Score

_Score = TypeVar("_Score", Score, ShownScore)
# Numbers of slice values that fit into a row; fewer than two carry no information.
SLICE_VALUES = range(2, 10)
# The reason for a row without a mean whose generations are not open for rating.
NOT_RATED = "not_rated"
# More parallel bars than this leave no room for the ranks.
MOST_LANES = 6
# Characters of names that fit above the cells of a slice.
_HEADING = 34


class Cell(NamedTuple):
    """A number in a row. If it is None, the note may say why. `defined` is the number of its `n`
    turns that had something to measure, for metrics that may have nothing on a turn."""

    value: float | None
    label: str = ""
    note: str = ""
    is_count: bool = False
    top: int | None = None
    defined: int | None = None
    n: int = 0
    # The label for people: "English" for "en".
    name: str = ""


@dataclass(frozen=True, slots=True)
class BoardRow:
    """An entrant's row; numbers are in the unit of the board's metric: shares, or marks on a scale.

    Without a value, low and high bound the values that are still possible; `holds` are the reasons
    why ratings give no mean yet.
    """

    result: BoardResult
    value: float | None
    low: float | None
    high: float | None
    others: tuple[Cell, ...]
    slices: tuple[Cell, ...]
    own: Cell
    bars: tuple[Bar, ...] = ()
    reference: bool = False
    holds: tuple[str, ...] = ()
    ledger: Ledger | None = None
    # The slice whose score is shown; None for the whole board.
    part: tuple[str, str] | None = None

    @property
    def entrant(self) -> ShownEntrant:
        return self.result.entrant

    @property
    def submission(self) -> ShownSubmission:
        return self.result.submission

    @property
    def entrant_line(self) -> str:
        return entrant_line(self.entrant)

    @property
    def judged(self) -> datetime | None:
        return self.result.finished

    @property
    def rank(self) -> str:
        """Empty if only a part of the benchmark is shown: ranks are of the whole board."""
        if self.part is not None:
            return ""
        return rank_text(self.result.rank_low, self.result.rank_high)

    @property
    def groups(self) -> str:
        """The numbers of its tie groups, for a script."""
        return " ".join(map(str, self.result.groups)) if self.part is None else ""

    @property
    def leading(self) -> bool:
        """Whether no entrant is significantly better."""
        return self.part is None and self.result.rank_low == 1

    @property
    def scored_again(self) -> bool:
        """Whether the row has no results until they are scored again."""
        return not self.result.has_results

    @property
    def group_end(self) -> bool:
        return all(bar.state in ("none", "only", "end") for bar in self.bars)


@dataclass(frozen=True, slots=True)
class Reference:
    """The human baseline: shown next to the entrants, never ranked."""

    value: float
    bars: tuple[Bar, ...] = ()
    low: None = None
    high: None = None
    reference: bool = True
    leading: bool = False
    group_end: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    metric: str
    others: tuple[str, ...]
    slice: str
    slice_values: tuple[str, ...]
    ranked: tuple[BoardRow, ...]
    unsettled: tuple[BoardRow, ...]
    drawn: tuple[BoardRow | Reference, ...]
    total: int
    # The rows with a rank on the whole board.
    places: int
    every_bar: bool
    top: int | None = None
    # The metrics for which less is better.
    lower: frozenset[str] = frozenset()

    @property
    def unit(self) -> str:
        return unit_of(self.top)

    @property
    def shown(self) -> int:
        return len(self.ranked) + len(self.unsettled)

    @property
    def rows(self) -> tuple[BoardRow, ...]:
        return self.ranked + self.unsettled

    @property
    def generated_here(self) -> ShownSubmission | None:
        """The first result whose generations this site requested from the team's endpoint."""
        shown = (row.submission for row in self.rows)
        return next((one for one in shown if one.asked_here), None)

    @property
    def on_axis(self) -> tuple[BoardRow | Reference, ...]:
        return self.drawn + self.unsettled

    @property
    def lanes(self) -> int:
        """The number of parallel bars, at least one."""
        return max([1, *(len(row.bars) for row in self.ranked)])

    @property
    def narrow_names(self) -> bool:
        """Whether the names of the slice's values fit above their cells in one line."""
        names = (slice_value(self.slice, value) for value in self.slice_values)
        return len(" · ".join(names)) <= _HEADING


def board_table(
    board: Board,
    results: Sequence[BoardResult],
    filters: Filters,
    baseline: float | None = None,
    top: int | None = None,
    ledgers: Mapping[int | None, Ledger] = MappingProxyType({}),
) -> Table:
    """The rows that match the filters, in the board's order. `top` is the best mark of a scale;
    `ledgers` are by team.
    """
    shown = [r for r in results if filters.matches_result(r.submission)]
    scores = [result.scores for result in shown]
    others = other_metrics(board.metric, scores)
    lower = lower_metrics(shown)
    name, values = fitting_slice(board.metric, scores)
    named = {value: slice_value(name, value) for value in values}
    rows = [
        _row(result, board.metric, others, name, named, ledgers.get(result.submission.ledger_team))
        for result in shown
    ]
    if top is not None:
        rows = [_in_marks(row, board.metric, top) for row in rows]
    ranked = [row for row in rows if row.result.place is not None]
    groups, every = fitting(tie_groups(ranked), MOST_LANES)
    ranked = _with_bars(ranked, groups)
    return Table(
        metric=board.metric,
        others=others,
        slice=name,
        slice_values=values,
        ranked=tuple(ranked),
        unsettled=tuple(row for row in rows if row.result.place is None),
        drawn=tuple(_with_reference(ranked, baseline, lower=board.metric in lower)),
        total=len(results),
        places=sum(result.place is not None for result in results),
        every_bar=every,
        top=top,
        lower=lower,
    )


def rank_text(low: int | None, high: int | None) -> str:
    """Formats as "4" or "4–5"; "" for a row without a rank."""
    if low is None or high is None:
        return ""
    return str(low) if low == high else f"{low}–{high}"


def other_metrics(metric: str, scores: Iterable[Scores]) -> tuple[str, ...]:
    """Leaves out variants of metrics and metrics of the benchmark's own programs."""
    found = {
        key[0]
        for each in scores
        for key, score in each.items()
        if key[1] == OVERALL
        and key[0] != metric
        and score.value is not None
        and not (score.of_references or score.is_variant)
    }
    return tuple(in_metric_order(found))


def in_metric_order(metrics: Iterable[str]) -> list[str]:
    """Sorts numbers in names by value: pass@5 before pass@10."""
    return sorted(metrics, key=_numbers_in_order)


def lower_metrics(results: Iterable[BoardResult]) -> frozenset[str]:
    return frozenset(s.metric for r in results for s in r.scores.values() if s.lower_is_better)


def reference_scores(results: Iterable[BoardResult]) -> list[ShownScore]:
    """The overall scores of the benchmark's own programs, from the result scored last."""
    with_some: list[tuple[datetime, list[ShownScore]]] = []
    for result in results:
        found = [s for s in result.scores.values() if s.of_references and s.slice == OVERALL]
        finished = result.finished
        if found and finished is not None:
            with_some.append((finished, found))
    newest = max(with_some, key=lambda pair: pair[0], default=None)
    return in_order(newest[1]) if newest else []


def in_order(references: Iterable[_Score]) -> list[_Score]:
    def order(score: _Score) -> tuple[bool, bool, float, str]:
        passes = score.metric.startswith("pass_")
        return not passes, score.is_count, -(score.value or 0.0), score.metric

    return sorted((score for score in references if score.value is not None), key=order)


def _numbers_in_order(text: str) -> list[tuple[int, str]]:
    parts = re.findall(r"\d+|\D+", text)
    return [(int(part), "") if part.isdecimal() else (0, part) for part in parts]


def fitting_slice(metric: str, scores: Collection[Scores]) -> tuple[str, tuple[str, ...]]:
    """The first slice that fits into a row, with its values; "" if none fits."""
    for name in SLICES:
        values = {
            value for each in scores for (m, found, value) in each if (m, found) == (metric, name)
        }
        if len(values) in SLICE_VALUES:
            return name, tuple(sorted(values, key=_numbers_in_order))
    return "", ()


def _row(
    result: BoardResult,
    metric: str,
    others: Sequence[str],
    name: str,
    values: Mapping[str, str],
    ledger: Ledger | None,
) -> BoardRow:
    score = result.overall(metric)
    settled = result.place is not None and score is not None
    low, high = _ends(score, settled)
    return BoardRow(
        result=result,
        value=score.value if score and settled else None,
        low=low,
        high=high,
        others=tuple(_cell(result.overall(other), other) for other in others),
        slices=tuple(
            _cell(result.scores.get((metric, name, value)), value, words)
            for value, words in values.items()
        ),
        own=_cell(score, metric),
        ledger=ledger,
    )


def _in_marks(row: BoardRow, metric: str, top: int) -> BoardRow:
    score = row.result.overall(metric)
    note = score.note if score else "" if row.scored_again else NOT_RATED
    return replace(
        row,
        value=read_on(row.value, top),
        low=read_on(row.low, top),
        high=read_on(row.high, top),
        holds=holds_in_order(note.split(", ")) if row.value is None and note else (),
    )


def _ends(score: ShownScore | None, settled: bool) -> tuple[float | None, float | None]:
    if score is None:
        return None, None
    return (score.low, score.high) if settled else (score.least, score.most)


def _cell(score: ShownScore | None, label: str, name: str = "") -> Cell:
    if score is None:
        return Cell(None, label, name=name)
    note = score.said(score.note) if score.note else ""
    return Cell(score.value, label, note, score.is_count, score.top, score.defined, score.n, name)


# --- Bars that join -----------------------------------------------------------------------


def tie_groups(ranked: Sequence[BoardRow]) -> list[set[int]]:
    """The sets of row indices (from 0) that are statistically tied. Untied rows are sets of one."""
    found: dict[int, set[int]] = {}
    for index, row in enumerate(ranked):
        for number in row.result.groups:
            found.setdefault(number, set()).add(index)
    groups = [group for group in found.values() if len(group) > 1]
    together = set().union(*groups)
    return [*groups, *({index} for index in range(len(ranked)) if index not in together)]


def fitting(groups: Iterable[Collection[int]], most: int) -> tuple[list[Collection[int]], bool]:
    """The groups that fit into `most` parallel lanes, longest first, and whether these are all."""
    kept: list[Collection[int]] = []
    load: dict[int, int] = {}
    every = True
    for group in sorted(groups, key=lambda group: (min(group) - max(group), min(group))):
        span = range(min(group), max(group) + 1)
        if any(load.get(index, 0) == most for index in span):
            every = False
            continue
        kept.append(group)
        load |= {index: load.get(index, 0) + 1 for index in span}
    return kept, every


def _with_bars(ranked: Sequence[BoardRow], groups: Iterable[Collection[int]]) -> list[BoardRow]:
    leads = bool(ranked) and ranked[0].result.place == 1
    lanes = bar_lanes(groups, len(ranked), leads=leads)
    return [replace(row, bars=tuple(bars)) for row, bars in zip(ranked, lanes, strict=True)]


def _with_reference(
    ranked: Sequence[BoardRow], baseline: float | None, *, lower: bool
) -> list[BoardRow | Reference]:
    rows: list[BoardRow | Reference] = list(ranked)
    if baseline is None:
        return rows
    values = [row.value for row in ranked if row.value is not None]
    place = sum(value < baseline if lower else value > baseline for value in values)
    above = ranked[place - 1].bars if place else ()
    passing = (bar if bar.state in ("start", "middle", "gap") else None for bar in above)
    bars = tuple(Bar("gap", bar.lead) if bar else Bar("none") for bar in passing)
    rows.insert(place, Reference(baseline, bars))
    return rows
