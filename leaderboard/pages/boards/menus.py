"""The menus, headings and columns of a board in words: links that filter, sort and hide."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from leaderboard.accounts.models import Entrant
from leaderboard.boards.arranging import column_values, is_down
from leaderboard.boards.filters import UNKNOWN, Filters, size_of
from leaderboard.boards.queries import ShownEntrant
from leaderboard.boards.rows import Row, Table
from leaderboard.boards.scores import Slice
from leaderboard.pages.boards.words import slice_value, slice_words
from leaderboard.pages.shared.score_words import metric_name

_Names = Mapping[str, str | Promise]
_SIZES: _Names = {
    "small": _("below 10B"),
    "middle": _("10B to 40B"),
    "large": _("40B and more"),
    UNKNOWN: _("unknown"),
}
_WEIGHTS: _Names = {
    "open": pgettext_lazy("weights of a model", "open"),
    "closed": pgettext_lazy("weights of a model", "closed"),
    UNKNOWN: _("unknown"),
}
_PROVENANCES: _Names = {"upload": _("uploaded"), "endpoint": _("generated here")}
_SINCE: _Names = {
    "30": _("the last 30 days"),
    "90": _("the last 90 days"),
    "365": _("the last year"),
}
# Characters of names that fit above the cells of a slice.
_HEADING = 34
_FIXED: _Names = {"entrant": _("Entrant"), "judged": _("Judged")}


@dataclass(frozen=True, slots=True)
class Choice:
    name: str | Promise
    query: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class Menu:
    name: str | Promise
    chosen: str | Promise
    active: bool
    choices: tuple[Choice, ...]


def entrant_menus(filters: Filters, entrants: Iterable[Entrant | ShownEntrant]) -> list[Menu]:
    """The filters that distinguish these entrants or are active."""
    entrants = list[Entrant | ShownEntrant](entrants)
    organisations = sorted({entrant.organisation for entrant in entrants} - {""})
    weights = {entrant.weights or UNKNOWN for entrant in entrants}
    return [
        *_menu(filters, "weights", _("Weights"), _WEIGHTS, weights),
        *_menu(filters, "size", _("Size"), _SIZES, {size_of(entrant) for entrant in entrants}),
        *_menu(filters, "organisation", _("Organisation"), {name: name for name in organisations}),
    ]


def row_menus(filters: Filters, rows: Sequence[Row]) -> list[Menu]:
    """As `entrant_menus`, with the filters of results."""
    menus = entrant_menus(filters, (row.entrant for row in rows))
    provenances = {row.provenance for row in rows}
    menus += _menu(filters, "provenance", _("Generations"), _PROVENANCES, provenances)
    dates = [row.published for row in rows if row.published]
    if dates and (filters.since or max(dates) - min(dates) > timedelta(days=1)):
        menus += _menu(filters, "since", _("Published"), _SINCE)
    return menus


def _menu(
    filters: Filters, field: str, title: Promise, names: _Names, values: set[str] | None = None
) -> list[Menu]:
    """The names of the values that occur (None: all). No menu without a choice."""
    chosen = getattr(filters, field)
    offered: _Names = {"": _("any")} | {
        value: name for value, name in names.items() if values is None or value in values
    }
    if not chosen and len(offered) < 3:
        return []
    choices = tuple(
        Choice(name, filters.query(**{field: value}), value == chosen)
        for value, name in offered.items()
    )
    return [Menu(title, offered.get(chosen, chosen), bool(chosen), choices)]


def part_menus(
    slices: Mapping[str, Sequence[str]], part: Slice, query: Callable[..., str]
) -> list[Menu]:
    """Links to the parts of a board. `query` makes the query with a `slice` and its `value`."""
    menus = []
    for name, values in slices.items():
        active = part[0] == name
        choices = [Choice(gettext("any"), query(slice="", value=""), not active)]
        for value in values:
            address = query(slice=name, value=value)
            choices.append(Choice(slice_value(name, value), address, part == (name, value)))
        chosen = slice_value(*part) if active else gettext("any")
        menus.append(Menu(slice_words(name, values).title, chosen, active, tuple(choices)))
    return menus


@dataclass(frozen=True, slots=True)
class Head:
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
        return next(head for head in self.every if head.sorted)

    @property
    def narrow_names(self) -> bool:
        """Whether the names of the slice's values fit above their cells in one line."""
        return len(" · ".join(str(head.title) for head in self.slices)) <= _HEADING

    @property
    def by_slice(self) -> bool:
        return self.now in self.slices


def heads(table: Table, sort: str, filters: Filters) -> Heads:
    """The headings; the board's own order counts as sorted by the score."""
    now = sort if sort.removeprefix("-") in column_values(table) else "score"

    def head(key: str, title: str | Promise) -> Head:
        other, state = key, ""
        if now.removeprefix("-") == key:
            other = key if now.startswith("-") else f"-{key}"
            state = "descending" if is_down(table, now) else "ascending"
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


def column_choices(table: Table, hidden: frozenset[str], filters: Filters) -> list[Choice]:
    """Links that hide or show a column; `chosen` marks columns that are shown."""
    columns: dict[str, str | Promise] = {
        metric: metric_name(metric, table.top) for metric in table.others
    }
    if table.slice:
        columns["slices"] = slice_words(table.slice, table.slice_values).title
    columns["judged"] = _FIXED["judged"]
    return [
        Choice(title, filters.query(hide=",".join(sorted(hidden ^ {key}))), key not in hidden)
        for key, title in columns.items()
    ]
