"""Means over benchmarks, languages and skills, as the columns of the home page's table; stored when
a board is made, and read while they are of the same boards and rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from typing import Any, NamedTuple, TypeAlias

from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.utils import timezone

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.metrics import METRICS_VERSION
from evaluation.engine.metrics.means import Estimate, over_benchmarks, over_settings, separated
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards import queries
from leaderboard.boards.filters import Filters
from leaderboard.boards.models import ColumnMeans
from leaderboard.boards.queries import ShownEntrant
from leaderboard.boards.rows import Row, brief_rows
from leaderboard.boards.scores import WHOLE, ShownScore, Slice
from leaderboard.boards.selection import Site
from leaderboard.scores.models import Board

# The views of the table, and the key of the mean over all benchmarks; no benchmark's address has a
# "~".
BENCHMARK, LANGUAGE, NATURAL, SKILL = "", "language", "natural_language", "skill"
# The fewest values with which a view is useful.
_FEWEST = {BENCHMARK: 0, LANGUAGE: 2, NATURAL: 2, SKILL: 1}
MEAN = "~mean"


class Lack(NamedTuple):
    """A benchmark, or one of its settings, on which an entrant has no result."""

    title: str
    setting: str = ""


class Cell(NamedTuple):
    """`without` names the benchmarks and settings of the column without a result: such a mean is
    not compared with full ones. `best`: the first one, if it is separated from all others; `tied`:
    one of several that are not separated from the first one. `top` is the best mark if people
    judge. A tuple, because a page reads thousands from the database and shows some of them."""

    value: float
    best: bool
    submission: int | None = None
    without: tuple[Lack, ...] = ()
    top: int | None = None
    low: float | None = None
    high: float | None = None
    tied: bool = False


Cells: TypeAlias = Mapping[ShownEntrant, Cell]


@dataclass(frozen=True, slots=True)
class Means:
    """The cells of a column, and the number of benchmarks that its means cover."""

    cells: Cells
    benchmarks: int


@dataclass(frozen=True, slots=True)
class Column:
    """A column and its boards, each limited to a part. `setting`: it is a setting's own metric."""

    key: str
    boards: Sequence[Board]
    parts: Mapping[int, Slice]
    setting: bool = False


def views_of(site: Site) -> list[str]:
    """The useful views: by language only if there are several, by skill only if there are any."""
    return [v for v, fewest in _FEWEST.items() if not fewest or len(_values(site, v)) >= fewest]


def means_of(site: Site, view: str, common_to: Filters | None = None) -> list[tuple[Column, Means]]:
    """The view's columns, as stored if they are. `common_to` as in `mean_cells`."""
    columns, stored = _columns(site, view), dict[str, Any]()
    if common_to is None:
        rows = ColumnMeans.objects.filter(view=view, made_of=_digest(site, view, columns))
        stored = dict(rows.values_list("column", "content"))
    if stored.keys() != {column.key for column in columns}:
        means = _means(site, view, columns, common_to)
        return [(column, means[column.key]) for column in columns]
    keys = {cell[0] for content in stored.values() for cell in content["cells"]}
    facts = Entrant.objects.filter(pk__in=keys).values(*ShownEntrant._fields)
    entrants = {of_entrant["pk"]: ShownEntrant(**of_entrant) for of_entrant in facts}
    means = {}
    for key, content in stored.items():
        cells = {}
        for entrant, *values in content["cells"]:
            if entrant in entrants:
                cell = Cell(*values)
                lacks = tuple(Lack(*lack) for lack in cell.without)
                cells[entrants[entrant]] = cell._replace(without=lacks)
        means[key] = Means(cells, content["benchmarks"])
    return [(column, means[column.key]) for column in columns]


