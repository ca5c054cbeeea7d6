"""The rows of a board in the order and with the columns that the address asks for. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy

from evaluation.engine.metrics.summary import SLICES
from leaderboard.pages.boards.filters import Choice, Filters, Menu
from leaderboard.pages.boards.queries import Slice
from leaderboard.pages.boards.rows import BoardRow, Table, in_metric_order
from leaderboard.pages.boards.words import slice_title, slice_value
from leaderboard.pages.shared.drawing import read_on
from leaderboard.pages.shared.score_words import metric_name

# Maximum values of a slice in a menu; nobody reads longer lists.
_MOST = 60
_FIXED: Mapping[str, str | Promise] = {
    "entrant": gettext_lazy("Entrant"),
    "judged": gettext_lazy("Judged"),
}
_Value: TypeAlias = Callable[[BoardRow], Any]


@dataclass(frozen=True, slots=True)
class Head:
    """A column's heading: its link sorts by the column, or reverses its order."""

    key: str
    title: str | Promise
    query: str
    # For aria-sort: "ascending", "descending" or "".
    sorted: str

    @property
    def arrow(self) -> str:
        return {"ascending": " ↑", "descending": " ↓"}.get(self.sorted, "")


@dataclass(frozen=True, slots=True)
class Heads:
    entrant: Head
    score: Head
    others: tuple[Head, ...]
    slices: tuple[Head, ...]
    judged: Head

    @property
    def every(self) -> tuple[Head, ...]:
        return (self.entrant, self.score, *self.others, *self.slices, self.judged)

    @property
    def now(self) -> Head:
        """The column that the rows are sorted by."""
        return next(head for head in self.every if head.sorted)

    @property
    def by_slice(self) -> bool:
        return self.now in self.slices


def slices_of(
    metric: str, scores: Iterable[Iterable[tuple[str, str, str]]]
) -> dict[str, list[str]]:
    """The values of each slice that a board can be limited to. `scores`: for each result the
    metric, slice and value of each score."""
    found: dict[str, set[str]] = {name: set() for name in SLICES}
    for keys in scores:
        for of, name, value in keys:
            if of == metric and name in found:
                found[name].add(value)
    return {
        name: in_metric_order(values) for name, values in found.items() if 1 < len(values) <= _MOST
    }


def menus(slices: Mapping[str, Sequence[str]], part: Slice, filters: Filters) -> list[Menu]:
    made = []
    for name, values in slices.items():
        active = part[0] == name
        choices = [Choice(gettext("any"), filters.query(slice="", value="", sort=""), not active)]
        choices += [
            Choice(
                slice_value(name, value),
                filters.query(slice=name, value=value, sort=""),
                part == (name, value),
            )
            for value in values
        ]
        chosen = slice_value(*part) if active else gettext("any")
        made.append(Menu(slice_title(name, values), chosen, active, tuple(choices)))
    return made


def limited(table: Table, part: Slice) -> Table:
    """The scores of a slice, best first, without ranks, ties and other columns."""
    rows = tuple(_in_part(row, table, part) for row in table.rows)
    scored = tuple(best_first(replace(table, ranked=rows, unsettled=())))
    return replace(
        table,
        others=(),
        slice="",
        slice_values=(),
        ranked=scored,
        unsettled=tuple(row for row in rows if row.value is None),
        drawn=scored,
    )


def best_first(table: Table) -> list[BoardRow]:
    """The rows with a score, the best score first."""
    scored = [row for row in table.ranked if row.value is not None]
    return sorted(scored, key=lambda row: row.value or 0.0, reverse=table.metric not in table.lower)


def _in_part(row: BoardRow, table: Table, part: Slice) -> BoardRow:
    score = row.result.scores.get((table.metric, *part))
    value, low, high = (score.value, score.low, score.high) if score else (None, None, None)
    return replace(
        row,
        value=read_on(value, table.top),
        low=read_on(low, table.top) if value is not None else None,
        high=read_on(high, table.top) if value is not None else None,
        others=(),
        slices=(),
        bars=(),
        part=part,
    )


