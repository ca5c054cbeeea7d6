"""Tests of terms: which may still change, which may not, and the record of changes."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from leaderboard.annotation import campaigns, rating
from leaderboard.annotation.campaigns import (
    TERMS,
    change_terms,
    close_due_campaigns,
    fixed_terms,
    open_campaign,
)
from leaderboard.annotation.errors import NotNow
from leaderboard.annotation.models import Assignment, Campaign, CampaignChange, CampaignState
from tests.support.panel import FAIR, Panel, rate, take

pytestmark = pytest.mark.any_database

DECIDING = {"fewest_ratings": 1, "least_agreement": 0.1, "trial": "among", "most_apart": 2.0}


def change(panel: Panel, campaign: Campaign, **terms: Any) -> list[CampaignChange]:
    return change_terms(
        campaign=campaign, user=panel.cast.dora, reason="a slip of the pen", terms=terms
    )


def soon(minutes: int = 5) -> Any:
    return timezone.now() + timedelta(minutes=minutes)


def test_while_nothing_is_rated_every_term_changes_and_is_on_record(panel: Panel) -> None:
    campaign = panel.campaign
    wanted = campaign.wanted
    assert change(panel, campaign, title="Autumn", per_item=2) == []
    assert not CampaignChange.objects.filter(kind="term").exists()
    made = change(
        panel, campaign, title="Spring", per_item=1, closes=soon(), constant_marks=True, **DECIDING
    )
    assert {one.name for one in made} == {*TERMS}
    assert campaign.wanted > wanted
    assert (campaign.title, campaign.per_item, campaign.fewest_ratings) == ("Spring", 1, 1)
    row = campaign.changes.get(name="fewest_ratings")
    assert (row.old, row.new, row.user, row.reason) == (4, 1, panel.cast.dora, "a slip of the pen")


def test_what_decides_about_results_is_fixed_once_something_is_rated_or_skipped(
    panel: Panel,
) -> None:
    assert fixed_terms(panel.campaign) == {}
    rating.skip_item(assignment=take(panel.rater("ann")), reason="unreadable")
    assert fixed_terms(panel.campaign).keys() == DECIDING.keys()
    Assignment.objects.all().delete()
    rate(panel.rater("ann"), panel.item())
    assert fixed_terms(panel.campaign).keys() == DECIDING.keys()
    for name, value in DECIDING.items():
        with pytest.raises(NotNow, match="can no longer change"):
            change(panel, panel.campaign, title="Spring", **{name: value})
    panel.campaign.refresh_from_db()
    assert panel.campaign.title == "Autumn"


def test_raters_of_a_generation_may_rise_and_not_fall_then(panel: Panel) -> None:
    rate(panel.rater("ann"), panel.item())
    with pytest.raises(ValidationError, match="can be raised"):
        change(panel, panel.campaign, per_item=1)
    (made,) = change(panel, panel.campaign, per_item=3)
    assert (made.old, made.new, panel.campaign.per_item) == (2, 3, 3)


def test_terms_that_cannot_be_change_nothing(panel: Panel) -> None:
    wrong = {"per_item": 0, "least_agreement": 2.0, "title": "", "trial": "never"}
    wrong["closes"] = soon(-1)
    for name, value in wrong.items():
        with pytest.raises(ValidationError, match=name):
            change(panel, panel.campaign, **{name: value})
    assert not CampaignChange.objects.filter(kind="term").exists()


def test_raters_who_were_not_tried_follow_when_known_items_come(panel: Panel) -> None:
    campaign = panel.new(trial="among")
    panel.add(campaign, panel.northwood)
    campaigns.add_known_item(campaign=campaign, task=panel.task(), text="int x;", marks=FAIR)
    ann = panel.rater("ann", campaign)
    states = []
    for trial in ("before", "among"):
        change(panel, campaign, trial=trial)
        ann.refresh_from_db()
        states.append(ann.state)
    assert states == ["trying", "rating"]


def test_a_campaign_closes_by_itself_at_its_date(panel: Panel) -> None:
    change(panel, panel.campaign, closes=soon())
    assert close_due_campaigns() == 0
    Campaign.objects.update(closes=soon(-1))
    assert (close_due_campaigns(), close_due_campaigns()) == (1, 0)
    panel.campaign.refresh_from_db()
    assert panel.campaign.state == CampaignState.CLOSED and panel.campaign.closed is not None
    with pytest.raises(NotNow, match="date has passed"):
        open_campaign(campaign=panel.campaign)
    change(panel, panel.campaign, closes=None)
    open_campaign(campaign=panel.campaign)
