"""Tests of a person's own page, and of the entrants of their teams."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.accounts.models import Entrant
from leaderboard.accounts.teams import invite
from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

NEW = "/teams/northwood/entrants/new/"
LARCH = {
    "name": "Larch Coder 32B",
    "organisation": "Northwood",
    "parameters": "32",
    "weights": "open",
    "link": "https://example.org/larch",
}


@pytest.fixture
def alice(client: Client, cast: Cast) -> Client:
    assert cast.northwood
    client.force_login(cast.alice)
    return client


def test_the_account_takes_a_constant_number_of_queries(alice: Client, cast: Cast) -> None:
    def queries() -> int:
        with CaptureQueriesContext(connection) as captured:
            assert alice.get("/account/").status_code == 200
        return len(captured)

    cast.entrant("Larch 0")
    few = queries()
    for number in range(1, 10):
        team = cast.team(f"Team {number}", owner=cast.alice)
        for letter in "abc":
            cast.entrant(f"Larch {number} {letter}", team)
        inviting = cast.team(f"Inviting {number}", owner=cast.bob)
        invite(team=inviting, typed="alice", role="member")
    assert queries() == few


def test_a_round_size_is_shown_as_it_was_typed(alice: Client, cast: Cast) -> None:
    page = alice.get(f"/entrants/{cast.entrant(parameters=32).slug}/edit/").content.decode()
    assert 'value="32"' in page


def test_an_entrant_is_changed_and_keeps_its_address(alice: Client, cast: Cast) -> None:
    entrant = cast.entrant()
    alice.post(f"/entrants/{entrant.slug}/edit/", LARCH | {"name": "Larch Coder 2"})
    entrant.refresh_from_db()
    assert (entrant.name, entrant.slug) == ("Larch Coder 2", "larch-coder-32b")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", ""),
        ("name", "heron 14b"),
        ("name", "Human baseline"),
        ("parameters", "-1"),
        ("parameters", "nan"),
        ("weights", "leaked"),
        ("link", "javascript:alert(1)"),
    ],
)
def test_what_makes_no_entrant_is_refused_beside_its_field(
    alice: Client, cast: Cast, field: str, value: str
) -> None:
    cast.entrant("Heron 14B")
    response = alice.post(NEW, LARCH | {field: value})
    assert list(response.context["form"].errors) == [field]
    assert Entrant.objects.count() == 1


# --- A page that sent the person here -----------------------------------------------------

WANTED = "/submit/?benchmark=rucodeeval&setting=base"


def test_a_new_entrant_leads_on_to_the_page_that_asked_for_it(alice: Client) -> None:
    for wanted, address in ((WANTED, WANTED), ("https://elsewhere.example/", "/teams/northwood/")):
        answer = alice.post(NEW, LARCH, query_params={"next": wanted})
        assert answer["Location"] == address
        Entrant.objects.all().delete()


def test_a_new_team_leads_on_by_way_of_its_first_entrant(cast: Cast, client: Client) -> None:
    client.force_login(cast.charlie)
    answer = client.post("/teams/new/", {"name": "Marsh Lane"}, query_params={"next": WANTED})
    led = urlsplit(answer["Location"])
    assert (led.path, parse_qs(led.query)) == (
        "/teams/marsh-lane/entrants/new/",
        {"next": [WANTED]},
    )