def store_means() -> None:
    """Stores the columns that visitors see."""
    site = Site(AnonymousUser())
    for view in views_of(site):
        columns = _columns(site, view)
        digest, means = _digest(site, view, columns), _means(site, view, columns, None)
        rows = []
        for key, of_column in means.items():
            cells = [(entrant.pk, *cell) for entrant, cell in of_column.cells.items()]
            content: Any = {"benchmarks": of_column.benchmarks, "cells": cells}
            rows.append(ColumnMeans(view=view, column=key, made_of=digest, content=content))
        with transaction.atomic():
            ColumnMeans.objects.filter(view=view).exclude(column__in=means).delete()
            ColumnMeans.objects.bulk_create(
                rows,
                update_conflicts=True,
                unique_fields=["view", "column"],
                update_fields=["made_of", "content"],
            )


def _digest(site: Site, view: str, columns: Sequence[Column]) -> str:
    """Of everything that the means depend on."""
    boards = sorted(
        (b.pk, b.made, b.metric, b.setting, b.revision.benchmark.title, site.rows.get(b.pk))
        for b in _boards_of(columns)
    )
    parts = [
        (column.key, sorted((b.pk, column.parts.get(b.pk, WHOLE)) for b in column.boards))
        for column in columns
    ]
    facts = (view, ENGINE_VERSION, METRICS_VERSION, boards, parts)
    return sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()


def _columns(site: Site, name: str) -> list[Column]:
    if name == BENCHMARK:
        boards = [site.boards[one.pk] for one in site.benchmarks if one.pk in site.boards]
        columns = [Column(board.revision.benchmark.slug, [board], {}) for board in boards]
        counted = [board for board in boards if counts(board) and _by_main_metric(board)]
        return [Column(MEAN, counted, {}), *columns] if len(counted) > 1 else columns
    ranking = filter(queries.ranks_by_own_metric, site.every_board)
    counted = [board for board in ranking if counts(board)]
    columns = []
    for value, slugs in _values(site, name).items():
        boards = [
            board
            for board in counted
            if _by_main_metric(board) and board.revision.benchmark.slug in slugs
        ]
        parts: dict[int, Slice] = {}
        for board in boards:
            # The whole board if all its tasks have the value, so that people's ratings, which have
            # no score by language, are included.
            only = list(_values_of(site, name, board.revision.benchmark)) == [value]
            parts[board.pk] = WHOLE if name == SKILL or only else (name, value)
        columns.append(Column(value, boards, parts))
    # Settings with their own metric get separate columns next to the skills and count in no mean.
    beside: dict[str, list[Board]] = defaultdict(list)
    for board in counted if name == SKILL else ():
        if not _by_main_metric(board):
            beside[board.setting].append(board)
    return columns + [Column(key, boards, {}, setting=True) for key, boards in beside.items()]


def _by_main_metric(board: Board) -> bool:
    return board.metric == board.revision.benchmark.metric


def _boards_of(columns: Sequence[Column]) -> list[Board]:
    return list({board.pk: board for column in columns for board in column.boards}.values())


def _means(
    site: Site, view: str, columns: Sequence[Column], common_to: Filters | None
) -> dict[str, Means]:
    # Languages are slices of a board; a skill may be the name of a rating scale.
    skills = [one.key for one in columns if not one.setting] if view == SKILL else []
    if view == BENCHMARK:
        results = site.results
    else:
        slices = () if view == SKILL else (view,)
        results = brief_rows(_boards_of(columns), site.user, slices, skills)
    found = {}
    for column in columns:
        if view == BENCHMARK and column.key != MEAN:
            (board,) = column.boards
            found[column.key] = Means(board_cells(board, results.get(board.pk, ())), 1)
            continue
        by_title: dict[str, list[Board]] = defaultdict(list)
        for board in column.boards:
            by_title[board.revision.benchmark.title].append(board)
        skill = column.key if column.key in skills else ""
        means = mean_cells(by_title, results, column.parts, skill, common_to)
        # If every entrant lacks a result, the mean over benchmarks orders nobody.
        if view == BENCHMARK and all(cell.without for cell in means.cells.values()):
            means = Means({}, means.benchmarks)
        found[column.key] = means
    return found


def counts(board: Board) -> bool:
    """Whether the board counts in means today. If only some settings have a day, a later release
    has added the others, and they do not count until staff set their day."""
    days = board.revision.benchmark.counts_from
    if not days:
        return True
    day = days.get(board.setting)
    return day is not None and date.fromisoformat(day) <= timezone.localdate()