def arranged(table: Table, sort: str) -> Table:
    """Sorted by a column ("-" before its key: the other way round), rows without a value and
    provisional rows last; unchanged if there is no such column. Bars and the human baseline need
    the board's own order."""
    value = _values(table).get(sort.removeprefix("-"))
    if value is None:
        return table
    down = _is_down(table, sort)
    ranked, unsettled = (_sorted(rows, value, down) for rows in (table.ranked, table.unsettled))
    bare = tuple(replace(row, bars=()) for row in ranked)
    return replace(table, ranked=bare, unsettled=unsettled, drawn=bare)


def _sorted(rows: Iterable[BoardRow], value: _Value, down: bool) -> tuple[BoardRow, ...]:
    rows = list(rows)
    known = [row for row in rows if value(row) is not None]
    known.sort(key=value, reverse=down)
    return (*known, *(row for row in rows if value(row) is None))


def _values(table: Table) -> dict[str, _Value]:
    found: dict[str, _Value] = {
        "entrant": lambda row: row.entrant.name.casefold(),
        "score": lambda row: row.value,
        "judged": lambda row: row.judged,
    }
    for place, metric in enumerate(table.others):
        found[metric] = _other(place)
    for place, name in enumerate(table.slice_values):
        found[f"{table.slice}:{name}"] = _slice(place)
    return found


def _other(place: int) -> _Value:
    return lambda row: row.others[place].value


def _slice(place: int) -> _Value:
    return lambda row: row.slices[place].value


def _is_down(table: Table, sort: str) -> bool:
    """By default names ascend, and all other columns begin with the best or the newest."""
    key = sort.removeprefix("-")
    metric = table.metric if key == "score" or ":" in key else key
    return (key != "entrant" and metric not in table.lower) != sort.startswith("-")


def heads(table: Table, sort: str, filters: Filters) -> Heads:
    """The headings; the board's own order counts as sorted by the score."""
    known = _values(table)
    now = sort if sort.removeprefix("-") in known else "score"

    def head(key: str, title: str | Promise) -> Head:
        if now.removeprefix("-") != key:
            return Head(key, title, filters.query(sort="" if key == "score" else key), "")
        other = key if now.startswith("-") else f"-{key}"
        state = "descending" if _is_down(table, now) else "ascending"
        return Head(key, title, filters.query(sort="" if other == "score" else other), state)

    return Heads(
        head("entrant", _FIXED["entrant"]),
        head("score", metric_name(table.metric, table.top)),
        tuple(head(metric, metric_name(metric, table.top)) for metric in table.others),
        tuple(
            head(f"{table.slice}:{value}", slice_value(table.slice, value))
            for value in table.slice_values
        ),
        head("judged", _FIXED["judged"]),
    )


# --- Columns ------------------------------------------------------------------------------


def hidden_of(asked: str) -> frozenset[str]:
    return frozenset(filter(None, asked.split(",")))


def column_choices(table: Table, hidden: frozenset[str], filters: Filters) -> list[Choice]:
    """Links that hide or show a column; `chosen` marks columns that are shown."""
    columns: dict[str, str | Promise] = {
        metric: metric_name(metric, table.top) for metric in table.others
    }
    if table.slice:
        columns["slices"] = slice_title(table.slice, table.slice_values)
    columns["judged"] = _FIXED["judged"]
    return [
        Choice(title, filters.query(hide=",".join(sorted(hidden ^ {key}))), key not in hidden)
        for key, title in columns.items()
    ]


def without(table: Table, hidden: frozenset[str]) -> Table:
    if not hidden:
        return table
    kept = [place for place, metric in enumerate(table.others) if metric not in hidden]
    bare = "slices" in hidden

    def shown(rows: Iterable[Any]) -> tuple[Any, ...]:
        return tuple(
            replace(
                row,
                others=tuple(row.others[place] for place in kept),
                slices=() if bare else row.slices,
            )
            if isinstance(row, BoardRow)
            else row
            for row in rows
        )

    return replace(
        table,
        others=tuple(table.others[place] for place in kept),
        slice="" if bare else table.slice,
        slice_values=() if bare else table.slice_values,
        ranked=shown(table.ranked),
        unsettled=shown(table.unsettled),
        drawn=shown(table.drawn),
    )
