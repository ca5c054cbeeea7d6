"""Means over benchmarks, languages and skills, as the columns of the home page's table, with the
entrants that may be as good as the first; stored when a board is made, and read while they are of
the same boards and rows."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from hashlib import sha256
from statistics import median
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import orjson
from django.contrib.auth.models import AnonymousUser
from django.db import transaction
from django.db.models import Q, TextField
from django.db.models.functions import Cast
from django.utils import timezone

from evaluation.engine import ENGINE_VERSION
from evaluation.engine.metrics import METRICS_VERSION
from evaluation.engine.metrics.differences import FEWEST_OF_BENCHMARK, mean_difference
from evaluation.engine.metrics.intervals import FEWEST, Estimate, over_benchmarks, over_settings
from evaluation.engine.metrics.paired import LEVEL, Showing, Table
from evaluation.engine.metrics.tally import PASS
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards import queries
from leaderboard.boards.comparing import common_showings, lead_p
from leaderboard.boards.models import ColumnMeans
from leaderboard.boards.queries import ShownEntrant
from leaderboard.boards.rows import Row, brief_rows
from leaderboard.boards.scores import WHOLE, ShownScore, Slice
from leaderboard.boards.selection import Site
from leaderboard.scores.models import Board
from leaderboard.scores.showings import clusters_of

# The views of the table; the key of the mean over all benchmarks (no address of one has a "~").
BENCHMARK, LANGUAGE, NATURAL, SKILL = "", "language", "natural_language", "skill"
# The fewest values with which a view is useful.
_FEWEST = {BENCHMARK: 0, LANGUAGE: 2, NATURAL: 2, SKILL: 1}
MEAN = "~mean"


class Lack(NamedTuple):
    """A benchmark, or one of its settings, on which an entrant has no result."""

    title: str
    setting: str = ""


class Cell(NamedTuple):
    """The mean of an entrant (primary key). `without` names the benchmarks and settings of the
    column without a result: such a mean is not compared with full ones. `best`: the first one, if
    it is separated from all others; `tied`: one of several that are not separated from the first
    one. `top` is the best mark if people judge. `p` is of no difference from the first one,
    corrected for all pairs of full means; a board's own p is on its page. A tuple, because a page
    reads thousands from the database and shows some of them."""

    entrant: int
    value: float
    low: float | None = None
    high: float | None = None
    without: tuple[Lack, ...] = ()
    top: int | None = None
    best: bool = False
    tied: bool = False
    p: float | None = None


Cells: TypeAlias = Mapping[ShownEntrant, Cell]
# A view, and the key of a column.
_Place: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Means:
    """The cells of a column, full means first and best first, and the keys of the boards that they
    cover. `tested`: whether full means are compared; None if a job will tell."""

    cells: Cells
    boards: tuple[int, ...]
    tested: bool | None = None

    def content(self) -> Any:
        """As stored. The median is that of full means."""
        full = [cell.value for cell in self.cells.values() if not cell.without]
        facts = {"boards": self.boards, "tested": self.tested}
        return facts | {"median": median(full) if full else None, "cells": [*self.cells.values()]}


@dataclass(frozen=True, slots=True)
class Column:
    """A column and its boards, each limited to a part. `setting`: it is a setting's own metric."""

    key: str
    boards: Sequence[Board]
    parts: Mapping[int, Slice]
    setting: bool = False

    def part(self, board: int) -> Slice:
        return self.parts.get(board, WHOLE)


def views_of(site: Site) -> list[str]:
    """The useful views: by language only if there are several, by skill only if there are any."""
    return [v for v, fewest in _FEWEST.items() if not fewest or len(_values(site, v)) >= fewest]


