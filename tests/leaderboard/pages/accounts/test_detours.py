"""Tests that a user who is first sent to make a team or an entrant returns to the previous page."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

from tests.support.cast import Cast

pytestmark = pytest.mark.any_database

WANTED = "/submit/?benchmark=rucodeeval&setting=base"
ENTRANT = {"name": "Larch", "organisation": "", "weights": "", "link": ""}


def test_a_new_entrant_leads_on_to_the_page_that_asked_for_it(cast: Cast, client: Client) -> None:
    client.force_login(cast.alice)
    page = f"/teams/{cast.northwood.slug}/entrants/new/"
    answer = client.post(page, ENTRANT, query_params={"next": WANTED})
    assert answer["Location"] == WANTED


def test_a_new_team_leads_on_by_way_of_its_first_entrant(cast: Cast, client: Client) -> None:
    client.force_login(cast.charlie)
    answer = client.post("/teams/new/", {"name": "Marsh Lane"}, query_params={"next": WANTED})
    led = urlsplit(answer["Location"])
    assert (led.path, parse_qs(led.query)) == (
        "/teams/marsh-lane/entrants/new/",
        {"next": [WANTED]},
    )


def test_nobody_is_led_to_another_site(cast: Cast, client: Client) -> None:
    client.force_login(cast.alice)
    page = f"/teams/{cast.northwood.slug}/entrants/new/"
    answer = client.post(page, ENTRANT, query_params={"next": "https://elsewhere.example/"})
    assert answer["Location"] == cast.northwood.get_absolute_url()
