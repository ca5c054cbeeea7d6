import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from evaluation.engine.metrics.intervals import Interval
from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.boards.exports import as_csv, as_document, board_lines
from leaderboard.boards.filters import Filters
from leaderboard.boards.rows import Row, Table, board_table
from leaderboard.scores.models import Board
from tests.leaderboard.boards.invented import board, result, score

ROWS = (
    replace(
        result("A", 1, score(0.75), score(0.9, metric="pass@5"), ranks=(1, 2), organisation="Lab"),
        passes_outside=9,
        passes_shared=2,
    ),
    result("=A1+1", None, score(None, least=0.25, most=0.5)),
)


@dataclass
class Selected:
    benchmark: Benchmark
    revision: Revision
    setting: str
    board: Board | None
    metric: str = "pass@1"
    transcripts: bool = False
    scored_again: int = 0
    rows: Sequence[Row] = ROWS
    rechecks: Interval = Interval(None, None, None, 0, 0)

    @property
    def table(self) -> Table:
        return board_table(board(), self.rows, Filters())


@pytest.fixture
def selected() -> Selected:
    benchmark = Benchmark(slug="b", title="Bench")
    revision = Revision(benchmark=benchmark, label="2026-05", sha256="abc")
    return Selected(benchmark, revision, "base", board([0.2]))


def read(selected: Any) -> list[dict[str, str]]:
    text = as_csv(board_lines(selected))
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"))))


LINE = """
rank_low=1 rank_high=2 entrant=A entrant_slug=x organisation=Lab weights= size_in_billions=
score=0.75 low=0.7 high=0.8 least= most= n=164 tasks=164
pass@5=0.9
metric=pass@1 part= setting=base revision=2026-05 engine_version=1.4.0 metrics_version=
image=python:abc passes_outside=9 passes_shared=2 submission=7
team_runs_evaluated= team_runs_published= team_runs_declared= team_runs_never_uploaded=
team_runs_withdrawn= run_by= published= judged=2026-11-12T00:00:00+00:00
"""


def test_a_line_has_what_it_takes_to_check_it(selected: Selected) -> None:
    """The columns are in this order."""
    line = read(selected)[0]
    assert [f"{name}={value}" for name, value in line.items()] == LINE.split()


def test_an_unsettled_line_has_bounds_and_neither_rank_nor_score(selected: Selected) -> None:
    line = read(selected)[1]
    told = {name: line[name] for name in ("rank_low", "score", "low", "least", "most", "pass@5")}
    assert told == {
        "rank_low": "", "score": "", "low": "", "least": "0.25", "most": "0.5", "pass@5": "",
    }  # fmt: skip


def test_of_conversations_it_is_told_who_held_them(selected: Selected) -> None:
    here = replace(ROWS[1], asked_here=True)
    told = read(replace(selected, transcripts=True, rows=[ROWS[0], here]))
    assert [line["run_by"] for line in told] == ["team", "site"]


def test_the_document_keeps_names_as_they_are_and_files_run_none_as_a_formula(
    selected: Any,
) -> None:
    document = as_document(selected)
    assert [row["entrant"] for row in document["rows"]] == ["A", "=A1+1"]
    assert document["comparison"] == {"tasks": 164, "test": "bootstrap", "p": [0.2]}
    assert read(selected)[1]["entrant"] == "'=A1+1"
