"""A board's rows as files, with the data needed to verify it. Scores are unrounded: shares from 0
to 1, or mean marks from `marks_from` to `marks_to`. Passes are counted by the verdicts' tier.
`run_by` says where conversations ran: "team" (with the team's own verdicts) or "site"."""

import csv
import io
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter
from typing import Any, TypeAlias

from leaderboard.boards.means import means_of
from leaderboard.boards.rows import Row, Table, reference_scores
from leaderboard.boards.scores import WHOLE, ScoreKey, ShownScore, read_on
from leaderboard.boards.selection import Selection, Site

# Spreadsheets interpret a cell that starts with one of these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_EMPTY = Table("", (), "", (), (), (), (), 0, 0, every_bar=True)
_Value: TypeAlias = Callable[[Row], Any]


def export_columns(selected: Selection) -> dict[str, _Value]:
    """By the name of a column, in their order: a row's value in it, None for an empty cell."""
    table, board = selected.table or _EMPTY, selected.board

    def score(row: Row) -> ShownScore | None:
        return row.scores.get((table.metric, *(row.part or WHOLE)))

    def on_scale(row: Row, key: ScoreKey) -> float | None:
        cell = row.scores.get(key)
        return read_on(cell.value, cell.top) if cell else None

    run_by = {"upload": "team", "endpoint": "site"}
    scale: dict[str, _Value] = {
        "marks_from": lambda _: 1,
        "marks_to": lambda _: table.top,
        "provisional": lambda row: ", ".join(row.holds),
    }
    return {
        "rank_low": lambda row: None if row.part else row.rank_low,
        "rank_high": lambda row: None if row.part else row.rank_high,
        "entrant": attrgetter("entrant.shown_name"),
        "entrant_slug": attrgetter("entrant.slug"),
        "organisation": attrgetter("entrant.organisation"),
        "weights": attrgetter("entrant.weights"),
        "size_in_billions": attrgetter("entrant.parameters"),
        "score": attrgetter("value"),
        "low": lambda row: None if row.value is None else row.low,
        "high": lambda row: None if row.value is None else row.high,
        "least": lambda row: row.low if row.value is None else None,
        "most": lambda row: row.high if row.value is None else None,
        "n": lambda row: getattr(score(row), "n", None),
        "tasks": lambda row: getattr(score(row), "tasks", None),
        **(scale if table.top else {}),
        **{metric: partial(on_scale, key=(metric, *WHOLE)) for metric in table.others},
        **{
            f"{table.slice}: {value}": partial(on_scale, key=(table.metric, table.slice, value))
            for value in table.slice_values
        },
        "metric": lambda _: table.metric,
        "part": lambda row: ": ".join(row.part) if row.part else None,
        "setting": lambda _: selected.setting,
        "revision": lambda _: selected.revision.label,
        "engine_version": attrgetter("engine_version"),
        "metrics_version": lambda _: board.facts.get("metrics") if board else None,
        "image": attrgetter("image"),
        "passes_outside": attrgetter("passes_outside"),
        "passes_shared": attrgetter("passes_shared"),
        "submission": attrgetter("submission"),
        "team_runs_evaluated": lambda row: getattr(row.ledger, "judged", None),
        "team_runs_published": lambda row: getattr(row.ledger, "published", None),
        "team_runs_declared": lambda row: getattr(row.ledger, "declared", None),
        "team_runs_never_uploaded": lambda row: getattr(row.ledger, "unused", None),
        "team_runs_withdrawn": lambda row: getattr(row.ledger, "withdrawn", None),
        "run_by": lambda row: run_by[row.provenance] if selected.transcripts else None,
        "published": lambda row: _moment(row.published),
        "judged": lambda row: _moment(row.finished),
    }


def board_lines(selected: Selection) -> list[list[Any]]:
    """The header and a line for each row of the page, unsettled rows last."""
    columns, rows = export_columns(selected), (selected.table or _EMPTY).rows
    return [list(columns), *([value(row) for value in columns.values()] for row in rows)]


def as_csv(lines: Sequence[Sequence[Any]]) -> str:
    """CSV with a byte-order mark, for spreadsheets; None is an empty cell. Quotes texts that a
    spreadsheet would run as a formula, as they come from users."""

    def cell(value: Any) -> Any:
        return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value

    out = io.StringIO()
    csv.writer(out).writerows(map(cell, line) for line in lines)
    return "\ufeff" + out.getvalue()


def as_document(selected: Selection) -> dict[str, Any]:
    board, benchmark = selected.board, selected.benchmark
    table, columns = selected.table or _EMPTY, export_columns(selected)
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
        "entrants": table.total,
        "rechecks": rechecks(selected),
        "rows": [{name: value(row) for name, value in columns.items()} for row in table.rows],
    }


def rechecks(selected: Selection) -> dict[str, Any]:
    rate = selected.rechecks
    differing = round((rate.value or 0) * rate.n)
    figures = {"verdicts": rate.n, "differing": differing, "rate": rate.value}
    return figures | {"low": rate.low, "high": rate.high}


MEANS_COLUMNS = (
    *("column", "benchmarks", "entrant", "entrant_slug", "score", "low", "high"),
    *("marks_from", "marks_to", "first", "p_against_first", "without"),
)


def means_document(site: Site, view: str) -> dict[str, Any]:
    """The means of the home page's table. `first`: "leads", alone or as one of several that are
    "tied". `without` are benchmarks and settings on which an entrant has no result: it is then not
    compared."""
    columns = []
    for column, of_column in means_of(site, view):
        boards = [board for board in column.boards if board.pk in of_column.boards]
        rows = [
            {
                "entrant": entrant.shown_name,
                "entrant_slug": entrant.slug,
                "score": read_on(cell.value, cell.top),
                "low": read_on(cell.low, cell.top),
                "high": read_on(cell.high, cell.top),
                "marks_from": cell.top and 1,
                "marks_to": cell.top,
                "first": "leads" if cell.best else "tied" if cell.tied else None,
                "p_against_first": cell.p,
                "without": [" ".join(filter(None, lack)) for lack in cell.without],
            }
            for entrant, cell in of_column.cells.items()
        ]
        names = ("slice", "value")
        parts = [dict(zip(names, column.part(b.pk), strict=True)) for b in boards]
        covered = [
            {"benchmark": board.revision.benchmark.slug, "setting": board.setting, **part}
            for board, part in zip(boards, parts, strict=True)
        ]
        facts = {"column": column.key, "boards": covered, "tested": of_column.tested}
        columns.append({**facts, "rows": rows})
    return {"by": view, "columns": columns}


def means_lines(document: Mapping[str, Any]) -> list[list[Any]]:
    """The header and a line for each cell."""
    lines: list[list[Any]] = [list(MEANS_COLUMNS)]
    for column in document["columns"]:
        covered = dict.fromkeys(board["benchmark"] for board in column["boards"])
        for row in column["rows"]:
            facts = row | {
                "column": column["column"],
                "benchmarks": ", ".join(covered),
                "without": ", ".join(row["without"]),
            }
            lines.append([facts[name] for name in MEANS_COLUMNS])
    return lines


def _moment(value: datetime | None) -> str | None:
    return value.isoformat(timespec="seconds") if value else None
