"""Filters of a board, kept in the address. Unknown values match nothing, and the page says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlencode

from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from leaderboard.accounts.models import Entrant
from leaderboard.pages.boards.queries import ShownEntrant, ShownSubmission

UNKNOWN = "unknown"
# Billions of parameters: lower bound inclusive, upper bound exclusive.
_SIZES: Mapping[str, tuple[float, float]] = {
    "small": (0, 10),
    "middle": (10, 40),
    "large": (40, float("inf")),
}
_SIZE_NAMES: Mapping[str, str | Promise] = {
    "small": _("below 10B"),
    "middle": _("10B to 40B"),
    "large": _("40B and more"),
    UNKNOWN: _("unknown"),
}
_WEIGHTS_NAMES: Mapping[str, str | Promise] = {
    "open": pgettext_lazy("weights of a model", "open"),
    "closed": pgettext_lazy("weights of a model", "closed"),
    UNKNOWN: _("unknown"),
}


# The origin of generations: the team uploads them, or this site asks the team's endpoint.
_PROVENANCES: Mapping[str, str | Promise] = {
    "upload": _("uploaded"),
    "endpoint": _("generated here"),
}
# Days since publishing.
_SINCE: Mapping[str, str | Promise] = {
    "30": _("the last 30 days"),
    "90": _("the last 90 days"),
    "365": _("the last year"),
}


def provenance_of(submission: ShownSubmission) -> str:
    return "endpoint" if submission.asked_here else "upload"


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


# The filters among the fields of Filters; addresses use the same names.
NAMES = ("weights", "size", "organisation", "provenance", "since", "q")
OF_ENTRANT = ("weights", "size", "organisation", "q")


@dataclass(frozen=True, slots=True)
class Filters:
    """The filters of a board; "" means any. `kept` has other parameters of the address."""

    weights: str = ""
    size: str = ""
    organisation: str = ""
    provenance: str = ""
    since: str = ""
    # A part of the entrant's name or organisation.
    q: str = ""
    kept: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls, query: Mapping[str, str], keep: Sequence[str] = (), names: Sequence[str] = NAMES
    ) -> Filters:
        """Reads the filters of these names from a query, and keeps the other parameters that `keep`
        names."""
        kept = tuple((name, query[name]) for name in keep if query.get(name))
        return cls(**{name: query.get(name, "") for name in names}, kept=kept)

    @property
    def active(self) -> bool:
        return any(getattr(self, name) for name in NAMES)

    def matches(self, entrant: Entrant | ShownEntrant) -> bool:
        return (
            self.weights in ("", entrant.weights or UNKNOWN)
            and self.size in ("", size_of(entrant))
            and self.organisation in ("", entrant.organisation)
            and self.q.strip().casefold() in f"{entrant.name}\n{entrant.organisation}".casefold()
        )

    def matches_result(self, submission: ShownSubmission) -> bool:
        return (
            self.matches(submission.entrant)
            and self.provenance in ("", provenance_of(submission))
            and (not self.since or self._is_since(submission))
        )

    def _is_since(self, submission: ShownSubmission) -> bool:
        if self.since not in _SINCE or submission.published is None:
            return False
        return submission.published > timezone.now() - timedelta(days=int(self.since))

    def query(self, **changes: str) -> str:
        """The query with these changes, including the "?"."""
        values = dict(self.kept) | {name: getattr(self, name) for name in NAMES} | changes
        return "?" + urlencode([(name, value) for name, value in values.items() if value])

    @property
    def cleared(self) -> str:
        return self.query(**dict.fromkeys(NAMES, ""))

    @property
    def hidden(self) -> list[tuple[str, str]]:
        """The parameters that a form with only a search field submits as hidden fields."""
        values = dict(self.kept) | {name: getattr(self, name) for name in NAMES if name != "q"}
        return [(name, value) for name, value in values.items() if value]

    def result_menus(self, submissions: Iterable[ShownSubmission]) -> tuple[Menu, ...]:
        """As `menus`, with the filters of results."""
        submissions = list(submissions)
        made = list(map(provenance_of, submissions))
        dates = [one.published for one in submissions if one.published]
        menus = [self._menu("provenance", _("Generations"), _offered(_PROVENANCES, made))]
        if dates and (self.since or max(dates) - min(dates) > timedelta(days=1)):
            menus.append(self._menu("since", _("Published"), _SINCE))
        entrants = self.menus(one.entrant for one in submissions)
        return (*entrants, *(one for one in menus if one.active or len(one.choices) > 2))

    def menus(self, entrants: Iterable[Entrant | ShownEntrant]) -> tuple[Menu, ...]:
        """The filters that distinguish these entrants or are active."""
        entrants = list[Entrant | ShownEntrant](entrants)
        weights = [e.weights or UNKNOWN for e in entrants]
        sizes = [size_of(e) for e in entrants]
        organisations = sorted({e.organisation for e in entrants if e.organisation})
        menus = (
            self._menu("weights", _("Weights"), _offered(_WEIGHTS_NAMES, weights)),
            self._menu("size", _("Size"), _offered(_SIZE_NAMES, sizes)),
            self._menu("organisation", _("Organisation"), {name: name for name in organisations}),
        )
        return tuple(menu for menu in menus if menu.active or len(menu.choices) > 2)

    def _menu(self, field: str, name: str | Promise, names: Mapping[str, str | Promise]) -> Menu:
        value = getattr(self, field)
        offered: Mapping[str, str | Promise] = {"": _("any"), **names}
        choices = (
            Choice(label, self.query(**{field: key}), key == value)
            for key, label in offered.items()
        )
        return Menu(name, offered.get(value, value), bool(value), tuple(choices))


def size_of(entrant: Entrant | ShownEntrant) -> str:
    if entrant.parameters is None:
        return UNKNOWN
    for name, (least, most) in _SIZES.items():
        if least <= entrant.parameters < most:
            return name
    return UNKNOWN


def _offered(names: Mapping[str, str | Promise], values: Sequence[str]) -> dict[str, str | Promise]:
    return {value: name for value, name in names.items() if value in values}
