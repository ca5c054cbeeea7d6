"""A board's rows as files, with the data needed to verify it.

Scores and intervals are unrounded: shares from 0 to 1, or mean marks from `marks_from` to
`marks_to`. `passes_outside` and `passes_shared` count passes by the tier of the
verdict. `run_by` says where conversations ran: "team" (with the team's own verdicts) or "site".
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import astuple
from datetime import datetime
from types import MappingProxyType
from typing import Any

from leaderboard.boards.facts import chances_of
from leaderboard.boards.queries import Passes
from leaderboard.boards.rows import Row, Table
from leaderboard.boards.scores import WHOLE, ShownScore, read_on, reference_scores
from leaderboard.boards.selection import Selection

# Spreadsheets interpret a cell that starts with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_FIXED = (
    "rank_low",
    "rank_high",
    "entrant",
    "entrant_slug",
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
_CHANCES = ("chance_best", "chance_top_three", "chance_above_next")
_SCALE = ("marks_from", "marks_to", "provisional")
_SOURCE = (
    "metric",
    "part",
    "setting",
    "revision",
    "engine_version",
    "metrics_version",
    "image",
    "passes_outside",
    "passes_shared",
    "submission",
    "team_runs_evaluated",
    "team_runs_published",
    "team_runs_declared",
    "team_runs_never_uploaded",
    "team_runs_withdrawn",
    "run_by",
    "published",
    "judged",
)


def columns(table: Table | None) -> list[str]:
    if table is None:
        return [*_FIXED, *_CHANCES, *_SOURCE]
    slices = [_slice_column(table, value) for value in table.slice_values]
    scale = _SCALE if table.top else ()
    return [*_FIXED, *_CHANCES, *scale, *table.others, *slices, *_SOURCE]


def board_lines(
    selected: Selection, passes: Mapping[int, Passes] = MappingProxyType({})
) -> list[list[Any]]:
    """The header and a line for each row of the page, unsettled rows last."""
    names = columns(selected.table)
    return [names, *([row[name] for name in names] for row in _records(selected, passes))]


def _records(selected: Selection, passes: Mapping[int, Passes]) -> list[dict[str, Any]]:
    table = selected.table
    if table is None:
        return []
    chances = chances_of(selected.board, table.places) if selected.board else []
    records = []
    for row in table.rows:
        of_row: Sequence[float | None] = (None,) * len(_CHANCES)
        if row.place is not None and chances:
            of_row = astuple(chances[row.place - 1])
        facts = _record(selected, table, row, passes.get(row.submission))
        records.append({**facts, **dict(zip(_CHANCES, of_row, strict=True))})
    return records


def _record(selected: Selection, table: Table, row: Row, passes: Passes | None) -> dict[str, Any]:
    score = row.scores.get((table.metric, *(row.part or WHOLE)))
    settled = row.value is not None
    run_by = "site" if row.asked_here else "team"
    return {
        "rank_low": None if row.part else row.rank_low,
        "rank_high": None if row.part else row.rank_high,
        "entrant": row.entrant.name,
        "entrant_slug": row.entrant.slug,
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
        **(
            {"marks_from": 1, "marks_to": table.top, "provisional": ", ".join(row.holds)}
            if table.top is not None
            else {}
        ),
        **{metric: _number(row.overall(metric)) for metric in table.others},
        **{
            _slice_column(table, value): _number(row.scores.get((table.metric, table.slice, value)))
            for value in table.slice_values
        },
        "metric": table.metric,
        "part": ": ".join(row.part) if row.part else None,
        "setting": selected.setting,
        "revision": selected.revision.label,
        "engine_version": row.engine_version,
        "metrics_version": selected.board.facts.get("metrics") if selected.board else None,
        "image": row.image,
        "passes_outside": passes.outside if passes else None,
        "passes_shared": passes.shared if passes else None,
        "submission": row.submission,
        "team_runs_evaluated": row.ledger.judged if row.ledger else None,
        "team_runs_published": row.ledger.published if row.ledger else None,
        "team_runs_declared": row.ledger.declared if row.ledger else None,
        "team_runs_never_uploaded": row.ledger.unused if row.ledger else None,
        "team_runs_withdrawn": row.ledger.withdrawn if row.ledger else None,
        "run_by": run_by if selected.transcripts else None,
        "published": _moment(row.published),
        "judged": _moment(row.finished),
    }


def as_csv(lines: Sequence[Sequence[Any]]) -> str:
    """CSV with a byte-order mark, for spreadsheets; None is an empty cell. Quotes texts that a
    spreadsheet would run as a formula, as they come from users."""

    def cell(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value

    out = io.StringIO()
    csv.writer(out).writerows(map(cell, line) for line in lines)
    return "\ufeff" + out.getvalue()


def as_document(
    selected: Selection, passes: Mapping[int, Passes] = MappingProxyType({})
) -> dict[str, Any]:
    board, benchmark = selected.board, selected.benchmark
    return {
        "benchmark": benchmark.slug,
        "title": benchmark.title,
        "revision": selected.revision.label,
        "revision_sha256": selected.revision.sha256,
        "setting": selected.setting,
        "metric": selected.metric,
        "made": _moment(board.made_at) if board else None,
        "results_being_scored_again": selected.scored_again,
        "comparison": dict(board.facts) if board else {},
        "human_baseline": benchmark.human_baseline,
        "references": {score.metric: score.value for score in reference_scores(selected.rows)},
        "entrants": selected.table.total if selected.table else 0,
        "rows": _records(selected, passes),
    }


def _number(score: ShownScore | None) -> float | None:
    return read_on(score.value, score.top) if score else None


def _slice_column(table: Table, value: str) -> str:
    return f"{table.slice}: {value}"


def _moment(value: datetime | None) -> str | None:
    return value.isoformat(timespec="seconds") if value else None
