from dataclasses import fields

import pytest

from leaderboard.accounts.models import Entrant
from leaderboard.boards.filters import Filters, size_of
from leaderboard.pages.boards.menus import entrant_menus

BIG = Entrant(name="Big", organisation="Fenland", weights="open", parameters=70)


@pytest.mark.parametrize(
    ("parameters", "name"), [(0.5, "small"), (10, "middle"), (40, "large"), (None, "unknown")]
)
def test_a_size_belongs_to_one_class(parameters: float | None, name: str) -> None:
    assert size_of(Entrant(parameters=parameters)) == name


def test_a_choice_keeps_the_other_filters_and_what_the_page_needs() -> None:
    filters = Filters.of_query(
        {"weights": "open", "setting": "base", "page": "2"}, keep=("setting", "revision")
    )
    assert filters.query(size="small") == "?setting=base&weights=open&size=small"
    assert filters.cleared == "?setting=base"


@pytest.mark.parametrize("name", sorted({field.name for field in fields(Filters)} - {"parameters"}))
def test_every_filter_is_read_from_the_address_is_active_and_is_cleared(name: str) -> None:
    chosen = Filters.of_query({name: "x"})
    assert chosen == Filters(**{name: "x"})
    assert chosen.active
    assert chosen.query() == f"?{name}=x"
    assert chosen.cleared == "?"


def test_a_filter_that_tells_nobody_apart_is_not_offered() -> None:
    menus = entrant_menus(
        Filters(), [BIG, Entrant(organisation="Fenland", weights="open", parameters=7)]
    )
    assert [str(menu.name) for menu in menus] == ["Size"]


def test_a_filter_in_use_is_offered_whatever_is_left() -> None:
    (menu,) = entrant_menus(Filters(organisation="Nowhere"), [BIG])
    assert (str(menu.chosen), menu.active) == ("Nowhere", True)
