"""Tests that the page lists a campaign's effects on published results before it is opened."""

from pathlib import Path

import pytest
from django.test import Client

from leaderboard.annotation.models import Campaign
from leaderboard.annotation.results import make_results
from leaderboard.pages.annotation.queries import taken_over
from tests.support.cast import Cast
from tests.support.panel import Panel
from tests.support.rated import publish, rated_board, rated_panel, settle

pytestmark = pytest.mark.any_database


@pytest.fixture
def board(cast: Cast, tmp_path: Path, quick: None, own_caches: None) -> Panel:
    """Larch's and Sedge's marks are published."""
    panel = rated_panel(cast, tmp_path)
    rated_board(panel)
    return panel


def page(client: Client, campaign: Campaign, part: str = "") -> str:
    return client.get(f"/campaigns/{campaign.pk}/{part}").text


def held(board: Panel) -> dict[int, bool]:
    """Whether each of the two published results is provisional, once all is computed."""
    for campaign in Campaign.objects.all():
        make_results(campaign=campaign)
    publish(board.northwood, board.fenland)
    results = {
        one.pk: one.evaluations.get(current=True) for one in (board.northwood, board.fenland)
    }
    return {pk: one.scores.filter(value=None).exists() for pk, one in results.items()}


def test_opening_another_campaign_changes_no_result_and_choosing_can_be_undone(
    board: Panel, dora: Client
) -> None:
    north, fen = board.northwood.pk, board.fenland.pk
    campaign = board.open(board.northwood)
    assert held(board) == {north: False, fen: False}
    text = page(dora, campaign)
    assert "1 submission of this campaign has its results from another one." in text
    assert "1 published result becomes provisional" in text
    assert "from another one" not in page(dora, board.campaign)
    for chosen, provisional in ((campaign, True), (board.campaign, False)):
        answer = dora.post(f"/campaigns/{chosen.pk}/choose/", {"reason": "better rubric"})
        assert answer.status_code == 302
        assert held(board) == {north: provisional, fen: False}
    assert campaign.changes.get(kind="chosen").reason == "better rubric"
    assert "better rubric" in page(dora, campaign, "terms/")


def test_a_choice_needs_a_reason(board: Panel, dora: Client) -> None:
    campaign = board.open(board.northwood)
    dora.post(f"/campaigns/{campaign.pk}/choose/", {"reason": " "})
    assert not campaign.changes.filter(kind="chosen").exists()


def test_marks_that_are_there_before_it_is_opened_hold_nothing_up(board: Panel) -> None:
    campaign = board.new()
    board.add(campaign, board.northwood)
    assert taken_over(campaign, {board.northwood.pk}) == {board.northwood.pk}
    settle(campaign, board, mixed=True)
    make_results(campaign=campaign)
    assert taken_over(campaign, {board.northwood.pk}) == set()


def test_scales_of_another_family_take_nothing_over(board: Panel) -> None:
    campaign = board.new()
    Campaign.objects.filter(pk=campaign.pk).update(family_slug="another")
    campaign.refresh_from_db()
    assert taken_over(campaign, {board.northwood.pk}) == set()
