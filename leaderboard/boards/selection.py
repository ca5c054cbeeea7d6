"""The board that an address selects: benchmark, revision, setting, and the part of the rows; and
what pages over all benchmarks show."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, Self

from django.db.models import Count, Q, Sum

from evaluation.engine.metrics.intervals import Interval
from evaluation.engine.metrics.summary import SLICES
from evaluation.models import EvaluationState
from evaluation.state.rechecks import rate_of
from leaderboard.accounts.models import Entrant, Person, staff_may
from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.boards import arranging, queries
from leaderboard.boards.filters import NAMES as FILTERS
from leaderboard.boards.filters import Filters
from leaderboard.boards.rows import Row, Table, board_table, brief_rows, rows_of
from leaderboard.boards.scores import WHOLE, Slice, slices_of
from leaderboard.scores.models import Board, Standing

# Parameters that say how a board's rows are shown.
ARRANGED = ("slice", "value", "sort", "hide")


class NotSelected(LookupError):
    """Nothing that this user may see. The argument: "benchmark", "revision" or "setting"."""


@dataclass
class Selection:
    """The selected board with its filters. Reads the database lazily, each value once."""

    benchmark: Benchmark
    revisions: list[Revision]
    revision: Revision
    setting: str
    filters: Filters
    user: Person

    @classmethod
    def of_query(cls, user: Person, slug: str, query: Mapping[str, str]) -> Self:
        """Raises NotSelected."""
        visible = Benchmark.objects.visible_to(user).select_related("current")
        benchmark = visible.filter(slug=slug, current__isnull=False).first()
        if benchmark is None or benchmark.current is None:
            raise NotSelected("benchmark")
        revisions = list(benchmark.revisions.order_by("-imported", "-pk"))
        if not staff_may(user, "benchmarks.view_revision"):  # sees those that are not current yet
            revisions = [r for r in revisions if r.imported <= benchmark.current.imported]
        label = query.get("revision") or benchmark.current.label
        revision = next((row for row in revisions if row.label == label), None)
        if revision is None:
            raise NotSelected("revision")
        setting = query.get("setting") or benchmark.setting
        if setting not in benchmark.settings:
            raise NotSelected("setting")
        filters = Filters.of_query(query, keep=("revision", "setting", *ARRANGED))
        return cls(benchmark, revisions, revision, setting, filters, user)

    @cached_property
    def board(self) -> Board | None:
        boards = Board.objects.select_related("revision__benchmark").defer("swaps")
        return boards.filter(revision=self.revision, setting=self.setting).first()

    @cached_property
    def rows(self) -> list[Row]:
        return [] if self.board is None else rows_of(self.board, self.user, SLICES)

    @cached_property
    def table(self) -> Table | None:
        """The matching rows of the selected part in the selected order; None without a result."""
        if self.board is None or not self.rows:
            return None
        table = board_table(
            self.board,
            self.rows,
            self.filters,
            self.benchmark.human_baseline,
            top=self.top,
            ledgers=queries.ledgers_of(self.revision, self.setting),
        )
        if self.part != WHOLE:
            table = arranging.limited(table, self.part)
        return arranging.arranged(table, self.arrangement("sort"))

    @property
    def scored_again(self) -> int:
        """The number of results that are being scored again, while the board shows earlier ones."""
        moving = EvaluationState.moving()
        return sum(row.state in moving for row in self.rows)

    @cached_property
    def rechecks(self) -> Interval:
        """The share of verdicts that differ, of those that were given a second time."""
        return rate_of(self.revision)

    @cached_property
    def scales(self) -> dict[str, int]:
        """The best mark on each rating scale; empty if code is run."""
        return queries.scales_of(self.benchmark)

    @property
    def top(self) -> int | None:
        """The best mark of the board's metric if it is a rating scale, else None."""
        return self.scales.get(self.metric)

    @property
    def metric(self) -> str:
        return self.board.metric if self.board else self.benchmark.metric_in(self.setting)

    @property
    def transcripts(self) -> bool:
        """Whether results are conversations, run by the team or by the site."""
        return self.benchmark.family.transcripts_in(self.setting) is not None

    @property
    def newer(self) -> Revision | None:
        """The current revision if the page shows an older one, else None."""
        current = self.benchmark.current
        return current if current and current.imported > self.revision.imported else None

    @cached_property
    def query(self) -> str:
        """The board in an address, without filters and arrangement."""
        return self.bare().removesuffix("?")

    @property
    def permanent(self) -> str:
        """The path of this revision, which stays valid after a newer one."""
        query = self.bare(revision=self.revision.label, setting=self.setting)
        return self.benchmark.get_absolute_url() + query

    def bare(self, **changes: str) -> str:
        return self.filters.query(**dict.fromkeys((*FILTERS, *ARRANGED), "") | changes)

    @cached_property
    def slices(self) -> dict[str, list[str]]:
        """The values of each slice that the board can be limited to."""
        return slices_of(self.metric, (row.scores for row in self.rows))

    @property
    def part(self) -> Slice:
        """The slice in the address; the whole board without such a slice."""
        name, value = self.arrangement("slice"), self.arrangement("value")
        return (name, value) if value in self.slices.get(name, []) else WHOLE

    def arrangement(self, name: str) -> str:
        return dict(self.filters.parameters).get(name, "")


