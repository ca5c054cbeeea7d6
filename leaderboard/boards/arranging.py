"""The rows of a board in the order and with the columns that the address asks for, and their signs
of memorisation. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from evaluation.engine.metrics.memorisation import Sign
from leaderboard.boards.rows import Row, Table
from leaderboard.boards.scores import Slice, read_on
from leaderboard.scores.models import Board

_Value: TypeAlias = Callable[[Row], Any]


def limited(table: Table, part: Slice) -> Table:
    """The scores of a slice, best first, without ranks, ties and other columns."""
    rows = []
    for row in table.rows:
        score = row.scores.get((table.metric, *part))
        if score is None or score.value is None:
            value = low = high = None
        else:
            ends = (score.value, score.low, score.high)
            value, low, high = (read_on(share, table.top) for share in ends)
        rows.append(replace(row, value=value, low=low, high=high, bars=(), part=part))
    scored = tuple(best_first(rows, lower=table.metric in table.lower))
    return replace(
        table,
        others=(),
        slice="",
        slice_values=(),
        ranked=scored,
        unsettled=tuple(row for row in rows if row.value is None),
        drawn=scored,
    )


def best_first(rows: Iterable[Row], *, lower: bool) -> list[Row]:
    """The rows with a score, the best score first. `lower`: less is better."""
    scored = [row for row in rows if row.value is not None]
    return sorted(scored, key=lambda row: row.value or 0.0, reverse=not lower)


def arranged(table: Table, sort: str) -> Table:
    """Sorted by a column ("-" before its key: the other way round), rows without a value and
    provisional rows last; unchanged if there is no such column. Bars and the human baseline need
    the board's own order."""
    value = column_values(table).get(sort.removeprefix("-"))
    if value is None:
        return table

    def in_order(rows: Iterable[Row]) -> tuple[Row, ...]:
        rows = list(rows)
        valued = [row for row in rows if value(row) is not None]
        valued.sort(key=value, reverse=is_down(table, sort))
        return (*valued, *(row for row in rows if value(row) is None))

    bare = tuple(replace(row, bars=()) for row in in_order(table.ranked))
    return replace(table, ranked=bare, unsettled=in_order(table.unsettled), drawn=bare)


def column_values(table: Table) -> dict[str, _Value]:
    """By key of a column: a row's value in it, None if it has none."""

    def of_score(metric: str, name: str, part: str) -> _Value:
        return lambda row: score.value if (score := row.scores.get((metric, name, part))) else None

    values: dict[str, _Value] = {
        "entrant": lambda row: row.entrant.shown_name.casefold(),
        "score": lambda row: row.value,
        "judged": lambda row: row.finished,
    }
    values |= {metric: of_score(metric, "overall", "") for metric in table.others}
    return values | {
        f"{table.slice}:{part}": of_score(table.metric, table.slice, part)
        for part in table.slice_values
    }


def is_down(table: Table, sort: str) -> bool:
    """By default names ascend, and all other columns begin with the best or the newest."""
    key = sort.removeprefix("-")
    metric = table.metric if key == "score" or ":" in key else key
    return (key != "entrant" and metric not in table.lower) != sort.startswith("-")


def without(table: Table, hidden: frozenset[str]) -> Table:
    others = tuple(metric for metric in table.others if metric not in hidden)
    if "slices" in hidden:
        return replace(table, others=others, slice="", slice_values=())
    return replace(table, others=others)


# --- Signs of memorisation ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SignTable:
    """Ranked rows with both signs, None if there is too little to compare with. `overlaps`, `ages`:
    whether the board has any signs of this kind."""

    lines: Sequence[tuple[Row, Sign | None, Sign | None]]
    overlaps: bool
    ages: bool


def sign_table(board: Board, ranked: int, rows: Sequence[Row]) -> SignTable | None:
    """Covers the ranked rows that are shown. None without signs, or while the board is remade."""
    signs: dict[str, list[Sign | None]] = {
        kind: [None if sign is None else Sign(**sign) for sign in board.facts.get(kind, [])]
        for kind in ("overlaps", "ages")
        if len(board.facts.get(kind, ())) == ranked
    }
    if not signs:
        return None
    overlaps, ages = (signs.get(kind, [None] * ranked) for kind in ("overlaps", "ages"))
    lines = [(r, overlaps[r.place - 1], ages[r.place - 1]) for r in rows if r.place]
    return SignTable(lines, "overlaps" in signs, "ages" in signs)
