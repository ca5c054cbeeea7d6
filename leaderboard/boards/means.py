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
from evaluation.engine.metrics.means import Estimate, over_benchmarks, over_settings
from leaderboard.accounts.models import Entrant
from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards import queries
from leaderboard.boards.filters import Filters
from leaderboard.boards.models import ColumnMeans
from leaderboard.boards.queries import ShownEntrant
from leaderboard.boards.rows import Row
from leaderboard.boards.scores import WHOLE, ShownScore, Slice
from leaderboard.boards.site import Site
from leaderboard.scores.models import Board

# The views of the table, and the key of the mean over all benchmarks; no benchmark's address has a
# "~".
BENCHMARK, LANGUAGE, NATURAL, SKILL = "", "language", "natural_language", "skill"
VIEWS = (BENCHMARK, LANGUAGE, NATURAL, SKILL)
MEAN = "~mean"


class Lack(NamedTuple):
    """A benchmark, or one of its settings, on which an entrant has no result."""

    title: str
    setting: str = ""


class Cell(NamedTuple):
    """`without` names the benchmarks and settings of the column without a result: such a mean is
    not compared with full ones. `top` is the best mark if people judge. A tuple, because a page
    reads thousands from the database and shows some of them."""

    value: float
    best: bool
    submission: int | None = None
    without: tuple[Lack, ...] = ()
    top: int | None = None
    low: float | None = None
    high: float | None = None


Cells: TypeAlias = Mapping[ShownEntrant, Cell]
# The entrants' values, by title of the benchmark and by board.
_Found: TypeAlias = Mapping[str, Mapping[Board, Mapping[ShownEntrant, Estimate]]]


@dataclass(frozen=True, slots=True)
class Means:
    """The cells of a column, and the number of benchmarks that its means cover."""

    cells: Cells
    benchmarks: int


@dataclass(frozen=True, slots=True)
class Column:
    """A column and its boards, each limited to a part. `setting`: the column is for a setting with
    its own metric."""

    key: str
    boards: Sequence[Board]
    parts: Mapping[int, Slice]
    setting: bool = False


def views_of(site: Site) -> list[str]:
    """The useful views: by language only if there are several, by skill only if there are any."""
    useful = {BENCHMARK: True, SKILL: any(benchmark.skills for benchmark in site.benchmarks)}
    for name in (LANGUAGE, NATURAL):
        useful[name] = len(_values(site, name)) > 1
    return [view for view in VIEWS if useful[view]]


def means_of(site: Site, view: str, common_to: Filters | None = None) -> list[tuple[Column, Means]]:
    """The view's columns, as stored if they are. `common_to` as in `mean_cells`."""
    columns = _columns(site, view)
    means: Mapping[str, Means] = {}
    if common_to is None:
        means = _stored(view, _digest(site, view, columns))
    if means.keys() != {column.key for column in columns}:
        means = _means(site, view, columns, common_to)
    return [(column, means[column.key]) for column in columns]


def store_means() -> None:
    """Stores the columns that visitors see."""
    site = Site(AnonymousUser())
    for view in views_of(site):
        columns = _columns(site, view)
        digest = _digest(site, view, columns)
        means = _means(site, view, columns, None)
        rows = [
            ColumnMeans(
                view=view,
                column=key,
                made_of=digest,
                content=_content(of_column),
            )
            for key, of_column in means.items()
        ]
        with transaction.atomic():
            ColumnMeans.objects.filter(view=view).exclude(column__in=means).delete()
            ColumnMeans.objects.bulk_create(
                rows,
                update_conflicts=True,
                unique_fields=["view", "column"],
                update_fields=["made_of", "content"],
            )


def _content(means: Means) -> Any:  # a dict; mypy's plugin infers a text column
    cells = [(entrant.pk, *cell) for entrant, cell in means.cells.items()]
    return {"benchmarks": means.benchmarks, "cells": cells}