def _values(site: Site, name: str) -> dict[str, set[str]]:
    slugs: dict[str, set[str]] = defaultdict(set)
    for benchmark in site.benchmarks:
        for value in _values_of(site, name, benchmark):
            slugs[value].add(benchmark.slug)
    return slugs


def _values_of(site: Site, name: str, benchmark: Benchmark) -> Mapping[str, None]:
    """The benchmark's values, in order, as keys."""
    languages = site.languages.get(benchmark.current_id or 0, [])
    values = {
        LANGUAGE: [language for language, _natural, _tasks in languages],
        NATURAL: [natural for _language, natural, _tasks in languages if natural],
        SKILL: benchmark.skills,
    }
    return dict.fromkeys(values[name])


def board_cells(board: Board, results: Iterable[Row]) -> dict[ShownEntrant, Cell]:
    cells: dict[ShownEntrant, Cell] = {}
    for row in results:
        score, best = _settled_score(board, row, WHOLE), row.rank_high == 1
        if score is not None and score.value is not None:
            tied = row.rank_low == 1 and not best
            cells[row.entrant] = Cell(score.value, best, row.submission, top=score.top, tied=tied)
    return cells


def mean_cells(
    boards: Mapping[str, Sequence[Board]],
    results: Mapping[int, Sequence[Row]],
    parts: Mapping[int, Slice] | None = None,
    skill: str = "",
    common_to: Filters | None = None,
) -> Means:
    """The unweighted mean over benchmarks, where each benchmark is the mean over its settings.
    `boards` are by benchmark, `parts` the slices by board. Only entrants with a result on every
    board that has any are compared; the other cells name what they lack. With `common_to`, only
    boards count on which all entrants of the column that match these filters have a result. A
    rating scale with the name of the `skill` replaces the primary metric."""
    by_board: dict[tuple[str, Board], dict[ShownEntrant, Estimate]] = defaultdict(dict)
    for title, board in [(title, b) for title, several in boards.items() for b in several]:
        part = (parts or {}).get(board.pk, WHOLE)
        for result in results.get(board.pk, ()):
            score = _settled_score(board, result, part, skill)
            if score is not None and score.value is not None:
                estimate = Estimate(score.value, score.low, score.high)
                by_board[title, board][result.entrant] = estimate
    if common_to is not None:
        shown = set(filter(common_to.matches, set().union(*by_board.values())))
        by_board = {key: entrants for key, entrants in by_board.items() if shown <= entrants.keys()}
    by_title: dict[str, dict[Board, Mapping[ShownEntrant, Estimate]]] = defaultdict(dict)
    for (title, board), estimates in by_board.items():
        by_title[title][board] = estimates
    cells = {}
    for entrant in set().union(*by_board.values()):
        means, lacks = [], list[Lack]()
        for title, settings in by_title.items():
            there = [own[entrant] for own in settings.values() if entrant in own]
            if there:
                means.append(over_settings(there))
                lacks += [
                    Lack(title, b.setting) for b, own in settings.items() if entrant not in own
                ]
            else:
                lacks.append(Lack(title))
        mean = over_benchmarks(means)
        cells[entrant] = Cell(mean.value, False, None, tuple(lacks), None, mean.low, mean.high)
    full = {
        entrant: Estimate(cell.value, cell.low, cell.high)
        for entrant, cell in cells.items()
        if not cell.without
    }
    first = max(full.values(), key=lambda mean: mean.value, default=None)
    # Without an interval nobody can say whether a mean is separated.
    leaders = [
        entrant
        for entrant, mean in full.items()
        if first and first.low is not None and mean.low is not None
        if not separated(first, mean, len(full))
    ]
    for entrant in leaders:
        alone = len(leaders) == 1
        cells[entrant] = cells[entrant]._replace(best=alone, tied=not alone)
    return Means(cells, len(by_title))


def _settled_score(board: Board, result: Row, part: Slice, skill: str = "") -> ShownScore | None:
    score = result.scores.get((skill, *part))
    if score is None or score.top is None:
        score = result.scores.get((board.metric, *part))
    return score if score and result.place is not None else None