def means_of(site: Site, view: str) -> list[tuple[Column, Means]]:
    """The view's columns, as stored; those that are not stored yet are computed without tests."""
    columns, contents = _contents(site, [view])
    rows = {place: [*map(_cell, content["cells"])] for place, content in contents.items()}
    keys = {cell.entrant for cells in rows.values() for cell in cells}
    facts = Entrant.objects.filter(pk__in=keys).order_by().values_list(*ShownEntrant._fields)
    entrants = {entrant.pk: entrant for entrant in map(ShownEntrant._make, facts)}
    means = []
    for place, column in columns.items():
        cells = {entrants[cell.entrant]: cell for cell in rows[place] if cell.entrant in entrants}
        content = contents[place]
        means.append((column, Means(cells, tuple(content["boards"]), content["tested"])))
    return means


def cells_of(
    entrant: int, site: Site, views: Sequence[str]
) -> list[tuple[str, Column, Cell, float | None]]:
    """By view and column: the entrant's (primary key) cell, and the median of all full means. The
    mean over all benchmarks is in the first view alone. Costs a fraction of `means_of`."""
    columns, contents = _contents(site, views)
    lines, key_at = [], Cell._fields.index("entrant")
    for (view, key), column in columns.items():
        content = contents[view, key]
        # Of thousands, only the entrant's is made a cell.
        stored = (fields for fields in content["cells"] if fields[key_at] == entrant)
        if fields := next(stored, None):
            lines.append((view, column, _cell(fields), content["median"]))
    return lines


def _contents(
    site: Site, views: Sequence[str]
) -> tuple[Mapping[_Place, Column], Mapping[_Place, Mapping[str, Any]]]:
    """The views' columns and their contents: as stored, if that is current. The mean over all
    benchmarks, which is the same in all views, is in the first one."""
    columns = {
        (view, column.key): column
        for view in views
        for column in _columns(site, view)
        if column.key != MEAN or view == views[0]
    }
    once = Q(view=views[0]) | ~Q(column=MEAN)
    rows = ColumnMeans.objects.filter(once, view__in=views)
    # As text: orjson reads it in a third of the time of the field's own parser.
    as_text = rows.values_list("view", "column", "made_of", Cast("content", TextField()))
    digests = {place: _digest(site, place[0], column) for place, column in columns.items()}
    contents = {
        (view, key): orjson.loads(content)
        for view, key, made_of, content in as_text
        if digests.get((view, key)) == made_of
    }
    for view in views:
        missing = [c for place, c in columns.items() if place[0] == view and place not in contents]
        computed = _means(site, view, missing) if missing else {}
        contents |= {(view, key): means.content() for key, means in computed.items()}
    return columns, contents


def _cell(stored: Sequence[Any]) -> Cell:
    """With tuples in place of lists. `_replace` would take most of the time of a page's cells."""
    fields, without = list(stored), Cell._fields.index("without")
    fields[without] = tuple(map(Lack._make, fields[without]))
    return Cell._make(fields)


def store_means() -> None:
    """Stores the columns that visitors see and that have changed, with their tests."""
    site = Site(AnonymousUser())
    for view in views_of(site):
        columns = {column.key: column for column in _columns(site, view)}
        digests = {key: _digest(site, view, column) for key, column in columns.items()}
        stored = dict(ColumnMeans.objects.filter(view=view).values_list("column", "made_of"))
        changed = [columns[key] for key in columns if stored.get(key) != digests[key]]
        computed = _means(site, view, changed, test=True) if changed else {}
        rows = [
            ColumnMeans(view=view, column=key, made_of=digests[key], content=means.content())
            for key, means in computed.items()
        ]
        with transaction.atomic():
            ColumnMeans.objects.filter(view=view).exclude(column__in=columns).delete()
            ColumnMeans.objects.bulk_create(
                rows,
                update_conflicts=True,
                unique_fields=["view", "column"],
                update_fields=["made_of", "content"],
            )


def _digest(site: Site, view: str, column: Column) -> str:
    """Of everything that the column's means depend on."""
    boards = sorted(
        (b.pk, b.made, b.metric, b.setting, b.revision.benchmark.title, site.row_counts.get(b.pk))
        + column.part(b.pk)
        for b in column.boards
    )
    facts = (view, column.key, Cell._fields, ENGINE_VERSION, METRICS_VERSION, boards)
    return sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()