def _stored(view: str, digest: str) -> dict[str, Means]:
    """By column; empty if they have another digest. Two queries."""
    rows = ColumnMeans.objects.filter(view=view, made_of=digest)
    stored: dict[str, Any] = dict(rows.values_list("column", "content"))
    keys = {cell[0] for content in stored.values() for cell in content["cells"]}
    facts = Entrant.objects.filter(pk__in=keys).values(*ShownEntrant._fields)
    entrants = {of_entrant["pk"]: ShownEntrant(**of_entrant) for of_entrant in facts}
    return {
        column: Means(
            {
                entrants[key]: _cell(dict(zip(Cell._fields, values, strict=True)))
                for key, *values in content["cells"]
                if key in entrants
            },
            content["benchmarks"],
        )
        for column, content in stored.items()
    }


def _cell(values: dict[str, Any]) -> Cell:
    return Cell(**values | {"without": tuple(Lack(*lack) for lack in values["without"])})


def _digest(site: Site, view: str, columns: Sequence[Column]) -> str:
    """Of everything that the means depend on."""
    boards = sorted(
        (
            board.pk,
            board.made,
            board.metric,
            board.setting,
            board.revision.benchmark.title,
            site.rows.get(board.pk),
        )
        for board in _boards_of(columns)
    )
    parts = [
        (column.key, sorted((b.pk, column.parts.get(b.pk, WHOLE)) for b in column.boards))
        for column in columns
    ]
    facts = (view, ENGINE_VERSION, METRICS_VERSION, boards, parts)
    return sha256(repr(facts).encode("utf-8", "surrogatepass")).hexdigest()


def _columns(site: Site, name: str) -> list[Column]:
    if name == BENCHMARK:
        return _first_boards(site)
    ranking = filter(queries.ranks_by_own_metric, site.every_board)
    found = [board for board in ranking if counts(board)]
    boards = [board for board in found if board.metric == board.revision.benchmark.metric]
    columns = []
    for value, slugs in _values(site, name).items():
        own = [b for b in boards if b.revision.benchmark.slug in slugs]
        parts = {board.pk: _part(site, name, value, board) for board in own}
        columns.append(Column(value, own, parts))
    # Settings with their own metric get separate columns next to the skills and count in no mean.
    beside = [board for board in found if board not in boards] if name == SKILL else []
    for setting in dict.fromkeys(board.setting for board in beside):
        some = [board for board in beside if board.setting == setting]
        columns.append(Column(setting, some, {}, setting=True))
    return columns


def _first_boards(site: Site) -> list[Column]:
    boards = [site.boards[one.pk] for one in site.benchmarks if one.pk in site.boards]
    own = [Column(board.revision.benchmark.slug, [board], {}) for board in boards]
    counted = [one for one in boards if counts(one) and one.metric == one.revision.benchmark.metric]
    return [Column(MEAN, counted, {}), *own] if len(counted) > 1 else own


def _boards_of(columns: Sequence[Column]) -> list[Board]:
    return list({board.pk: board for column in columns for board in column.boards}.values())


def _means(
    site: Site, name: str, columns: Sequence[Column], common_to: Filters | None
) -> dict[str, Means]:
    if name == BENCHMARK:
        return {one.key: _of_benchmark(site, one, common_to) for one in columns}
    # Languages are slices of a board; a skill may be the name of a rating scale.
    skills = [one.key for one in columns if not one.setting] if name == SKILL else []
    results = site.read(_boards_of(columns), () if name == SKILL else (name,), skills)
    return {
        one.key: mean_cells(
            _by_title(one.boards),
            results,
            one.parts,
            one.key if one.key in skills else "",
            common_to,
        )
        for one in columns
    }


def _of_benchmark(site: Site, column: Column, common_to: Filters | None) -> Means:
    """The cells of a benchmark or of the mean. If every entrant lacks a result, the mean orders
    nobody and has no cells."""
    if column.key != MEAN:
        (board,) = column.boards
        return Means(board_cells(board, site.results.get(board.pk, ())), 1)
    means = mean_cells(_by_title(column.boards), site.results, common_to=common_to)
    full = any(not cell.without for cell in means.cells.values())
    return means if full else Means({}, means.benchmarks)


def counts(board: Board) -> bool:
    """Whether the board counts in means today. If only some settings have a day, a later release
    has added the others, and they do not count until staff set their day."""
    days = board.revision.benchmark.counts_from
    if not days:
        return True
    day = days.get(board.setting)
    return day is not None and date.fromisoformat(day) <= timezone.localdate()


