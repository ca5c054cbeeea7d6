"""Filters of a board, kept in the address. Unknown values match nothing, and the page says so."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self
from urllib.parse import urlencode

from leaderboard.accounts.models import Entrant
from leaderboard.boards.queries import ShownEntrant

UNKNOWN = "unknown"
# Billions of parameters: lower bound inclusive, upper bound exclusive.
SIZES: Mapping[str, tuple[float, float]] = {
    "small": (0, 10),
    "middle": (10, 40),
    "large": (40, float("inf")),
}
# Days since publishing.
SINCE = ("30", "90", "365")
# The filters among the fields of Filters; addresses use the same names.
NAMES = ("weights", "size", "organisation", "provenance", "since", "q")
OF_ENTRANT = ("weights", "size", "organisation", "q")


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of a board; "" means any. `parameters` are others of the address."""

    weights: str = ""
    size: str = ""
    organisation: str = ""
    provenance: str = ""
    since: str = ""
    # A part of the entrant's name or organisation.
    q: str = ""
    parameters: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of_query(
        cls, query: Mapping[str, str], keep: Sequence[str] = (), names: Sequence[str] = NAMES
    ) -> Self:
        """Reads the filters `names` from a query, and the parameters that it has to `keep`."""
        parameters = tuple((name, query[name]) for name in keep if query.get(name))
        return cls(**{name: query.get(name, "") for name in names}, parameters=parameters)

    @property
    def active(self) -> bool:
        return any(getattr(self, name) for name in NAMES)

    def matches(self, entrant: Entrant | ShownEntrant) -> bool:
        """Only the filters of `OF_ENTRANT`."""
        return (
            self.weights in ("", entrant.weights or UNKNOWN)
            and self.size in ("", size_of(entrant))
            and self.organisation in ("", entrant.organisation)
            and self.q.strip().casefold()
            in f"{entrant.shown_name}\n{entrant.organisation}".casefold()
        )

    def query(self, **changes: str) -> str:
        """The query with these changes, including the "?"."""
        values = dict(self.parameters) | {name: getattr(self, name) for name in NAMES} | changes
        return "?" + urlencode({name: value for name, value in values.items() if value})

    @property
    def cleared(self) -> str:
        return self.query(**dict.fromkeys(NAMES, ""))

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """The parameters that a form with only a search field submits as hidden fields."""
        filters = {name: getattr(self, name) for name in NAMES if name != "q"}
        values = dict(self.parameters) | filters
        return [(name, value) for name, value in values.items() if value]


def size_of(entrant: Entrant | ShownEntrant) -> str:
    if entrant.parameters is None:
        return UNKNOWN
    for name, (least, most) in SIZES.items():
        if least <= entrant.parameters < most:
            return name
    return UNKNOWN
