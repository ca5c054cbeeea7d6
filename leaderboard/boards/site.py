"""The data of pages over all benchmarks, each read once per page."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from leaderboard.benchmarks.models import Benchmark
from leaderboard.boards import queries
from leaderboard.boards.rows import Row, brief_rows
from leaderboard.scores.models import Board

if TYPE_CHECKING:
    from leaderboard.accounts.models import Person


@dataclass
class Site:
    user: Person

    @cached_property
    def benchmarks(self) -> list[Benchmark]:
        return list(queries.benchmark_list(self.user))

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
    def rows(self) -> Mapping[int, queries.RowCounts]:
        return queries.row_counts(self.every_board)

    @cached_property
    def languages(self) -> Mapping[int, list[queries.Languages]]:
        return queries.languages_of(benchmark.current_id for benchmark in self.benchmarks)

    def tasks_of(self, benchmark: Benchmark) -> int:
        return sum(tasks for _, _, tasks in self.languages.get(benchmark.current_id or 0, []))

    def shown_on(self, benchmark: Benchmark) -> int:
        """The number of entrants with a result on the benchmark's first board."""
        board = self.boards.get(benchmark.pk)
        return self.rows[board.pk].shown if board and board.pk in self.rows else 0