def _columns(site: Site, name: str) -> list[Column]:
    """The mean over all benchmarks, then the view's own columns. Means are over shares passed; a
    board of another kind is compared only where a column has no other."""
    primary = filter(queries.ranks_by_own_metric, site.every_board)
    counted = [b for b in primary if b.revision.benchmark.listed and counts_today(b)]
    main = [board for board in counted if board.metric == board.revision.benchmark.metric]
    of_all = [board for board in main if board.result_metric == PASS]
    several = len({board.revision.benchmark_id for board in of_all}) > 1
    columns = [Column(MEAN, of_all, {})] if several else []
    if name == BENCHMARK:
        boards = [site.boards[b.pk] for b in site.benchmarks if b.pk in site.boards]
        return columns + [Column(b.revision.benchmark.slug, [b], {}) for b in boards]
    for value, slugs in _values(site, name).items():
        boards = [board for board in main if board.revision.benchmark.slug in slugs]
        boards = [board for board in boards if board.result_metric == PASS] or boards
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
        if board not in main:
            beside[board.setting].append(board)
    return columns + [Column(key, boards, {}, setting=True) for key, boards in beside.items()]


def _means(
    site: Site, view: str, columns: Sequence[Column], *, test: bool = False
) -> dict[str, Means]:
    # Languages are slices of a board; a skill may be the name of a rating scale.
    skills = [column.key for column in columns if not column.setting] if view == SKILL else []
    slices = (view,) if view in (LANGUAGE, NATURAL) else ()
    boards = {board.pk: board for column in columns for board in column.boards}
    results = brief_rows(boards.values(), site.user, slices, skills)
    for key, facts in Board.objects.filter(pk__in=boards).values_list("pk", "facts"):
        boards[key].facts = facts
    means = {}
    for column in columns:
        scales = {scale for b in column.boards for scale in queries.scales_of(b.revision.benchmark)}
        skill = column.key if column.key in scales and view == SKILL else ""
        of_column = mean_cells(column, results, skill)
        only = boards[of_column.boards[0]] if len(of_column.boards) == 1 else None
        if only and column.part(only.pk) == WHOLE and skill in ("", only.metric):
            of_column = board_means(only, results[only.pk], marks=view == BENCHMARK)
        elif column.key == MEAN and all(cell.without for cell in of_column.cells.values()):
            # If every entrant lacks a result, the mean over all benchmarks orders nobody.
            of_column = Means({}, of_column.boards)
        elif test:
            of_column = _tested(of_column, column, results)
        means[column.key] = of_column
    return means


def counts_today(board: Board) -> bool:
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
    if name == SKILL:
        return dict.fromkeys(site.spellings[skill.casefold()] for skill in benchmark.skills)
    languages = site.languages.get(benchmark.current_id or 0, [])
    return dict.fromkeys(filter(None, (getattr(row, name) for row in languages)))


def board_means(board: Board, results: Sequence[Row], *, marks: bool = True) -> Means:
    """The board's order and the entrants that its tests do not separate from the first. `marks`:
    those of people as marks instead of shares of their scale."""
    p = lead_p(board, results)
    tested = None if p is None else board.facts.get("clusters", FEWEST) >= FEWEST
    # Of a board that is not tested, nothing is known about any row.
    first = {1, *(place for place, of_row in enumerate(p, 2) if of_row > LEVEL)} if p else set()
    cells = {}
    for row in results:
        score = _settled_score(board, row, WHOLE)
        if score is not None and score.value is not None:
            cell = Cell(row.entrant.pk, score.value, score.low, score.high)
            best, tied = first == {row.place}, row.place in first and len(first) > 1
            top = score.top if marks else None
            cells[row.entrant] = cell._replace(top=top, best=best, tied=tied)
    return Means(cells, (board.pk,), tested)


