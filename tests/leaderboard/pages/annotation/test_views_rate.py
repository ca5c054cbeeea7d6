"""Tests of the pages of a rater's campaigns."""

from __future__ import annotations

import pytest
from pytest_django.fixtures import DjangoAssertNumQueries

from leaderboard.annotation import campaigns
from leaderboard.annotation.models import Assignment
from tests.leaderboard.pages.submissions.visits import visitor
from tests.support.panel import FAIR, POOR, Panel, rate, rate_all

pytestmark = pytest.mark.any_database

LIST_QUERIES, CAMPAIGN_QUERIES = 3, 13


def test_one_s_own_campaigns_are_listed(panel: Panel) -> None:
    panel.rater("ann")
    assert "Autumn" in visitor(panel.person("ann")).get("/rate/").text
    for user in (panel.cast.alice, panel.cast.dora, panel.person("zoe")):
        page = visitor(user).get("/rate/").text
        assert ("Autumn" in page, "You are not a rater in any campaign" in page) == (False, True)


@pytest.mark.parametrize("number", [1, 4])
def test_the_number_of_queries_does_not_grow(
    panel: Panel, number: int, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for _ in range(number):
        rate(panel.rater("ann", campaign := panel.open(panel.northwood)), panel.item(campaign))
    client = visitor(panel.person("ann"))
    with django_assert_num_queries(LIST_QUERIES):
        page = client.get("/rate/").text
    assert page.count("Continue rating") == number


def test_meanings_progress_and_one_s_own_marks_are_shown(
    panel: Panel, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ann = panel.rater("ann")
    rate(ann, panel.item())
    client = visitor(panel.person("ann"))
    with django_assert_num_queries(CAMPAIGN_QUERIES):
        page = client.get(f"/rate/{panel.campaign.pk}/").text
    assert "The code is chaotic" in page and "Correctness <b>3</b>" in page
    rate_all(ann)
    with django_assert_num_queries(CAMPAIGN_QUERIES):
        client.get(f"/rate/{panel.campaign.pk}/")


def test_a_rater_s_page_tells_nothing_of_others(panel: Panel) -> None:
    rate(panel.rater("veiled-rater"), panel.item())
    rate(panel.rater("ann"), panel.item())
    page = visitor(panel.person("ann")).get(f"/rate/{panel.campaign.pk}/").text
    for secret in ("veiled", "Larch", "Sedge", "Northwood", "Fenland"):
        assert secret not in page


def test_beginning_takes_an_item_and_again_the_same(panel: Panel) -> None:
    panel.rater("ann")
    client = visitor(panel.person("ann"))
    first = client.post(f"/rate/{panel.campaign.pk}/next/")
    second = client.post(f"/rate/{panel.campaign.pk}/next/")
    row = Assignment.objects.get()
    assert first["Location"] == second["Location"] == f"/rate/items/{row.pk}/"
    assert client.get(f"/rate/{panel.campaign.pk}/next/").status_code == 405


def test_nothing_is_handed_out_when_the_campaign_is_closed(panel: Panel) -> None:
    panel.rater("ann")
    campaigns.close_campaign(campaign=panel.campaign)
    client = visitor(panel.person("ann"))
    page = client.post(f"/rate/{panel.campaign.pk}/next/", follow=True).text
    assert "nothing more to rate" in page and "Start rating" not in page
    assert not Assignment.objects.exists()


def test_the_menu_has_a_way_for_who_is_signed_in(panel: Panel) -> None:
    assert 'href="/rate/"' not in visitor().get("/").text
    assert 'href="/rate/"' in visitor(panel.person("zoe")).get("/").text
    assert 'href="/campaigns/"' not in visitor(panel.person("zoe")).get("/").text
    assert 'href="/campaigns/"' in visitor(panel.cast.dora).get("/").text


def test_who_has_nothing_left_is_not_asked_to_continue(panel: Panel) -> None:
    ann = panel.rater("ann")
    client = visitor(panel.person("ann"))
    pages = ("/rate/", f"/rate/{panel.campaign.pk}/")
    assert all("Start rating" in client.get(page).text for page in pages)
    rate_all(ann)
    assert not any("Continue rating" in client.get(page).text for page in pages)


def test_an_adjudicator_continues_only_while_raters_differ(panel: Panel) -> None:
    dan = panel.rater("dan", adjudicates=True)
    rate_all(dan)
    pages, client = ("/rate/", f"/rate/{panel.campaign.pk}/"), visitor(panel.person("dan"))
    assert not any("Continue rating" in client.get(page).text for page in pages)
    item = panel.campaign.items.latest("pk")
    dan.assignments.filter(item=item).delete()
    for name, marks in (("ann", FAIR), ("ben", POOR)):
        rate(panel.rater(name), item, marks)
    assert all("Continue rating" in client.get(page).text for page in pages)


def test_a_rater_on_trial_starts_with_the_known_items(panel: Panel) -> None:
    campaign = panel.with_known_item(panel.northwood, marks=POOR)
    panel.rater("ann", campaign)
    client = visitor(panel.person("ann"))
    for page in ("/rate/", f"/rate/{campaign.pk}/"):
        assert "Start rating" in client.get(page).text