class RowCounts(NamedTuple):
    """Numbers of a board's rows: shown, settled, and without results. `keys` is the sum of their
    primary keys, which changes if one row replaces another."""

    shown: int
    settled: int
    without: int
    keys: int


@dataclass
class Site:
    """What all benchmarks show this user. Reads the database lazily, each value once."""

    user: Person

    @cached_property
    def benchmarks(self) -> list[Benchmark]:
        return list(queries.benchmark_list(self.user))

    @cached_property
    def spellings(self) -> Mapping[str, str]:
        """How the first benchmark spells each skill, by its name in lower case."""
        skills = [skill for benchmark in self.benchmarks for skill in benchmark.skills]
        return {skill.casefold(): skill for skill in reversed(skills)}

    @cached_property
    def every_board(self) -> list[Board]:
        return queries.current_boards(self.benchmarks)

    @cached_property
    def boards(self) -> dict[int, Board]:
        """By benchmark: the board of its first setting, if there is one."""
        return {
            board.revision.benchmark_id: board
            for board in self.every_board
            if board.setting == board.revision.benchmark.setting
        }

    @cached_property
    def results(self) -> Mapping[int, list[Row]]:
        return brief_rows(self.boards.values(), self.user)

    @cached_property
    def row_counts(self) -> Mapping[int, RowCounts]:
        """By board; boards without rows are missing."""
        counts = {
            "shown": Count("pk"),
            "settled": Count("place"),
            "without": Count("pk", filter=Q(has_results=False)),
            "keys": Sum("pk"),
        }
        of_boards = queries.shown_on(self.every_board).order_by().values("board").annotate(**counts)
        return {row.pop("board"): RowCounts(**row) for row in map(dict[str, Any], of_boards)}

    def standings_of(self, entrants: Iterable[Entrant]) -> list[Standing]:
        """The rows of the entrants on boards of current revisions, by benchmark and setting."""
        boards = {board.pk: board for board in self.every_board}
        by_key = {entrant.pk: entrant for entrant in entrants}
        rows = queries.shown_on(boards.values()).filter(submission__entrant__in=[*by_key])
        by_board: dict[int, list[Standing]] = {board: [] for board in boards}
        for standing in rows.select_related("submission", "evaluation").order_by("pk"):
            # Not joined: planning the joins would take longer than the rest of the query.
            standing.board = boards[standing.board_id]
            standing.submission.entrant = by_key[standing.submission.entrant_id]
            by_board[standing.board_id].append(standing)
        return [standing for of_board in by_board.values() for standing in of_board]

    def ranked_on(self, board: int) -> int:
        """The number of ranked rows of the board (primary key)."""
        return self.row_counts[board].settled if board in self.row_counts else 0

    @cached_property
    def languages(self) -> Mapping[int, list[queries.Languages]]:
        return queries.languages_of(benchmark.current_id for benchmark in self.benchmarks)

    def tasks_of(self, benchmark: Benchmark) -> int:
        return sum(row.tasks for row in self.languages.get(benchmark.current_id or 0, []))

    def shown_on(self, benchmark: Benchmark) -> int:
        """The number of entrants with a result on the benchmark's first board."""
        board = self.boards.get(benchmark.pk)
        return self.row_counts[board.pk].shown if board and board.pk in self.row_counts else 0
