"""Tests of the organisers' pages of raters: who is added, their progress, who is dismissed."""

import pytest
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone
from pytest_django.fixtures import DjangoAssertNumQueries

from leaderboard.annotation import campaigns
from leaderboard.annotation.models import Assignment, Rater, RaterState
from leaderboard.annotation.rating import skip_item
from leaderboard.annotation.results import make_results
from leaderboard.pages.annotation.views import raters as raters_views
from tests.leaderboard.pages.submissions.visits import ESCAPED, SCRIPT
from tests.support.panel import FAIR, POOR, Panel, rate, store, take

pytestmark = pytest.mark.any_database

LIST_QUERIES, RATER_QUERIES = 6, 11


def raters(panel: Panel, part: str = "") -> str:
    return f"/campaigns/{panel.campaign.pk}/raters/{part}"


def test_somebody_with_an_account_is_added(panel: Panel, dora: Client) -> None:
    ann = panel.person("ann")
    page = dora.post(raters(panel, "add/"), {"person": "ann@example.org"}, follow=True).text
    assert "ann is rater 1." in page
    rater = Rater.objects.get(user=ann)
    assert (rater.state, rater.adjudicates) == (RaterState.RATING, False)
    dora.post(raters(panel, "add/"), {"person": "ann", "adjudicates": "on"})
    rater.refresh_from_db()
    assert (rater.number, rater.adjudicates, Rater.objects.count()) == (1, True, 1)


def test_an_invalid_value_that_the_form_does_not_ask_for_is_an_error(
    panel: Panel, dora: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.person("ann")
    monkeypatch.setattr(raters_views, "add_rater", lambda **_: Rater().full_clean())
    with pytest.raises(ValidationError):
        dora.post(raters(panel, "add/"), {"person": "ann"})


def test_nobody_without_an_account_is_added_and_none_to_a_closed_campaign(
    panel: Panel, dora: Client
) -> None:
    answer = dora.post(raters(panel, "add/"), {"person": "nobody"})
    assert (answer.status_code, 'value="nobody"' in answer.text) == (422, True)
    panel.person("ann")
    campaigns.close_campaign(campaign=panel.campaign)
    assert dora.post(raters(panel, "add/"), {"person": "ann"}).status_code == 422
    assert not Rater.objects.exists()


def test_the_list_takes_a_constant_number_of_queries(
    panel: Panel, dora: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    for n in range(3):
        rate(panel.rater(f"rater{n}"), panel.item(number=n))
        make_results(campaign=panel.campaign)
        with django_assert_num_queries(LIST_QUERIES):
            page = dora.get(raters(panel)).text
        assert page.count("too few") >= 3 * (n + 1)


def test_pace_agreement_drift_and_skips_of_one_are_shown(
    panel: Panel, dora: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    ann, ben = panel.rater("ann"), panel.rater("ben")
    store(ann, lambda number: FAIR if number % 3 else POOR)
    store(ben, lambda _number: FAIR)
    Assignment.objects.update(finished=timezone.now(), seconds=90)
    skip_item(assignment=take(panel.rater("cat", panel.open(panel.northwood))), reason="elsewhere")
    make_results(campaign=panel.campaign)
    with django_assert_num_queries(RATER_QUERIES):
        page = dora.get(raters(panel, "1/")).text
    assert '<td class="num">16</td><td class="num">24</td>' in page  # 16 items of 90 s
    assert "−0.75" in page and "elsewhere" not in page  # 6 of 16 two marks lower
    assert "No item skipped." in page


def test_distances_from_the_known_answers_are_shown(panel: Panel, dora: Client) -> None:
    campaign = panel.with_known_item(panel.northwood, marks=POOR)
    rater = panel.rater("ann", campaign)
    rate(rater, campaign.items.get(kind="known"), FAIR)
    page = dora.get(f"/campaigns/{campaign.pk}/raters/1/").text
    assert "too far from the known answers" in page
    assert '2.00<span class="under">too far</span>' in page


def test_dismissing_and_admitting_take_a_reason(panel: Panel, dora: Client) -> None:
    rater = panel.rater("ann")
    answer = dora.post(raters(panel, "1/dismiss/"), {"reason": " "})
    assert (answer.status_code, "stays on record" in answer.text) == (422, True)
    page = dora.post(raters(panel, "1/dismiss/"), {"reason": SCRIPT}, follow=True).text
    rater.refresh_from_db()
    assert (rater.state, rater.reason) == (RaterState.DISMISSED, SCRIPT)
    assert ESCAPED in page and SCRIPT not in page
    again = dora.post(raters(panel, "1/dismiss/"), {"reason": "again"}, follow=True).text
    assert "is dismissed" not in again
    dora.post(raters(panel, "1/admit/"), {"reason": "back"})
    rater.refresh_from_db()
    assert rater.state == RaterState.RATING


def test_nobody_decides_on_their_own_part(panel: Panel, dora: Client) -> None:
    rater = campaigns.add_rater(campaign=panel.campaign, user=panel.cast.dora)
    for action in ("admit", "dismiss"):
        answer = dora.post(raters(panel, f"{rater.number}/{action}/"), {"reason": "me"})
        assert answer.status_code == 403
    rater.refresh_from_db()
    assert rater.state == RaterState.RATING


def test_a_rater_of_another_campaign_is_not_there(panel: Panel, dora: Client) -> None:
    panel.rater("ann", panel.open(panel.northwood))
    assert dora.get(raters(panel, "1/")).status_code == 404
    assert dora.post(raters(panel, "1/dismiss/"), {"reason": "x"}).status_code == 404