def mean_cells(column: Column, results: Mapping[int, Sequence[Row]], skill: str = "") -> Means:
    """The unweighted mean over benchmarks, where each benchmark is the mean over its settings, over
    the boards on which at least half of the column's entrants have a result. The cells of entrants
    that lack one name it. A rating scale with the name of the `skill` replaces the primary
    metric."""
    by_board: dict[Board, dict[ShownEntrant, Estimate]] = {}
    for board in column.boards:
        of_board = {}
        for result in results.get(board.pk, ()):
            score = _settled_score(board, result, column.part(board.pk), skill)
            if score is not None and score.value is not None:
                of_board[result.entrant] = Estimate(score.value, score.low, score.high)
        by_board[board] = of_board
    entrants = set().union(*by_board.values())
    by_title: dict[str, dict[Board, Mapping[ShownEntrant, Estimate]]] = defaultdict(dict)
    for board, estimates in by_board.items():
        if estimates and 2 * len(estimates) >= len(entrants):
            by_title[board.revision.benchmark.title][board] = estimates
    cells = {}
    for entrant in entrants:
        means, lacks = [], list[Lack]()
        for title, settings in by_title.items():
            present = [scores[entrant] for scores in settings.values() if entrant in scores]
            if not present:
                lacks.append(Lack(title))
                continue
            means.append(over_settings(present))
            lacking = [board for board, scores in settings.items() if entrant not in scores]
            lacks += [Lack(title, board.setting) for board in lacking]
        if means:
            mean = over_benchmarks(means)
            cells[entrant] = Cell(entrant.pk, mean.value, mean.low, mean.high, tuple(lacks))

    def order(entrant: ShownEntrant) -> tuple[bool, float, str, int]:
        cell = cells[entrant]
        return bool(cell.without), -cell.value, entrant.shown_name, entrant.pk

    boards = [board.pk for settings in by_title.values() for board in settings]
    return Means({entrant: cells[entrant] for entrant in sorted(cells, key=order)}, tuple(boards))


def _tested(means: Means, column: Column, results: Mapping[int, Sequence[Row]]) -> Means:
    """With the marks of the entrants that are not separated from the first one: at 5 % over all
    pairs of full means (Bonferroni), because the first one is known only afterwards."""
    full = [entrant for entrant, cell in means.cells.items() if not cell.without]
    if len(full) < 2:
        return replace(means, tested=False)
    settings: dict[int, list[tuple[Board, list[Showing]]]] = defaultdict(list)
    for board in column.boards:
        if board.pk in means.boards:
            rows = {row.entrant: row for row in results[board.pk]}
            shared = common_showings(board, [rows[e] for e in full], column.part(board.pk))
            if board.result_metric != PASS or shared is None:
                return replace(means, tested=False)
            settings[board.revision.benchmark_id].append((board, shared))
    tables = []
    for of_benchmark in settings.values():
        if len({frozenset(shared[0].units) for _, shared in of_benchmark}) > 1:
            return replace(means, tested=False)
        parts = [Table.of(shared, clusters_of(board)) for board, shared in of_benchmark]
        # A setting is a place of the table: its score is the mean over them.
        totals = np.concatenate([table.totals for table in parts], axis=2)
        sizes = np.concatenate([table.sizes for table in parts], axis=2)
        tables.append(parts[0] if len(parts) == 1 else Table(totals, sizes))
    if any(table.clusters < FEWEST_OF_BENCHMARK for table in tables):
        return replace(means, tested=False)
    cells, leaders, pairs = dict(means.cells), full[:1], len(full) * (len(full) - 1) / 2
    for place, entrant in enumerate(full[1:], 1):
        difference = mean_difference([table.select([0, place]) for table in tables])
        p = min(1.0, difference.p * pairs)
        cells[entrant] = cells[entrant]._replace(p=p)
        leaders += [entrant] if p > LEVEL else []
    leads = len(leaders) == 1
    for entrant in leaders:
        cells[entrant] = cells[entrant]._replace(best=leads, tied=not leads)
    return replace(means, cells=cells, tested=True)


def _settled_score(board: Board, result: Row, part: Slice, skill: str = "") -> ShownScore | None:
    score = result.scores.get((skill, *part))
    if score is None or score.top is None:
        score = result.scores.get((board.metric, *part))
    return score if score and result.place is not None else None
