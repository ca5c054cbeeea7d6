"""Tests of the organisers' pages that change terms and remove submissions: after a confirmation and
on record, or refused with a reason."""

from typing import Any

import pytest
from django.test import Client
from pytest_django.fixtures import DjangoAssertNumQueries

from leaderboard.annotation.models import Campaign, CampaignChange
from leaderboard.pages.annotation.views import contents
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT
from tests.support.panel import Panel, rate

pytestmark = pytest.mark.any_database

TERMS_QUERIES = 7
TERMS = {
    "title": "Autumn",
    "per_item": 2,
    "trial": "before",
    "most_apart": 0.7,
    "fewest_ratings": 4,
    "least_agreement": -1.0,
    "closes": "",
}


def terms(campaign: Campaign) -> str:
    return f"/campaigns/{campaign.pk}/terms/"


def out(panel: Panel) -> str:
    return f"/campaigns/{panel.campaign.pk}/submissions/{panel.fenland.pk}/remove/"


def post(client: Client, campaign: Campaign, **changed: Any) -> Any:
    return client.post(terms(campaign), {**TERMS, **changed})


def test_a_change_is_shown_first_and_made_when_confirmed(panel: Panel, dora: Client) -> None:
    changes = {"fewest_ratings": 9, "trial": "among", "constant_marks": "on"}
    asked = post(dora, panel.campaign, **changes)
    assert "Change these terms?" in asked.text
    assert "Publish means if all marks are the same" in asked.text
    assert "among the others" in asked.text and "Autumn" not in asked.text.split("<main")[1][:9]
    answer = post(dora, panel.campaign, **changes, confirmed="yes", reason=" ")
    assert (answer.status_code, "Give a reason" in answer.text) == (422, True)
    panel.campaign.refresh_from_db()
    assert panel.campaign.fewest_ratings == 4
    answer = post(dora, panel.campaign, **changes, confirmed="yes", reason="a slip")
    assert answer["Location"] == terms(panel.campaign)
    panel.campaign.refresh_from_db()
    assert (panel.campaign.fewest_ratings, panel.campaign.trial) == (9, "among")
    assert panel.campaign.constant_marks
    page = dora.get(terms(panel.campaign)).text
    assert "a slip" in page and "before all others" in page and "dora" in page
    assert "<td>yes</td>" in page
    again = dora.post(terms(panel.campaign), TERMS | changes, follow=True)
    assert "Nothing was changed." in again.text


def test_what_is_fixed_says_why_and_takes_nothing(panel: Panel, dora: Client) -> None:
    rate(panel.rater("ann"), panel.item())
    page = dora.get(terms(panel.campaign)).text
    assert page.count("can no longer change") == 4
    post(dora, panel.campaign, fewest_ratings=1, title="Spring", confirmed="yes", reason="x")
    panel.campaign.refresh_from_db()
    assert (panel.campaign.fewest_ratings, panel.campaign.title) == (4, "Spring")
    answer = post(dora, panel.campaign, title="Spring", per_item=1, confirmed="yes", reason="x")
    assert (answer.status_code, "can be raised but not lowered" in answer.text) == (422, True)


def test_a_closing_date_is_set_and_shown(panel: Panel, dora: Client) -> None:
    post(dora, panel.campaign, closes="2099-12-31T18:30", confirmed="yes", reason="as agreed")
    assert "31 Dec 2099, 18:30" in dora.get(f"/campaigns/{panel.campaign.pk}/").text
    assert 'value="2099-12-31T18:30"' in dora.get(terms(panel.campaign)).text


def test_titles_and_reasons_are_escaped(panel: Panel, dora: Client) -> None:
    words = {"title": SCRIPT[:60], "reason": SCRIPT}
    assert SCRIPT[:60] not in post(dora, panel.campaign, title=SCRIPT[:60]).text
    post(dora, panel.campaign, confirmed="yes", **words)
    page = dora.get(terms(panel.campaign)).text
    assert SCRIPT not in page and ESCAPED in page


def test_the_record_takes_a_constant_number_of_queries(
    panel: Panel, dora: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for count in range(3):
        post(dora, panel.campaign, fewest_ratings=10 + count, confirmed="yes", reason="x")
        with django_assert_num_queries(TERMS_QUERIES):
            dora.get(terms(panel.campaign))


# --- Submissions --------------------------------------------------------------------------


def test_a_submission_is_taken_out_once_that_is_confirmed(panel: Panel, dora: Client) -> None:
    listed = dora.get(f"/campaigns/{panel.campaign.pk}/submissions/").text
    wanted = panel.campaign.wanted
    assert out(panel) in listed
    assert "8 generations of it are in this campaign." in dora.get(out(panel)).text
    assert dora.post(out(panel), {"reason": ""}).status_code == 422
    page = dora.post(out(panel), {"reason": "sent by mistake"}, follow=True).text
    assert "8 generations were taken out." in page and out(panel) not in page
    assert "sent by mistake" in dora.get(terms(panel.campaign)).text
    assert dora.get(out(panel)).status_code == 404
    panel.campaign.refresh_from_db()
    assert panel.campaign.wanted > wanted
    left = panel.campaign.items.values_list("generation__submission", flat=True)
    assert {*left} == {panel.northwood.pk}
    assert panel.add(panel.campaign, panel.fenland) == 8


def test_what_cannot_be_taken_out_says_why(panel: Panel, dora: Client) -> None:
    item = panel.campaign.items.filter(generation__submission=panel.fenland).earliest("pk")
    rate(panel.rater("ann"), item)
    page = dora.get(out(panel)).text
    assert "this stays on record" in page and "Take it out" not in page
    answer = dora.post(out(panel), {"reason": "x"})
    assert (answer.status_code, CampaignChange.objects.filter(kind="removed").count()) == (422, 0)
    dora.post(f"/campaigns/{panel.campaign.pk}/close/")
    assert "The campaign is closed." in dora.get(out(panel)).text


def test_many_submissions_come_in_pages(
    panel: Panel, dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(contents, "PER_PAGE", 2)
    campaign = panel.new()
    made = [panel.submission(f"E{n}", panel.cast.fenland, "int a;") for n in range(5)]
    address = f"/campaigns/{campaign.pk}/submissions/"
    pages = [dora.get(address, {"page": number}).text for number in (1, 2, 3)]
    assert [page.count('name="submissions"') for page in pages] == [2, 2, 1]
    answer = dora.post(f"{address}?page=3", {"submissions": [made[0].pk]}, follow=True)
    assert "8 generations were added." in answer.text
