"""The rows of a board as files: what is on the page, with what it takes to check it.

Scores and intervals are shares from 0 to 1, or where people judge mean marks on the scale of
`marks_from` to `marks_to`; unrounded. `run_by` says who held conversations: the "team", with
verdicts of its own, or this "site".
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Protocol

from django.utils import timezone
from django.utils.translation import gettext

from leaderboard.benchmarks.models import Benchmark, Revision
from leaderboard.pages.boards.rows import BoardRow, Table
from leaderboard.pages.shared.drawing import read_on
from leaderboard.scores.models import Board, Score
from leaderboard.submissions.models import Submission

# Spreadsheets take a cell that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_FIXED = (
    "rank_low",
    "rank_high",
    "entrant",
    "organisation",
    "weights",
    "size_in_billions",
    "score",
    "low",
    "high",
    "least",
    "most",
    "n",
    "tasks",
)
_SCALE = ("marks_from", "marks_to", "provisional")
_SOURCE = (
    "metric",
    "setting",
    "revision",
    "engine_version",
    "image",
    "submission",
    "run_by",
    "published",
    "judged",
)


class Selected(Protocol):
    """What a file is of."""

    benchmark: Benchmark
    revision: Revision
    setting: str

    @property
    def metric(self) -> str: ...
    @property
    def transcripts(self) -> bool: ...
    @property
    def board(self) -> Board | None: ...


def columns(table: Table | None) -> list[str]:
    """The names of a line's values, in order."""
    if table is None:
        return [*_FIXED, *_SOURCE]
    slices = [_slice_column(table, value) for value in table.slice_values]
    scale = _SCALE if table.top else ()
    return [*_FIXED, *scale, *table.others, *slices, *_SOURCE]


def board_lines(selected: Selected, table: Table | None) -> list[list[Any]]:
    """The head and a line for each row of the page, unsettled ones last."""
    names = columns(table)
    records = [record(selected, table, row) for row in table.rows] if table else []
    return [names, *([one[name] for name in names] for one in records)]


def record(selected: Selected, table: Table, row: BoardRow) -> dict[str, Any]:
    """One row by the names of `columns`."""
    standing, score = row.result.standing, row.result.overall(table.metric)
    settled = row.value is not None
    return {
        "rank_low": standing.rank_low,
        "rank_high": standing.rank_high,
        "entrant": row.entrant.name,
        "organisation": row.entrant.organisation,
        "weights": row.entrant.weights,
        "size_in_billions": row.entrant.parameters,
        "score": row.value,
        "low": row.low if settled else None,
        "high": row.high if settled else None,
        "least": None if settled else row.low,
        "most": None if settled else row.high,
        "n": score.n if score else None,
        "tasks": score.tasks if score else None,
        **_of_scale(table, row),
        **{cell.label: read_on(cell.value, cell.top) for cell in row.others},
        **{_slice_column(table, cell.label): read_on(cell.value, cell.top) for cell in row.slices},
        "metric": table.metric,
        "setting": selected.setting,
        "revision": selected.revision.label,
        "engine_version": standing.evaluation.engine_version,
        "image": standing.evaluation.image,
        "submission": row.submission.pk,
        "run_by": _held_by(row.submission) if selected.transcripts else None,
        "published": _moment(row.submission.published),
        "judged": _moment(row.judged),
    }


def as_csv(lines: Sequence[Sequence[Any]]) -> str:
    """The lines with a byte-order mark, for spreadsheets; None is an empty cell."""
    out = io.StringIO()
    csv.writer(out).writerows([_cell(value) for value in line] for line in lines)
    return "\ufeff" + out.getvalue()


def as_document(
    selected: Selected, table: Table | None, references: Sequence[Score] = ()
) -> dict[str, Any]:
    """The board with its rows, for programs, and what the benchmark's own programs come to."""
    return {
        "benchmark": selected.benchmark.slug,
        "title": selected.benchmark.title,
        "revision": selected.revision.label,
        "revision_sha256": selected.revision.sha256,
        "setting": selected.setting,
        "metric": selected.metric,
        "made": _moment(selected.board.made_at) if selected.board else None,
        "comparison": dict(selected.board.facts) if selected.board else {},
        "human_baseline": selected.benchmark.human_baseline,
        "references": {score.metric: score.value for score in references},
        "entrants": table.total if table else 0,
        "rows": [record(selected, table, row) for row in table.rows] if table else [],
    }


def citation(selected: Selected, address: str) -> str:
    """A line to put into a list of references."""
    text = gettext(
        "Assay leaderboard, %(title)s, revision %(revision)s, setting %(setting)s, %(metric)s. "
        "%(address)s, read on %(date)s."
    )
    return text % {
        "title": selected.benchmark.title,
        "revision": selected.revision.label,
        "setting": selected.setting,
        "metric": selected.metric,
        "address": address,
        "date": timezone.localdate().isoformat(),
    }


def _held_by(submission: Submission) -> str:
    return "site" if submission.asked_here else "team"


def _of_scale(table: Table, row: BoardRow) -> dict[str, Any]:
    """On which scale the marks are, and why there are none; nothing where code is run."""
    if table.top is None:
        return {}
    return {"marks_from": 1, "marks_to": table.top, "provisional": ", ".join(row.holds)}


def _slice_column(table: Table, value: str) -> str:
    return f"{table.slice}: {value}"


def _moment(value: datetime | None) -> str | None:
    return value.isoformat(timespec="seconds") if value else None


def _cell(value: Any) -> Any:
    """Texts come from people: none may run as a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return "'" + value
    return value
