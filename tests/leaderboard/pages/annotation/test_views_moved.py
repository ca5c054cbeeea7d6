"""Tests that the page lists a campaign's effects on published results before it is opened."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from leaderboard.annotation import campaigns
from leaderboard.annotation.models import Campaign
from leaderboard.annotation.results import make_results
from leaderboard.pages.annotation.queries import taken_over
from tests.support.cast import Cast
from tests.support.panel import Panel
from tests.support.rated import publish, rated_board, rated_panel, settle

pytestmark = pytest.mark.any_database

BECOMES = "becomes provisional when"


@pytest.fixture
def board(cast: Cast, tmp_path: Path, quick: None, own_caches: None) -> Panel:
    """Larch's and Sedge's marks are published."""
    panel = rated_panel(cast, tmp_path)
    rated_board(panel)
    return panel


def page(client: Client, campaign: Campaign, part: str = "") -> str:
    return client.get(f"/campaigns/{campaign.pk}/{part}").text


def test_opening_says_how_many_published_results_become_provisional(
    board: Panel, dora: Client
) -> None:
    campaign = board.new()
    board.add(campaign, board.northwood, board.submission("Yew", board.cast.fenland, "int y;"))
    assert "1 published result then comes from this campaign" in page(dora, campaign)
    board.add(campaign, board.fenland)
    assert "2 published results then come from this campaign" in page(dora, campaign)


def test_what_was_said_is_what_happens(board: Panel) -> None:
    campaign = board.open(board.northwood)
    make_results(campaign=campaign)
    publish(board.northwood, board.fenland)
    notes = {one.pk: one.evaluations.get(current=True) for one in (board.northwood, board.fenland)}
    held = {pk: one.scores.filter(value=None).exists() for pk, one in notes.items()}
    assert held == {board.northwood.pk: True, board.fenland.pk: False}


def test_a_campaign_that_results_come_from_already_says_nothing(board: Panel, dora: Client) -> None:
    campaigns.close_campaign(campaign=board.campaign)
    assert "then come" not in page(dora, board.campaign)
    assert BECOMES not in page(dora, board.campaign, "submissions/")


def test_marks_that_are_there_before_it_is_opened_hold_nothing_up(board: Panel) -> None:
    campaign = board.new()
    board.add(campaign, board.northwood)
    assert taken_over(campaign, {board.northwood.pk}) == {board.northwood.pk}
    settle(campaign, board, mixed=True)
    make_results(campaign=campaign)
    assert taken_over(campaign, {board.northwood.pk}) == set()


def test_an_older_campaign_takes_nothing_over(board: Panel) -> None:
    board.open(board.northwood)
    assert taken_over(board.campaign, {board.northwood.pk}) == set()


def test_scales_of_another_family_take_nothing_over(board: Panel) -> None:
    campaign = board.new()
    Campaign.objects.filter(pk=campaign.pk).update(family_slug="another")
    campaign.refresh_from_db()
    assert taken_over(campaign, {board.northwood.pk}) == set()


def test_the_list_names_them_before_they_are_added(board: Panel, dora: Client) -> None:
    campaign = board.new()
    assert page(dora, campaign, "submissions/").count("when this campaign is opened with it") == 2
    yew = board.submission("Yew", board.cast.fenland, "int y;")
    board.add(campaign, yew)
    campaigns.open_campaign(campaign=campaign)
    assert page(dora, campaign, "submissions/").count(f"{BECOMES} you add it") == 2