def _part(site: Site, name: str, value: str, board: Board) -> Slice:
    """The slice of the board with this value. It is the whole board if all its tasks have the
    value, so that people's ratings, which have no score by language, are included."""
    of_benchmark = _values_of(site, name, board.revision.benchmark)
    return WHOLE if name == SKILL or list(of_benchmark) == [value] else (name, value)


def _values(site: Site, name: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for benchmark in site.benchmarks:
        for value in _values_of(site, name, benchmark):
            found[value].add(benchmark.slug)
    return found


def _values_of(site: Site, name: str, benchmark: Benchmark) -> Mapping[str, None]:
    """The benchmark's values, in order, as keys."""
    languages = site.languages.get(benchmark.current_id or 0, [])
    values = {
        LANGUAGE: [language for language, _natural, _tasks in languages],
        NATURAL: [natural for _language, natural, _tasks in languages if natural],
        SKILL: benchmark.skills,
    }
    return dict.fromkeys(values[name])


def _by_title(boards: Sequence[Board]) -> Mapping[str, list[Board]]:
    found: dict[str, list[Board]] = defaultdict(list)
    for board in boards:
        found[board.revision.benchmark.title].append(board)
    return found


def board_cells(board: Board, results: Iterable[Row]) -> dict[ShownEntrant, Cell]:
    """`results` are in the board's order. All with the first one's score are the best."""
    cells: dict[ShownEntrant, Cell] = {}
    leading = None
    for result in results:
        score = _settled_score(board, result, WHOLE)
        if score is not None and score.value is not None:
            leading = score.value if result.place == 1 else leading
            best = score.value == leading
            cells[result.entrant] = Cell(score.value, best, result.submission, top=score.top)
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
    rating scale with the name of the `skill` replaces the primary metric.
    """
    found: _Found = {
        title: {
            board: estimates
            for board in some
            if (estimates := _estimates(board, results, (parts or {}).get(board.pk, WHOLE), skill))
        }
        for title, some in boards.items()
    }
    if common_to is not None:
        found = _in_common(found, common_to)
    found = {title: some for title, some in found.items() if some}
    every = {entrant for some in found.values() for own in some.values() for entrant in own}
    cells = {entrant: _mean_cell(entrant, found) for entrant in every}
    best = max((cell.value for cell in cells.values() if not cell.without), default=None)
    return Means(
        {
            entrant: cell._replace(best=not cell.without and cell.value == best)
            for entrant, cell in cells.items()
        },
        len(found),
    )


def _mean_cell(entrant: ShownEntrant, found: _Found) -> Cell:
    own = [
        over_settings(there)
        for some in found.values()
        if (there := [values[entrant] for values in some.values() if entrant in values])
    ]
    mean = over_benchmarks(own)
    lacks = tuple(lack for title, some in found.items() for lack in _lacks(entrant, title, some))
    return Cell(mean.value, best=False, without=lacks, low=mean.low, high=mean.high)


def _lacks(
    entrant: ShownEntrant, title: str, some: Mapping[Board, Mapping[ShownEntrant, Estimate]]
) -> list[Lack]:
    """The benchmark, or those of its settings, on which the entrant has no result."""
    settings = [board.setting for board, values in some.items() if entrant not in values]
    if len(settings) == len(some):
        return [Lack(title)]
    return [Lack(title, setting) for setting in settings]


def _in_common(found: _Found, shown: Filters) -> _Found:
    every = {
        entrant
        for some in found.values()
        for own in some.values()
        for entrant in own
        if shown.matches(entrant)
    }
    return {
        title: {board: own for board, own in some.items() if every <= own.keys()}
        for title, some in found.items()
    }


def _estimates(
    board: Board, results: Mapping[int, Sequence[Row]], part: Slice, skill: str
) -> dict[ShownEntrant, Estimate]:
    values = {}
    for result in results.get(board.pk, ()):
        score = _settled_score(board, result, part, skill)
        if score is not None and score.value is not None:
            values[result.entrant] = Estimate(score.value, score.low, score.high)
    return values


def _settled_score(board: Board, result: Row, part: Slice, skill: str = "") -> ShownScore | None:
    score = result.scores.get((skill, *part))
    if score is None or score.top is None:
        score = result.scores.get((board.metric, *part))
    return score if score and result.place is not None else None
